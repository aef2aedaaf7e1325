// Plans that show all they do, answers of bounded length, input that is no text, and errors that reach the host.

import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { createHandler } from '../../src/http.ts'
import { createEngine, defineSchema, type Engine, listItems } from '../../src/index.ts'
import { createMcpServer, mcp } from '../../src/mcp.ts'
import { type OpenDatabase, openSqlite } from '../support/databases.ts'
import { json, key, many, maybeOne } from '../support/fields.ts'
import { openAgent } from './agent.ts'

const schema = defineSchema({
  notes: {
    fields: { id: key, text: { type: 'text', nullable: true }, meta: json, comments: many('comments.note') },
  },
  comments: { fields: { id: key, text: { type: 'text', nullable: true }, note: maybeOne('notes') } },
  missing: { fields: { id: key } },
})
let opened: OpenDatabase
let engine: Engine<typeof schema>
let reported: unknown[]
beforeEach(async () => {
  opened = await openSqlite()
  await opened.run(
    'create table notes (id integer primary key, text text, meta text)',
    'create table comments (id integer primary key, text text, note integer)',
    `insert into notes values (1, 'a', null), (2, 'b', null)`,
    `insert into comments values (1, 'x', 1), (2, 'y', 1)`,
  )
  reported = []
  engine = createEngine({ db: opened.db, schema, onError: (error) => void reported.push(error) })
})

const agent = async (caller: Engine<typeof schema>) =>
  (await openAgent(createMcpServer(caller, { write: true, explain: true }))).call
const confirmIn = (answer: string): string => JSON.parse(answer.split('\n')[0] ?? '').data.confirm

it('plans no complete list of related items, which takes away what nobody has seen', async () => {
  const call = await agent(engine.as({ admin: true }))
  const refused = 'takes no complete list here: no plan shows what that takes away.'
  for (const data of [
    { comments: [1] },
    { comments: null },
    { comments: { update: [{ id: 1, note: { id: 2, comments: [] } }] } },
    { comments: { create: [{ text: 'z', note: { id: 2, comments: [] } }] } },
  ]) {
    const answer = await call('write', { collection: 'notes', keys: [1], data })
    expect(answer).toContain(refused)
    expect(answer).toContain('Send { create, update, delete }.')
  }
  const other = { text: 'z', note: { id: 1, comments: [] } }
  expect(await call('write', { collection: 'comments', data: other })).toContain(refused)

  const change = { collection: 'notes', keys: [1], data: { comments: { delete: [2] } } }
  const plan = await call('write', change)
  await opened.run(`insert into comments values (3, 'came between', 1)`)
  expect(await call('write', { ...change, confirm: confirmIn(plan) })).toBe('{"data":{"updated":1}}')
  const left = await listItems(engine, 'comments', { filter: { note: { _eq: 1 } }, fields: ['id'] })
  expect(left.data).toEqual([{ id: 1 }, { id: 3 }])

  const made = { collection: 'notes', data: { text: 'c', comments: [{ text: 'mine' }] } }
  const creating = await call('write', made)
  expect(await call('write', { ...made, confirm: confirmIn(creating) })).toContain('"created":1')
})

it('plans no creation that the caller may not do', async () => {
  const rules = { notes: { read: true, create: true }, comments: { read: true } }
  const call = await agent(engine.as({ rules } as never))
  expect(await call('write', { collection: 'notes', data: { text: 'x' } })).toContain('"would":"create"')
  for (const collection of ['comments', 'missing', 'nothing', 'constructor']) {
    const answer = await call('write', { collection, data: { text: 'x' } })
    expect(answer).toMatch(/FORBIDDEN|INVALID_QUERY|NOT_FOUND/)
    expect(answer).not.toContain('confirm')
  }
})

it('tries a creation before it is confirmed, and stores nothing of it', async () => {
  const rules = { notes: { create: { validation: { text: { _ncontains: 'bad' } } }, read: true } } as const
  const heard: string[] = []
  engine.on('items.create', () => void heard.push('before'), { when: 'before' })
  engine.on('items.create', () => void heard.push('after'), { when: 'after' })
  const call = await agent(engine.as({ rules }))
  const planned = (data: unknown) => call('write', { collection: 'notes', data })
  expect(
    await planned([
      { id: 3, text: 'good' },
      { id: 4, text: 'bad' },
    ]),
  ).toContain('FAILED_VALIDATION')
  expect(await planned({ id: 1, text: 'there already' })).toContain('RECORD_NOT_UNIQUE')
  expect(await planned({ id: 3, texts: 'x' })).toContain('There is no field')
  const end = engine.on('items.create', () => Promise.reject(new Error('closed')), { when: 'beforeCommit' })
  expect(await planned({ id: 3, text: 'good' })).toContain('INTERNAL_SERVER_ERROR')
  end()
  const confirm = confirmIn(await planned({ id: 3, text: 'good' }))
  expect(heard).not.toContain('after')
  expect((await listItems(engine, 'notes', { fields: ['id'] })).data).toEqual([{ id: 1 }, { id: 2 }])
  const sent = { collection: 'notes', data: { id: 3, text: 'good' }, confirm }
  expect(await call('write', sent)).toContain('"created":1')
  expect(heard.filter((when) => when === 'after')).toHaveLength(1)
})

it('bounds plans and explanations, of which long values are sizes', async () => {
  const call = await agent(engine.as({ admin: true }))
  const meta = Array.from({ length: 20_000 }, (_, at) => at)
  const said = 'Too long for an answer: of long values it has the sizes alone.'
  const creating = { collection: 'notes', data: Array.from({ length: 25 }, () => ({ text: 'x', meta })) }
  const created = await call('write', creating)
  const updated = await call('write', { collection: 'notes', keys: [1], data: { meta } })
  const explained = await call('explain', { collection: 'notes', query: { filter: { id: { _in: meta } } } })
  for (const answer of [created, updated, explained]) {
    expect(answer.length).toBeLessThan(5_000)
    expect(answer.split('\n')[1]).toBe(said)
  }
  expect(JSON.parse(created.split('\n')[0] ?? '').data).toMatchObject({
    count: 25,
    items: expect.stringMatching(/^\(3 items, \d+ characters\)$/),
  })
  expect(JSON.parse(updated.split('\n')[0] ?? '').data).toMatchObject({ count: 1, keys: [1] })
  const done = await call('write', { ...creating, confirm: confirmIn(created) })
  expect(done).toContain('"created":25')
  expect(done.length).toBeLessThan(5_000)
})

it('describes a name once, and refuses names that are no texts', async () => {
  const call = await agent(engine.as({ admin: true }))
  expect((await call('describe', { names: Array(900).fill('notes') })).split('\n')).toHaveLength(2)
  for (const names of [[7], [{ toString: 1 }], 'notes', Array(1_001).fill('notes')])
    expect(await call('describe', { names })).toContain('is a list of at most 1000 names of collections.')
  expect(reported).toEqual([])
})

it('refuses input that nests too deep to be walked', async () => {
  const call = await agent(engine.as({ admin: true }))
  for (const depth of [400, 2_000]) {
    const data = JSON.parse(`${'{"note":{"comments":['.repeat(depth)}{}${']}}'.repeat(depth)}`)
    expect(await call('write', { collection: 'comments', data })).toContain('nests deeper than 300 levels')
  }
  const data = JSON.parse(`${'{"note":'.repeat(250)}{}${'}'.repeat(250)}`)
  expect(await call('write', { collection: 'comments', data })).toContain('There is no field')
  expect(reported).toEqual([])
})

it('lists for callers from whom the order is hidden on some rows', async () => {
  const read = [
    { fields: ['id'], filter: {} },
    { fields: ['text'], filter: { id: 1 } },
  ]
  const call = await agent(engine.as({ rules: { notes: { read } } } as never))
  expect(await call('list', { collection: 'notes', fields: ['id'], sort: ['text'], limit: 1 })).toMatch(
    /^{"data":\[{"id":\d}\]}\n1 of 2 items\. Narrow "filter" for others\.$/,
  )
  expect(await call('list', { collection: 'notes', fields: ['nothing'], sort: ['text'] })).toContain(
    'nothing',
  )
})

it('reports errors that are not of the caller to the host', async () => {
  const input = { collection: 'missing' }
  const call = await agent(engine.as({ admin: true }))
  const answer = await call('list', input)
  expect(answer).toContain('INTERNAL_SERVER_ERROR')
  expect(answer).not.toContain('no such table')
  await expect.poll(() => reported).toHaveLength(1)
  await call('list', { collection: 'nothing' })
  const ofRequests: unknown[] = []
  const handler = createHandler(engine, {
    authenticate: () => ({ admin: true }),
    mounts: [mcp()],
    onError: (error) => void ofRequests.push(error),
  })
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list', arguments: input } }
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  const sent = { method: 'POST', headers, body: JSON.stringify(message) }
  const response = await handler(new Request('http://localhost/mcp', sent))
  expect(await response.text()).toContain('INTERNAL_SERVER_ERROR')
  expect(ofRequests).toHaveLength(1)
  expect(reported).toHaveLength(1)
})

it('carries a plan out once, however many confirm it at the same time', async () => {
  const call = await agent(engine.as({ admin: true }))
  for (const input of [
    { collection: 'notes', data: { text: 'made once' } },
    { collection: 'notes', keys: [1], data: { text: 'changed' } },
  ]) {
    const confirm = confirmIn(await call('write', input))
    const answers = await Promise.all([1, 2, 3, 4].map(() => call('write', { ...input, confirm })))
    expect(answers.filter((answer) => /"(created|updated)":1/.test(answer))).toHaveLength(1)
    expect(answers.filter((answer) => answer.includes('Nothing is done yet'))).toHaveLength(3)
  }
  const made = await listItems(engine, 'notes', { filter: { text: { _eq: 'made once' } } })
  expect(made.data).toHaveLength(1)
})

it('answers anew where other items are chosen under the lock, and has done nothing', async () => {
  let isBetween = false
  const clock = () => {
    // The plan is compared now, and the transaction waits for the one connection, behind this.
    if (isBetween && String(new Error('here').stack).includes('isConfirmed')) {
      isBetween = false
      void sql.raw(`insert into notes values (5, 'c', null)`).execute(opened.db)
    }
    return new Date()
  }
  const call = await agent(createEngine({ db: opened.db, schema, clock }).as({ admin: true }))
  const input = { collection: 'notes', filter: { id: { _lte: 9 } }, data: { text: 'changed' } }
  for (const tool of ['write', 'delete']) {
    const { data, ...choosing } = input
    const sent = tool === 'write' ? input : choosing
    const confirm = confirmIn(await call(tool, sent))
    isBetween = true
    const answer = await call(tool, { ...sent, confirm })
    expect(isBetween).toBe(false)
    expect(answer).toContain('"count":3')
    expect(answer).toContain('Nothing is done yet')
    const now = await listItems(engine, 'notes', { fields: ['text'] })
    expect(now.data).toEqual([{ text: 'a' }, { text: 'b' }, { text: 'c' }])
    // It was used all the same.
    await opened.run('delete from notes where id = 5')
    expect(await call(tool, { ...sent, confirm })).toContain('Nothing is done yet')
  }
})

it('plans no more than 10,000 items, and says so', async () => {
  await opened.run(
    'with recursive n (i) as (select 1 union all select i + 1 from n where i < 10000) insert into comments select i + 9, null, null from n',
  )
  const call = await agent(engine.as({ admin: true }))
  const said = 'More than 10,000 items are chosen'
  const all = { collection: 'comments', filter: { id: { _gt: 0 } } }
  for (const answer of [await call('delete', all), await call('write', { ...all, data: { text: 'x' } })]) {
    expect(answer).toContain(said)
    expect(answer).not.toContain('confirm')
  }
  const fewer = { collection: 'comments', filter: { id: { _gt: 9 } } }
  const plan = await call('delete', fewer)
  expect(plan).toContain('"count":10000')
  await opened.run('insert into comments values (20000, null, null)')
  expect(await call('delete', { ...fewer, confirm: confirmIn(plan) })).toContain(said)
  await opened.run('delete from comments where id = 20000')
  expect(await call('delete', { ...fewer, confirm: confirmIn(plan) })).toBe('{"data":{"deleted":10000}}')
})

it('refuses a large filter as HTTP does', async () => {
  const call = await agent(engine.as({ admin: true }))
  const filter = { _or: Array.from({ length: 40_000 }, (_, at) => ({ id: { _eq: at, _neq: -1 } })) }
  for (const tool of ['list', 'delete'])
    expect(await call(tool, { collection: 'notes', filter })).toContain(
      'The filter has more than 500 conditions.',
    )
  const handler = createHandler(engine, { authenticate: () => ({ admin: true }), mounts: [mcp()] })
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list', arguments: { collection: 'notes', filter } },
  }
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  const sent = { method: 'POST', headers, body: JSON.stringify(message) }
  const response = await handler(new Request('http://localhost/mcp', sent))
  expect(response.status).toBe(413)
  expect(await response.text()).toContain('CONTENT_TOO_LARGE')
})
