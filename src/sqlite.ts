// The entry `quernel/sqlite`: a faster and fuller SQLite, by way of better-sqlite3 or node:sqlite.

export { equipDatabase } from './drivers/sqlite/equip.ts'
export { sqlite } from './drivers/sqlite/equipped-dialect.ts'
export { type SqliteOptions, sqliteDialect } from './drivers/sqlite/kysely.ts'
export type {
  NodeSqliteDatabase,
  NodeSqliteStatement,
  NodeSqliteValue,
} from './drivers/sqlite/node-database.ts'
export { type SqliteReaderOptions, sqliteReaders } from './drivers/sqlite/readers/kysely.ts'
export type { ReaderThreads } from './drivers/sqlite/readers/options.ts'
export type { Sqlite3Database, Sqlite3Statement } from './drivers/sqlite/sql-functions.ts'
