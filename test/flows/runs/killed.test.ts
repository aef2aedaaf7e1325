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
import { contradictions, readHistory } from './history.ts'
import { createTables, linesOf, survivingFlows, toldOf } from './surviving.ts'

const programOf = builtPrograms({ 'killed-worker': 'test/flows/runs/killed-worker.ts' })

/** Calls after which a worker is killed. All of them take a command of its own. */
const kills = Array.from({ length: Number(process.env.QUERNEL_KILLS ?? 8) }, (_, at) => at)
const stride = process.env.QUERNEL_KILLS ? 1 : 11

/** Long enough for a machine that has much else to do: a lease that is over counts as a death. */
const leaseMs = 1_500

/** Runs and kills of the long run: `QUERNEL_RUNS=1000 QUERNEL_MOST_KILLS=200 QUERNEL_SEED=1`. */
const many = Number(process.env.QUERNEL_RUNS ?? 12)
const mostKills = Number(process.env.QUERNEL_MOST_KILLS ?? 3)
const seed = Number(process.env.QUERNEL_SEED ?? 1)
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
    const worker = { kind, address: place.address, outside }
    const { engine, flows } = survivingFlows({ db: place.db, outside, leaseMs })
    await flows.install()
    let killed = 0
    for (const at of kills) {
      await createItem(engine, 'orders', { id: at + 1 })
      const first = startWorker(worker, { killAt: 1 + at * stride })
      const isOver = async () => {
        if (first.exitCode !== null || first.signalCode !== null) return true
        return (await countOf(engine, unfinished)) === 0
      }
      await expect.poll(isOver, { timeout: 60_000, interval: 20 }).toBe(true)
      if (await leaves(first)) killed += 1
      const second = startWorker(worker, {})
      await expect.poll(() => countOf(engine, unfinished), { timeout: 60_000, interval: 20 }).toBe(0)
      await leaves(second)
    }
    const { data: runs } = await listItems(engine, 'quernel_runs', {
      fields: ['state', 'error', 'flow'],
      limit: -1,
    })
    expect(runs.filter(({ state }) => state !== 'succeeded')).toEqual([])
    expect(runs).toHaveLength(kills.length * 2)
    const rows = await linesIn(place)
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

  it('stores nothing of a worker that has slept beyond its lease, whatever the clocks of both say', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quernel-stopped-'))
    folders.push(folder)
    const outside = join(folder, 'outside')
    writeFileSync(outside, '')
    const place = await places[kind](folder)
    const worker = { kind, address: place.address, outside }
    await createTables(place.db, kind)
    const { engine, flows } = survivingFlows({ db: place.db, outside, leaseMs })
    await flows.install()
    const stops = [1, 2, 4]
    for (const [index, stopAt] of stops.entries()) {
      await createItem(engine, 'orders', { id: index + 1 })
      const first = startWorker(worker, { stopAt, aheadMs: 5 * 3_600_000 })
      const second = startWorker(worker, { aheadMs: -30 * 86_400_000 })
      await expect.poll(() => countOf(engine, unfinished), { timeout: 60_000, interval: 20 }).toBe(0)
      first.kill('SIGCONT')
      await new Promise((resolve) => setTimeout(resolve, 300))
      await Promise.all([leaves(first), leaves(second)])
    }
    const { data } = await listItems(engine, 'quernel_runs', { fields: ['state', 'error'], limit: -1 })
    expect(data.filter(({ state }) => state !== 'succeeded')).toEqual([])
    const rows = await linesIn(place)
    for (const index of stops.keys())
      expect(rows.filter(({ owner }) => owner === index + 1).map(({ text }) => text)).toEqual(
        linesOf(index + 1),
      )
    await place.close()
  }, 900_000)
})

describe.each(['sqlite', 'postgres'] as const)('runs that kill their workers, on %s', (kind) => {
  it('fail once workers have died alone with them again and again, and those beside them end', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quernel-poison-'))
    folders.push(folder)
    const outside = join(folder, 'outside')
    writeFileSync(outside, '')
    const place = await places[kind](folder)
    await createTables(place.db, kind)
    const { engine, flows } = survivingFlows({ db: place.db, outside, leaseMs })
    await flows.install()
    for (const key of [100, 200]) await flows.run('poison', { key })
    for (const id of [1, 2, 3, 4, 5, 6]) await createItem(engine, 'orders', { id })
    for (let rounds = 0; (await countOf(engine, unfinished)) > 0 && rounds < 30; rounds++) {
      const worker = startWorker({ kind, address: place.address, outside }, {})
      const isOver = async () => worker.signalCode !== null || (await countOf(engine, unfinished)) === 0
      await expect.poll(isOver, { timeout: 60_000, interval: 20 }).toBe(true)
      await leaves(worker)
    }
    const { data } = await listItems(engine, 'quernel_runs', {
      fields: ['flow', 'state', 'error'],
      limit: -1,
    })
    for (const { flow, state, error } of data) {
      expect([flow, state]).toEqual([flow, flow === 'poison' ? 'failed' : 'succeeded'])
      if (flow === 'poison')
        expect(error).toMatchObject({ message: expect.stringContaining('5 workers died at the same step') })
    }
    const told = readFileSync(outside, 'utf8').trim().split('\n')
    // The first death, beside others, is nobody's: that of one run may acquit the other once, which is tried anew.
    for (const key of [100, 200]) {
      const starts = told.filter((text) => text.startsWith(`poison ${key} `)).length
      expect(starts).toBeGreaterThanOrEqual(5)
      expect(starts).toBeLessThanOrEqual(12)
    }
    expect((await linesIn(place)).filter(({ owner }) => owner === 100)).toHaveLength(1)
    await place.close()
  }, 300_000)
})

describe.each(['sqlite', 'postgres'] as const)('a long run on %s', (kind) => {
  it('does not fail because its processes were killed, however often', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quernel-long-'))
    folders.push(folder)
    const outside = join(folder, 'outside')
    writeFileSync(outside, '')
    const place = await places[kind](folder)
    await createTables(place.db, kind)
    const { engine, flows } = survivingFlows({ db: place.db, outside, leaseMs })
    await flows.install()
    await flows.run('linger', { key: 1 })
    const starts = () => readFileSync(outside, 'utf8').split('\n').length - 1
    for (let kill = 1; kill <= 4; kill++) {
      const worker = startWorker({ kind, address: place.address, outside }, {})
      await expect.poll(starts, { timeout: 60_000, interval: 20 }).toBe(kill)
      worker.kill('SIGKILL')
      await once(worker, 'exit')
    }
    writeFileSync(`${outside}.go`, '')
    const last = startWorker({ kind, address: place.address, outside }, {})
    await expect.poll(() => countOf(engine, unfinished), { timeout: 60_000, interval: 20 }).toBe(0)
    await leaves(last)
    expect(await countOf(engine, ['succeeded'])).toBe(1)
    await place.close()
  }, 300_000)
})

describe.each(['sqlite', 'postgres'] as const)('very many on %s', (kind) => {
  it('ends all runs under workers that are killed again and again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quernel-many-'))
    folders.push(folder)
    const outside = join(folder, 'outside')
    writeFileSync(outside, '')
    const place = await places[kind](folder)
    const worker = { kind, address: place.address, outside }
    await createTables(place.db, kind)
    const { engine, flows } = survivingFlows({ db: place.db, outside, leaseMs })
    await flows.install()
    for (let id = 1; id <= many; id++) await createItem(engine, 'orders', { id })
    let latest = 0
    const watch = setInterval(() => {
      overdue(place, kind).then(
        (ms) => {
          latest = Math.max(latest, ms)
        },
        () => undefined, // the file is locked: the next look is soon
      )
    }, 50)
    let killed = 0
    while (killed < mostKills && (await countOf(engine, unfinished)) > 0) {
      const child = startWorker(worker, { killAt: 40 + ((seed + killed * 97) % 260) })
      await once(child, 'exit')
      killed += 1
    }
    const last = startWorker(worker, {})
    await expect.poll(() => countOf(engine, unfinished), { timeout: 600_000, interval: 200 }).toBe(0)
    await leaves(last)
    clearInterval(watch)
    expect(await countOf(engine, ['failed'])).toBe(0)
    const told = readFileSync(outside, 'utf8').trim().split('\n')
    const history = await readHistory(place.db, told)
    expect(contradictions(history)).toEqual([])
    // Nothing is written twice, whatever has become of the run.
    const all = history.lines.map(({ owner, text }) => `${owner} ${text}`)
    expect(new Set(all).size).toBe(all.length)
    expect(history.runs.length).toBe(many * 2)
    process.stdout.write(
      `${kind}: ${many} runs, ${killed} kills, taken up at the latest ${latest} ms after a lease\n`,
    )
    await place.close()
  }, 3_600_000)
})

interface WorkerOptions {
  /** The call at which it kills itself; 0 for none. */
  readonly killAt?: number
  /** The step outside of the database at which it stops. */
  readonly stopAt?: number
  /** Milliseconds by which its clock is wrong. */
  readonly aheadMs?: number
}

function startWorker(
  { kind, address, outside }: { readonly kind: string; readonly address: string; readonly outside: string },
  { killAt = 0, stopAt = 0, aheadMs = 0 }: WorkerOptions,
): ChildProcess {
  const clock = `data:text/javascript,${encodeURIComponent(`
    const Real = Date
    globalThis.Date = class extends Real {
      constructor(...input) { input.length === 0 ? super(Real.now() + ${aheadMs}) : super(...input) }
      static now() { return Real.now() + ${aheadMs} }
    }
  `)}`
  const program = programOf('killed-worker')
  return spawn(
    process.execPath,
    ['--import', clock, program, kind, address, outside, String(killAt), String(stopAt)],
    {
      stdio: ['pipe', 'ignore', 'inherit'],
    },
  )
}

/** Lets a worker end. Returns true if it was killed. */
async function leaves(child: ChildProcess): Promise<boolean> {
  child.stdin?.end()
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.signalCode === 'SIGKILL'
}

const unfinished = ['waiting', 'ready', 'running']

/** Returns the number of runs in some states. */
async function countOf(
  engine: ReturnType<typeof survivingFlows>['engine'],
  states: readonly string[],
): Promise<number> {
  const query = { filter: { state: { _in: states } }, limit: 0, meta: 'filter_count' } as const
  return (await listItems(engine, 'quernel_runs', query)).meta.filter_count
}

/** Returns for how long the lease of a run has been over that nobody has taken up. */
async function overdue({ db }: Place, kind: 'sqlite' | 'postgres'): Promise<number> {
  const now =
    kind === 'sqlite'
      ? `(julianday('now') - 2440587.5) * 86400000`
      : 'extract(epoch from clock_timestamp()) * 1000'
  const { rows } = await sql<{ ms: number | string | null }>`
    select max(${sql.raw(now)} - lease) as ms from quernel_runs where state = 'running'`.execute(db)
  return Math.round(Number(rows[0]?.ms ?? 0))
}

/** Returns the lines that runs have written, in their order. */
async function linesIn({ db }: Place): Promise<readonly { readonly owner: number; readonly text: string }[]> {
  const { rows } = await sql<{
    owner: number
    text: string
  }>`select owner, text from lines order by id`.execute(db)
  return rows
}
