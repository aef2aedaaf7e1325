// The databases of the tests of meaning: both, and SQLite with our functions.
import BetterSqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import { sqliteDialect } from '../../src/sqlite.ts'
import { type AnyTables, databases, type OpenDatabase, type TestDatabase } from './databases.ts'

export interface Lane extends TestDatabase {
  readonly title: string
}

export const lanes: readonly Lane[] = [
  ...databases.map((database) => ({ ...database, title: database.name })),
  { name: 'sqlite', title: 'SQLite with our functions', open: openEquipped },
]

async function openEquipped(): Promise<OpenDatabase> {
  const db = new Kysely<AnyTables>({ dialect: sqliteDialect({ database: new BetterSqlite(':memory:') }) })
  return { db, close: () => db.destroy() }
}
