// The databases every test runs on, each opened empty.
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { readersKey, readersOf } from '../../src/dialects/connections/readers.ts'
import { postgresDialect } from '../../src/postgres.ts'
import { sqliteDialect } from '../../src/sqlite.ts'
import type { PostgresUrls } from './global-setup.ts'
import { keptConnections } from './kept-connections.ts'

/** Any tables with any columns. */
export type AnyTables = Record<string, Record<string, unknown>>

export interface OpenDatabase {
  readonly db: Kysely<AnyTables>
  close(): Promise<void>
}

export interface TestDatabase {
  readonly name: 'sqlite' | 'postgres'
  open(): Promise<OpenDatabase>
}

/** @example describe.each(databases)('on $name', ({ open }) => { … }) */
export const databases: readonly TestDatabase[] = [
  { name: 'sqlite', open: openSqlite },
  { name: 'postgres', open: openPostgres },
]

/** Opens an empty SQLite database in memory. */
export async function openSqlite(): Promise<OpenDatabase> {
  if (process.env.QUERNEL_DRIVER === 'readers') return openWithReaders()
  const database = new BetterSqlite(':memory:')
  const dialect = isOwn ? sqliteDialect({ database }) : new SqliteDialect({ database })
  const db = new Kysely<AnyTables>({ dialect })
  return { db, close: () => db.destroy() }
}

/** Opens a file all of whose reads outside of transactions run in a thread: the lane of readers. */
async function openWithReaders(): Promise<OpenDatabase> {
  const path = join(tmpdir(), `quernel-lane-${randomBytes(8).toString('hex')}.db`)
  const database = new BetterSqlite(path)
  database.pragma('journal_mode = wal')
  database.pragma('synchronous = off')
  const db = new Kysely<AnyTables>({ dialect: sqliteDialect({ database, readers: 1 }) })
  Object.assign(db.getExecutor().adapter, { [readersKey]: readersOf(db)?.forStreams })
  const close = async () => {
    await db.destroy()
    await rm(path, { force: true })
  }
  return { db, close }
}

/** Opens an empty schema of the test server, in the database that compares text by code point or as a language does.
 *  @example const { db, close } = await openPostgres({ database: 'language' }) */
export async function openPostgres(
  options: { readonly database?: keyof PostgresUrls } = {},
): Promise<OpenDatabase> {
  const schema = `test_${randomBytes(8).toString('hex')}`
  const pool = new pg.Pool(keptConnections(inject('postgres')[options.database ?? 'c'], schema))
  await pool.query(`CREATE SCHEMA ${schema}`)
  const db = new Kysely<AnyTables>({ dialect: dialectOver(pool) })
  const close = async () => {
    await pool.query(`DROP SCHEMA ${schema} CASCADE`)
    await db.destroy()
  }
  return { db, close }
}

/** True if the dialects are not Kysely's own but those of `quernel/sqlite` and `quernel/postgres`, which prepare what is asked again. */
const isOwn = process.env.QUERNEL_DRIVER === 'own'

const dialectOver = (pool: pg.Pool) => (isOwn ? postgresDialect({ pool }) : new PostgresDialect({ pool }))
