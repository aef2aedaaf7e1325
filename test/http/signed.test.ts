// Signed addresses: who may sign what, and what a signature opens.
import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { createHandler, type Handler, type HandlerOptions } from '../../src/http.ts'
import { type Access, createEngine, createItem, deleteItem, type Engine } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage.ts'
import { sqlite } from '../support/databases.ts'
import { authenticate, type Magazine, openWorld } from './magazine.ts'
import { transports } from './transports.ts'

const keys = ['a'.repeat(32), 'b'.repeat(32)]
let accesses: Record<string, Access<Magazine> | null> = {}
const asked: string[] = []
let now = new Date('2024-03-01T12:00:00Z')

const signed: NonNullable<HandlerOptions<Magazine>['signed']> = {
  keys,
  idOf: (access) => (access.admin ? 'admin' : access.user === undefined ? '' : String(access.user)),
  accessOf: (id) => {
    asked.push(id)
    return accesses[id] ?? null
  },
}
const mount = {
  routes: () => [
    { path: '/hello', methods: { GET: async () => ({ status: 200, headers: {}, body: 'hello' }) } },
  ],
}

let engine: Engine<Magazine>
let handler: Handler
beforeAll(async () => {
  const world = await openWorld(sqlite)
  engine = createEngine({
    db: world.opened.db,
    schema: world.engine.schema,
    storage: memoryStorage(),
    clock: () => now,
  })
  await engine.install()
  handler = handlerWith({})
})

const handlerWith = (options: Partial<HandlerOptions<Magazine>>) =>
  createHandler(engine, { authenticate, prefix: '/api', signed, mounts: [mount], ...options })

async function sign(body: object, token = 'admin', by = handler) {
  const response = await by(
    new Request('http://localhost/api/sign', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )
  return { status: response.status, headers: response.headers, ...JSON.parse(await response.text()) }
}

async function read(path: string, init: RequestInit = {}, by = handler) {
  const response = await by(new Request(`http://localhost/api${path}`, init))
  const text = await response.text()
  return { status: response.status, headers: response.headers, text }
}
const statusOf = async (path: string, init?: RequestInit, by?: Handler) => (await read(path, init, by)).status

async function signedPath(path: string, token?: string, by?: Handler): Promise<string> {
  accesses = {
    admin: { admin: true },
    '1': { user: 1, rules: { articles: { read: { filter: { author: 1 } } } } },
  }
  const { data } = await sign({ path }, token, by)
  return data.path
}

describe('a signed address', () => {
  it('is read without a token, as who had it signed', async () => {
    const path = await signedPath('/items/articles?fields=id&filter[id][_gt]=0', 'editor')
    expect(path).toMatch(/^\/items\/articles\?fields=id&filter\[id\]\[_gt\]=0&signed=\d+\.MQ\.[\w-]{43}$/)
    const { status, text, headers } = await read(path)
    expect([status, text]).toEqual([200, '{"data":[{"id":1},{"id":2}]}'])
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(asked.at(-1)).toBe('1')
    // It may be used twice, and a token beside it is nobody's.
    expect(await statusOf(path, { headers: { authorization: 'Bearer mallory' } })).toBe(200)
    expect((await read(path, { method: 'HEAD' })).text).toBe('')
    expect(await statusOf(path, { method: 'HEAD' })).toBe(200)
  })

  it('is for exports and items, with an entity tag', async () => {
    const exported = await read(await signedPath('/items/tags%2Fx?export=csv'.replace('tags%2Fx', 'words')))
    expect(exported.text).toContain('word')
    const path = await signedPath('/items/words/a%2Fb')
    const { headers, text } = await read(path)
    expect(JSON.parse(text).data.word).toBe('a/b')
    const again = await read(path, { headers: { 'if-none-match': headers.get('etag') ?? '' } })
    expect([again.status, again.headers.get('cache-control')]).toEqual([304, 'no-store'])
  })

  it('opens the item whose key is empty, and that path alone', async () => {
    await createItem(engine, 'words', { word: '', meaning: 'nothing' })
    const path = await signedPath('/items/words//')
    expect(path).toMatch(/^\/items\/words\/\/\?signed=/)
    expect(JSON.parse((await read(path)).text).data.meaning).toBe('nothing')
    expect(await statusOf(path.replace('words//', 'words/'))).toBe(401)
    await deleteItem(engine, 'words', '')
  })

  it('is made by a request without parameters', async () => {
    const init = { method: 'POST', headers: { authorization: 'Bearer admin' } }
    expect(await statusOf('/sign?nope=1', init)).toBe(400)
  })

  it('is that of the same resource, however its path is written', async () => {
    const path = await signedPath('/items/words/%61%2fb')
    expect(path).toMatch(/^\/items\/words\/a%2Fb\?signed=/)
    expect(await statusOf(path.replace('a%2F', '%61%2f'))).toBe(200)
  })

  it('has no right that was taken since', async () => {
    const path = await signedPath('/items/articles/1', 'editor')
    expect(await statusOf(path)).toBe(200)
    accesses = { '1': { user: 1, rules: { articles: { read: { filter: { id: 2 } } } } } }
    expect(await statusOf(path)).toBe(404)
    accesses = { '1': {} }
    expect(await statusOf(path)).toBe(404)
    accesses = {}
    expect(await statusOf(path)).toBe(401)
    accesses = { '1': { admin: true, expiresAt: new Date(now.getTime() - 1) } }
    expect(await statusOf(path)).toBe(401)
  })

  it('ends', async () => {
    const path = await signedPath('/items/words')
    now = new Date(now.getTime() + 59_999)
    expect(await statusOf(path)).toBe(200)
    now = new Date(now.getTime() + 1)
    const { status, text } = await read(path)
    expect([status, JSON.parse(text).errors[0].extensions.code]).toEqual([401, 'TOKEN_EXPIRED'])
  })

  it('is of any key that the host knows, and of no other', async () => {
    const path = await signedPath('/items/words')
    const [first = '', second = ''] = keys
    expect(await statusOf(path, {}, handlerWith({ signed: { ...signed, keys: [second, first] } }))).toBe(200)
    expect(await statusOf(path, {}, handlerWith({ signed: { ...signed, keys: [second] } }))).toBe(401)
    const byOther = handlerWith({ prefix: '/other', signed })
    const elsewhere = new Request(`http://localhost/other${path}`)
    expect((await byOther(elsewhere)).status).toBe(401)
    // Without the option it is a parameter that is unknown.
    expect(
      await statusOf(
        path,
        { headers: { authorization: 'Bearer admin' } },
        handlerWith({ signed: undefined }),
      ),
    ).toBe(400)
  })

  it('opens nothing else', async () => {
    const path = await signedPath('/items/words?fields=word')
    const [, end = '', id = '', signature = ''] = /signed=(\d+)\.([\w-]+)\.([\w-]+)$/.exec(path) ?? []
    const of = (query: string, address = '/items/words') => `${address}?${query}`
    const token = `signed=${end}.${id}.${signature}`
    const refused = [
      of(`fields=meaning&${token}`),
      of(token),
      of(`fields=word&limit=1&${token}`),
      of(`fields=word&&${token}`),
      of(`fields=wor%64&${token}`),
      of(`fields=word&${token}&limit=1`),
      of(`${token}&fields=word`),
      of(`fields=word&${token}&${token}`),
      of(`fields=word&signed=x&${token}`),
      of(`fields=word&%73igned=${token.slice(7)}`),
      of(`fields=word&${token}`, '/items/articles'),
      of(`fields=word&${token}`, '/items/words/a%2Fb'),
      of(`fields=word&${token}`, '/schema'),
      of(`fields=word&${token}`, '/sign'),
      of(`fields=word&${token}`, '/hello'),
      of(`fields=word&signed=${Number(end) + 1}.${id}.${signature}`),
      of(`fields=word&signed=${end}.${Buffer.from('1').toString('base64url')}.${signature}`),
      of(`fields=word&signed=${end}.${id}.${signature.slice(0, -1)}`),
      of(`fields=word&signed=${end}.${id}.${'A'.repeat(43)}`),
      of(`fields=word&signed=${end}.${id}.${createHmac('sha256', 'x').update('x').digest('base64url')}`),
      of(`fields=word&signed=${end}.${id}`),
      of('fields=word&signed='),
    ]
    for (const other of refused) expect([other, await statusOf(other)]).toEqual([other, 401])
    for (const method of ['POST', 'PATCH', 'DELETE', 'PUT', 'SEARCH', 'OPTIONS'])
      expect([method, await statusOf(path, { method })]).toEqual([method, 401])
  })

  it('is a token of nobody for mounts', async () => {
    const withToken = { headers: { authorization: 'Bearer admin' } }
    expect((await read('/hello?signed=1.a.b', withToken)).text).toBe('hello')
  })
})

describe('signing', () => {
  it('says when the address ends, and is kept by nobody', async () => {
    accesses = { admin: { admin: true } }
    const { status, data, headers } = await sign({ path: '/files', seconds: 300 })
    expect(status).toBe(200)
    expect(Date.parse(data.expires)).toBe(Math.floor(now.getTime() / 1_000 + 300) * 1_000)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(await statusOf(data.path)).toBe(200)
  })

  it.each([
    ['/hello'],
    ['/sign'],
    ['/schema'],
    ['/'],
    ['/items'],
    ['/nothing'],
    ['items/words'],
    ['//localhost/items/words'],
    ['http://localhost/items/words'],
    ['/items\\words'],
    ['/items/words#x'],
    ['/items/words?signed=1'],
    ['/items/words?%73igned=1'],
    ['/items/words?a\nb'],
    ['/versions/1/save'],
    ['/items/%FF'],
    [''],
    [7],
  ])('refuses the path %j', async (path) => {
    const { status, errors } = await sign({ path })
    expect([status, errors[0].extensions]).toEqual([400, { code: 'INVALID_PAYLOAD', path: ['path'] }])
  })

  it('refuses a path that climbs', async () => {
    expect((await sign({ path: '/items/%2e%2e/files' })).status).toBe(400)
  })

  it.each([[0], [301], [1.5], ['60'], [null], [-1]])('refuses %j seconds', async (seconds) => {
    const { status, errors } = await sign({ path: '/files', seconds })
    expect([status, errors[0].extensions.path]).toEqual([400, ['seconds']])
  })

  it('refuses what is misspelt', async () => {
    const { status, errors } = await sign({ path: '/files', second: 3 })
    expect([status, errors[0].extensions.path]).toEqual([400, ['second']])
  })

  it('is for who has an id', async () => {
    expect((await sign({ path: '/items/articles' }, 'reader')).status).toBe(403)
    expect((await sign({ path: '/items/articles' }, 'mallory')).status).toBe(401)
  })

  it('is there if the host allows it', async () => {
    expect((await sign({ path: '/files' }, 'admin', handlerWith({ signed: undefined }))).status).toBe(404)
    for (const wrong of [
      { keys },
      { ...signed, keys: [] },
      { ...signed, keys: ['short'] },
      { ...signed, key: 1 },
      7,
    ])
      expect(() => handlerWith({ signed: wrong as never })).toThrow()
  })

  it('is a POST', async () => {
    expect(await statusOf('/sign', { headers: { authorization: 'Bearer admin' } })).toBe(405)
  })
})

it.each(transports)('$title a signed address opens', async ({ open }) => {
  const path = await signedPath('/items/words?filter[word]=ä%20ö?&fields=word')
  const wire = await open(handler)
  const { status, text } = await wire.send({
    method: 'GET',
    path: `/api${path}`,
    headers: {},
    body: undefined,
  })
  expect([status, text]).toEqual([200, '{"data":[{"word":"ä ö?"}]}'])
})
