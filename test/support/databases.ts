// The databases every test runs on, each opened empty.
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { readersKey, readersOf } from '../../src/dialects/connections/readers.ts'
import { postgresDialect } from '../../src/postgres.ts'
import { sqliteDialect } from '../../src/sqlite.ts'
import { atEnd } from './at-end.ts'
import type { PostgresUrls } from './global-setup.ts'
import { keptConnections } from './kept-connections.ts'

export type AnyTables = Record<string, Record<string, unknown>>

export interface OpenDatabase {
  readonly db: Kysely<AnyTables>
  /** Runs statements one after the other, and returns the rows of the last one. */
  readonly run: Run
  /** Closes it before the test that has opened it ends, or the file whose tests share it. */
  readonly close: () => Promise<void>
}

export type Run = (...statements: readonly string[]) => Promise<readonly Record<string, unknown>[]>

export interface TestDatabase {
  readonly name: 'sqlite' | 'postgres'
  open(): Promise<OpenDatabase>
}

/** @example describe.each(databases)('on $name', ({ open }) => { … }) */
export const databases: readonly [TestDatabase, TestDatabase] = [
  { name: 'sqlite', open: openSqlite },
  { name: 'postgres', open: openPostgres },
]
export const [sqlite, postgres] = databases

export async function openSqlite(): Promise<OpenDatabase> {
  if (process.env.QUERNEL_DRIVER === 'readers') return openForLane()
  const database = new BetterSqlite(':memory:')
  const dialect = isOwn ? sqliteDialect({ database }) : new SqliteDialect({ database })
  const db = new Kysely<AnyTables>({ dialect })
  return openedOn(db)
}

/** Opens a file all of whose reads outside of transactions run in a thread: the lane of readers. */
async function openForLane(): Promise<OpenDatabase> {
  const opened = await openWithReaders()
  const readers = readersOf(opened.db)
  Object.assign(opened.db.getExecutor().adapter, { [readersKey]: () => readers?.()?.forStreams })
  return opened
}

export async function openWithReaders(): Promise<OpenDatabase> {
  const path = join(tmpdir(), `quernel-lane-${randomBytes(8).toString('hex')}.db`)
  const database = new BetterSqlite(path)
  database.pragma('journal_mode = wal')
  database.pragma('synchronous = off')
  const db = new Kysely<AnyTables>({ dialect: sqliteDialect({ database, readers: 1 }) })
  return openedOn(db, async () => {
    await db.destroy()
    await rm(path, { force: true })
  })
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
  return openedOn(db, async () => {
    await pool.query(`DROP SCHEMA ${schema} CASCADE`)
    await db.destroy()
  })
}

/** A database that is closed once: when it is said, or when what has opened it ends. */
export function openedOn(db: Kysely<AnyTables>, end: () => Promise<void> = () => db.destroy()): OpenDatabase {
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= end()
    return closing
  }
  atEnd(close)
  return { db, run: runOn(db), close }
}

/** Runs statements on a database, or in a transaction. */
export const runOn =
  (db: Pick<Kysely<AnyTables>, 'executeQuery' | 'getExecutor'>): Run =>
  async (...statements) => {
    let rows: readonly Record<string, unknown>[] = []
    for (const statement of statements)
      ({ rows } = await sql.raw<Record<string, unknown>>(statement).execute(db))
    return rows
  }

/** Inserts a row into a table, or several. */
export async function insert(
  db: Pick<Kysely<AnyTables>, 'insertInto'>,
  table: string,
  rows: AnyTables[string] | readonly AnyTables[string][],
): Promise<void> {
  await db
    .insertInto(table)
    .values(rows as AnyTables[string][])
    .execute()
}

/** True if the dialects are not Kysely's own but those of `quernel/sqlite` and `quernel/postgres`, which prepare what is asked again. */
const isOwn = process.env.QUERNEL_DRIVER === 'own'

const dialectOver = (pool: pg.Pool) => (isOwn ? postgresDialect({ pool }) : new PostgresDialect({ pool }))
