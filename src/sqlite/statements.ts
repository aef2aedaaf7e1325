// Prepared statements that are kept. Preparing takes 7 to 40 µs, which is most of what a small read costs.
import { isMarked } from '../dialects/mark.ts'
import type { Sqlite3Database, Sqlite3Statement } from './functions.ts'

/** As much of a database as Kysely's own SQLite driver asks for. */
export interface PreparingDatabase {
  prepare(sql: string): Sqlite3Statement
  close(): void
}

/** The same connection, with the statements used last kept ready. */
export function keepStatements(database: Sqlite3Database, most: number): PreparingDatabase {
  const kept = new Map<string, Sqlite3Statement>()
  return {
    close: () => {
      kept.clear()
      database.close()
    },
    prepare: (sql) => {
      const known = kept.get(sql)
      // While its rows are being read one by one, a statement cannot be run a second time.
      if (known?.busy) return prepared(database, sql)
      const statement = known ?? prepared(database, sql)
      // The order of a Map is that of insertion, so what was used last goes to the end.
      kept.delete(sql)
      kept.set(sql, statement)
      if (kept.size > most) kept.delete(kept.keys().next().value ?? '')
      return statement
    },
  }
}

function prepared(database: Sqlite3Database, sql: string): Sqlite3Statement {
  const statement = database.prepare(sql)
  return isMarked(sql) ? statement.raw(true) : statement
}
