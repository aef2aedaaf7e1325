import {
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
  type SqliteDatabase,
  type SqliteDialectConfig,
  SqliteDriver,
} from 'kysely'
import type { FindReaders } from '../../dialects/connections/readers.ts'
import type { AnswerNow, ReservedConnection } from '../../dialects/connections/sync-connection.ts'
import { goesOn } from '../../dialects/connections/transaction-status.ts'
import type { HostDatabase } from '../../dialects/host.ts'
import { notRolledBack } from '../../execution/transaction/uncertain-commit.ts'
import { isCalledByKysely, transactionOn } from '../kysely-internals.ts'
import type { equipDatabase } from './equip.ts'
import type { ReaderChoice } from './readers/choice.ts'
import type { ReaderThreads } from './readers/options.ts'

/** Kysely's own driver, which also knows whether its connection is in use, and reserves it at once. */
export class WatchfulDriver extends SqliteDriver {
  readonly #opened: { database?: SqliteDatabase }
  #users = 0
  #connection: DatabaseConnection | undefined
  #answer: AnswerNow | undefined
  #isOutermost: boolean | undefined
  /** Resolves when a connection that was reserved is given back. */
  #reserved: Promise<void> | undefined
  /** True while the connection may be in a transaction that could not be rolled back. */
  #isInDoubt = false

  readonly #threads: ReaderThreads | undefined
  #readers: ReaderChoice | undefined
  /** Returns the readers once the database is open. Undefined without any. */
  readonly findReaders: FindReaders | undefined

  constructor({ database, ...config }: SqliteDialectConfig, threads: ReaderThreads | undefined) {
    const opened: { database?: SqliteDatabase } = {}
    const open = async () => {
      opened.database = typeof database === 'function' ? await database() : database
      return opened.database
    }
    super({ ...config, database: open })
    this.#opened = opened
    this.#threads = threads
    this.findReaders = threads && (() => this.#readers)
  }

  override async init(): Promise<void> {
    await super.init()
    if (this.#threads === undefined) return
    const { ReaderChoice: Loaded } = await import('./readers/choice.ts')
    // Ours is the one that is equipped: no other dialect makes this driver.
    const database = this.#opened.database as ReturnType<typeof equipDatabase>
    try {
      this.#readers = new Loaded(this.#threads, { database, isIdle: () => this.#users === 0 })
    } catch (error) {
      await super.destroy()
      throw error
    }
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#users++
    this.#isOutermost ??= isCalledByKysely('acquireConnection')
    try {
      while (this.#reserved !== undefined) await this.#reserved
      const { database } = this.#opened
      const connection = await super.acquireConnection()
      if (this.#connection !== connection) this.#connection = withStatus(connection, database)
      this.#answer ??= database && answering(database)
      return this.#isInDoubt ? this.#rolledBack(this.#connection) : this.#connection
    } catch (error) {
      await this.releaseConnection()
      throw error
    }
  }

  /** Returns the connection once it is rolled back. Otherwise, its statements are refused, and not the acquisition: behind an error there,
   *  Kysely from 0.29 on keeps its lock. */
  #rolledBack(connection: DatabaseConnection): DatabaseConnection {
    try {
      this.#rollBack()
      return connection
    } catch (error) {
      return refusing(error)
    }
  }

  override async releaseConnection(): Promise<void> {
    this.#users--
    await super.releaseConnection()
  }

  /** Reserves the connection for a transaction, if it is not in use. */
  reserve(db: HostDatabase, dialect: Dialect): ReservedConnection | undefined {
    const answer = this.#isOutermost ? this.idle : undefined
    const connection = this.#connection
    if (!answer || !connection) return undefined
    const giveBack = this.#take()
    const { transaction, end } = transactionOn(connection, db, answer, { dialect, driver: this })
    return {
      transaction,
      end,
      connection,
      answer,
      isAlone: isAlone(this.#opened.database),
      rollback: () => this.#rollBack(),
      giveBack,
    }
  }

  /** Takes the connection, and returns the function that gives it back. */
  #take(): () => void {
    this.#users++
    let free = (): void => undefined
    this.#reserved = new Promise((resolve) => {
      free = resolve
    })
    return () => {
      this.#users--
      this.#reserved = undefined
      free()
    }
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    this.#isInDoubt = true
    await super.rollbackTransaction(connection).catch(unlessOver)
    this.#isInDoubt = false
  }

  /** Rolls back, and keeps the connection from every other statement until that works. */
  #rollBack(): void {
    this.#isInDoubt = true
    try {
      this.#answer?.('rollback', [])
    } catch (error) {
      unlessOver(error)
    }
    this.#isInDoubt = false
  }

  /** Returns the function that runs statements at once, if the connection is not in use. */
  get idle(): AnswerNow | undefined {
    if (this.#users > 0 || this.#isInDoubt || !this.#connection) return undefined
    // If the host logs statements, Kysely has overridden this method on the connection.
    return Object.hasOwn(this.#connection, 'executeQuery') ? undefined : this.#answer
  }

  override async destroy(): Promise<void> {
    await this.#readers?.close()
    this.#connection = undefined
    await super.destroy()
  }
}

/** Returns the connection, which also reports whether a transaction is open, if its database does. */
function withStatus(
  connection: DatabaseConnection,
  database: SqliteDatabase | undefined,
): DatabaseConnection {
  const reported: { readonly inTransaction?: unknown } = Object(database) // missing in Kysely's type
  if (typeof reported.inTransaction !== 'boolean') return connection
  return Object.defineProperty(connection, goesOn, { value: () => reported.inTransaction === true })
}

/** A connection whose statements all fail with the error. */
const refusing = (error: unknown): DatabaseConnection => ({
  executeQuery: () => Promise.reject(error),
  // biome-ignore lint/correctness/useYield: it fails before its first row.
  async *streamQuery() {
    throw error
  },
})

/** An error with which SQLite itself rolled back is reported, and not that there is nothing to roll back. */
function unlessOver(error: unknown): void {
  if (!(error instanceof Error && /no transaction is active$/.test(error.message))) throw notRolledBack(error)
}

/** True if the database is this connection's own. */
function isAlone(database: SqliteDatabase | undefined): boolean {
  const { isInMemory }: { readonly isInMemory?: unknown } = Object(database) // missing in Kysely's type
  return isInMemory === true
}

/** Runs a statement, and returns a result like that of Kysely's own connection. */
const answering =
  (database: SqliteDatabase): AnswerNow =>
  (sql, parameters): QueryResult<unknown> => {
    const statement = database.prepare(sql)
    if (statement.reader) return { rows: statement.all(parameters) }
    const { changes, lastInsertRowid } = statement.run(parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }
