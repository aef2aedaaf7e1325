// SQLite prepares a statement anew, on every run, when it asked a parameter for its value to plan by it: those of LIMIT, and
// those that are compared with a column of known statistics. A plus before the parameter keeps it from asking.
import type BetterSqlite from 'better-sqlite3'

export type Database = BetterSqlite.Database

/** A statement whose rows are objects. */
export function objects<Row>(database: Database, sql: string): (...values: unknown[]) => Row[] {
  const statement = database.prepare<unknown[], Row>(sql)
  return (...values) => statement.all(...values)
}

/** A statement whose rows are arrays. */
export function arrays<Row>(database: Database, sql: string): (...values: unknown[]) => Row[] {
  const statement = database.prepare<unknown[], Row>(sql).raw()
  return (...values) => statement.all(...values)
}

/** A statement of one column. */
export function texts(database: Database, sql: string): (...values: unknown[]) => string[] {
  const statement = database.prepare<unknown[], string>(sql).pluck()
  return (...values) => statement.all(...values)
}
