// The entry `quernel/sqlite`: a faster and fuller SQLite, by way of better-sqlite3.
export { sqlite } from './sqlite/dialect.ts'
export { equipDatabase } from './sqlite/equip.ts'
export type { Sqlite3Database, Sqlite3Statement } from './sqlite/functions.ts'
export { type SqliteOptions, sqliteDialect } from './sqlite/kysely.ts'
