// Measures queues on PostgreSQL beside each other, with jobs of the same three statements:
// `npx tsx --tsconfig bench/tsconfig.run.json bench/peers/queues.ts --jobs=1000`, once `npm run bench` has installed them.
import '../production.ts'
import { parseArgs } from 'node:util'
import { Logger, run } from 'graphile-worker'
import { Kysely, sql } from 'kysely'
import pg from 'pg'
import PgBoss from 'pg-boss'
import { createEngine, createItem } from 'quernel'
import { createFlows } from 'quernel/flows'
import { postgresDialect } from 'quernel/postgres'
import { startPostgres } from '../../test/support/postgres.ts'
import { after, schema, three, types } from '../flows/measured-flows.ts'
import { versionOf } from '../installed.ts'
import { median } from '../median.ts'

const { values } = parseArgs({
  options: { jobs: { type: 'string', default: '1000' }, rounds: { type: 'string', default: '6' } },
})
const jobs = Number(values.jobs)
const rounds = Number(values.rounds)
/** Jobs at once, and connections, of each. */
const atOnce = 8

/** A queue with jobs that wait in it. */
interface Queue {
  fill(): Promise<void>
  /** Does all of them. */
  drain(): Promise<void>
  close(): Promise<void>
}

/** Says when as many jobs are done as there are. */
function counting(): { readonly done: () => void; readonly all: Promise<void> } {
  let count = 0
  let resolveAll = () => {}
  const all = new Promise<void>((resolve) => {
    resolveAll = resolve
  })
  return {
    all,
    done: () => {
      count += 1
      if (count === jobs) resolveAll()
    },
  }
}

type Client = Pick<pg.ClientBase, 'query'>

async function threeStatements(client: Client, title: string): Promise<void> {
  const { rows } = await client.query('insert into others (title) values ($1) returning id', [title])
  await client.query('update others set title = $1 where id = $2', ['b', rows[0]?.id])
  await client.query('insert into others (title) values ($1)', [title])
}

/** The statements of a job alone: what has taken the job is not theirs. */
async function inOwnTransaction(client: Client, title: string): Promise<void> {
  await client.query('begin')
  await threeStatements(client, title)
  await client.query('commit')
}

async function byHand(pool: pg.Pool): Promise<Queue> {
  await pool.query(
    'create table jobs (id bigserial primary key, due timestamptz not null default now(), payload jsonb not null)',
  )
  await pool.query('create index on jobs (due)')
  const loop = async (): Promise<void> => {
    const client = await pool.connect()
    try {
      for (;;) {
        await client.query('begin')
        const { rows } = await client.query(
          'select id, payload from jobs where due <= now() order by due for update skip locked limit 1',
        )
        const [job] = rows
        if (job) {
          await threeStatements(client, job.payload.title)
          await client.query('delete from jobs where id = $1', [job.id])
        }
        await client.query('commit')
        if (!job) return
      }
    } finally {
      client.release()
    }
  }
  return {
    fill: async () => {
      await pool.query(
        `insert into jobs (payload) select '{"title":"x"}' from generate_series(1, $1::integer)`,
        [jobs],
      )
    },
    drain: async () => {
      await Promise.all(Array.from({ length: atOnce }, loop))
    },
    close: async () => {},
  }
}

async function byFlows(connectionString: string): Promise<Queue> {
  const pool = new pg.Pool({ connectionString, max: atOnce })
  const db = new Kysely<Record<string, Record<string, unknown>>>({ dialect: postgresDialect({ pool }) })
  const engine = createEngine({ db, schema, flows: {} })
  const open = () =>
    createFlows(engine, {
      flows: [three],
      operationTypes: types,
      onError: (error) => process.stderr.write(`${String(error)}\n`),
    })
  await open().install()
  const isOver = async (): Promise<boolean> => {
    const { rows } =
      await sql`select 1 from quernel_runs where state in ('ready', 'running') limit 1`.execute(db)
    return rows.length === 0
  }
  return {
    fill: async () => {
      const flows = open()
      for (let at = 0; at < jobs; at++) await flows.run('three', { title: 'x' })
    },
    drain: async () => {
      const flows = open()
      await flows.start({ concurrency: atOnce })
      while (!(await isOver())) await new Promise((resolve) => setTimeout(resolve, 20))
      await flows.stop()
    },
    close: () => db.destroy(),
  }
}

async function byPgBoss(pool: pg.Pool, connectionString: string): Promise<Queue> {
  const boss = new PgBoss({ connectionString, max: atOnce })
  boss.on('error', (error) => process.stderr.write(`${String(error)}\n`))
  await boss.start()
  await boss.createQueue('three')
  return {
    fill: () => boss.insert(Array.from({ length: jobs }, () => ({ name: 'three', data: { title: 'x' } }))),
    drain: async () => {
      const { done, all } = counting()
      const work = async ([job]: readonly PgBoss.Job<{ readonly title: string }>[]): Promise<void> => {
        const client = await pool.connect()
        try {
          await inOwnTransaction(client, job?.data.title ?? '')
        } finally {
          client.release()
        }
        done()
      }
      // It fetches each half second at most, so it gets as many at once as it takes to be busy.
      await boss.work<{ title: string }>(
        'three',
        { batchSize: 100, pollingIntervalSeconds: 0.5 },
        async (batch) => {
          const waiting = [...batch]
          const next = async () => {
            for (let job = waiting.pop(); job; job = waiting.pop()) await work([job])
          }
          await Promise.all(Array.from({ length: atOnce }, next))
        },
      )
      await all
      await boss.offWork('three')
    },
    close: () => boss.stop({ graceful: false }),
  }
}

async function byGraphileWorker(pool: pg.Pool): Promise<Queue> {
  let done = () => {}
  const options = {
    pgPool: pool,
    concurrency: atOnce,
    noHandleSignals: true,
    // Its own writes a line for each job.
    logger: new Logger(() => () => {}),
    taskList: {
      three: async (
        payload: unknown,
        helpers: { withPgClient: (work: (client: Client) => Promise<void>) => Promise<void> },
      ) => {
        await helpers.withPgClient((client) =>
          inOwnTransaction(client, Reflect.get(Object(payload), 'title')),
        )
        done()
      },
    },
  }
  const first = await run(options)
  await first.stop()
  return {
    fill: async () => {
      await pool.query(
        `select graphile_worker.add_job('three', '{"title":"x"}'::json) from generate_series(1, $1::integer)`,
        [jobs],
      )
    },
    drain: async () => {
      const counted = counting()
      done = counted.done
      const runner = await run(options)
      await counted.all
      await runner.stop()
    },
    close: async () => {},
  }
}

/** What an insert costs with a row of a queue in its transaction, beside the insert alone: by hand, and by verbs. */
async function ofCauses(pool: pg.Pool, connectionString: string): Promise<void> {
  const client = await pool.connect()
  const insert = 'insert into tasks (title, points) values ($1, $2) returning *'
  const cpuOf = async (work: () => Promise<unknown>): Promise<number> => {
    const start = process.cpuUsage()
    for (let at = 0; at < jobs; at++) await work()
    const { user, system } = process.cpuUsage(start)
    return (user + system) / jobs
  }
  const ownPool = new pg.Pool({ connectionString, max: atOnce })
  const db = new Kysely<Record<string, Record<string, unknown>>>({
    dialect: postgresDialect({ pool: ownPool }),
  })
  const plain = createEngine({ db, schema, flows: {} })
  const caused = createEngine({ db, schema, flows: {} })
  const flows = createFlows(caused, { flows: [after], operationTypes: types })
  const item = { title: 'x', points: 1 }
  const costs = {
    'by hand, alone': () => client.query(insert, ['x', 1]),
    'by hand, with a job': async () => {
      await client.query('begin')
      await client.query(insert, ['x', 1])
      await client.query(`insert into jobs (payload) values ('{"title":"x"}')`)
      await client.query('commit')
    },
    'createItem, alone': () => createItem(plain, 'tasks', item),
    'createItem, with a flow after it': () => createItem(caused, 'tasks', item),
  }
  const measured: Record<string, number[]> = {}
  for (let round = 0; round < rounds; round++)
    for (const [name, work] of Object.entries(costs)) {
      const cpu = await cpuOf(work)
      if (round > 0) measured[name] = [...(measured[name] ?? []), cpu]
    }
  for (const [name, cpu] of Object.entries(measured))
    console.log(`${name}: ${median(cpu).toFixed(0)} µs of processor`)
  await flows.stop()
  client.release()
  await db.destroy()
}

const server = await startPostgres()
const pool = new pg.Pool({ connectionString: server.url, max: atOnce })
try {
  await pool.query('create table tasks (id serial primary key, title text not null, points integer not null)')
  await pool.query('create table others (id serial primary key, title text not null)')
  const queues: Readonly<Record<string, Queue>> = {
    'skip locked, by hand': await byHand(pool),
    'quernel/flows': await byFlows(server.url),
    [`pg-boss ${versionOf('pg-boss')}`]: await byPgBoss(pool, server.url),
    [`graphile-worker ${versionOf('graphile-worker')}`]: await byGraphileWorker(pool),
  }
  const measured: Record<string, { readonly cpu: number; readonly wall: number }[]> = {}
  for (let round = 0; round < rounds; round++)
    for (const [name, queue] of Object.entries(queues)) {
      await queue.fill()
      const start = process.cpuUsage()
      const since = performance.now()
      await queue.drain()
      const { user, system } = process.cpuUsage(start)
      const wall = performance.now() - since
      if (round > 0)
        measured[name] = [
          ...(measured[name] ?? []),
          { cpu: (user + system) / 1_000 / jobs, wall: wall / jobs },
        ]
    }
  for (const [name, all] of Object.entries(measured)) {
    const [cpu, wall] = [median(all.map((one) => one.cpu)), median(all.map((one) => one.wall))]
    console.log(
      `${name}: ${cpu.toFixed(3)} ms of processor a job, ${(1_000 / wall).toFixed(0)} jobs a second`,
    )
  }
  await ofCauses(pool, server.url)
  for (const queue of Object.values(queues)) await queue.close()
} finally {
  await pool.end()
  await server.stop()
}
