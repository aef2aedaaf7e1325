// Whoever leaves takes along what runs for them, also where every connection of the pool is taken.
import { EventEmitter } from 'node:events'
import { sql } from 'kysely'
import { beforeEach, describe, expect, inject, it } from 'vitest'
import { cancelOf } from '../../src/drivers/postgres/cancel.ts'
import { createHandler } from '../../src/http.ts'
import { createEngine, defineSchema, type Engine, listItems, streamItems } from '../../src/index.ts'
import { postgresDialect } from '../../src/postgres.ts'
import { inSeconds } from '../items/connections.ts'
import { proxyTo } from './silent-proxy.ts'
import { openTampered, type Tampered } from './tampered-pool.ts'

const schema = defineSchema({
  notes: { fields: { id: { type: 'integer', key: true } } },
  // A view that takes half a minute to say what it knows.
  naps: { fields: { id: { type: 'integer', key: true }, length: { type: 'string' } } },
})
const reason = new Error('the visitor has left')

describe('over quernel/postgres', () => {
  let opened: Tampered
  let engine: Engine<typeof schema>
  const ready = async (options: { readonly max?: number; readonly port?: number } = {}) => {
    opened = await openTampered((pool) => postgresDialect({ pool }), options)
    await sql`create table notes (id integer primary key)`.execute(opened.db)
    await sql`create view naps as select 1 as id, pg_sleep(30)::text as length`.execute(opened.db)
    engine = createEngine({ db: opened.db, schema })
    await listItems(engine, 'notes')
  }

  /** Waits until so many connections of the pool are at work. */
  const untilBusy = async (count: number) => {
    for (let time = 0; time < 500; time++) {
      const { rows } = await opened.observer.query(
        `select pid from pg_stat_activity where state = 'active' and application_name = current_schema()`,
      )
      if (rows.length === count) return
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    expect.unreachable(`never were ${count} at work`)
  }
  const process = async () => (await opened.pool.query('select pg_backend_pid() as pid')).rows[0]?.pid
  const whole = { filter: { id: 1 } }

  it.each([1, 2])('statements are cancelled when all %i connections are busy', async (max) => {
    await ready({ max })
    const before = await process()
    opened.sent.length = 0
    const controller = new AbortController()
    const calls = Array.from({ length: max }, () =>
      listItems(engine, 'naps', {}, { signal: controller.signal }).catch((error: unknown) => error),
    )
    await untilBusy(max)
    controller.abort(reason)
    expect(await Promise.all(calls)).toEqual(calls.map(() => reason))
    await inSeconds(5, untilBusy(0))
    expect(opened.sent.filter((text) => /pg_cancel|pg_backend/.test(text))).toEqual([])
    expect(await inSeconds(5, listItems(engine, 'notes', whole))).toEqual({ data: [] })
    if (max === 1) expect(await process()).toBe(before)
  })

  it('so is a stream, and a statement of a transaction', async () => {
    await ready()
    const controller = new AbortController()
    const { signal } = controller
    const stream = streamItems(engine, 'naps', {}, { signal })
      .next()
      .catch((error: unknown) => error)
    await untilBusy(1)
    controller.abort(reason)
    expect(await inSeconds(5, stream)).toBe(reason)
    await inSeconds(5, untilBusy(0))
    const another = new AbortController()
    const work = engine.transaction((inside) => listItems(inside, 'naps', {}, { signal: another.signal }))
    const failed = work.catch((error: unknown) => error)
    await untilBusy(1)
    another.abort(reason)
    expect(await inSeconds(5, failed)).toBe(reason)
    await inSeconds(5, untilBusy(0))
  })

  it('so is the statement of a request whose client has left', async () => {
    await ready()
    const handler = createHandler(engine, { authenticate: () => ({ admin: true }) })
    const leaving = new AbortController()
    const answer = handler(new Request('http://localhost/items/naps', { signal: leaving.signal }))
    await untilBusy(1)
    leaving.abort()
    await inSeconds(5, answer)
    await inSeconds(5, untilBusy(0))
    expect(await inSeconds(5, listItems(engine, 'notes', whole))).toEqual({ data: [] })
  })

  it('what comes after it is never hit', async () => {
    await ready()
    for (let time = 0; time < 40; time++) {
      const controller = new AbortController()
      const call = listItems(engine, 'notes', {}, { signal: controller.signal }).catch(() => undefined)
      const next = listItems(engine, 'notes', whole)
      for (let turn = 0; turn < time % 8; turn++) await new Promise((resolve) => setImmediate(resolve))
      controller.abort(reason)
      await call
      expect(await next).toEqual({ data: [] })
    }
  })

  it('a connection of which nothing is heard is closed', async () => {
    const proxy = await proxyTo(Number(new URL(inject('postgres').c).port))
    await ready({ port: proxy.port })
    const controller = new AbortController()
    const call = listItems(engine, 'naps', {}, { signal: controller.signal })
    await untilBusy(1)
    proxy.swallow()
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
    proxy.heal()
    expect(await inSeconds(5, listItems(engine, 'notes', whole))).toEqual({ data: [] })
    expect(opened.pool.totalCount).toBe(1)
    await proxy.close()
  })
})

describe('a request to cancel', () => {
  const asked: unknown[] = []
  let last: Wire | undefined
  beforeEach(() => {
    asked.length = 0
  })

  class Wire extends EventEmitter {
    readonly ssl: unknown
    readonly sslNegotiation: unknown
    readonly stream = { destroy: () => asked.push('destroyed') }

    constructor({
      ssl,
      sslNegotiation,
      ...others
    }: { readonly ssl?: unknown; readonly sslNegotiation?: unknown }) {
      super()
      this.ssl = ssl
      this.sslNegotiation = sslNegotiation
      asked.push(others)
      last = this
    }

    connect = (...where: unknown[]) => asked.push(where)
    requestSsl = () => asked.push('TLS')
    cancel = (...whom: unknown[]) => asked.push(whom)
  }
  const clientOf = (connection: Wire, host = 'db.example.org') =>
    ({ host, port: 5432, processID: 7, secretKey: 11, connection }) as never
  const events = (...names: readonly string[]) => {
    for (const event of names) last?.emit(event)
  }

  it('speaks as its client does: in the open, under TLS, and by a socket of the machine', async () => {
    const cases = [
      { events: ['connect'], expected: [{}, [5432, 'db.example.org'], [7, 11]] },
      {
        options: { ssl: true },
        events: ['connect', 'sslconnect'],
        expected: [{}, [5432, 'db.example.org'], 'TLS', [7, 11]],
      },
      {
        options: { ssl: true, sslNegotiation: 'direct' },
        events: ['connect', 'sslconnect'],
        expected: [{}, [5432, 'db.example.org'], [7, 11]],
      },
      { host: '/run/db', events: ['connect'], expected: [{}, ['/run/db/.s.PGSQL.5432'], [7, 11]] },
    ]
    for (const { options = {}, host, events: heard, expected } of cases) {
      const client = clientOf(new Wire(options), host)
      asked.length = 0
      const answer = cancelOf(client, undefined).cancel?.()
      events(...heard, 'end')
      expect(await answer).toBe(true)
      expect(asked).toEqual(expected)
    }
  })

  it('goes by the stream of its pool', async () => {
    const stream = () => undefined
    const client = clientOf(new Wire({}))
    asked.length = 0
    const answer = cancelOf(client, stream).cancel?.()
    events('connect', 'end')
    expect(await answer).toBe(true)
    expect(asked[0]).toEqual({ stream })
  })

  it('that breaks off is in doubt once it was sent', async () => {
    for (const [heard, isCertain] of [
      [['error'], true],
      [['connect', 'error'], false],
    ] as const) {
      const answer = cancelOf(clientOf(new Wire({})), undefined).cancel?.()
      events(...heard)
      expect(await answer).toBe(isCertain)
    }
  })

  it('is not made of what is no client of pg', () => {
    expect(cancelOf({ query: () => undefined, release: () => undefined } as never, undefined)).toEqual({})
  })
})
