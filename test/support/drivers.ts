// The databases of the tests once more, opened by other drivers.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { type Dialect, Kysely } from 'kysely'
import { inject } from 'vitest'
import { sqliteDialect } from '../../src/sqlite.ts'
import { type AnyTables, type OpenDatabase, openedOn, type TestDatabase } from './databases.ts'
import {
  type LibsqlClient,
  libsqlDialect,
  nodeSqliteDialect,
  pgliteDialect,
  type SqlJsDatabase,
  sqlJsDialect,
} from './driver-dialects.ts'
import { type PostgresJsClient, postgresJsDialect } from './postgres-js.ts'
import { nodeSqlite } from './sqlite-connections.ts'

/** Puts a driver of a test's own around another one. */
export type Around = (dialect: Dialect) => Dialect

export interface DriverLane extends TestDatabase {
  open(around?: Around): Promise<OpenDatabase>
  readonly title: string
  /** The module that it is made of. */
  readonly needs: string
}

/** Their types are not needed: a face says what it takes. */
const load = createRequire(import.meta.url)

const known: readonly DriverLane[] = [
  { name: 'sqlite', title: 'libSQL', needs: '@libsql/client', open: openLibsql },
  { name: 'sqlite', title: 'sql.js', needs: 'sql.js', open: openSqlJs },
  { name: 'sqlite', title: 'node:sqlite', needs: 'node:sqlite', open: openNode },
  { name: 'sqlite', title: 'node:sqlite by quernel/sqlite', needs: 'node:sqlite', open: openEquippedNode },
  { name: 'postgres', title: 'postgres.js', needs: 'postgres', open: openPostgresJs },
  { name: 'postgres', title: 'PGlite', needs: '@electric-sql/pglite', open: openLite },
]

/** Whether a module can be had. That of a driver is there or not before any test is. */
export function isThere(module: string): boolean {
  if (module.startsWith('node:')) return process.getBuiltinModule?.(module) !== undefined
  // Some packages are programs, and have nothing to import.
  return [module, `${module}/package.json`].some((path) => {
    try {
      load.resolve(path)
      return true
    } catch {
      return false
    }
  })
}

export const drivers: readonly DriverLane[] = known.filter(({ needs }) => isThere(needs))

/** Those that cannot be tried here: their tests do not exist, instead of being skipped one by one. */
export const absentDrivers: readonly DriverLane[] = known.filter(({ needs }) => !isThere(needs))

const asItIs: Around = (dialect) => dialect

function opened(dialect: Dialect, end: () => unknown, around = asItIs): OpenDatabase {
  const db = new Kysely<AnyTables>({ dialect: around(dialect) })
  return openedOn(db, async () => {
    await db.destroy()
    await end()
  })
}

async function openLibsql(around?: Around): Promise<OpenDatabase> {
  // In memory, each connection of its pool would have a database of its own.
  const home = await mkdtemp(join(tmpdir(), 'quernel-libsql-'))
  const { createClient }: { createClient: (options: { readonly url: string }) => LibsqlClient } =
    load('@libsql/client')
  const client = createClient({ url: `file:${join(home, 'test.db')}` })
  return opened(
    libsqlDialect(client),
    async () => {
      client.close()
      await rm(home, { recursive: true, force: true })
    },
    around,
  )
}

async function openSqlJs(around?: Around): Promise<OpenDatabase> {
  const start: () => Promise<{ readonly Database: new () => SqlJsDatabase }> = load('sql.js')
  const { Database } = await start()
  const database = new Database()
  // Other drivers do this by themselves.
  const keys = database.prepare('pragma foreign_keys = on')
  keys.step()
  keys.free()
  return opened(sqlJsDialect(database), () => undefined, around)
}

function newNodeDatabase() {
  if (!nodeSqlite) throw new Error('This Node has no SQLite.')
  return new nodeSqlite.DatabaseSync(':memory:')
}

async function openNode(around?: Around): Promise<OpenDatabase> {
  return opened(nodeSqliteDialect(newNodeDatabase()), () => undefined, around)
}

async function openEquippedNode(around?: Around): Promise<OpenDatabase> {
  return opened(sqliteDialect({ database: newNodeDatabase() }), () => undefined, around)
}

async function openPostgresJs(around?: Around): Promise<OpenDatabase> {
  const schema = `test_${randomBytes(8).toString('hex')}`
  const connect: (url: string, options: object) => PostgresJsClient = load('postgres')
  const client = connect(inject('postgres').c, {
    connection: { search_path: schema },
    onnotice: () => undefined,
    max: 4,
  })
  await client.unsafe(`create schema ${schema}`)
  const { db } = opened(postgresJsDialect(client), () => undefined, around)
  return openedOn(db, async () => {
    await client.unsafe(`drop schema ${schema} cascade`)
    await db.destroy()
  })
}

async function openLite(around?: Around): Promise<OpenDatabase> {
  const { PGlite: Lite }: { readonly PGlite: typeof PGlite } = load('@electric-sql/pglite')
  const lite = await Lite.create()
  // It takes the zone of the process for that of its session.
  await lite.exec(`set time zone 'UTC'`)
  return opened(pgliteDialect(lite), () => lite.close(), around)
}
