// A Kysely driver around another one that hears of connections which go back to the pool while a statement runs on them: whoever got them next
// would share them.
import type { CompiledQuery, DatabaseConnection, Dialect, QueryResult } from 'kysely'

export class Idleness {
  readonly #running = new WeakMap<DatabaseConnection, Map<object, string>>()
  #returned: string[] = []

  returnedAtWork(): readonly string[] {
    const returned = this.#returned
    this.#returned = []
    return returned
  }

  /** Watches the statements of a connection from now on. */
  watch(connection: DatabaseConnection): void {
    if (this.#running.has(connection)) return
    const running = new Map<object, string>()
    this.#running.set(connection, running)
    const execute = connection.executeQuery.bind(connection)
    connection.executeQuery = async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
      const turn = {}
      running.set(turn, query.sql)
      try {
        return await execute<Row>(query)
      } finally {
        running.delete(turn)
      }
    }
  }

  giveBack(connection: DatabaseConnection): void {
    this.#returned.push(...(this.#running.get(connection)?.values() ?? []))
  }
}

export const watched = (dialect: Dialect, idleness: Idleness): Dialect => ({
  createAdapter: () => dialect.createAdapter(),
  createIntrospector: (db) => dialect.createIntrospector(db),
  createQueryCompiler: () => dialect.createQueryCompiler(),
  createDriver: () => {
    const driver = dialect.createDriver()
    const acquire = driver.acquireConnection.bind(driver)
    const release = driver.releaseConnection.bind(driver)
    driver.acquireConnection = async (...given) => {
      const connection = await acquire(...given)
      idleness.watch(connection)
      return connection
    }
    driver.releaseConnection = (connection, ...given) => {
      idleness.giveBack(connection)
      return release(connection, ...given)
    }
    return driver
  },
})
