// G1 to G5: how the time of a read grows with what is asked and with what is there.
import Database from 'better-sqlite3'
import { Kysely, sql } from 'kysely'
import pg from 'pg'
import { createEngine, defineSchema, type Engine, getItem, listItems } from 'quernel'
import { postgresDialect } from 'quernel/postgres'
import { sqliteDialect } from 'quernel/sqlite'
import { startPostgres } from '../test/support/postgres.ts'
import { answersWithin } from './callers.ts'
import { contest, type Entrant } from './contest.ts'
import type { DatabaseName, Options } from './options.ts'
import type { GrowthWorkload } from './workloads.ts'

/** What one size took. */
export interface GrowthPoint {
  readonly size: number
  readonly milliseconds: number
}

export interface GrowthOutcome {
  readonly database: DatabaseName
  readonly workload: GrowthWorkload
  readonly points: readonly GrowthPoint[]
}

const tableSizes = [1_000, 10_000, 100_000, 1_000_000] as const
const row = {
  id: { type: 'integer', key: true },
  title: { type: 'string' },
  place: { type: 'integer' },
} as const

const schema = defineSchema({
  rows1000: { fields: row },
  rows10000: { fields: row },
  rows100000: { fields: row },
  rows1000000: { fields: row },
  parents: {
    fields: { id: { type: 'integer', key: true }, children: { type: 'o2m', from: 'children.parent' } },
  },
  children: { fields: { ...row, parent: { type: 'm2o', to: 'parents' } } },
  nodes: {
    fields: {
      id: { type: 'integer', key: true },
      title: { type: 'string' },
      parent: { type: 'm2o', to: 'nodes', nullable: true },
      nodes: { type: 'o2m', from: 'nodes.parent' },
    },
  },
})
type Grown = Engine<typeof schema>

/** Ten trees in which each node has two below it, seven levels deep. */
const roots = 10
const deepest = 6
const childCounts = [1, 10, 100, 1_000] as const

/** What is asked for each size. */
const curves: Readonly<
  Record<
    Exclude<GrowthWorkload, 'G5'>,
    { readonly sizes: readonly number[]; readonly ask: (engine: Grown, size: number) => Promise<unknown> }
  >
> = {
  G1: {
    sizes: [1, 10, 100, 1_000, 10_000, 100_000],
    ask: (engine, limit) => listItems(engine, 'rows1000000', { limit }),
  },
  G2: {
    sizes: tableSizes,
    ask: (engine, size) =>
      listItems(engine, `rows${size as (typeof tableSizes)[number]}`, {
        filter: { place: 7 },
        limit: 20,
      }),
  },
  G3: {
    sizes: childCounts,
    // The parent with so many children has its key by their number.
    ask: (engine, count) =>
      getItem(engine, 'parents', count, {
        fields: ['id', 'children.id', 'children.title'],
        deep: { children: { _limit: -1 } },
      }),
  },
  G4: {
    sizes: [1, 2, 3, 4, 5, 6],
    ask: (engine, depth) =>
      listItems(engine, 'nodes', {
        fields: Array.from({ length: depth + 1 }, (_, level) => `${'nodes.'.repeat(level)}title`),
        filter: { parent: null },
      } as object),
  },
}

const callerCounts = [1, 4, 16, 64] as const

export async function measureGrowth(options: Options): Promise<readonly GrowthOutcome[]> {
  const outcomes: GrowthOutcome[] = []
  for (const database of options.databases) {
    const ground = await grounds[database]()
    try {
      for (const workload of options.growth) {
        if (workload === 'G5' && database === 'sqlite') continue
        const points =
          workload === 'G5'
            ? await crowded(ground.engine, options.seconds)
            : await curve(ground.engine, curves[workload], options.seconds)
        print(`${workload} on ${database}`, points)
        outcomes.push({ database, workload, points })
      }
    } finally {
      await ground.close()
    }
  }
  return outcomes
}

async function curve(
  engine: Grown,
  { sizes, ask }: (typeof curves)['G1'],
  seconds: number,
): Promise<readonly GrowthPoint[]> {
  const points: GrowthPoint[] = []
  for (const size of sizes) {
    const entrant: Entrant = { party: 'quernel', form: String(size), run: () => ask(engine, size) }
    const [result] = await contest([entrant], () => noTurn, seconds / sizes.length)
    points.push({ size, milliseconds: result?.time ?? Number.NaN })
  }
  return points
}

const noTurn = { page: 1, key: 1, most: 0, skipped: 0 }

/** What a call takes on the average while so many are made at once. */
async function crowded(engine: Grown, seconds: number): Promise<readonly GrowthPoint[]> {
  const points: GrowthPoint[] = []
  for (const size of callerCounts) {
    const ask = () => getItem(engine, 'parents', 10, { fields: ['id', 'children.title'] })
    const share = (seconds * 1_000) / callerCounts.length
    await answersWithin(ask, size, share / 4)
    const start = performance.now()
    const calls = await answersWithin(ask, size, share)
    points.push({ size, milliseconds: (performance.now() - start) / calls })
  }
  return points
}

function print(title: string, points: readonly GrowthPoint[]): void {
  console.log(`\n${title}`)
  for (const { size, milliseconds } of points)
    console.log(`${String(size).padStart(10)}${milliseconds.toFixed(3).padStart(12)} ms`)
}

interface Ground {
  readonly engine: Grown
  readonly close: () => Promise<void>
}

type Db = Kysely<Record<string, never>>

const grounds: Readonly<Record<DatabaseName, () => Promise<Ground>>> = {
  sqlite: async () => {
    const db: Db = new Kysely({ dialect: sqliteDialect({ database: new Database(':memory:') }) })
    await fill(
      db,
      (count) =>
        `(with recursive s (n) as (select 1 union all select n + 1 from s where n < ${count}) select n from s)`,
    )
    return { engine: createEngine({ db, schema }), close: () => db.destroy() }
  },
  postgres: async () => {
    const { url, stop } = await startPostgres()
    const pool = new pg.Pool({ connectionString: url, max: 10 })
    const db: Db = new Kysely({ dialect: postgresDialect({ pool }) })
    await fill(db, (count) => `generate_series(1, ${count}) as s (n)`)
    const close = async () => {
      await db.destroy()
      await stop()
    }
    return { engine: createEngine({ db, schema }), close }
  },
}

async function fill(db: Db, series: (count: number) => string): Promise<void> {
  const columns = 'id integer primary key, title text not null, place integer not null'
  const row = (count: number) => `n, 'Title ' || n, n % ${count / 50}`
  const statements = [
    ...tableSizes.flatMap((size) => [
      `create table rows${size} (${columns})`,
      `insert into rows${size} select ${row(size)} from ${series(size)}`,
      `create index rows${size}_place on rows${size} (place)`,
    ]),
    'create table parents (id integer primary key)',
    `create table children (${columns}, parent integer not null)`,
    'create index children_parent on children (parent)',
    ...childCounts.flatMap((count) => [
      `insert into parents values (${count})`,
      `insert into children select ${count * 10} + n, 'Child ' || n, n, ${count} from ${series(count)}`,
    ]),
    'create table nodes (id integer primary key, title text not null, parent integer)',
    'create index nodes_parent on nodes (parent)',
    // The two below a node n are 2n and 2n + 1, as many times as there are trees.
    `insert into nodes select n, 'Node ' || n, case when n >= ${roots * 2} then n / 2 end from ${series(roots * 2 ** (deepest + 1) - 1)} where n >= ${roots}`,
    'analyze',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
