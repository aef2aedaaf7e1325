// Rows of users that requests start: from the moment at which they are read, and with the rights of their author.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectionFlows, createFlows, type Flows } from '../../../src/flows.ts'
import { createHandler, type Handler } from '../../../src/http.ts'
import { createEngine, createItem, defineSchema, type Engine, updateItem } from '../../../src/index.ts'
import { openSqlite } from '../../support/databases.ts'
import { requestOf } from '../../support/request-of.ts'

const schema = defineSchema({
  articles: { fields: { id: { type: 'integer', key: true }, title: { type: 'string' } } },
  flows: {
    fields: {
      id: { type: 'integer', key: true },
      name: { type: 'string' },
      trigger: { type: 'json' },
      first: { type: 'string', nullable: true },
      operations: { type: 'json', nullable: true },
      saved_by: { type: 'integer', nullable: true },
    },
  },
})
const author = { user: 7, rules: { articles: { read: { filter: { id: { _eq: 1 } } } } } }
const caller = { user: 8, role: 'reader', rules: { articles: { read: true } } }

let engine: Engine<typeof schema>
let flows: Flows
let handler: Handler
beforeAll(async () => {
  const opened = await openSqlite()
  await opened.run('create table articles (id integer primary key, title text not null)')
  await opened.run(
    'create table flows (id integer primary key, name text not null, "trigger" text not null, first text, operations text, saved_by integer)',
  )
  await opened.run("insert into articles values (1, 'One'), (2, 'Two')")
  engine = createEngine({ db: opened.db, schema, flows: {} })
  flows = createFlows(engine, {
    flows: [
      collectionFlows('flows', {
        access: ['author'],
        author: 'saved_by',
        collections: ['articles'],
        operations: ['item-read'],
      }),
    ],
    access: (name, { user }) => (name === 'author' && user === 7 ? author : null),
    pollMs: 50,
  })
  const editor = engine.as({ user: 7, rules: { flows: { create: true, read: true, update: true } } })
  const listed = {
    first: 'o',
    operations: { o: { type: 'item-read', options: { collection: 'articles' } } },
  }
  await createItem(editor, 'flows', {
    id: 1,
    name: 'open',
    trigger: { on: 'webhook', allow: 'public' },
    ...listed,
  })
  await createItem(editor, 'flows', {
    id: 2,
    name: 'chosen',
    trigger: { on: 'manual', allow: 'authenticated' },
    ...listed,
  })
  await flows.install()
  handler = createHandler(engine, {
    authenticate: (token) => (token === 'caller' ? caller : null),
    mounts: [flows],
  })
})
afterAll(() => handler.stop())

const start = async (name: string, json: object = {}, token = 'caller') => {
  const response = await handler(
    requestOf('POST', `/flows/trigger/${name}`, json, { authorization: `Bearer ${token}` }),
  )
  return { status: response.status, body: await response.json() }
}

describe('a row that a request starts', () => {
  it('is not known before the rows are read, which the sender may try again', async () => {
    expect((await start('open')).status).toBe(503)
    expect((await start('none', {}, 'wrong')).status).toBe(503)
    await handler.start()
    expect((await start('none')).status).toBe(404)
  })

  it('has the rights of its author, whoever starts it', async () => {
    const seen = { status: 200, body: [{ id: 1, title: 'One' }] }
    expect(await start('open', {}, 'wrong')).toEqual(seen)
    // The caller sees the item, and the author does not.
    expect(await start('chosen', { collection: 'articles', keys: [2] })).toEqual(seen)
    expect((await start('chosen', { collection: 'flows', keys: [1] })).status).toBe(404)
  })

  it('is one of another name as soon as it is saved', async () => {
    const editor = engine.as({ user: 7, rules: { flows: { read: true, update: true } } })
    await updateItem(editor, 'flows', 1, { name: 'renamed' })
    expect([(await start('open')).status, (await start('renamed')).status]).toEqual([404, 200])
  })

  it('is not taken for none once the flows are stopped', async () => {
    await flows.stop()
    expect((await start('renamed')).status).toBe(503)
  })
})
