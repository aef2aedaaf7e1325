import {
  type DatabaseConnection,
  type QueryResult,
  type SqliteDatabase,
  type SqliteDialectConfig,
  SqliteDriver,
} from 'kysely'
import type { AnswerNow } from '../../dialects/sync-connection.ts'
import { goesOn } from '../../dialects/transaction-status.ts'

/** Kysely's own driver, which knows whether anybody has its connection. */
export class WatchfulDriver extends SqliteDriver {
  readonly #opened: { database?: SqliteDatabase }
  #users = 0
  #connection: DatabaseConnection | undefined
  #answer: AnswerNow | undefined

  constructor({ database, ...config }: SqliteDialectConfig) {
    const opened: { database?: SqliteDatabase } = {}
    const open = async () => {
      opened.database = typeof database === 'function' ? await database() : database
      return opened.database
    }
    super({ ...config, database: open })
    this.#opened = opened
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#users++
    try {
      const { database } = this.#opened
      const connection = await super.acquireConnection()
      if (this.#connection !== connection) this.#connection = telling(connection, database)
      this.#answer ??= database && answering(database)
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

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection)
    } catch (error) {
      // What has failed so that SQLite itself rolled back is told, and not that nothing is left to be rolled back.
      if (!(error instanceof Error && /no transaction is active$/.test(error.message))) throw error
    }
  }

  /** How the connection answers, while nobody has it. */
  get idle(): AnswerNow | undefined {
    if (this.#users > 0 || !this.#connection) return undefined
    // Where the host wants to know of every statement, Kysely has put a method of its own in front of the connection's.
    return Object.hasOwn(this.#connection, 'executeQuery') ? undefined : this.#answer
  }

  override async destroy(): Promise<void> {
    this.#connection = undefined
    await super.destroy()
  }
}

/** The same connection, which tells whether a transaction goes on where its database does. */
function telling(connection: DatabaseConnection, database: SqliteDatabase | undefined): DatabaseConnection {
  const told: { readonly inTransaction?: unknown } = Object(database) // of which Kysely's description knows nothing
  if (typeof told.inTransaction !== 'boolean') return connection
  return Object.defineProperty(connection, goesOn, { value: () => told.inTransaction === true })
}

/** Answers what Kysely's own connection answers. */
const answering =
  (database: SqliteDatabase): AnswerNow =>
  (sql, parameters): QueryResult<unknown> => {
    const statement = database.prepare(sql)
    if (statement.reader) return { rows: statement.all(parameters) }
    const { changes, lastInsertRowid } = statement.run(parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }
