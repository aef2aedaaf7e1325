// A client that goes away takes its work along: statements are cancelled, and connections come back.
import { request as ask, createServer } from 'node:http'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createHandler, toNode } from '../../../src/http.ts'
import { createEngine, defineSchema } from '../../../src/index.ts'
import { inSeconds } from '../../items/connections.ts'
import { troubles } from '../process.ts'
import { openSlowPool, type SlowPool, slowTables } from '../slow-tables.ts'
import { type Listening, overHttp } from '../transports.ts'

const schema = defineSchema({
  ...slowTables,
  failing: { fields: { id: { type: 'integer', key: true }, text: { type: 'string' } } },
  overflowing: { fields: { id: { type: 'integer', key: true }, text: { type: 'string' } } },
})

describe('on postgres', () => {
  let opened: SlowPool
  let server: Listening
  const told: unknown[] = []
  beforeAll(async () => {
    opened = await openSlowPool()
    const { db, run } = opened
    // In the order of its key it begins well.
    await run(
      'create table numbers as select id from generate_series(1, 50000) as id',
      'alter table numbers add primary key (id)',
      'analyze numbers',
      "create view failing as select id, repeat('x', 1000) || (1 / (20000 - id)) as text from numbers",
      "create view overflowing as select id, repeat('x', 1000) || (2147463647 + id) as text from numbers",
    )
    const engine = createEngine({ db, schema, acquireTimeoutMs: 200 })
    const handler = createHandler(engine, {
      authenticate: () => ({ admin: true }),
      onError: (error) => told.push(error),
    })
    server = await overHttp(createServer(toNode(handler)))
  })
  afterEach(() => expect(troubles()).toEqual([]))

  const get = (path: string) => ({ method: 'GET', path, headers: {}, body: undefined })

  it('a statement is cancelled when nobody waits for it', async () => {
    const asking = ask({ port: server.port, path: '/items/slow' })
    asking.once('error', () => {})
    asking.end()
    await opened.untilBusy()
    asking.destroy()
    await opened.untilIdle()
    expect(told).toEqual([])
  })

  it('a request that is aborted cancels its statement, too', async () => {
    const engine = createEngine({ db: opened.db, schema })
    const handler = createHandler(engine, { authenticate: () => ({ admin: true }) })
    const giving = new AbortController()
    const answer = handler(new Request('http://localhost/items/slow', { signal: giving.signal }))
    await opened.untilBusy()
    giving.abort()
    expect((await inSeconds(20, answer)).ok).toBe(false)
    await opened.untilIdle()
  })

  it('a file that nobody reads on gives its connection back', async () => {
    const asking = ask({ port: server.port, path: '/items/many?export=csv&limit=-1' })
    asking.once('error', () => {})
    asking.end()
    await new Promise<void>((resolve) => {
      asking.once('response', (response) => {
        response.on('error', () => {})
        response.once('data', () => {
          response.destroy()
          resolve()
        })
      })
    })
    await opened.untilIdle()
    expect(told).toEqual([])
  })

  it('HEAD of a file holds no connection', async () => {
    for (let round = 0; round < 5; round++) {
      const { status, text } = await server.send({
        ...get('/items/many?export=csv&limit=-1'),
        method: 'HEAD',
      })
      expect({ status, text }).toEqual({ status: 200, text: '' })
    }
    await opened.untilIdle()
  })

  it.each([
    ['failing', 'INTERNAL_SERVER_ERROR'],
    // As an answer this would tell the client enough.
    ['overflowing', 'VALUE_OUT_OF_RANGE'],
  ])('a file of %s items breaks off, and the host is told', async (collection, code) => {
    await expect(server.send(get(`/items/${collection}?export=csv&limit=-1`))).rejects.toThrow()
    expect(told.splice(0)).toMatchObject([{ code }])
    await opened.untilIdle()
    expect((await server.send(get('/items/many?limit=1&fields=id'))).status).toBe(200)
  })

  it('503 while all connections are held', async () => {
    const held = await Promise.all([opened.pool.connect(), opened.pool.connect()])
    const { status, headers } = await server.send(get('/items/many?limit=1'))
    for (const client of held) client.release()
    expect({ status, after: headers['retry-after'] }).toEqual({ status: 503, after: '1' })
    expect((await server.send(get('/items/many?limit=1'))).status).toBe(200)
  })
})
