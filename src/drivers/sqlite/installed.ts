// Files as the command opens them, by each driver that a project may have, the better one first.
import type { NodeSqliteDatabase } from './node-database.ts'
import type { Sqlite3Database } from './sql-functions.ts'

type OpenFile = (path: string, isReadonly: boolean) => Sqlite3Database | NodeSqliteDatabase

export interface SqliteModule {
  readonly name: string
  /** Returns the function that opens a file, from the loaded module; undefined if that is too old. */
  opener(module: object): OpenFile | undefined
}

export const sqliteModules: readonly SqliteModule[] = [
  { name: 'better-sqlite3', opener: byBetterSqlite },
  { name: 'node:sqlite', opener: byNode },
]

function byBetterSqlite(module: object): OpenFile {
  const Database: new (path: string, options?: object) => Sqlite3Database = Reflect.get(module, 'default')
  // It looks for its native part when it opens a first database; that may be missing, or be made for another Node.
  new Database(':memory:').close()
  return (path, isReadonly) => new Database(path, { readonly: isReadonly, fileMustExist: true })
}

/** The time that better-sqlite3 waits for a lock by itself. */
const busyTimeout = 5_000

function byNode(module: object): OpenFile | undefined {
  const Database: new (path: string, options: object) => NodeSqliteDatabase = Reflect.get(
    module,
    'DatabaseSync',
  )
  // Older versions of Node take no aggregates.
  if (!('aggregate' in Database.prototype)) return undefined
  return (path, isReadonly) => new Database(path, { readOnly: isReadonly, timeout: busyTimeout })
}
