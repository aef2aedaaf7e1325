// Databases whose k-th call fails, in the ways in which calls of their drivers fail.
import BetterSqlite from 'better-sqlite3'
import { type Dialect, Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import type pg from 'pg'
import { postgresDialect } from '../../src/postgres.ts'
import { sqliteDialect } from '../../src/sqlite.ts'
import { openPool } from '../items/connections.ts'
import type { AnyTables, TestDatabase } from '../support/databases.ts'

/** `refused`: the statement is not run, and fails. `ended`: the transaction around it ends, too. `lost before` and `lost after`: the
 *  connection breaks, before the statement is run or once it was. */
export type Fault = 'refused' | 'ended' | 'lost before' | 'lost after'

export interface Injected {
  readonly db: Kysely<AnyTables>
  /** The texts of all calls since it was armed. */
  readonly calls: readonly string[]
  /** Lets the call fail that is the how-manieth from now on; with 0, none. */
  arm(at: number, fault?: Fault): void
  /** What is not as it should be while nobody works. */
  leftovers(): Promise<readonly string[]>
  close(): Promise<void>
}

export interface InjectedDatabase {
  readonly title: string
  readonly name: TestDatabase['name']
  readonly faults: readonly Fault[]
  open(): Promise<Injected>
}

export const injectedDatabases: readonly InjectedDatabase[] = [
  ...(['SqliteDialect', 'quernel/sqlite'] as const).map((title) => ({
    title,
    name: 'sqlite' as const,
    faults: ['refused', 'ended'] as const,
    open: () => openSqlite(title === 'SqliteDialect' ? kyselySqlite : sqliteDialect),
  })),
  ...(['PostgresDialect', 'quernel/postgres'] as const).map((title) => ({
    title,
    name: 'postgres' as const,
    faults: ['refused', 'lost before', 'lost after'] as const,
    open: () => openPostgres(title),
  })),
]

class Calls {
  texts: string[] = []
  #at = 0
  #fault: Fault = 'refused'

  arm(at: number, fault: Fault = 'refused'): void {
    this.texts = []
    this.#at = at
    this.#fault = fault
  }

  /** The fault of a call; undefined where it has none. */
  next(text: string): Fault | undefined {
    this.texts.push(text)
    return this.texts.length === this.#at ? this.#fault : undefined
  }
}

async function openSqlite(
  dialect: (options: { readonly database: BetterSqlite.Database }) => Dialect,
): Promise<Injected> {
  const database = new BetterSqlite(':memory:')
  const calls = new Calls()
  const db = new Kysely<AnyTables>({ dialect: dialect({ database: failing(database, calls) }) })
  return {
    db,
    get calls() {
      return calls.texts
    },
    arm: (at, fault) => calls.arm(at, fault),
    leftovers: async () => (database.inTransaction ? ['a transaction is open'] : []),
    close: () => db.destroy(),
  }
}

const kyselySqlite = ({ database }: { readonly database: BetterSqlite.Database }) =>
  new SqliteDialect({ database })

function failing(database: BetterSqlite.Database, calls: Calls): BetterSqlite.Database {
  const step = (text: string) => {
    const fault = calls.next(text)
    if (!fault) return
    // A setting ends no transaction, and a rollback that is refused is unheard of.
    const ends = text === 'rollback' || (fault === 'ended' && !text.startsWith('pragma'))
    if (ends && database.inTransaction) database.exec('rollback')
    throw Object.assign(new Error('injected'), fault === 'ended' ? { code: 'SQLITE_FULL' } : {})
  }
  const failingStatement = (text: string): BetterSqlite.Statement =>
    new Proxy(database.prepare(text), {
      get: (statement, key, proxy) => {
        const value: unknown = Reflect.get(statement, key, statement)
        if (typeof value !== 'function') return value
        return (...given: readonly unknown[]) => {
          if (key === 'all' || key === 'run') step(text)
          const answer: unknown = value.apply(statement, given)
          return answer === statement ? proxy : answer
        }
      },
    })
  return new Proxy(database, {
    get: (target, key) => {
      if (key === 'prepare') return failingStatement
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

async function openPostgres(title: keyof typeof postgresDialects): Promise<Injected> {
  const { pool, observer, db: own, close } = await openPool(connections)
  const calls = new Calls()
  // A rollback that fails is one that was given up. Kysely's own dialect hands on the connection that a host has begun a transaction on.
  const isRefusable = (text: string) => text !== 'rollback' || title === 'quernel/postgres'
  pool.on('connect', (client) => failAt(client, calls, isRefusable))
  const db = new Kysely<AnyTables>({ dialect: postgresDialects[title]({ pool }) })
  return {
    db,
    get calls() {
      return calls.texts
    },
    arm: (at, fault) => calls.arm(at, fault),
    leftovers: async () => {
      const held = pool.totalCount - pool.idleCount
      if (held > 0) return [`${held} connections are held`]
      const clients = await Promise.all(Array.from({ length: connections }, () => pool.connect()))
      try {
        const pids = await Promise.all(clients.map(pidOf))
        const { rows } = await observer.query(
          `select state from pg_stat_activity where pid = any($1) and state <> 'idle'`,
          [pids],
        )
        return rows.map(({ state }) => `a connection is ${state}`)
      } finally {
        for (const client of clients) client.release()
      }
    },
    close: async () => {
      await own.destroy().catch(() => undefined)
      await close()
    },
  }
}

const connections = 2

const postgresDialects = {
  PostgresDialect: ({ pool }: { readonly pool: pg.Pool }): Dialect => new PostgresDialect({ pool }),
  'quernel/postgres': postgresDialect,
}

const pidOf = async (client: pg.PoolClient) =>
  Number((await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid)

type Callback = (error: unknown, result?: unknown) => void

/** Puts the fault in front of a client of the pool, whoever asks it. */
function failAt(client: pg.PoolClient, calls: Calls, isRefusable: (text: string) => boolean): void {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown
  // A query object answers by its callback alone, and one of several statements brings its own.
  const answered = (given: readonly unknown[]): unknown => {
    const [first] = given
    if (!isQueryObject(first)) return query(...given)
    return new Promise((resolve, reject) => {
      const tell: Callback = (error, result) => (error ? reject(error) : resolve(result))
      if (first.callback) first.callback = tell
      query(...given, tell)
    })
  }
  const run = async (given: readonly unknown[], text: string, fault: Fault): Promise<unknown> => {
    if (fault === 'refused' && isRefusable(text)) return await query('select quernel_injected()')
    if (fault === 'lost before') breakOff(client)
    const result = await answered(given)
    if (fault !== 'lost after') return result
    await new Promise((resolve) => {
      client.once('end', resolve)
      breakOff(client)
    })
    throw new Error('Connection terminated unexpectedly')
  }
  const counted = (...given: unknown[]) => {
    const last = given.at(-1)
    const asked = typeof last === 'function' ? given.slice(0, -1) : given
    const [first] = asked
    const callback = isQueryObject(first) ? (first.callback ?? last) : last
    const text: unknown = typeof first === 'string' ? first : Object(first).text
    // What is no statement does not reach the server.
    const fault = typeof text === 'string' ? calls.next(text) : undefined
    if (!fault) return query(...given)
    const answer = run(asked, String(text), fault)
    if (typeof callback !== 'function') return answer
    const tell = callback as Callback
    answer.then(
      (result) => tell(undefined, result),
      (error: unknown) => tell(error),
    )
    return undefined
  }
  Object.assign(client, { query: counted })
}

interface QueryObject {
  callback?: Callback
}

const isQueryObject = (asked: unknown): asked is QueryObject => typeof Object(asked).submit === 'function'

/** As a network does. */
function breakOff(client: pg.PoolClient): void {
  const { connection }: { readonly connection?: { readonly stream: { destroy(): void } } } = Object(client)
  connection?.stream.destroy()
}
