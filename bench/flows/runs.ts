// Measures runs that are kept, by processor time: `npx tsx --tsconfig bench/tsconfig.run.json bench/flows/runs.ts --only=F6,F9 --runs=300`.
import '../production.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import BetterSqlite from 'better-sqlite3'
import { Kysely, sql } from 'kysely'
import pg from 'pg'
import { createEngine, createItem, type Engine, listItems } from 'quernel'
import { createFlows, type FlowDefinition, type Flows } from 'quernel/flows'
import { postgresDialect } from 'quernel/postgres'
import { sqliteDialect } from 'quernel/sqlite'
import { startPostgres } from '../../test/support/postgres.ts'
import { median } from '../median.ts'
import { after, flowsOf, lane, schema, three, types } from './measured-flows.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'F6,F7,F9,F10,F11,F12,F13,F14' },
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
  /** The database, as another process opens it. */
  readonly address: string
  close(): Promise<void>
}

async function openSqlite(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'quernel-bench-'))
  const address = join(folder, 'data')
  const database = new BetterSqlite(address)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  const db = new Kysely<Record<string, Record<string, unknown>>>({ dialect: sqliteDialect({ database }) })
  const close = async () => {
    await db.destroy()
    rmSync(folder, { recursive: true })
  }
  return opened({ name: 'sqlite', db, address, close }, 'integer primary key')
}

async function openPostgres(connectionString: string): Promise<Opened> {
  const pool = new pg.Pool({ connectionString, max: 8 })
  const db = new Kysely<Record<string, Record<string, unknown>>>({ dialect: postgresDialect({ pool }) })
  const close = () => db.destroy()
  return opened({ name: 'postgres', db, address: connectionString, close }, 'serial primary key')
}

async function opened(place: Omit<Opened, 'engine'>, key: string): Promise<Opened> {
  const { db } = place
  for (const table of ['tasks', 'others', 'quernel_steps', 'quernel_runs', 'quernel_flows'])
    await sql.raw(`drop table if exists ${table}`).execute(db)
  await sql.raw(`create table tasks (id ${key}, title text not null, points integer not null)`).execute(db)
  await sql.raw(`create table others (id ${key}, title text not null)`).execute(db)
  return { ...place, engine: createEngine({ db, schema, flows: {} }) }
}

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

const makeFlows = ({ engine }: Opened, flows: readonly FlowDefinition[] = flowsOf): Flows =>
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

/** Copies the only run of a flow, 100,000 times. `state`: its state, and what it waits for. */
async function multiply(place: Opened, flow: string, state: string, due = 'due'): Promise<void> {
  const isSqlite = place.name === 'sqlite'
  const uuid = isSqlite
    ? `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`
    : 'gen_random_uuid()'
  const series = isSqlite
    ? '(with recursive n (v) as (select 1 union all select v + 1 from n where v < 100000) select v from n)'
    : '(select generate_series(1, 100000) as v)'
  const columns = `flow, definition, "trigger", access, origin, lane, created`
  await sql
    .raw(
      `insert into quernel_runs (id, state, waits, due, token, deaths, attempt, depth, ${columns}) select ${uuid}, ${state}, ${due}, 0, 0, 0, 0, ${columns} from (select * from quernel_runs where flow = '${flow}' limit 1) as r, ${series} as s`,
    )
    .execute(place.db)
}

/** Milliseconds that one claim takes beside a lane in which very many runs wait. */
async function ofClaim(place: Opened): Promise<number> {
  const claims: number[] = []
  const engine = createEngine({
    db: place.db,
    schema,
    flows: {},
    onQuery: ({ sql: text, durationMs }) => {
      if (text.includes('with lost as')) claims.push(durationMs)
    },
  })
  const flows = makeFlows({ ...place, engine }, [lane])
  await flows.install()
  await flows.run('lane', {})
  await multiply(place, 'lane', `'waiting', 'lane'`)
  await sql.raw('analyze').execute(place.db)
  const start = process.cpuUsage()
  await flows.start({ concurrency: 1 })
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  const { rows } = await sql<{
    count: number | string
  }>`select count(*) as count from quernel_runs where state = 'succeeded' and flow = 'lane'`.execute(place.db)
  const { user, system } = process.cpuUsage(start)
  await flows.stop()
  const ended = Number(rows[0]?.count)
  console.log(
    `  ${((user + system) / 1_000 / ended).toFixed(2)} ms of processor for each of ${ended} whole runs`,
  )
  return median(claims)
}

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN

/** Milliseconds after which a run has ended that this process starts and runs itself. */
async function ofStart(place: Opened): Promise<number> {
  const flows = makeFlows(place)
  await flows.install()
  await flows.start({ concurrency: 8 })
  const waits: number[] = []
  for (let at = 0; at < 200; at++) {
    const since = performance.now()
    await flows.run('prompt', {})
    waits.push(performance.now() - since)
  }
  await flows.stop()
  return percentile(waits, 0.95)
}

const dateOf = (value: unknown): number => new Date(String(value)).getTime()

/** Milliseconds after which a run begins that another process has to find. */
async function ofStartElsewhere(place: Opened): Promise<number> {
  const flows = makeFlows(place)
  await flows.install()
  const worker = await startWorker(place)
  const ids: string[] = []
  for (let at = 0; at < 60; at++) {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 1_000))
    // The file may be locked for a moment.
    ids.push((await flows.run('prompt', {}, { waitMs: 0 })).id)
  }
  while ((await unfinished(place)) > 0) await new Promise((resolve) => setTimeout(resolve, 50))
  await worker.stop()
  const query = { filter: { id: { _in: ids } }, fields: ['created', 'started'], limit: -1 } as const
  const { data } = await listItems(createEngine({ db: place.db, schema, flows: {} }), 'quernel_runs', query)
  return percentile(
    data.map(({ created, started }) => dateOf(started) - dateOf(created)),
    0.95,
  )
}

interface Rate {
  /** Runs a second. */
  readonly runs: number
  /** Milliseconds of processor that the workers take for one. */
  readonly cpu: number
}

/** Rates of one process, and of two at once. */
async function ofProcesses(place: Opened): Promise<readonly [Rate, Rate]> {
  const flows = makeFlows(place)
  await flows.install()
  const work = async (most: number) => {
    await sql`update quernel_runs set state = 'ready' where id in (select id from quernel_runs where state = 'waiting' order by number limit ${sql.lit(most)})`.execute(
      place.db,
    )
    // What SQL makes due there the workers would find by their next signs of life.
    if (place.name === 'postgres')
      await sql`select pg_notify('quernel_runs', 'quernel_runs'::regclass::oid || ':')`.execute(place.db)
    while ((await unfinished(place)) > 0) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const rate = async (count: number): Promise<Rate> => {
    // The first ones let each process compile what it runs.
    const first = runs * 4 * count
    for (let at = 0; at < first + runs * 8; at++) await flows.run('three', { title: 'x' })
    // Kept back until all workers have started and looked, which takes longer than many runs.
    await sql`update quernel_runs set state = 'waiting' where state = 'ready'`.execute(place.db)
    const workers = await Promise.all(Array.from({ length: count }, () => startWorker(place)))
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    await work(first)
    const used = async () => {
      const all = await Promise.all(workers.map((worker) => worker.processor()))
      return all.reduce((sum, one) => sum + one, 0)
    }
    const before = await used()
    const since = performance.now()
    await work(runs * 8)
    const took = performance.now() - since
    const cpu = ((await used()) - before) / (runs * 8)
    await Promise.all(workers.map((worker) => worker.stop()))
    return { runs: (runs * 8) / (took / 1_000), cpu }
  }
  const rates = { one: [] as Rate[], two: [] as Rate[] }
  for (let round = 0; round < 3; round++) {
    rates.one.push(await rate(1))
    rates.two.push(await rate(2))
  }
  const middle = (of: readonly Rate[]): Rate => ({
    runs: median(of.map((one) => one.runs)),
    cpu: median(of.map(({ cpu }) => cpu)),
  })
  return [middle(rates.one), middle(rates.two)]
}

/** Statements in ten seconds, milliseconds of processor a second, and MiB of memory, beside 100,000 runs that sleep. What SQLite says of its counts of
 *  writes touches no table, and is none of the statements. */
async function ofSleepers(place: Opened): Promise<readonly [number, number, number]> {
  let statements = 0
  const onQuery = () => {
    statements += 1
  }
  const engine = createEngine({ db: place.db, schema, flows: {}, onQuery })
  const flows = makeFlows({ ...place, engine }, [three])
  await flows.install()
  await flows.run('three', {})
  await multiply(place, 'three', `'ready', null`, 'due + 864000000')
  await flows.start()
  // After a minute what is over of the run that they were copied from was looked at once.
  await new Promise((resolve) => setTimeout(resolve, 65_000))
  const before = process.memoryUsage().heapUsed
  statements = 0
  const start = process.cpuUsage()
  const since = performance.now()
  await new Promise((resolve) => setTimeout(resolve, 120_000))
  const seconds = (performance.now() - since) / 1_000
  const { user, system } = process.cpuUsage(start)
  const grown = (process.memoryUsage().heapUsed - before) / 1_048_576
  await flows.stop()
  return [(statements * 10) / seconds, (user + system) / 1_000 / seconds, grown]
}

/** Starts a worker of a process of its own. */
async function startWorker({ name, address }: Opened): Promise<{
  /** Milliseconds of processor that it has taken. */
  processor(): Promise<number>
  stop(): Promise<void>
}> {
  const program = fileURLToPath(new URL('worker.ts', import.meta.url))
  const config = fileURLToPath(new URL('../tsconfig.run.json', import.meta.url))
  const child = spawn('npx', ['tsx', '--tsconfig', config, program, name, address], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  const exit = once(child, 'exit')
  return {
    processor: async () => {
      child.stdin.write('?')
      const [text] = await once(child.stdout, 'data')
      return Number(text)
    },
    stop: async () => {
      child.stdin.end()
      await exit
    },
  }
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
  if (only.has('F10')) say('F10', 'a claim beside a lane of 100,000, ms', await ofClaim(place))
  if (only.has('F11')) say('F11', 'until a run has ended in its own process, p95, ms', await ofStart(place))
  if (only.has('F12'))
    say('F12', 'until a run begins in another process, p95, ms', await ofStartElsewhere(place))
  if (only.has('F13')) {
    const [one, two] = await ofProcesses(place)
    say('F13', 'runs a second of one process', one.runs)
    say('F13', 'of two, beside that', two.runs / one.runs)
    say('F13', 'ms of processor of its worker for a run of one process', one.cpu)
    say('F13', 'of two, beside that', two.cpu / one.cpu)
  }
  if (only.has('F14')) {
    const [statements, cpu, grown] = await ofSleepers(place)
    say('F14', 'statements in ten seconds beside 100,000 runs that sleep', statements)
    say('F14', 'the same, ms of processor a second', cpu)
    say('F14', 'MiB that the memory grows meanwhile', grown)
  }
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
