// The connections that `quernel/sqlite` takes. Those of node:sqlite are there from Node 22.16 on.
import BetterSqlite from 'better-sqlite3'
import type { NodeSqliteDatabase, Sqlite3Database } from '../../src/sqlite.ts'

export interface SqliteConnectionKind {
  readonly title: string
  open(path?: string): Sqlite3Database | NodeSqliteDatabase
}

/** The module, where this Node has it; the types of the oldest Node do not know it. */
export const nodeSqlite = process.getBuiltinModule?.('node:sqlite') as
  | { readonly DatabaseSync: new (path: string) => NodeSqliteDatabase }
  | undefined

const overNode: readonly SqliteConnectionKind[] = nodeSqlite
  ? [{ title: 'node:sqlite', open: (path = ':memory:') => new nodeSqlite.DatabaseSync(path) }]
  : []

/** @example describe.each(sqliteConnections)('over $title', ({ open }) => { … }) */
export const sqliteConnections: readonly SqliteConnectionKind[] = [
  { title: 'better-sqlite3', open: (path = ':memory:') => new BetterSqlite(path) },
  ...overNode,
]
