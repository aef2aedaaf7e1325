// Cache of prepared statements. Preparing takes 7 to 40 µs, which is most of the cost of a small read.
import { isMarked } from '../../dialects/statement-mark.ts'
import { Cache } from '../../values/cache.ts'
import type { Sqlite3Database, Sqlite3Statement } from './sql-functions.ts'
import { unfitDatabase } from './unfit-database.ts'

/** The part of a database that Kysely's own SQLite driver uses. */
export interface PreparingDatabase {
  prepare(sql: string): Sqlite3Statement
  close(): void
  /** True if a transaction is open, as far as the connection reports it. */
  readonly inTransaction?: boolean | undefined
  /** True for a database in memory, which no other connection shares. */
  readonly isInMemory?: boolean
}

/** Returns the connection with a cache of the statements that were used last. */
export function keepStatements(database: Sqlite3Database, most: number): PreparingDatabase {
  let kept = new Cache<Sqlite3Statement>(most)
  return {
    isInMemory: database.memory === true,
    get inTransaction() {
      return database.inTransaction
    },
    close: () => {
      kept = new Cache(most)
      database.close()
    },
    prepare: (sql) => {
      const known = kept.get(sql)
      // A statement whose rows are being iterated cannot be run a second time.
      if (known) return known.busy ? prepared(database, sql) : known
      const statement = prepared(database, sql)
      kept.set(sql, statement)
      return statement
    },
  }
}

function prepared(database: Sqlite3Database, sql: string): Sqlite3Statement {
  const statement = database.prepare(sql)
  // Databases of Bun have the same methods, and statements that return no arrays.
  if (typeof statement.raw !== 'function') throw unfitDatabase('statements with raw()')
  return isMarked(sql) ? statement.raw(true) : statement
}
