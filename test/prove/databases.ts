// Empty databases for programs, and their tables.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import { launchPostgres } from '../support/postgres-server.ts'
import type { Judged } from './judge.ts'
import { bare } from './statements.ts'

export interface Home extends Judged {
  readonly name: 'sqlite' | 'postgres'
  /** Opens an empty database, with some functions of a program. */
  open(functions?: readonly string[]): Promise<Kysely<unknown>>
  close(): Promise<void>
}

export const sqliteHome = (): Home => ({
  name: 'sqlite',
  open: async (functions = []) => {
    const database = new BetterSqlite(':memory:')
    for (const name of functions) database.function(name, { varargs: true }, (text = name) => text)
    database.pragma('foreign_keys = off')
    return new Kysely<unknown>({ dialect: new SqliteDialect({ database }) })
  },
  unbound: undefined,
  schemas: async () => ['main'],
  close: async () => undefined,
})

export async function postgresHome(): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'prove-postgres-'))
  const stop = new AbortController()
  const { url, ended } = await launchPostgres(folder, stop.signal)
  let opened = 0
  const poolOf = (database: string) => {
    const address = new URL(url)
    address.pathname = `/${database}`
    const pool = new pg.Pool({ connectionString: String(address), max: 2 })
    pool.on('error', () => undefined)
    return pool
  }
  const first = poolOf('postgres')
  return {
    name: 'postgres',
    open: async () => {
      opened++
      await first.query(`create database program_${opened}`)
      return new Kysely<unknown>({ dialect: new PostgresDialect({ pool: poolOf(`program_${opened}`) }) })
    },
    unbound: 'set local session_replication_role = replica',
    schemas: async (db) => {
      const { rows } = await sql<{ name: string }>`select distinct n.nspname as name from pg_class as c
        join pg_namespace as n on n.oid = c.relnamespace where c.relkind in ('r', 'p', 'v', 'm', 'f')
        and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' order by 1`.execute(db)
      return rows.map(({ name }) => name)
    },
    close: async () => {
      await first.end()
      stop.abort()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Runs statements one by one, and returns the messages of those that make a table or a view and fail. */
export async function load(db: Kysely<unknown>, statements: readonly string[]): Promise<readonly string[]> {
  const failures: string[] = []
  // A program may want foreign keys; the rows that are tried here lead nowhere.
  const switching = /^pragma\s+foreign_keys/i
  for (const statement of statements) {
    // A failure would end the whole of a transaction.
    if (
      switching.test(bare(statement)) ||
      /^(begin|start transaction|commit|end)\b[\s\S]{0,30}$/i.test(bare(statement))
    )
      continue
    try {
      await sql.raw(statement).execute(db)
    } catch (error) {
      if (/\bcreate\s+(table|view|materialized)/i.test(statement))
        failures.push(`${String(error)}: ${statement.trim().slice(0, 80).replace(/\s+/g, ' ')}`)
    }
  }
  return failures
}
