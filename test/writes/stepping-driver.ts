// A driver that stops before its k-th statement, so that somebody else can write at just that moment.
import type { CompiledQuery, DatabaseConnection, Dialect, Driver } from 'kysely'

export interface Stepping {
  /** Called before each statement and each commit, with its number and its text. */
  before: ((step: number, sql: string) => Promise<void>) | undefined
  steps: number
}

/** @example const { dialect, stepping } = steppingThrough(new PostgresDialect({ pool })) */
export function steppingThrough(dialect: Dialect): {
  readonly dialect: Dialect
  readonly stepping: Stepping
} {
  const stepping: Stepping = { before: undefined, steps: 0 }
  return {
    stepping,
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: (db) => dialect.createIntrospector(db),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createDriver: () => steppingDriver(dialect.createDriver(), stepping),
    },
  }
}

function steppingDriver(driver: Driver, stepping: Stepping): Driver {
  const real = new WeakMap<DatabaseConnection, DatabaseConnection>()
  const inner = (connection: DatabaseConnection) => real.get(connection) ?? connection
  const step = async (sql: string) => {
    await stepping.before?.(++stepping.steps, sql)
  }
  return {
    init: () => driver.init(),
    acquireConnection: async () => {
      const connection = await driver.acquireConnection()
      const stopped: DatabaseConnection = {
        executeQuery: async (query: CompiledQuery) => {
          await step(query.sql)
          return connection.executeQuery(query)
        },
        streamQuery: (query: CompiledQuery, size) => connection.streamQuery(query, size),
      }
      real.set(stopped, connection)
      return stopped
    },
    releaseConnection: (connection) => driver.releaseConnection(inner(connection)),
    beginTransaction: (connection, settings) => driver.beginTransaction(inner(connection), settings),
    commitTransaction: async (connection) => {
      await step('commit')
      await driver.commitTransaction(inner(connection))
    },
    rollbackTransaction: (connection) => driver.rollbackTransaction(inner(connection)),
    destroy: () => driver.destroy(),
  }
}
