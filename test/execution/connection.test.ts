// An engine gets a connection of a pool by a shorter way than Kysely's, and nobody notices.

import { AsyncLocalStorage } from 'node:async_hooks'
import {
  CompiledQuery,
  type Dialect,
  Kysely,
  type LogEvent,
  PostgresDialect,
  type PostgresDialectConfig,
  sql,
} from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { type PoolAccess, poolKey } from '../../src/execution/connection.ts'
import { createEngine, createItem, defineSchema, type Engine, getItem, listItems } from '../../src/index.ts'
import { type PostgresOptions, postgresDialect } from '../../src/postgres.ts'
import { insert } from '../support/databases.ts'

const schema = defineSchema({
  lent: { fields: { id: { type: 'integer', key: true }, text: { type: 'string' } } },
})

interface Tables {
  lent: { id: number; text: string }
}

let pool: pg.Pool
const opened: Kysely<Tables>[] = []
const open = (options: Omit<PostgresOptions, 'pool'> = {}, log?: (event: LogEvent) => void) => {
  const db = new Kysely<Tables>({ dialect: postgresDialect({ pool, ...options }), ...(log && { log }) })
  opened.push(db)
  return db
}
const engines = new WeakMap<Kysely<Tables>, Engine<typeof schema>>()
const engineOf = (db: Kysely<Tables>) => {
  const engine = engines.get(db) ?? createEngine({ db, schema })
  engines.set(db, engine)
  return engine
}
/** How often Kysely was asked for a connection. */
const asked = (db: Kysely<Tables>) =>
  (db.getExecutor().adapter as { readonly [poolKey]?: PoolAccess })[poolKey]?.requested
const texts = async (db: Kysely<Tables>) =>
  (await listItems(engineOf(db), 'lent')).data.map(({ text }) => text)

beforeEach(async () => {
  pool = new pg.Pool({ connectionString: inject('postgres').c, max: 2 })
  await pool.query('drop table if exists lent')
  await pool.query('create table lent (id serial primary key, text text not null)')
  await pool.query(`insert into lent (text) values ('one')`)
})
afterEach(async () => {
  await pool.query('drop table lent')
  for (const db of opened.splice(0)) await db.destroy().catch(() => undefined)
  if (!pool.ended) await pool.end()
})

describe('a connection', () => {
  it('is asked for without Kysely, once it is known that there is a pool', async () => {
    const db = open()
    for (let time = 0; time < 4; time++) expect(await texts(db)).toEqual(['one'])
    expect(asked(db)).toBe(2)
    expect([pool.totalCount, pool.idleCount]).toEqual([1, 1])
  })

  it('is the one of a transaction, or of whoever holds one, also for an engine of its own', async () => {
    const db = open()
    for (let time = 0; time < 3; time++) await texts(db)
    const undone = db.transaction().execute(async (trx) => {
      await insert(trx, 'lent', { text: 'two' })
      for (let time = 0; time < 4; time++) expect(await texts(trx)).toEqual(['one', 'two'])
      throw new RangeError('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await db.connection().execute(async (held) => {
      await sql`set search_path to pg_catalog`.execute(held)
      for (let time = 0; time < 4; time++) await expect(texts(held)).rejects.toThrow()
      await sql`reset search_path`.execute(held)
      for (let time = 0; time < 4; time++) expect(await texts(held)).toEqual(['one'])
    })
    expect(await texts(db)).toEqual(['one'])
  })

  it('is given back after a statement that fails, and after one that is no longer wanted', async () => {
    const db = open()
    const engine = engineOf(db)
    for (let time = 0; time < 3; time++) await texts(db)
    await createItem(engine, 'lent', { id: 7, text: 'seven' })
    await expect(createItem(engine, 'lent', { id: 7, text: 'seven' })).rejects.toMatchObject({
      code: 'RECORD_NOT_UNIQUE',
      cause: { code: '23505' },
    })
    const holders = [await pool.connect(), await pool.connect()]
    const late = createEngine({ db, schema, acquireTimeoutMs: 20 })
    await expect(getItem(late, 'lent', 7)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    const abort = new AbortController()
    const aborted = getItem(engine, 'lent', 7, {}, { signal: abort.signal })
    abort.abort(new RangeError('enough'))
    await expect(aborted).rejects.toThrow('enough')
    for (const holder of holders) holder.release()
    expect(await getItem(engine, 'lent', 7)).toEqual({ id: 7, text: 'seven' })
    expect(pool.idleCount).toBe(pool.totalCount)
  })

  it('is another one after it broke', async () => {
    pool.on('error', () => undefined)
    const db = open()
    for (let time = 0; time < 3; time++) await texts(db)
    const admin = new pg.Client(inject('postgres').c)
    await admin.connect()
    const gone = new Promise((resolve) => pool.once('remove', resolve))
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
       and pid <> pg_backend_pid() and query like '%lent%'`,
    )
    await gone
    await admin.end()
    expect(await texts(db)).toEqual(['one'])
  })

  it('is listened to once, however many dialects share its pool', async () => {
    let listening = 0
    pool.on('release', (_error, client) => {
      listening = client.listenerCount('error')
    })
    await texts(open())
    const once = listening
    for (let time = 0; time < 12; time++) await texts(open())
    expect(listening).toBe(once)
  })

  it("is got by Kysely's way where the host wants to know of it", async () => {
    const logged: string[] = []
    const db = open({}, ({ query }) => void logged.push(query.sql))
    for (let time = 0; time < 4; time++) await texts(db)
    // And once, what kind of server it is.
    expect(logged.filter((text) => !text.includes('version()'))).toHaveLength(4)
    expect(logged).toHaveLength(5)
    const reserved: unknown[] = []
    const reserving = open({ onReserveConnection: async (connection) => void reserved.push(connection) })
    for (let time = 0; time < 4; time++) await texts(reserving)
    expect(reserved).toHaveLength(4)
    expect([asked(db), asked(reserving)]).toEqual([4, 4])
  })

  it.each([
    ['each of them', 0],
    ['some of them', 3],
  ])("is got by Kysely's way where a driver of the host's prepares %s", async (_how, unprepared) => {
    let acquired = 0
    const dialect = postgresDialect({ pool })
    const create = dialect.createDriver.bind(dialect)
    dialect.createDriver = () => {
      const driver = create()
      const acquire = driver.acquireConnection.bind(driver)
      driver.acquireConnection = async () => {
        const connection = await acquire()
        if (++acquired > unprepared)
          await connection.executeQuery(CompiledQuery.raw(`set application_name to 'prepared'`))
        return connection
      }
      const release = driver.releaseConnection.bind(driver)
      driver.releaseConnection = async (connection) => {
        await connection.executeQuery(CompiledQuery.raw('reset application_name'))
        await release(connection)
      }
      return driver
    }
    await pool.query(`create view prepared as select 1 as id, current_setting('application_name') as text`)
    try {
      const db = new Kysely<Tables>({ dialect })
      const engine = createEngine({ db, schema: defineSchema({ prepared: schema.definition.lent }) })
      const seen: unknown[] = []
      for (let time = 0; time < 7; time++) seen.push((await getItem(engine, 'prepared', 1)).text)
      expect(seen.slice(unprepared)).toEqual(Array(7 - unprepared).fill('prepared'))
    } finally {
      await pool.query('drop view prepared')
    }
  })

  it('is prepared with all that Kysely tells of it', async () => {
    const told = async (dialectOf: (config: PostgresDialectConfig) => Dialect) => {
      const own = new pg.Pool({ connectionString: inject('postgres').c })
      const heard: unknown[] = []
      const hear = async (...given: readonly unknown[]) => void heard.push(given.slice(1))
      const dialect = dialectOf({ pool: own, onCreateConnection: hear, onReserveConnection: hear })
      const db = new Kysely<Tables>({ dialect })
      const query = sql`select 1`
      // Kysely 0.28 takes no options, and ignores them.
      await Reflect.apply(query.execute, query, [db, { signal }])
      await db.destroy()
      return heard
    }
    const { signal } = new AbortController()
    expect(await told(postgresDialect)).toEqual(await told((config) => new PostgresDialect(config)))
  })

  it('is used in the context of whoever waited for it, and not of whoever gave it back', async () => {
    const context = new AsyncLocalStorage<number>()
    const own = new pg.Pool({ connectionString: inject('postgres').c, max: 1 })
    const db = new Kysely<Tables>({ dialect: postgresDialect({ pool: own }) })
    opened.push(db)
    const seen: unknown[] = []
    const engine = createEngine({
      db,
      schema,
      onQuery: ({ parameters }) => seen.push([context.getStore(), parameters[0]]),
    })
    for (let key = 1; key < 4; key++) await listItems(engine, 'lent', { limit: key })
    seen.length = 0
    await Promise.all(
      [7, 8, 9].map((limit) => context.run(limit, () => listItems(engine, 'lent', { limit }))),
    )
    expect(seen).toEqual([7, 8, 9].map((limit) => [limit, limit]))
    expect(asked(db)).toBe(2)
  })

  it('is not to be had of what was destroyed', async () => {
    const own = new pg.Pool({ connectionString: inject('postgres').c })
    const db = new Kysely<Tables>({ dialect: postgresDialect({ pool: async () => own }) })
    for (let time = 0; time < 3; time++) await texts(db)
    expect(asked(db)).toBe(2)
    await db.destroy()
    await expect(texts(db)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })
})
