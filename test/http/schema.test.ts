// `GET /schema`: what there is for the caller, as data and as text.

import { expect, it } from 'vitest'
import { legend } from '../../src/engine/schema-text.ts'
import { graphql } from '../../src/graphql.ts'
import { createHandler, type Mount } from '../../src/http.ts'
import { createEngine, defineSchema, type Engine, type Schema } from '../../src/index.ts'
import { createFeed, localSource, realtime } from '../../src/realtime.ts'
import { memoryStorage } from '../../src/storage.ts'
import { openSqlite } from '../support/databases.ts'
import { integer, json, key, many, maybeOne, moment, number, string } from '../support/fields.ts'
import { answered } from './exchange.ts'
import { schema } from './magazine.ts'

const reader = {
  articles: {
    may: 'r',
    key: ['id'],
    versioned: true,
    fields: {
      id: integer,
      title: string,
      status: { type: 'string', values: ['draft', 'published'] },
      author: number,
    },
  },
  site: {
    may: 'r',
    key: ['id'],
    singleton: true,
    versioned: true,
    fields: { id: integer, title: string, motto: { type: 'string', nullable: true } },
  },
}
const lines = `${legend}
articles[r] versioned id: id integer, title string, status draft|published, author? integer
site[r] singleton versioned id: id integer, title string, motto? string
`
const text = (body: string) => new RegExp(`^${body.replaceAll(/[[\]|?().]/g, String.raw`\$&`)}$`)

answered([
  {
    title: 'the schema is what the caller may name',
    as: 'reader',
    send: 'GET /schema',
    status: 200,
    answer: { data: { installed: {}, collections: reader } },
    shows: { etag: /^W\/"/, vary: 'Authorization, Cookie', 'cache-control': 'private, no-cache' },
  },
  {
    title: 'the schema as text',
    as: 'reader',
    send: 'GET /schema?as=text',
    status: 200,
    text: text(lines),
    shows: { 'content-type': 'text/plain; charset=utf-8' },
  },
  { title: 'the head of the schema', as: 'reader', send: 'HEAD /schema', status: 200 },
  {
    title: 'an empty schema for who may do nothing',
    as: 'nobody',
    send: 'GET /schema',
    status: 200,
    answer: { data: { installed: {}, collections: {} } },
  },
  {
    title: 'no schema for nobody',
    as: null,
    send: 'GET /schema',
    status: 401,
    fault: ['INVALID_CREDENTIALS'],
  },
  { title: 'no other method', send: 'POST /schema', body: {}, status: 405, fault: ['METHOD_NOT_ALLOWED'] },
  { title: 'no path below it', send: 'GET /schema/articles', status: 404, fault: ['NOT_FOUND'] },
  { title: 'no other form', send: 'GET /schema?as=xml', status: 400, fault: ['INVALID_QUERY', ['as']] },
  {
    title: 'no form twice',
    send: 'GET /schema?as=text&as=json',
    status: 400,
    fault: ['INVALID_QUERY', ['as']],
  },
  { title: 'no query', send: 'GET /schema?limit=1', status: 400, fault: ['INVALID_QUERY', ['limit']] },
])

const get = async (engine: Engine, mounts: readonly Mount[] = [], headers: Record<string, string> = {}) => {
  const handler = createHandler(engine, { authenticate: () => ({ admin: true }), mounts })
  return handler(new Request('http://localhost/schema', { headers }))
}

it('a client that has it already is answered so', async () => {
  const { db } = await openSqlite()
  const engine: Engine = createEngine({ db, schema }) as never
  const etag = (await get(engine)).headers.get('etag') ?? ''
  const again = await get(engine, [], { 'if-none-match': etag })
  expect([again.status, await again.text()]).toEqual([304, ''])
})

it('it names the parts that are installed', async () => {
  const { db } = await openSqlite()
  const engine: Engine = createEngine({ db, schema, storage: memoryStorage() }) as never
  const feed = createFeed(engine, { source: localSource() })
  const mounts = [graphql({ prefix: '/query' }), realtime(feed)]
  const { data } = JSON.parse(await (await get(engine, mounts)).text())
  expect(data.installed).toEqual({
    files: 'files',
    versions: 'versions',
    graphql: '/query',
    live: '/live/:collection',
  })
  expect(Object.keys(data.collections)).toContain('files')
  await feed.stop()
})

it('a mount with the path comes first', async () => {
  const { db } = await openSqlite()
  const own = async () => ({ status: 200, headers: {}, body: 'own' })
  const mount = { routes: () => [{ path: '/schema', methods: { GET: own } }] }
  expect(await (await get(createEngine({ db, schema }) as never, [mount])).text()).toBe('own')
})

/** Collections of an ordinary size: 40 with 12 fields. */
const ordinary: Schema = defineSchema(
  Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `collection${at}`,
      {
        fields: {
          id: key,
          title: string,
          slug: { type: 'string', nullable: true },
          status: { type: 'string', values: ['draft', 'published'] },
          description: { type: 'text', nullable: true },
          price: { type: 'decimal', nullable: true },
          meta: json,
          published_at: moment,
          created_at: { type: 'timestamp', special: ['date-created'] },
          parent: maybeOne(`collection${at}`),
          owner: { type: 'm2o', to: 'collection0' },
          children: many(`collection${at}.parent`),
        },
      },
    ]),
  ),
)

it('it takes 50 bytes a field, and as text six tokens', async () => {
  const { db } = await openSqlite()
  const engine: Engine = createEngine({ db, schema: ordinary }) as never
  const body = await (await get(engine)).text()
  const { collections } = JSON.parse(body).data
  const fields = Object.values<{ fields: object }>(collections).flatMap((one) => Object.keys(one.fields))
  expect(body.length / fields.length).toBeLessThan(50)
  const handler = createHandler(engine, { authenticate: () => ({ admin: true }) })
  const plain = await (await handler(new Request('http://localhost/schema?as=text'))).text()
  expect(plain.length / 4 / fields.length).toBeLessThan(6)
})
