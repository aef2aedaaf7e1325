// Measures runs that are kept, by processor time: `npx tsx --tsconfig bench/tsconfig.run.json bench/flows/runs.ts --only=F6,F9 --runs=300`.
import '../production.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import BetterSqlite from 'better-sqlite3'
import { Kysely, sql } from 'kysely'
import pg from 'pg'
import { createEngine, createItem, defineSchema, type Engine } from 'quernel'
import { createFlows, defineFlow, defineOperation, type Flows, operationTypes } from 'quernel/flows'
import { postgresDialect } from 'quernel/postgres'
import { sqliteDialect } from 'quernel/sqlite'
import { startPostgres } from '../../test/support/postgres.ts'
import { median } from '../median.ts'

const schema = defineSchema({
  tasks: {
    fields: { id: { type: 'integer', key: true }, title: { type: 'string' }, points: { type: 'integer' } },
  },
  others: { fields: { id: { type: 'integer', key: true }, title: { type: 'string' } } },
})

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'F6,F7,F8,F9,F10' },
    runs: { type: 'string', default: '300' },
    database: { type: 'string', default: 'sqlite,postgres' },
  },
})
const only = new Set(values.only.split(','))
const runs = Number(values.runs)

interface Opened {
  readonly name: string
  readonly db: Kysely<Record<string, Record<string, unknown>>>
  readonly engine: Engine<typeof schema>
  close(): Promise<void>
}

async function openSqlite(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'quernel-bench-'))
  const database = new BetterSqlite(join(folder, 'data'))
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  const db = new Kysely<Record<string, Record<string, unknown>>>({ dialect: sqliteDialect({ database }) })
  return opened('sqlite', db, 'integer primary key', async () => {
    await db.destroy()
    rmSync(folder, { recursive: true })
  })
}

async function openPostgres(connectionString: string): Promise<Opened> {
  const pool = new pg.Pool({ connectionString, max: 8 })
  const db = new Kysely<Record<string, Record<string, unknown>>>({ dialect: postgresDialect({ pool }) })
  return opened('postgres', db, 'serial primary key', () => db.destroy())
}

async function opened(name: string, db: Opened['db'], key: string, close: Opened['close']): Promise<Opened> {
  for (const table of ['tasks', 'others', 'quernel_steps', 'quernel_runs', 'quernel_flows'])
    await sql.raw(`drop table if exists ${table}`).execute(db)
  await sql.raw(`create table tasks (id ${key}, title text not null, points integer not null)`).execute(db)
  await sql.raw(`create table others (id ${key}, title text not null)`).execute(db)
  return { name, db, engine: createEngine({ db, schema, flows: {} }), close }
}

const types = {
  ...operationTypes,
  out: defineOperation({ kind: 'outside', doc: 'Does nothing.', options: {}, run: () => null }),
}

const create = { collection: 'others', payload: { title: '{{ $trigger.title }}' } }
const three = defineFlow({
  name: 'three',
  trigger: { on: 'flow' },
  access: 'full',
  first: 'a',
  operations: {
    a: { type: 'item-create', options: create, resolve: 'b' },
    b: {
      type: 'item-update',
      options: { collection: 'others', key: '{{ a[0] }}', payload: { title: 'b' } },
      resolve: 'c',
    },
    c: { type: 'item-create', options: create },
  },
})
const between = defineFlow(
  {
    name: 'between',
    trigger: { on: 'flow' },
    access: 'full',
    first: 'a',
    operations: {
      a: { type: 'item-create', options: create, resolve: 'o' },
      o: { type: 'out', options: {}, resolve: 'b' },
      b: {
        type: 'item-update',
        options: { collection: 'others', key: '{{ a[0] }}', payload: { title: 'b' } },
        resolve: 'c',
      },
      c: { type: 'item-create', options: create },
    },
  },
  { operationTypes: types },
)
const after = defineFlow({
  name: 'after',
  trigger: { on: 'items.create', collections: ['tasks'], when: 'after' },
  access: 'full',
  first: 'l',
  operations: { l: { type: 'log', options: { message: 'x' } } },
})

/** Number of runs that are not over, by indexes that are there anyway. */
const unfinished = async ({ db }: Opened): Promise<number> => {
  const { rows } = await sql<{
    count: number | string
  }>`select (select count(*) from quernel_runs where state = 'ready') + (select count(*) from quernel_runs where state = 'running') as count`.execute(
    db,
  )
  return Number(rows[0]?.count)
}

/** Milliseconds of processor and of time that one run takes, begin not counted. */
async function ofRun(place: Opened, flow: string): Promise<readonly [number, number]> {
  const cpu: number[] = []
  const wall: number[] = []
  for (let round = 0; round < 5; round++) {
    const flows = makeFlows(place)
    await flows.install()
    for (let at = 0; at < runs; at++) await flows.run(flow, { title: 'x' })
    const start = process.cpuUsage()
    const since = performance.now()
    await flows.start({ concurrency: 8 })
    while ((await unfinished(place)) > 0) await new Promise((resolve) => setTimeout(resolve, 20))
    const { user, system } = process.cpuUsage(start)
    await flows.stop()
    if (round === 0) continue
    cpu.push((user + system) / 1_000 / runs)
    wall.push((performance.now() - since) / runs)
  }
  return [median(cpu), median(wall)]
}

const makeFlows = ({ engine }: Opened, flows = [three, between]): Flows =>
  createFlows(engine, { flows, operationTypes: types, onError: (error) => console.error(error) })

/** What creating an item costs beside what it costs without a flow. */
async function ofCause(place: Opened): Promise<number> {
  const ratios: number[] = []
  for (let round = 0; round < 7; round++) {
    const cost = async () => {
      const start = process.cpuUsage()
      for (let at = 0; at < runs; at++) await createItem(place.engine, 'tasks', { title: 'x', points: 1 })
      const { user, system } = process.cpuUsage(start)
      return user + system
    }
    const without = await cost()
    const flows = makeFlows(place, [after])
    await flows.install()
    const beside = await cost()
    await flows.stop()
    if (round > 0) ratios.push(beside / without)
    console.log(`  ${(without / runs).toFixed(1)} µs, ${(beside / runs).toFixed(1)} µs`)
  }
  return median(ratios)
}

/** Milliseconds that one claim takes beside a lane in which very many runs wait. */
async function ofClaim(place: Opened): Promise<number> {
  const lane = defineFlow({
    name: 'lane',
    trigger: { on: 'flow' },
    access: 'full',
    lane: 'one',
    first: 'l',
    operations: { l: { type: 'log', options: { message: 'x' } } },
  })
  const flows = makeFlows(place, [lane])
  await flows.install()
  await flows.run('lane', {})
  const waiting = 100_000
  const uuid =
    place.name === 'sqlite'
      ? `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`
      : 'gen_random_uuid()'
  const series =
    place.name === 'sqlite'
      ? `(with recursive n (v) as (select 1 union all select v + 1 from n where v < ${waiting}) select v from n)`
      : `(select generate_series(1, ${waiting}) as v)`
  await sql
    .raw(
      `insert into quernel_runs (id, flow, definition, state, waits, "trigger", access, due, token, deaths, attempt, lane, depth, created) select ${uuid}, flow, definition, 'waiting', 'lane', "trigger", access, due, 0, 0, 0, lane, 0, created from (select * from quernel_runs where flow = 'lane' limit 1) as r, ${series} as s`,
    )
    .execute(place.db)
  await sql.raw('analyze').execute(place.db)
  const start = process.cpuUsage()
  const since = performance.now()
  await flows.start({ concurrency: 1 })
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  const { rows } = await sql<{
    count: number | string
  }>`select count(*) as count from quernel_runs where state = 'succeeded' and flow = 'lane'`.execute(place.db)
  const { user, system } = process.cpuUsage(start)
  await flows.stop()
  const ended = Number(rows[0]?.count)
  console.log(`  ${ended} runs of the lane in ${Math.round(performance.now() - since)} ms`)
  return (user + system) / 1_000 / Math.max(1, ended)
}

async function measure(place: Opened): Promise<void> {
  const say = (id: string, what: string, value: number) =>
    console.log(`${id} ${place.name}: ${what}: ${value.toFixed(3)}`)
  if (only.has('F6')) {
    const [cpu, wall] = await ofRun(place, 'three')
    say('F6', 'a run of three database steps, ms of processor', cpu)
    say('F6', 'the same, ms', wall)
  }
  if (only.has('F7')) {
    const [cpu, wall] = await ofRun(place, 'between')
    say('F7', 'with a step outside between, ms of processor', cpu)
    say('F7', 'the same, runs a second', 1_000 / wall)
  }
  if (only.has('F9')) say('F9', 'createItem with a flow after it, beside without', await ofCause(place))
  if (only.has('F10'))
    say('F10', 'a claim and a run of a lane of 100,000, ms of processor', await ofClaim(place))
  await place.close()
}

if (values.database.includes('sqlite')) await measure(await openSqlite())
if (values.database.includes('postgres')) {
  const server = await startPostgres()
  try {
    await measure(await openPostgres(server.url))
  } finally {
    await server.stop()
  }
}
