// Databases with late steps, by a Kysely driver around another one. Steps on a connection keep their order, as on a wire.
import BetterSqlite from 'better-sqlite3'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  SqliteDialect,
} from 'kysely'
import { sqliteDialect } from '../../../src/sqlite.ts'
import { type AnyTables, type OpenDatabase, openedOn } from '../../support/databases.ts'
import { type Around, drivers } from '../../support/drivers.ts'
import { until } from '../../support/wait-until.ts'
import { Idleness, watched } from './idle-connections.ts'
import type { Delay, Late, LateLane, LateStep } from './late-lane.ts'

const overSqlite =
  (dialect: (database: BetterSqlite.Database) => Dialect) =>
  async (around: Around): Promise<OpenDatabase> => {
    const db = new Kysely<AnyTables>({ dialect: around(dialect(new BetterSqlite(':memory:'))) })
    return openedOn(db)
  }

const opened = [
  {
    title: 'SqliteDialect',
    name: 'sqlite' as const,
    open: overSqlite((database) => new SqliteDialect({ database })),
  },
  {
    title: 'quernel/sqlite',
    name: 'sqlite' as const,
    open: overSqlite((database) => sqliteDialect({ database })),
  },
  // Those that speak to a server are late on the wire.
  ...drivers.filter(({ needs }) => needs !== 'postgres'),
]

/** Databases in this process: none of them ends a statement by a timeout. */
export const lateDrivers: readonly LateLane[] = opened.map(({ title, name, open }) => ({
  title,
  name,
  // A PostgreSQL in this process takes long to start.
  worlds: name === 'sqlite' ? 6 : 1,
  hasTimeouts: false,
  awaitsBegin: true,
  open: async () => {
    const steps = new Steps()
    const idleness = new Idleness()
    const { db, close } = await open((dialect) => watched(around(dialect, steps), idleness))
    return {
      db,
      close,
      delay: (delay) => steps.delay(delay),
      returnedAtWork: () => idleness.returnedAtWork(),
      settle: () => steps.settle(),
      look: async (text) => (await db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text))).rows,
    }
  },
}))

class Steps implements Pick<Late, 'delay' | 'settle'> {
  #delay: Delay | undefined
  #count = 0
  #late: LateStep | undefined
  #running = 0
  #held = 0

  delay(delay: Delay): void {
    this.#delay = delay
    this.#count = 0
    this.#late = undefined
  }

  async settle(): Promise<LateStep | undefined> {
    await until(() => this.#running === 0 && this.#held === 0)
    this.#delay = undefined
    return this.#late
  }

  hold(): void {
    this.#held++
  }

  release(): void {
    this.#held--
  }

  async run<Result>(commits: boolean, work: () => Promise<Result>): Promise<Result> {
    const delay = ++this.#count === this.#delay?.at ? this.#delay : undefined
    this.#running++
    try {
      if (!delay) return await work()
      this.#late = { commits }
      delay.onBegin?.()
      if (delay.how === 'sent') await pause(delay.milliseconds)
      const answer = work()
      if (delay.how === 'heard') await Promise.allSettled([answer, pause(delay.milliseconds)])
      return await answer
    } finally {
      this.#running--
    }
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

function around(dialect: Dialect, steps: Steps): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => lateDriver(dialect.createDriver(), steps),
  }
}

/** A connection with its own, and whether that is in a transaction. */
class LateConnection implements DatabaseConnection {
  readonly own: DatabaseConnection
  isOpen = false
  readonly #steps: Steps
  #last: Promise<unknown> = Promise.resolve()

  constructor(own: DatabaseConnection, steps: Steps) {
    this.own = own
    this.#steps = steps
  }

  executeQuery<Row>(query: CompiledQuery) {
    return this.step(!this.isOpen, () => this.own.executeQuery<Row>(query))
  }

  streamQuery<Row>(query: CompiledQuery, size: number) {
    return this.own.streamQuery<Row>(query, size)
  }

  step<Result>(commits: boolean, work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(() => this.#steps.run(commits, work))
    this.#last = turn.catch(() => undefined)
    return turn
  }
}

function lateDriver(driver: Driver, steps: Steps): Driver {
  const known = new WeakMap<DatabaseConnection, LateConnection>()
  const lateOf = (connection: DatabaseConnection) => {
    if (connection instanceof LateConnection) return connection
    throw new Error('This connection comes from elsewhere.')
  }
  return {
    init: () => driver.init(),
    acquireConnection: () =>
      steps.run(false, async () => {
        const own = await driver.acquireConnection()
        const late = known.get(own) ?? new LateConnection(own, steps)
        known.set(own, late)
        steps.hold()
        return late
      }),
    releaseConnection: async (connection) => {
      await driver.releaseConnection(lateOf(connection).own)
      steps.release()
    },
    beginTransaction: async (connection, settings) => {
      const late = lateOf(connection)
      await late.step(false, () => driver.beginTransaction(late.own, settings))
      late.isOpen = true
    },
    commitTransaction: async (connection) => {
      const late = lateOf(connection)
      await late.step(true, () => driver.commitTransaction(late.own))
      late.isOpen = false
    },
    rollbackTransaction: async (connection) => {
      const late = lateOf(connection)
      await late.step(false, () => driver.rollbackTransaction(late.own))
      late.isOpen = false
    },
    destroy: () => driver.destroy(),
  }
}
