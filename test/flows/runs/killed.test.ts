// Workers that are killed: runs end all the same, and what they write is there once.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { createItem, listItems } from '../../../src/index.ts'
import { builtPrograms } from '../../support/built.ts'
import type { AnyTables } from '../../support/databases.ts'
import { createTables, linesOf, survivingFlows, toldOf } from './surviving.ts'

const programOf = builtPrograms({ 'killed-worker': 'test/flows/runs/killed-worker.ts' })

/** Calls after which a worker is killed. All of them take a command of its own. */
const kills = Array.from({ length: Number(process.env.QUERNEL_KILLS ?? 8) }, (_, at) => at)
const stride = process.env.QUERNEL_KILLS ? 1 : 11

const leaseMs = 400
const folders: string[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
})

interface Place {
  readonly db: Kysely<AnyTables>
  /** The database, as the worker is told of it. */
  readonly address: string
  close(): Promise<void>
}

const places = {
  sqlite: async (folder: string): Promise<Place> => {
    const address = join(folder, 'data')
    const database = new BetterSqlite(address)
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = NORMAL')
    const db = new Kysely<AnyTables>({ dialect: new SqliteDialect({ database }) })
    return { db, address, close: () => db.destroy() }
  },
  postgres: async (): Promise<Place> => {
    const schema = `killed_${process.pid}_${Date.now()}`
    const url = inject('postgres').c
    const pool = new pg.Pool({ connectionString: url, options: `-c search_path=${schema}`, max: 4 })
    await pool.query(`create schema ${schema}`)
    const db = new Kysely<AnyTables>({ dialect: new PostgresDialect({ pool }) })
    const close = async () => {
      await pool.query(`drop schema ${schema} cascade`)
      await db.destroy()
    }
    return { db, address: `${url}#${schema}`, close }
  },
} as const

describe.each(['sqlite', 'postgres'] as const)('on %s', (kind) => {
  it('ends each run once, whichever call of the database was the last of its worker', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quernel-killed-'))
    folders.push(folder)
    const outside = join(folder, 'outside')
    writeFileSync(outside, '')
    const place = await places[kind](folder)
    await createTables(place.db, kind)
    const { engine, flows } = survivingFlows({ db: place.db, outside, leaseMs })
    await flows.install()
    let killed = 0
    for (const at of kills) {
      await createItem(engine, 'orders', { id: at + 1 })
      const first = startWorker(kind, place.address, outside, 1 + at * stride)
      const isOver = async () => {
        if (first.exitCode !== null || first.signalCode !== null) return true
        const { meta } = await listItems(engine, 'quernel_runs', {
          filter: unfinished,
          limit: 0,
          meta: 'filter_count',
        })
        return meta.filter_count === 0
      }
      await expect.poll(isOver, { timeout: 30_000, interval: 20 }).toBe(true)
      if (await leaves(first)) killed += 1
      const second = startWorker(kind, place.address, outside, 0)
      const isDone = async () => {
        const { meta } = await listItems(engine, 'quernel_runs', {
          filter: unfinished,
          limit: 0,
          meta: 'filter_count',
        })
        return meta.filter_count === 0
      }
      await expect.poll(isDone, { timeout: 30_000, interval: 20 }).toBe(true)
      await leaves(second)
    }
    const { data: runs } = await listItems(engine, 'quernel_runs', {
      fields: ['state', 'error', 'flow'],
      limit: -1,
    })
    expect(runs.filter(({ state }) => state !== 'succeeded')).toEqual([])
    expect(runs).toHaveLength(kills.length * 2)
    const { rows } = await sql<{
      owner: number
      text: string
    }>`select owner, text from lines order by id`.execute(place.db)
    const told = readFileSync(outside, 'utf8').trim().split('\n')
    for (const at of kills) {
      const key = at + 1
      expect(rows.filter(({ owner }) => owner === key).map(({ text }) => text)).toEqual(linesOf(key))
      for (const text of toldOf(key)) {
        const times = told.filter((one) => one.startsWith(`${text} `))
        expect(times.length, text).toBeGreaterThanOrEqual(1)
        // The one worker that was killed beneath it may have done it, and not recorded it.
        expect(times.length, text).toBeLessThanOrEqual(2)
        // Each attempt says that it is the same one.
        expect(new Set(times).size, text).toBe(1)
      }
    }
    expect(killed).toBeGreaterThan(0)
    await place.close()
  }, 900_000)
})

/** Starts a worker that kills itself at one of its calls; at none of them if that is 0. */
const startWorker = (kind: string, address: string, outside: string, at: number): ChildProcess =>
  spawn(process.execPath, [programOf('killed-worker'), kind, address, outside, String(at)], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })

/** Lets a worker end. Returns true if it was killed. */
async function leaves(child: ChildProcess): Promise<boolean> {
  child.stdin?.end()
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.signalCode === 'SIGKILL'
}

const unfinished = { state: { _in: ['waiting', 'ready', 'running'] } }
