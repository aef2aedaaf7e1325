// The mount under callers who cancel, leave, or send what the protocol's package never answers.
import cluster from 'node:cluster'
import { beforeAll, expect, it } from 'vitest'
import { createHandler } from '../../src/http.ts'
import { createEngine, defineSchema } from '../../src/index.ts'
import { mcp } from '../../src/mcp.ts'
import { type OpenDatabase, openSqlite } from '../support/databases.ts'

const schema = defineSchema({
  notes: { fields: { id: { type: 'integer', key: true }, text: { type: 'text', nullable: true } } },
})
let opened: OpenDatabase
let handler: (request: Request) => Promise<Response>
beforeAll(async () => {
  opened = await openSqlite()
  await opened.run('create table notes (id integer primary key, text text)')
  await opened.run(`insert into notes values (1, 'a')`)
  const engine = createEngine({ db: opened.db, schema })
  handler = createHandler(engine, { authenticate: () => ({ admin: true }), mounts: [mcp()], maxRequests: 8 })
})

const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
const post = (message: unknown, signal?: AbortSignal) =>
  handler(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers,
      body: JSON.stringify(message),
      ...(signal && { signal }),
    }),
  )
const list = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'list', arguments: { collection: 'notes' } },
}
const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
const readOverRest = async () => (await handler(new Request('http://localhost/items/notes'))).status

it('refuses several messages in one request, and gives its place back', async () => {
  for (let sent = 0; sent < 20; sent++) {
    const response = await post([list, cancelled])
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      error: { code: -32600, message: 'A request holds one message. Several of them are several requests.' },
      id: null,
    })
  }
  expect((await post([])).status).toBe(400)
  expect(await readOverRest()).toBe(200)
})

it('takes a cancellation alone, which concerns no other request', async () => {
  expect((await post(cancelled)).status).toBe(202)
  const [answered, taken] = await Promise.all([post(list), post(cancelled)])
  expect([answered.status, taken.status]).toEqual([200, 202])
  expect(await answered.json()).toMatchObject({ id: 1, result: { content: [{ type: 'text' }] } })
})

it('breaks off what it does for a caller who leaves', async () => {
  const leaving = new AbortController()
  await opened.db.transaction().execute(async () => {
    // Each waits for the one connection, which is held here.
    const posts = Array.from({ length: 4 }, () => post(list, leaving.signal))
    await new Promise((resolve) => setTimeout(resolve, 50))
    leaving.abort()
    for (const response of await Promise.all(posts)) expect(response.status).toBe(499)
  })
  expect((await post(list, leaving.signal)).status).toBe(499)
  expect(await readOverRest()).toBe(200)
})

it('refuses to write in one of several processes without a key that they share', () => {
  const { isWorker } = cluster
  try {
    Object.assign(cluster, { isWorker: true })
    expect(() => mcp({ write: true })).toThrow('Several processes need one "confirmKey"')
    expect(() => mcp({ write: true, confirmKey: 'k'.repeat(32) })).not.toThrow()
    expect(() => mcp()).not.toThrow()
  } finally {
    Object.assign(cluster, { isWorker })
  }
})
