import { type DatabaseConnection, SqliteDriver } from 'kysely'

/** Kysely's own driver, which knows whether anybody has its connection. */
export class WatchfulDriver extends SqliteDriver {
  #users = 0
  #connection: DatabaseConnection | undefined

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#users++
    try {
      this.#connection = await super.acquireConnection()
      return this.#connection
    } catch (error) {
      this.#users--
      throw error
    }
  }

  override async releaseConnection(): Promise<void> {
    this.#users--
    await super.releaseConnection()
  }

  /** The connection, while nobody has it. */
  get idle(): DatabaseConnection | undefined {
    return this.#users === 0 ? this.#connection : undefined
  }

  override async destroy(): Promise<void> {
    this.#connection = undefined
    await super.destroy()
  }
}
