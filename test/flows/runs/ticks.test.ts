// Ticks of a schedule, at which several processes look at the same moment.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import { expect, inject, it } from 'vitest'
import { createEngine, defineSchema } from '../../../src/index.ts'
import { builtPrograms } from '../../support/built.ts'
import type { AnyTables } from '../../support/databases.ts'

const programOf = builtPrograms({ 'ticking-worker': 'test/flows/runs/ticking-worker.ts' })

/** Number of the ticks: `QUERNEL_TICKS=10000` for the long run. */
const many = Number(process.env.QUERNEL_TICKS ?? 30)
const processes = 4
const start = Date.UTC(2026, 0, 1)

const schema = defineSchema({
  notes: { fields: { id: { type: 'integer', key: true }, text: { type: 'string' } } },
})

const opened = {
  sqlite: async (folder: string) => {
    const address = join(folder, 'data')
    const database = new BetterSqlite(address)
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = NORMAL')
    database.pragma('busy_timeout = 20000')
    return {
      db: new Kysely<AnyTables>({ dialect: new SqliteDialect({ database }) }),
      address,
      key: 'integer',
    }
  },
  postgres: async () => {
    const name = `ticks_${process.pid}_${Date.now()}`
    const url = inject('postgres').c
    const pool = new pg.Pool({ connectionString: url, options: `-c search_path=${name}`, max: 2 })
    await pool.query(`create schema ${name}`)
    return {
      db: new Kysely<AnyTables>({ dialect: new PostgresDialect({ pool }) }),
      address: `${url}#${name}`,
      key: 'serial',
    }
  },
} as const

it.each(['sqlite', 'postgres'] as const)(
  'starts exactly one run at each tick, of four processes on %s',
  async (kind) => {
    const folder = mkdtempSync(join(tmpdir(), 'quernel-ticks-'))
    const clockFile = join(folder, 'clock')
    const clock = openSync(clockFile, 'w')
    const set = (now: number) => {
      const bytes = Buffer.alloc(8)
      bytes.writeDoubleLE(now)
      writeSync(clock, bytes, 0, 8, 0)
    }
    set(start)
    const { db, address, key } = await opened[kind](folder)
    await sql.raw(`create table notes (id ${key} primary key, text text not null)`).execute(db)
    await createEngine({ db, schema, flows: {} }).install()
    const workers = Array.from({ length: processes }, () =>
      spawn(process.execPath, [programOf('ticking-worker'), kind, address, clockFile], {
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    )
    await Promise.all(workers.map(started))
    const countIn = async (table: string) => {
      const { rows } = await sql<{
        count: number | string
      }>`select count(*) as count from ${sql.table(table)}`.execute(db)
      return Number(rows[0]?.count)
    }
    // Each has looked once, so that none of the ticks is one that it has missed.
    await expect.poll(() => countIn('quernel_flows'), { timeout: 60_000 }).toBeGreaterThan(1)
    for (let tick = 1; tick <= many; tick++) {
      set(start + tick * 60_000)
      while ((await countIn('quernel_runs')) < tick) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    // What was tried again is due.
    set(start + many * 60_000 + 59_000)
    await expect.poll(() => countIn('notes'), { timeout: 120_000 }).toBe(many)
    for (const worker of workers) worker.stdin.end()
    await Promise.all(workers.map(ended))
    const { rows } = await sql<{ text: string }>`select text from notes order by text`.execute(db)
    const ticks = Array.from({ length: many }, (_, at) => new Date(start + (at + 1) * 60_000).toISOString())
    expect(rows.map(({ text }) => text)).toEqual(ticks)
    expect(await countIn('quernel_runs')).toBe(many)
    await db.destroy()
    rmSync(folder, { recursive: true })
  },
  3_600_000,
)

async function started(worker: ChildProcess): Promise<void> {
  const [text] = await once(worker.stdout as NodeJS.ReadableStream, 'data') // it is piped
  expect(String(text)).toBe('started\n')
}

async function ended(worker: ChildProcess): Promise<void> {
  if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit')
}
