// Databases whose connections a test counts, holds and ends itself.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { type AnyTables, type OpenDatabase, openedOn } from '../support/databases.ts'

export interface OpenPool extends OpenDatabase {
  readonly pool: pg.Pool
  /** A connection beside the pool's, which sees the same tables. */
  readonly observer: pg.Client
  /** The server processes that are at work for the pool. */
  busy(table?: string): Promise<readonly number[]>
}

export async function openPool(max: number): Promise<OpenPool> {
  const schema = `test_${randomBytes(8).toString('hex')}`
  const options = { connectionString: inject('postgres').c, options: `-c search_path=${schema}` }
  const observer = new pg.Client({ ...options, application_name: 'observer' })
  await observer.connect()
  await observer.query(`create schema ${schema}`)
  const pool = new pg.Pool({ ...options, application_name: schema, max })
  // Tests end connections on purpose. Nobody listening, a connection that ends while it is used would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = new Kysely<AnyTables>({ dialect: new PostgresDialect({ pool }) })
  const close = async () => {
    // A connection that is held for ever would also let the pool and the schema wait for ever.
    await inSeconds(2, db.destroy()).catch(() =>
      observer.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
        schema,
      ]),
    )
    await observer.query(`drop schema ${schema} cascade`)
    await observer.end()
  }
  const busy = async (table = '') => {
    const { rows } = await observer.query(
      `select pid from pg_stat_activity where state = 'active' and application_name = $1 and strpos(query, $2) > 0`,
      [schema, table],
    )
    return rows.map(({ pid }) => Number(pid))
  }
  return { ...openedOn(db, close), pool, observer, busy }
}

export interface OpenFile extends OpenDatabase {
  /** Another connection to the same file. */
  readonly other: BetterSqlite.Database
}

/** Opens a SQLite file, which unlike memory may be locked by another. */
export async function openFile(): Promise<OpenFile> {
  const home = await mkdtemp(join(tmpdir(), 'quernel-items-'))
  const file = join(home, 'test.db')
  const db = new Kysely<AnyTables>({
    dialect: new SqliteDialect({ database: new BetterSqlite(file, { timeout: 20 }) }),
  })
  const other = new BetterSqlite(file)
  const close = async () => {
    other.close()
    await db.destroy()
    await rm(home, { recursive: true, force: true })
  }
  return { ...openedOn(db, close), other }
}

/** The watchdog: what hangs fails. */
export async function inSeconds<Result>(seconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`still waiting after ${seconds} seconds`)), seconds * 1_000)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
