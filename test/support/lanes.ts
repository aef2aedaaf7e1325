// The databases of the tests of meaning: both, and SQLite with our functions.
import { Kysely } from 'kysely'
import { sqliteDialect } from '../../src/sqlite.ts'
import type { FieldType } from '../../src/types/families.ts'
import { type AnyTables, databases, openedOn, type TestDatabase } from './databases.ts'
import { sqliteConnections } from './sqlite-connections.ts'

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
  ...sqliteConnections.map(
    ({ title, open }): Lane => ({
      name: 'sqlite',
      title: `SQLite with our functions, over ${title}`,
      knowsZones: true,
      own: ['decimal', 'timestamp', 'geometry'],
      open: async () => {
        const db = new Kysely<AnyTables>({ dialect: sqliteDialect({ database: open() }) })
        return openedOn(db)
      },
    }),
  ),
]
