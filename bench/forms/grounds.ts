// Databases of the forms, each with our own driver, statements by hand on the same connections, and a second way to it that counts.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import pg from 'pg'
import { postgresDialect } from 'quernel/postgres'
import { sqliteDialect } from 'quernel/sqlite'
import { startPostgres } from '../../test/support/postgres.ts'
import type { DatabaseName } from '../options.ts'
import { watch, wordOf } from './counting.ts'
import { postgresText, type RunText, sqliteText } from './hand-lists.ts'
import { postgresRuns, type Runs, sqliteRuns } from './hand-runners.ts'
import { seriesOf, tablesOf } from './tables.ts'

type AnyTables = Record<string, Record<string, unknown>>

export interface FormGround {
  readonly db: Kysely<AnyTables>
  /** The same tables by a driver that notes what is sent. */
  readonly counted: Kysely<AnyTables>
  readonly sent: string[]
  readonly runs: Runs
  readonly database: DatabaseName
  /** Runs a statement by hand. */
  readonly text: RunText
  /** Runs statements by hand in one transaction. */
  readonly together: (work: (run: RunText) => Promise<unknown>) => Promise<unknown>
  /** Makes so many notes whose keys come after a number. */
  readonly fill: (table: string, from: number, count: number) => Promise<unknown>
  /** Takes away what calls have left. */
  readonly settle: (table: string) => Promise<unknown>
  readonly close: () => Promise<unknown>
}

const usual = 1_000
/** Keys from here on are of notes that are deleted. */
export const firstGoing = 2_000_000

export const grounds: Readonly<Record<DatabaseName, (notes?: number) => Promise<FormGround>>> = {
  sqlite: async (notes = usual) => {
    const folder = mkdtempSync(join(tmpdir(), 'quernel-forms-'))
    const file = join(folder, 'forms.sqlite')
    const sent: string[] = []
    const database = new BetterSqlite(file)
    for (const pragma of ['journal_mode = wal', 'synchronous = normal']) database.pragma(pragma)
    for (const statement of tablesOf('sqlite', notes)) database.exec(statement)
    const verbose = (text: unknown) => {
      const word = wordOf(String(text))
      if (word !== 'pragma') sent.push(word)
    }
    const run = sqliteText(database)
    const counting = new BetterSqlite(file, { verbose })
    return {
      db: kyselyOf(sqliteDialect({ database })),
      counted: kyselyOf(sqliteDialect({ database: counting })),
      sent,
      runs: sqliteRuns(database),
      database: 'sqlite',
      text: run,
      together: async (work) => {
        await run('begin immediate', [])
        await work(run)
        await run('commit', [])
      },
      fill: async (table, from, count) =>
        database.exec(
          `insert into ${table} (id, title) select ${from} + n, 'Title' from ${seriesOf(count).sqlite}`,
        ),
      settle: async (table) => {
        database.exec(`delete from ${table} where id > 1000000`)
        database.pragma('wal_checkpoint(truncate)')
      },
      close: async () => {
        database.close()
        counting.close()
        rmSync(folder, { recursive: true })
      },
    }
  },
  postgres: async (notes = usual) => {
    const server = await startPostgres()
    const pool = new pg.Pool({ connectionString: server.url, max: 16 })
    const pipelined = new pg.Pool({ connectionString: server.url, pipeline: true, max: 16 })
    const counting = new pg.Pool({ connectionString: server.url })
    const sent: string[] = []
    counting.on('connect', (client) => watch(client, sent))
    for (const statement of tablesOf('postgres', notes)) await pool.query(statement)
    return {
      db: kyselyOf(postgresDialect({ pool })),
      counted: kyselyOf(postgresDialect({ pool: counting })),
      sent,
      runs: postgresRuns(pool, pipelined),
      database: 'postgres',
      text: postgresText(pool),
      together: async (work) => {
        const client = await pool.connect()
        await client.query('begin')
        await work(postgresText(client))
        await client.query('commit')
        client.release()
      },
      fill: (table, from, count) =>
        pool.query(
          `insert into ${table} (id, title) select ${from} + n, 'Title' from ${seriesOf(count).postgres}`,
        ),
      settle: async (table) => {
        await pool.query(`delete from ${table} where id > 1000000`)
        await pool.query(`vacuum ${table}`)
      },
      close: async () => {
        for (const own of [pool, pipelined, counting]) await own.end()
        await server.stop()
      },
    }
  },
}

const kyselyOf = (dialect: ConstructorParameters<typeof Kysely>[0]['dialect']) =>
  new Kysely<AnyTables>({ dialect })
