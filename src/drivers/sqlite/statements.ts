// Prepared statements that are kept. Preparing takes 7 to 40 µs, which is most of what a small read costs.
import { isMarked } from '../../dialects/array-rows.ts'
import { Cache } from '../../values/cache.ts'
import type { Sqlite3Database, Sqlite3Statement } from './sql-functions.ts'

/** As much of a database as Kysely's own SQLite driver asks for. */
export interface PreparingDatabase {
  prepare(sql: string): Sqlite3Statement
  close(): void
  /** Whether a transaction is open, as far as the connection tells. */
  readonly inTransaction?: boolean | undefined
}

/** The same connection, with the statements used last kept ready. */
export function keepStatements(database: Sqlite3Database, most: number): PreparingDatabase {
  let kept = new Cache<Sqlite3Statement>(most)
  return {
    get inTransaction() {
      return database.inTransaction
    },
    close: () => {
      kept = new Cache(most)
      database.close()
    },
    prepare: (sql) => {
      const known = kept.get(sql)
      // While its rows are being read one by one, a statement cannot be run a second time.
      if (known) return known.busy ? prepared(database, sql) : known
      const statement = prepared(database, sql)
      kept.set(sql, statement)
      return statement
    },
  }
}

function prepared(database: Sqlite3Database, sql: string): Sqlite3Statement {
  const statement = database.prepare(sql)
  return isMarked(sql) ? statement.raw(true) : statement
}
