// Whoever reads slowly holds a part of a pool, and not for ever.
import { Kysely } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { exportItems } from '../../src/export.ts'
import {
  createEngine,
  defineSchema,
  type Engine,
  type EngineError,
  type EngineOptions,
  listItems,
  streamItems,
} from '../../src/index.ts'
import { postgresDialect } from '../../src/postgres.ts'
import { type OpenPool, openPool } from '../items/connections.ts'
import { type AnyTables, openSqlite } from '../support/databases.ts'
import { until } from '../support/wait-until.ts'

const schema = defineSchema({
  rows: { fields: { id: { type: 'integer', key: true }, text: { type: 'string' } } },
})
type Rows = typeof schema
const all = { sort: 'id', limit: -1 } as const
/** Longer than a busy machine takes. */
const patience = 60_000
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ code }: EngineError) => code,
  )

describe('on a pool of four', () => {
  let opened: OpenPool
  const begun: { cancel(): Promise<void> }[] = []
  beforeEach(async () => {
    opened = await openPool(4)
    await opened.run('create table rows (id integer primary key, text text not null)')
    await opened.run(
      "insert into rows select id, repeat('a long text ', 10) || id from generate_series(1, 5000) as s (id)",
    )
  })
  afterEach(async () => {
    for (const body of begun.splice(0)) await body.cancel()
  })

  const engineOn = (options: Partial<EngineOptions<Rows>> = {}, of: Partial<Kysely<AnyTables>> = opened.db) =>
    createEngine({ db: of as Kysely<AnyTables>, schema, acquireTimeoutMs: patience, ...options })
  const ours = () => new Kysely<AnyTables>({ dialect: postgresDialect({ pool: opened.pool }) })

  /** A file of which nothing is read but what is made at once. */
  async function begin(engine: Engine<Rows>) {
    const { body } = await exportItems(engine, 'rows', all, 'csv')
    const reader = body.getReader()
    await reader.read()
    begun.push({ cancel: () => reader.cancel().catch(() => undefined) })
    return reader
  }

  /** What becomes of one more who does not wait for long. */
  const oneMore = (of: Kysely<AnyTables>, options: Partial<EngineOptions<Rows>> = {}) =>
    codeOf(exportItems(engineOn({ acquireTimeoutMs: 20, ...options }, of), 'rows', all, 'csv'))

  it('slow readers took all connections of a pool', async () => {
    const db = ours()
    const engine = engineOn({}, db)
    const [first] = [await begin(engine), await begin(engine)]
    expect(await oneMore(db)).toBe('SERVICE_UNAVAILABLE')
    expect((await listItems(engine, 'rows', { limit: 1, fields: ['id'] })).data).toEqual([{ id: 1 }])
    await first?.cancel()
    await begin(engine)
    expect(await oneMore(db)).toBe('SERVICE_UNAVAILABLE')
  })

  it('engines and dialects on one pool share its places', async () => {
    await begin(engineOn({}, ours()))
    await begin(engineOn({}, ours()))
    expect(await oneMore(ours())).toBe('SERVICE_UNAVAILABLE')
  })

  it('how many there may be is said where nobody knows the pool', async () => {
    const engine = engineOn({ maxStreams: 1 })
    await begin(engine)
    expect(await oneMore(opened.db, { maxStreams: 1 })).toBe('SERVICE_UNAVAILABLE')
    expect((await listItems(engine, 'rows', { limit: 1, fields: ['id'] })).data).toEqual([{ id: 1 }])
  })

  it('who waits comes next, in turn, and who has left is passed over', async () => {
    const engine = engineOn({ maxStreams: 1 })
    const reader = await begin(engine)
    const leaving = new AbortController()
    const { signal } = leaving
    const left = exportItems(engine, 'rows', all, 'csv', { signal }).catch(({ name }: Error) => name)
    const order: string[] = []
    const waiting = ['second', 'third'].map(async (name) => {
      for await (const { id } of streamItems(engine, 'rows', { ...all, limit: 3 }))
        order.push(`${name} ${id}`)
    })
    leaving.abort()
    expect(await left).toBe('AbortError')
    await reader.cancel()
    await Promise.all(waiting)
    expect(order).toEqual(['second 1', 'second 2', 'second 3', 'third 1', 'third 2', 'third 3'])
  })

  it('a stream that is left, or ends, or breaks gives its place back', async () => {
    const engine = engineOn({ maxStreams: 1 })
    for await (const _ of streamItems(engine, 'rows', all)) break
    const breaking = new AbortController()
    const { signal } = breaking
    const broken = codeOf(
      (async () => {
        for await (const _ of streamItems(engine, 'rows', all, { signal })) breaking.abort({ code: 'broken' })
      })(),
    )
    expect(await broken).toBe('broken')
    const { body } = await exportItems(engine, 'rows', all, 'csv')
    expect((await new Response(body).text()).split('\r\n')).toHaveLength(5_002)
    // What is made at once holds nothing, whether or not it is read.
    await exportItems(engine, 'rows', { ...all, limit: 10 }, 'csv')
    await begin(engine)
  })

  it.each(['kysely', 'quernel/postgres'])(
    'a stream whose signal was aborted held its place until somebody read on, over %s',
    async (door) => {
      const engine = engineOn({ maxStreams: 1 }, door === 'kysely' ? opened.db : ours())
      for (const timeoutMs of [undefined, 60_000]) {
        const leaving = new AbortController()
        const stream = streamItems(engine, 'rows', all, { signal: leaving.signal, timeoutMs })
        expect((await stream.next()).value).toMatchObject({ id: 1 })
        leaving.abort({ code: 'left' })
        // Nobody reads on, and the place is free again.
        for await (const { id } of streamItems(engine, 'rows', { ...all, limit: 1 })) expect(id).toBe(1)
        await until(() => opened.pool.idleCount === opened.pool.totalCount)
        expect(await codeOf(stream.next())).toBe('left')
        expect(await stream.next()).toEqual({ done: true, value: undefined })
      }
      expect(await opened.busy()).toEqual([])
    },
  )

  it('inside a transaction of its own a stream needs no place', async () => {
    const engine = engineOn({ maxStreams: 1 })
    await begin(engine)
    await engine.transaction(async (inside) => {
      for await (const { id } of streamItems(inside, 'rows', { ...all, limit: 1 })) expect(id).toBe(1)
    })
  })

  it('a body that nobody read on kept its connection for ever', async () => {
    const engine = engineOn({ maxStreams: 1, streamIdleMs: 20 })
    for (const reads of [0, 1]) {
      const { body } = await exportItems(engine, 'rows', all, 'csv')
      const reader = body.getReader()
      if (reads > 0) await reader.read().catch(() => undefined)
      expect(await reader.closed.catch((error: EngineError) => error)).toMatchObject({
        code: 'OUT_OF_TIME',
        hint: expect.stringContaining('streamIdleMs'),
      })
    }
    expect(await codeOf(exportItems(engine, 'rows', all, 'csv'))).toBe('done')
  })

  it('whoever reads on is waited for', async () => {
    const engine = engineOn({ streamIdleMs: Number.POSITIVE_INFINITY })
    const { body } = await exportItems(engine, 'rows', all, 'csv')
    expect((await new Response(body).text()).split('\r\n')).toHaveLength(5_002)
  })
})

it('where no connection is held nobody is hurried', async () => {
  const opened = await openSqlite()
  await opened.run('create table rows (id integer primary key, text text not null)')
  await opened.run(
    "with recursive s (id) as (select 1 union all select id + 1 from s where id < 5000) insert into rows select id, 'a long text that fills pieces ' || id from s",
  )
  const engine = createEngine({ db: opened.db, schema, maxStreams: 1, streamIdleMs: 1 })
  const bodies = [
    await exportItems(engine, 'rows', all, 'csv'),
    await exportItems(engine, 'rows', all, 'csv'),
  ]
  const readers = bodies.map(({ body }) => body.getReader())
  for (const reader of readers) await reader.read()
  await new Promise((resolve) => setTimeout(resolve, 5))
  for (const reader of readers) expect((await reader.read()).done).toBe(false)
})

it.each([{ maxStreams: 0 }, { maxStreams: 1.5 }, { streamIdleMs: 0 }, { streamIdleMs: Number.NaN }])(
  '%j is refused',
  async (options) => {
    const opened = await openSqlite()
    const [path] = Object.keys(options)
    expect(() => createEngine({ db: opened.db, schema, ...options })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', path: [path] }),
    )
  },
)
