// Opens a file with the driver that there is.
import { statSync } from 'node:fs'
import { CompiledQuery, Kysely } from 'kysely'
import type { HostDatabase } from '../dialects/host.ts'
import { type SqliteModule, sqliteModules } from '../drivers/sqlite/installed.ts'
import { sqliteDialect } from '../drivers/sqlite/kysely.ts'
import type { LoadPackage } from './load-package.ts'
import { failure, reasonOf } from './terminal.ts'

/** Opens a file that exists, and never creates one. */
export async function openFile(path: string, isReadonly: boolean, load: LoadPackage): Promise<HostDatabase> {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw failure(`There is no file ${JSON.stringify(path)}.`)
  if (!found.isFile()) throw failure(`${JSON.stringify(path)} is no file.`)
  const open = await openerFrom(load)
  try {
    const db = new Kysely<unknown>({ dialect: sqliteDialect({ database: open(path, isReadonly) }) })
    // Only a first read shows whether it is a database.
    await db.executeQuery(CompiledQuery.raw('pragma schema_version'))
    return db
  } catch (cause) {
    throw failure(`${JSON.stringify(path)} cannot be opened: ${reasonOf(cause)}.`, undefined, cause)
  }
}

type Opener = NonNullable<ReturnType<SqliteModule['opener']>>

async function openerFrom(load: LoadPackage): Promise<Opener> {
  const reasons: string[] = []
  for (const { name, opener } of sqliteModules) {
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
