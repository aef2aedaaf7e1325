// A flight is one transaction: its statements are stored together or not at all, whatever fails, and whoever leaves meanwhile.
import BetterSqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { internalsOf } from '../../../src/engine/engine.ts'
import { isEngineError } from '../../../src/errors/errors.ts'
import type { Database, Options } from '../../../src/execution/database.ts'
import { execute } from '../../../src/execution/execute.ts'
import type { BoundStatement } from '../../../src/execution/statement.ts'
import { inFlight } from '../../../src/execution/transaction/flight.ts'
import { createEngine, defineSchema, type EngineOptions, type QueryReport } from '../../../src/index.ts'
import { postgresDialect } from '../../../src/postgres.ts'
import type { Row } from '../../../src/rows/row.ts'
import { sqliteDialect } from '../../../src/sqlite.ts'
import { withRetry } from '../../../src/writes/context/retry.ts'
import { inSeconds, type OpenPool, openPool } from '../../items/connections.ts'
import type { AnyTables } from '../../support/databases.ts'
import { type DriverLane, drivers as driverLanes } from '../../support/drivers.ts'
import { type Network, proxyTo } from '../silent-proxy.ts'

const schema = defineSchema({
  notes: { fields: { id: { type: 'integer', key: true }, text: { type: 'string' } } },
})
type Settings = Partial<EngineOptions<typeof schema>>

/** An engine on the same connections, which are known to it after their first use. */
const engineOver = (db: Kysely<AnyTables>) => {
  const engine = internalsOf(createEngine({ db, schema }))
  return (options: Settings = {}): Database => Object.assign({ ...engine }, options as Partial<Database>)
}
/** Rows by position, which not every driver has as arrays. */
const inArrays = (results: readonly (readonly Row[])[]) =>
  results.map((rows) =>
    rows.map((row) => [0, 1, 2].map((at) => row[at]).filter((value) => value !== undefined)),
  )

/** A statement of the engine; `$1` and `$2` stand for its values. */
const marked = (text: string, ...parameters: readonly unknown[]): BoundStatement => ({
  sql: `/* quernel */ ${text}`,
  parameters,
})
const plain = (text: string, ...parameters: readonly unknown[]): BoundStatement => ({ sql: text, parameters })

interface World {
  readonly db: Kysely<AnyTables>
  close(): Promise<void>
}

interface Lane {
  readonly title: string
  readonly name: 'sqlite' | 'postgres'
  open(): Promise<World>
}

const overPool =
  (dialect: (pool: pg.Pool) => PostgresDialect): Lane['open'] =>
  async () => {
    const opened = await openPool(2)
    const db = new Kysely<AnyTables>({ dialect: dialect(opened.pool) })
    return { db, close: () => opened.close() }
  }
const overMemory =
  (dialect: (database: BetterSqlite.Database) => SqliteDialect): Lane['open'] =>
  async () => {
    const db = new Kysely<AnyTables>({ dialect: dialect(new BetterSqlite(':memory:')) })
    return { db, close: () => db.destroy() }
  }
const ofDriver = (lane: DriverLane): Lane => ({ title: lane.title, name: lane.name, open: () => lane.open() })

const lanes: readonly Lane[] = [
  { title: 'quernel/postgres', name: 'postgres', open: overPool((pool) => postgresDialect({ pool })) },
  {
    title: 'quernel/postgres, pooled',
    name: 'postgres',
    open: overPool((pool) => postgresDialect({ pool, pooled: true })),
  },
  { title: 'PostgresDialect', name: 'postgres', open: overPool((pool) => new PostgresDialect({ pool })) },
  { title: 'quernel/sqlite', name: 'sqlite', open: overMemory((database) => sqliteDialect({ database })) },
  { title: 'SqliteDialect', name: 'sqlite', open: overMemory((database) => new SqliteDialect({ database })) },
  ...driverLanes.map(ofDriver),
]

/** Statements with `$1` in them, for a database that counts its values by question marks. */
const on = (name: Lane['name'], statements: readonly BoundStatement[]): readonly BoundStatement[] =>
  name === 'postgres' ? statements : statements.map((one) => ({ ...one, sql: one.sql.replace(/\$\d/g, '?') }))

const createNotes = async (db: Kysely<AnyTables>) => {
  await sql`create table notes (id integer primary key, text text not null unique)`.execute(db)
  await sql`insert into notes values (1, 'one'), (2, 'two')`.execute(db)
}
const textsOf = async (db: Kysely<AnyTables>) => {
  const { rows } = await sql<{ text: string }>`select text from notes order by id`.execute(db)
  return rows.map(({ text }) => text)
}

describe.each(lanes)('on $title', ({ name, open }) => {
  let world: World
  let database: (options?: Settings) => Database
  beforeEach(async () => {
    world = await open()
    database = engineOver(world.db)
    await createNotes(world.db)
  })
  afterEach(() => world.close())
  const fly = async (statements: readonly BoundStatement[], options: Options = {}, settings: Settings = {}) =>
    inArrays(await inFlight(database(settings), on(name, statements), options))

  const three = (text: string): readonly BoundStatement[] => [
    marked('select "text" as "0", "id" as "1" from "notes" where "id" = $1', 1),
    marked('update "notes" set "text" = $1 where "id" = $2 returning "text" as "0"', text, 2),
    plain('insert into "notes" ("id", "text") values ($1, $2)', 3, `${text}!`),
  ]

  it('the rows of each statement are returned, in their order', async () => {
    // Statements that come again have names, and are sent otherwise.
    for (const text of ['a', 'b', 'c', 'd']) {
      expect(await fly(three(text))).toEqual([[['one', 1]], [[text]], []])
      expect(await textsOf(world.db)).toEqual(['one', text, `${text}!`])
      await sql`delete from notes where id = 3`.execute(world.db)
    }
  })

  it('nothing is stored whichever statement fails, and the error is that of the statement alone', async () => {
    const failing = plain('insert into "notes" ("id", "text") values ($1, $2)', 9, 'one')
    const alone = await execute(database(), on(name, [failing])[0] ?? failing, {}).catch((error) => error)
    for (let round = 0; round < 3; round++) {
      for (let at = 0; at <= 3; at++) {
        const error = await fly(three('x').toSpliced(at, 0, failing)).catch((caught: unknown) => caught)
        expect(isEngineError(error) && { ...error }).toEqual({ ...alone })
        expect(isEngineError(error) && error.extensions.mayBeStored).toBeUndefined()
        expect(await textsOf(world.db)).toEqual(['one', 'two'])
      }
      expect((await fly([marked('select count(*) as "0" from "notes"')])).length).toBe(1)
    }
  })

  it('each statement is reported, and nothing besides', async () => {
    for (let round = 0; round < 3; round++) {
      const reports: QueryReport[] = []
      await fly(three('x'), {}, { onQuery: (report) => void reports.push(report) })
      await sql`delete from notes where id = 3`.execute(world.db)
      expect(reports.map(({ sql: text }) => text)).toEqual(on(name, three('x')).map(({ sql: text }) => text))
      expect(reports.map(({ rows }) => rows)).toEqual([1, 1, 1])
      expect(reports.every(({ durationMs }) => durationMs >= 0)).toBe(true)
    }
  })

  it('flights at the same time do not disturb each other', async () => {
    const add = (id: number) => [
      marked('select count(*) as "0" from "notes" where "id" = $1', id),
      plain('insert into "notes" ("id", "text") values ($1, $2)', id, `t${id}`),
    ]
    const ids = Array.from({ length: 20 }, (_, index) => 10 + index)
    const done = await inSeconds(20, Promise.all(ids.map((id) => fly(add(id)))))
    expect(done.map(([first]) => Number(first?.[0]?.[0]))).toEqual(ids.map(() => 0))
    expect(await textsOf(world.db)).toHaveLength(22)
  })

  it('a caller who has left before sends nothing', async () => {
    const reason = new RangeError('I have left')
    const signal = AbortSignal.abort(reason)
    expect(await fly(three('x'), { signal }).catch((error: unknown) => error)).toBe(reason)
    expect(await textsOf(world.db)).toEqual(['one', 'two'])
  })

  it('a timeout that is none is refused', async () => {
    const refused = { code: 'INVALID_OPTIONS', path: ['timeoutMs'] }
    await expect(fly(three('x'), { timeoutMs: 0 })).rejects.toMatchObject(refused)
  })
})

const drivers = [
  { title: 'quernel/postgres', isOne: true, dialect: (pool: pg.Pool) => postgresDialect({ pool }) },
  {
    title: 'quernel/postgres, pooled',
    isOne: true,
    dialect: (pool: pg.Pool) => postgresDialect({ pool, pooled: true }),
  },
  { title: 'PostgresDialect', isOne: false, dialect: (pool: pg.Pool) => new PostgresDialect({ pool }) },
]

describe.each(drivers)('with the server, over $title', ({ dialect, isOne }) => {
  let opened: OpenPool
  let db: Kysely<AnyTables>
  let engineOn: (options?: Settings) => Database
  beforeEach(async () => {
    opened = await openPool(2)
    db = new Kysely<AnyTables>({ dialect: dialect(opened.pool) })
    engineOn = engineOver(db)
    await createNotes(db)
  })
  const update = (text: string) => plain('update "notes" set "text" = $1 where "id" = $2', text, 1)
  const sleep = (seconds: number) => marked('select pg_sleep($1)', seconds)
  /** Prepares the connections, and what is going to be sent. */
  const warm = async (...statements: readonly BoundStatement[]) => {
    for (let round = 0; round < 4; round++) await inFlight(engineOn(), statements)
    await sql`update notes set text = 'one' where id = 1`.execute(db)
  }
  const leftovers = async () => {
    const { rows } = await opened.observer.query(
      `select state from pg_stat_activity where application_name = $1 and state like '%transaction%'`,
      [opened.pool.options.application_name],
    )
    return rows
  }

  it('a transaction is as isolated as any of the engine, whatever the default of the role', async () => {
    const level = [marked(`select current_setting('transaction_isolation') as "0"`)]
    for (const [begun, wanted] of [
      ['read committed', 'read committed'],
      ['repeatable read', 'read committed'],
      ['serializable', 'serializable'],
    ]) {
      const other = await openPool(1)
      await other.pool.query(`set default_transaction_isolation = '${begun}'`)
      const own = new Kysely<AnyTables>({ dialect: dialect(other.pool) })
      const engine = engineOver(own)
      for (const isolation of [undefined, 'serializable'] as const)
        for (let round = 0; round < 4; round++) {
          const results = await inFlight(engine(isolation && { isolation }), level)
          expect(inArrays(results)).toEqual([[[isolation ?? wanted]]])
        }
      await other.close()
    }
  })

  it('what a commit refuses is not stored, and is told as any refusal', async () => {
    await sql`create table loans (id int primary key, note int references notes deferrable initially deferred)`.execute(
      db,
    )
    const lend = [update('x'), plain('insert into "loans" values ($1, $2)', 1, 99)]
    for (let round = 0; round < 3; round++) {
      const error = await inFlight(engineOn(), lend).catch((caught: unknown) => caught)
      expect(error).toMatchObject({ code: 'INVALID_FOREIGN_KEY', extensions: {} })
      expect(await textsOf(db)).toEqual(['one', 'two'])
    }
    expect(await leftovers()).toEqual([])
  })

  it('a statement that takes too long is OUT_OF_TIME, and nothing is stored', async () => {
    await warm(update('warm'), sleep(0))
    const late = inFlight(engineOn(), [update('x'), sleep(20)], { timeoutMs: 100 })
    const error = await inSeconds(
      5,
      late.catch((caught: unknown) => caught),
    )
    expect(error).toMatchObject({ code: 'OUT_OF_TIME', extensions: {} })
    expect(await textsOf(db)).toEqual(['one', 'two'])
    const timeout = [marked(`select current_setting('statement_timeout') as "0"`)]
    expect(inArrays(await inFlight(engineOn(), timeout))).toEqual([[['0']]])
    expect(await leftovers()).toEqual([])
  })

  it('a caller who leaves is let go at once, and the statement that runs is cancelled', async () => {
    await warm(update('warm'), sleep(0))
    const given = new AbortController()
    const reason = new RangeError('I have left')
    const left = inFlight(engineOn(), [update('x'), sleep(20)], { signal: given.signal })
    setTimeout(() => given.abort(reason), 100)
    const caught = left.catch((error: unknown) => error)
    expect(await inSeconds(5, caught)).toBe(reason)
    await inSeconds(5, inFlight(engineOn(), [update('after')]))
    expect(await textsOf(db)).toEqual(['after', 'two'])
  })

  it('a caller who gets no connection in time sends nothing, then or later', async () => {
    await warm(update('warm'))
    const held = await Promise.all([opened.pool.connect(), opened.pool.connect()])
    const refused = inFlight(engineOn({ acquireTimeoutMs: 50 }), [update('x')])
    await expect(refused).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    for (const client of held) client.release()
    await inFlight(engineOn(), [marked('select 1 as "0"')])
    expect(await textsOf(db)).toEqual(['one', 'two'])
  })

  it('a deadlock is repeated by whoever repeats transactions', async () => {
    const touch = (id: number) =>
      marked('update "notes" set "text" = "text" || $1 where "id" = $2 returning "id" as "0"', '!', id)
    const pause = sleep(0.05)
    await warm(touch(1), pause)
    await sql`update notes set text = 'one' where id = 1`.execute(db)
    const engine = internalsOf(createEngine({ db, schema }))
    const run = (...statements: readonly BoundStatement[]) =>
      withRetry(engine, {}, () => inFlight(engine, statements))
    await inSeconds(20, Promise.all([run(touch(1), pause, touch(2)), run(touch(2), pause, touch(1))]))
    expect(await textsOf(db)).toEqual(['one!!', 'two!!'])
  })

  it('a statement that was prepared before a table changed is prepared anew', async () => {
    const engine = internalsOf(createEngine({ db, schema }))
    const read = [marked('select * from "notes" where "id" = $1', 1), update('one')]
    for (let round = 0; round < 4; round++) await inFlight(engine, read)
    await sql`alter table notes add column more int`.execute(db)
    const again = await withRetry(engine, {}, () => inFlight(engine, read))
    expect(Object.values(Object(again[0]?.[0]))).toEqual([1, 'one', null])
    const find = (id: unknown) => [marked('select "text" as "0" from "notes" where "id" = $1', id)]
    for (let round = 0; round < 4; round++) await inFlight(engine, find(1))
    await sql`alter table notes alter column id type text`.execute(db)
    expect(await withRetry(engine, {}, () => inFlight(engine, find('one')))).toEqual([[]])
    expect(inArrays(await inFlight(engine, find('1')))).toEqual([[['one']]])
  })

  describe('behind a network', () => {
    let network: Network
    let pool: pg.Pool
    let far: Kysely<AnyTables>
    let farEngine: (options?: Settings) => Database
    beforeEach(async () => {
      const url = new URL(String(opened.pool.options.connectionString))
      network = await proxyTo(Number(url.port))
      url.port = String(network.port)
      const { options, application_name: name } = opened.pool.options
      pool = new pg.Pool({ connectionString: url.href, options, application_name: `${name}_far`, max: 1 })
      pool.on('error', () => undefined)
      far = new Kysely<AnyTables>({ dialect: dialect(pool) })
      farEngine = engineOver(far)
      const statements = [update('warm'), sleep(0)]
      for (let round = 0; round < 4; round++) await inFlight(farEngine(), statements)
      await sql`update notes set text = 'one' where id = 1`.execute(db)
    })
    afterEach(async () => {
      await far.destroy().catch(() => undefined)
      await network.close()
    })

    // Elsewhere each statement waits for the one before.
    it.each(isOne ? ['all of it'] : [])('%s is sent before anything is answered', async () => {
      // What is sent arrives, and no answer does.
      network.swallowAfter('one flight')
      const error = await inSeconds(
        10,
        inFlight(farEngine({ timeoutMs: 100 }), [update('one flight'), sleep(0)]).catch((e: unknown) => e),
      )
      expect(error).toMatchObject({ code: 'OUT_OF_TIME', extensions: { mayBeStored: true } })
      expect(await textsOf(db)).toEqual(['one flight', 'two'])
      network.heal()
      await inSeconds(10, inFlight(farEngine(), [update('healed')]))
      expect(await textsOf(db)).toEqual(['healed', 'two'])
    })

    it.each(isOne ? [0, 1, 2] : [])(
      'a connection that breaks at statement %d, when all is sent, says that it may be stored',
      async (at) => {
        const statements = [update('x'), update('y')].toSpliced(at, 0, sleep(20))
        const lost = inFlight(farEngine(), statements).catch((error: unknown) => error)
        const atWork = `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = $1 and query like '%pg_sleep%' and state = 'active'`
        const end = () => opened.observer.query(atWork, [pool.options.application_name])
        while ((await end()).rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
        expect(await inSeconds(10, lost)).toMatchObject({
          code: 'SERVICE_UNAVAILABLE',
          extensions: { mayBeStored: true },
        })
        expect(await textsOf(db)).toEqual(['one', 'two'])
        await inSeconds(10, inFlight(farEngine(), [update('healed')]))
        expect(await textsOf(db)).toEqual(['healed', 'two'])
      },
    )

    it('of a server that says nothing any more, the caller hears so in time', async () => {
      network.swallow()
      const lost = inFlight(farEngine({ timeoutMs: 100 }), [update('x')]).catch((error: unknown) => error)
      expect(await inSeconds(10, lost)).toMatchObject({ code: 'OUT_OF_TIME' })
      expect(await textsOf(db)).toEqual(['one', 'two'])
      network.heal()
      await inSeconds(10, inFlight(farEngine(), [update('healed')]))
      expect(await textsOf(db)).toEqual(['healed', 'two'])
    })
  })
})
