// The databases of the tests of meaning: both, and SQLite with our functions.
import BetterSqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import { sqliteDialect } from '../../src/sqlite.ts'
import type { FieldType } from '../../src/types/families.ts'
import { type AnyTables, databases, type OpenDatabase, type TestDatabase } from './databases.ts'

export interface Lane extends TestDatabase {
  readonly title: string
  /** Time zones by name. */
  readonly knowsZones: boolean
  /** The types on which it has phrases of its own; absent = all. */
  readonly own?: readonly FieldType[]
}

export const lanes: readonly Lane[] = [
  ...databases.map((database) => ({
    ...database,
    title: database.name,
    knowsZones: database.name === 'postgres',
  })),
  {
    name: 'sqlite',
    title: 'SQLite with our functions',
    knowsZones: true,
    own: ['decimal', 'timestamp', 'geometry'],
    open: openEquipped,
  },
]

async function openEquipped(): Promise<OpenDatabase> {
  const db = new Kysely<AnyTables>({ dialect: sqliteDialect({ database: new BetterSqlite(':memory:') }) })
  return { db, close: () => db.destroy() }
}
