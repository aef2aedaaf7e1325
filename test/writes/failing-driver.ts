// A driver whose k-th step fails: a statement, or the beginning or the end of a transaction.
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type PostgresDialect,
  type SqliteDialect,
} from 'kysely'
import type { AnyTables } from '../support/databases.ts'

export interface Steps {
  fails: (step: number) => boolean
  failWith: () => Error
  /** Whether anybody hears of a commit that succeeds. */
  answersCommits: boolean
  taken: number
  /** How many connections are held. */
  held: number
  readonly statements: string[]
}

/** @example const { db, steps } = failing(new SqliteDialect({ database })) */
export function failing(dialect: SqliteDialect | PostgresDialect): {
  readonly db: Kysely<AnyTables>
  readonly steps: Steps
} {
  const steps: Steps = {
    fails: () => false,
    failWith: () => new Error('no more'),
    answersCommits: true,
    taken: 0,
    held: 0,
    statements: [],
  }
  const wrapped: Dialect = {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => failingDriver(dialect.createDriver(), steps),
  }
  return { db: new Kysely<AnyTables>({ dialect: wrapped }), steps }
}

function failingDriver(driver: Driver, steps: Steps): Driver {
  const real = new WeakMap<DatabaseConnection, DatabaseConnection>()
  const inner = (connection: DatabaseConnection) => real.get(connection) ?? connection
  const step = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    steps.statements.push(name)
    if (steps.fails(++steps.taken)) throw steps.failWith()
    return work()
  }
  return {
    init: () => driver.init(),
    acquireConnection: async () => {
      const connection = await driver.acquireConnection()
      steps.held++
      const counted: DatabaseConnection = {
        executeQuery: (query: CompiledQuery) => step(query.sql, () => connection.executeQuery(query)),
        streamQuery: (query: CompiledQuery, size) => connection.streamQuery(query, size),
      }
      real.set(counted, connection)
      return counted
    },
    releaseConnection: async (connection) => {
      steps.held--
      await driver.releaseConnection(inner(connection))
    },
    beginTransaction: (connection, settings) =>
      step('begin', () => driver.beginTransaction(inner(connection), settings)),
    commitTransaction: (connection) =>
      step('commit', async () => {
        await driver.commitTransaction(inner(connection))
        if (!steps.answersCommits) throw steps.failWith()
      }),
    rollbackTransaction: (connection) =>
      step('rollback', () => driver.rollbackTransaction(inner(connection))),
    destroy: () => driver.destroy(),
  }
}
