// Opens an existing database, and never creates one.

import { statSync } from 'node:fs'
import { CompiledQuery, Kysely, type SqliteDialect } from 'kysely'
import type { HostDatabase } from '../dialects/host.ts'
import { byPg, type Connect } from '../drivers/postgres/installed.ts'
import { type SqliteModule, sqliteModules } from '../drivers/sqlite/installed.ts'
import { sqliteDialect } from '../drivers/sqlite/kysely.ts'
import { isEngineError } from '../errors/errors.ts'
import { databasePlace, shownPlace } from './database-place.ts'
import type { LoadPackage } from './load-package.ts'
import { failure, reasonOf, type Terminal } from './terminal.ts'

export async function openDatabase(text: string, options: OpenOptions): Promise<HostDatabase> {
  const place = databasePlace(text)
  return place.kind === 'file'
    ? openFile(place.path, { ...options, isReadonly: options.isReadonly || place.isReadonly })
    : openServer(place.url, options)
}

/** Opens a database for some work, and closes it behind that. */
export async function withDatabase<Result>(
  text: string,
  how: Pick<OpenOptions, 'isReadonly' | 'readers'>,
  { print, load }: Terminal,
  work: (db: HostDatabase) => Promise<Result>,
): Promise<Result> {
  const db = await openDatabase(text, { ...how, print, load })
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}

// Opens a file with the driver that there is.

/** Opens a file that exists, and never creates one. */
async function openFile(path: string, { isReadonly, readers, load }: OpenOptions): Promise<HostDatabase> {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw failure(`There is no file ${JSON.stringify(path)}.`)
  if (!found.isFile()) throw failure(`${JSON.stringify(path)} is no file.`)
  const open = await openerFrom(load)
  try {
    const database = open(path, isReadonly)
    const db = new Kysely<unknown>({ dialect: withReaders(database, readers) ?? sqliteDialect({ database }) })
    // Only a first read shows whether it is a database.
    await db.executeQuery(CompiledQuery.raw('pragma schema_version'))
    return db
  } catch (cause) {
    throw failure(`${JSON.stringify(path)} cannot be opened: ${reasonOf(cause)}.`, undefined, cause)
  }
}

/** Returns a dialect with readers; undefined for a file that is not in WAL mode, which has none. */
function withReaders(database: ReturnType<Opener>, readers: number | undefined): SqliteDialect | undefined {
  if (readers === undefined) return undefined
  try {
    return sqliteDialect({ database, readers })
  } catch (error) {
    if (isEngineError(error)) return undefined
    throw error
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

// Connects to a server.
interface OpenOptions extends Pick<Terminal, 'print' | 'load'> {
  /** Number of threads that read a file. By default there are none. */
  readonly readers?: number
  /** True if nothing can be changed, whatever is tried. */
  readonly isReadonly: boolean
}

/** Connects to a server, and makes sure that it responds. */
async function openServer(url: string, { isReadonly, print, load }: OpenOptions): Promise<HostDatabase> {
  const connect = await connectorFrom(load)
  if (isReadonly && !URL.canParse(url)) throw failure('The URL of the database cannot be read.')
  try {
    const dialect = await connect(url, {
      settings: isReadonly ? '-c default_transaction_read_only=on' : '',
      onLost: (error) => print(`A connection was lost: ${reasonOf(error)}\n`),
    })
    return new Kysely({ dialect })
  } catch (cause) {
    throw failure(`Cannot connect to ${shownPlace(url)}: ${reasonOf(cause)}.`, undefined, cause)
  }
}

async function connectorFrom(load: LoadPackage): Promise<Connect> {
  const module = await load('pg')
  if (module) return byPg(module)
  throw failure('A server of PostgreSQL needs the package "pg".', 'npm install pg')
}
