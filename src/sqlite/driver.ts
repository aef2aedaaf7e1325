import { type DatabaseConnection, SqliteDriver } from 'kysely'
import type { Loan } from '../dialects/idle.ts'

/** Kysely's own driver, which knows whether anybody has its connection or waits for it. */
export class LendingDriver extends SqliteDriver {
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

  /** The connection at once, which others wait for until it is given back. Undefined while somebody has it. */
  lend(): Loan | undefined {
    const connection = this.#connection
    if (!connection || this.#users > 0) return undefined
    this.#users++
    // Nobody else is there, so it is ours before this returns.
    void super.acquireConnection()
    return { connection, giveBack: () => void this.releaseConnection() }
  }

  override async destroy(): Promise<void> {
    this.#connection = undefined
    await super.destroy()
  }
}
