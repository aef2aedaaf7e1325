// Opens a file of SQLite with the driver that there is.
import { statSync } from 'node:fs'
import { Kysely } from 'kysely'
import type { HostDatabase } from '../dialects/host.ts'
import { sqliteDialect } from '../drivers/sqlite/kysely.ts'
import type { NodeSqliteDatabase } from '../drivers/sqlite/node-database.ts'
import type { Sqlite3Database } from '../drivers/sqlite/sql-functions.ts'
import type { LoadPackage } from './load-package.ts'
import { failure, reasonOf } from './terminal.ts'

/** Opens a file that exists, and never creates one. */
export async function openFile(path: string, isReadonly: boolean, load: LoadPackage): Promise<HostDatabase> {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw failure(`There is no file ${JSON.stringify(path)}.`)
  if (!found.isFile()) throw failure(`${JSON.stringify(path)} is no file.`)
  const open = await openerOf(load)
  try {
    const database = open(path, isReadonly)
    // Only a first read shows whether it is a database.
    database.prepare('pragma schema_version').all([] as never)
    return new Kysely({ dialect: sqliteDialect({ database }) })
  } catch (cause) {
    throw failure(`${JSON.stringify(path)} cannot be opened: ${reasonOf(cause)}.`, undefined, cause)
  }
}

type Open = (path: string, isReadonly: boolean) => Sqlite3Database | NodeSqliteDatabase

const drivers: readonly { readonly name: string; readonly opener: (module: object) => Open | undefined }[] = [
  { name: 'better-sqlite3', opener: byBetterSqlite },
  { name: 'node:sqlite', opener: byNode },
]

async function openerOf(load: LoadPackage): Promise<Open> {
  const reasons: string[] = []
  for (const { name, opener } of drivers) {
    try {
      const module = await load(name)
      const open = module && opener(module)
      if (open) return open
    } catch (cause) {
      reasons.push(` "${name}" is here, and cannot be loaded: ${reasonOf(cause)}.`)
    }
  }
  throw failure(
    `A file of SQLite needs the package "better-sqlite3", or Node 22.16 or newer.${reasons.join('')}`,
    'npm install better-sqlite3',
  )
}

function byBetterSqlite(module: object): Open {
  const Database: new (path: string, options?: object) => Sqlite3Database = Reflect.get(module, 'default')
  // It looks for its native part when it opens a first database; that may be missing, or be made for another Node.
  new Database(':memory:').close()
  return (path, isReadonly) => new Database(path, { readonly: isReadonly, fileMustExist: true })
}

/** The time that better-sqlite3 waits for a lock by itself. */
const busyTimeout = 5_000

function byNode(module: object): Open | undefined {
  const Database: new (path: string, options: object) => NodeSqliteDatabase = Reflect.get(
    module,
    'DatabaseSync',
  )
  // Older ones of Node take no aggregates.
  if (!('aggregate' in Database.prototype)) return undefined
  return (path, isReadonly) => new Database(path, { readOnly: isReadonly, timeout: busyTimeout })
}
