// What there is: `/` and `/items`, for those who look around.
import { beforeAll, expect, it } from 'vitest'
import { createHandler, type HandlerOptions } from '../../src/http.ts'
import { createEngine, defineSchema, type Engine } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage.ts'
import { type OpenDatabase, openSqlite } from '../support/databases.ts'
import { transports } from './transports.ts'

const schema = defineSchema({
  notes: { note: 'What to buy', fields: { id: { type: 'integer', key: true }, text: { type: 'string' } } },
  'odd name': { fields: { id: { type: 'integer', key: true } } },
  secrets: { fields: { id: { type: 'integer', key: true } } },
  site: { singleton: true, fields: { id: { type: 'integer', key: true } } },
})
type Options = HandlerOptions<typeof schema>

let opened: OpenDatabase
let engine: Engine<typeof schema>
beforeAll(async () => {
  opened = await openSqlite()
  engine = createEngine({ db: opened.db, schema })
})

const authenticate: Options['authenticate'] = (token) => {
  if (token === 'admin') return { admin: true }
  if (token === 'nobody') return {}
  if (token === 'reader')
    return { rules: { notes: { read: true }, 'odd name': { create: true, update: true } } }
  return null
}

async function ask(path: string, token: string, { method = 'GET', over = engine, prefix = '/' } = {}) {
  const handler = createHandler(over, { authenticate, prefix })
  const headers = { authorization: `Bearer ${token}` }
  const response = await handler(new Request(`http://localhost${path}`, { method, headers }))
  const text = await response.text()
  return [response.status, text === '' ? '' : JSON.parse(text)]
}

const all = ['create', 'read', 'update', 'delete']

it('the root links to the parts of the API', async () => {
  expect(await ask('/', 'admin')).toEqual([200, { data: { items: '/items' } }])
  expect(await ask('/api', 'admin', { prefix: '/api' })).toEqual([200, { data: { items: '/api/items' } }])
  const versioned = defineSchema({
    notes: { versioned: true, fields: { id: { type: 'integer', key: true } } },
  })
  const over = createEngine({ db: opened.db, schema: versioned, storage: memoryStorage() })
  const data = { items: '/items', versions: '/versions', files: '/files' }
  expect(await ask('/', 'admin', { over: over as never })).toEqual([200, { data }])
})

it('the items link to the collections, with what the caller may do there', async () => {
  expect(await ask('/items', 'admin')).toEqual([
    200,
    {
      data: [
        { collection: 'notes', note: 'What to buy', actions: all, href: '/items/notes' },
        { collection: 'odd name', actions: all, href: '/items/odd%20name' },
        { collection: 'secrets', actions: all, href: '/items/secrets' },
        { collection: 'site', singleton: true, actions: all, href: '/items/site' },
      ],
    },
  ])
  expect(await ask('/api/items/', 'reader', { prefix: '/api' })).toEqual([
    200,
    {
      data: [
        { collection: 'notes', note: 'What to buy', actions: ['read'], href: '/api/items/notes' },
        { collection: 'odd name', actions: ['create'], href: '/api/items/odd%20name' },
      ],
    },
  ])
  expect(await ask('/items', 'nobody')).toEqual([200, { data: [] }])
})

it('nobody sees them who is not authenticated, and other methods are not there', async () => {
  for (const path of ['/', '/items']) {
    expect((await ask(path, 'wrong'))[0]).toBe(401)
    expect(await ask(path, 'admin', { method: 'POST' })).toMatchObject([405, { errors: [{}] }])
    expect(await ask(path, 'admin', { method: 'HEAD' })).toEqual([200, ''])
    expect(await ask(`${path}?limit=1`, 'admin')).toMatchObject([
      400,
      { errors: [{ extensions: { code: 'INVALID_QUERY', path: ['limit'] } }] },
    ])
  }
})

it('a mount with the path comes first', async () => {
  const mount = {
    routes: () => [{ path: '/', methods: { GET: async () => ({ status: 200, headers: {}, body: 'own' }) } }],
  }
  const handler = createHandler(engine, { authenticate: () => ({}), mounts: [mount] })
  expect(await (await handler(new Request('http://localhost/'))).text()).toBe('own')
})

it.each(transports)('$title the links begin as the client knows the path', async ({ open }) => {
  const wire = await open(createHandler(engine, { authenticate: () => ({ admin: true }), prefix: '/api' }))
  const { status, text } = await wire.send({ method: 'GET', path: '/api', headers: {}, body: undefined })
  expect([status, text]).toEqual([200, '{"data":{"items":"/api/items"}}'])
})
