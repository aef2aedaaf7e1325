// node:sqlite behind the interface of better-sqlite3 that is used here, so that everything else is the same for both.
import { fault } from '../../errors/errors.ts'
import type { Sqlite3Database, Sqlite3Statement } from './sql-functions.ts'

/** The part of a `DatabaseSync` of node:sqlite that is used here. */
export interface NodeSqliteDatabase {
  /** False before `open` and after `close`. */
  readonly isOpen: boolean
  /** True if a transaction is open. */
  readonly isTransaction: boolean
  /** Returns the path of the file; null for a database in memory. */
  location?(): string | null
  prepare(sql: string): NodeSqliteStatement
  close(): unknown
  function(
    name: string,
    options: NodeFunctionOptions,
    body: (...values: NodeSqliteValue[]) => NodeSqliteValue,
  ): unknown
  aggregate(name: string, options: NodeAggregate): unknown
}

/** The part of a `StatementSync` of node:sqlite that is used here. */
export interface NodeSqliteStatement {
  columns(): readonly unknown[]
  setReadBigInts(isEnabled: boolean): unknown
  setReturnArrays(isEnabled: boolean): unknown
  all(...parameters: NodeSqliteValue[]): unknown[]
  run(...parameters: NodeSqliteValue[]): {
    readonly changes: number | bigint
    readonly lastInsertRowid: number | bigint
  }
  iterate(...parameters: NodeSqliteValue[]): IterableIterator<unknown>
}

/** A value that node:sqlite binds and returns. */
export type NodeSqliteValue = null | number | bigint | string | Uint8Array

interface NodeFunctionOptions {
  readonly deterministic: boolean
  readonly useBigIntArguments: boolean
}

interface NodeAggregate {
  readonly start: () => NodeSqliteValue
  readonly step: (total: NodeSqliteValue, ...values: NodeSqliteValue[]) => NodeSqliteValue
  readonly result: (total: NodeSqliteValue) => NodeSqliteValue
  readonly useBigIntArguments: boolean
}

/** True for a `DatabaseSync`: better-sqlite3 calls the state of the transaction by another name. */
export const isNodeDatabase = (
  database: Sqlite3Database | NodeSqliteDatabase,
): database is NodeSqliteDatabase => 'isTransaction' in database

/** Returns a database of node:sqlite with the interface of better-sqlite3. */
export const likeBetterSqlite = (database: NodeSqliteDatabase): Sqlite3Database => ({
  prepare: (sql) => new NodeStatement(database.prepare(sql), sql),
  memory: database.isOpen && database.location?.() === null,
  close: () => {
    // To close it a second time is an error there.
    if (database.isOpen) database.close()
  },
  get inTransaction() {
    return database.isTransaction
  },
  // Without `useBigIntArguments`, an integer beyond 2^53 among the arguments fails the whole statement.
  function: (name, options, body) => {
    // The border to SQL, where a function says for itself what it is called with.
    const called = body as (...values: NodeSqliteValue[]) => NodeSqliteValue
    database.function(name, { ...options, useBigIntArguments: true }, called)
  },
  aggregate: (name, { start, step, result }) => {
    // The same border: the total passes through node:sqlite as it is.
    const called = { start, step, result, useBigIntArguments: true } as unknown as NodeAggregate
    database.aggregate(name, called)
  },
})

class NodeStatement implements Sqlite3Statement {
  readonly reader: boolean
  readonly #statement: NodeSqliteStatement
  /** True if integers are read as bigints: of any size, while numbers beyond 2^53 are an error. */
  #isWide = false
  #isBusy = false

  constructor(statement: NodeSqliteStatement, sql: string) {
    this.#statement = statement
    this.reader = statement.columns().length > 0
    // A statement that writes cannot be run again for the sake of its numbers, nor can the number of its last row be an error.
    if (!this.reader || /\breturning\b/i.test(sql)) this.#widen()
  }

  get busy(): boolean {
    return this.#isBusy
  }

  raw(isRaw: boolean): this {
    this.#statement.setReturnArrays(isRaw)
    return this
  }

  all(parameters: readonly unknown[]): unknown[] {
    try {
      const rows = this.#statement.all(...bindable(parameters))
      return this.#isWide ? rows.map(withNumbers) : rows
    } catch (error) {
      if (this.#isWide || !isTooLarge(error)) throw error
      this.#widen()
      return this.all(parameters)
    }
  }

  run(parameters: readonly unknown[]): ReturnType<Sqlite3Statement['run']> {
    return this.#statement.run(...bindable(parameters))
  }

  *iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    // Rows that were handed out cannot be read again.
    this.#widen()
    this.#isBusy = true
    try {
      for (const row of this.#statement.iterate(...bindable(parameters))) yield withNumbers(row)
    } finally {
      this.#isBusy = false
    }
  }

  #widen(): void {
    this.#isWide = true
    this.#statement.setReadBigInts(true)
  }
}

/** Refuses what would be taken for named parameters, and bind nothing. */
function bindable(parameters: readonly unknown[]): NodeSqliteValue[] {
  const [first] = parameters
  if (typeof first === 'object' && first !== null && !ArrayBuffer.isView(first))
    throw fault('INTERNAL_SERVER_ERROR', 'SQLite binds numbers, bigints, texts, bytes and null only.')
  // The border to node:sqlite, which checks each value by itself.
  return parameters as NodeSqliteValue[]
}

/** Returns a row with numbers in place of bigints, rounded beyond 2^53, as other drivers have them. */
function withNumbers(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return row
  for (const [name, value] of Object.entries(row))
    if (typeof value === 'bigint') Reflect.set(row, name, Number(value))
  return row
}

const isTooLarge = (error: unknown) =>
  error instanceof RangeError && Reflect.get(error, 'code') === 'ERR_OUT_OF_RANGE'
