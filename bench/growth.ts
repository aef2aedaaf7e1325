// G1 to G8: how the time of a read grows with what is asked and with what is there.
import { compileFilter, getItem, listItems } from 'quernel'
import { answersWithin } from './callers.ts'
import { contest, type Entrant } from './contest.ts'
import { measureFreshRules } from './fresh-rules.ts'
import { childCounts, type Grown, type GrowthPoint, grounds, tableSizes } from './growth-data.ts'
import type { DatabaseName, Options } from './options.ts'
import { growthTable, print } from './tables.ts'
import type { GrowthWorkload } from './workloads.ts'

export interface GrowthOutcome {
  readonly database: DatabaseName
  readonly workload: GrowthWorkload
  readonly points: readonly GrowthPoint[]
}

const keyCounts = [1, 10, 100, 1_000, 10_000] as const
const keys = Object.fromEntries(
  keyCounts.map((count) => [count, Array.from({ length: count }, (_, at) => 1 + at * 97)]),
)
const leafCounts = [1, 10, 100, 500] as const
const filters = Object.fromEntries(
  leafCounts.map((count) => [
    count,
    { _or: Array.from({ length: count }, (_, at) => ({ title: { _contains: `Title ${at}` } })) },
  ]),
)

/** What is asked for each size. */
const curves: Readonly<
  Record<
    Exclude<GrowthWorkload, 'G5' | 'G8'>,
    { readonly sizes: readonly number[]; readonly ask: (engine: Grown, size: number) => unknown }
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
  G6: {
    sizes: keyCounts,
    ask: (engine, count) =>
      listItems(engine, 'rows1000000', { filter: { id: { _in: keys[count] ?? [] } }, limit: 20 }),
  },
  G7: {
    sizes: leafCounts,
    ask: (engine, count) => compileFilter(engine, 'rows1000', filters[count] ?? {}),
  },
}

const callerCounts = [1, 4, 16, 64] as const

export async function measureGrowth(options: Options): Promise<readonly GrowthOutcome[]> {
  const outcomes: GrowthOutcome[] = []
  const grown = options.growth.filter((workload) => workload !== 'G8')
  for (const database of grown.length > 0 ? options.databases : []) {
    const ground = await grounds[database]()
    try {
      for (const workload of grown) {
        if (workload === 'G5' && database === 'sqlite') continue
        const points =
          workload === 'G5'
            ? await crowded(ground.engine, options.seconds)
            : await curve(ground.engine, curves[workload], options.seconds)
        print(`${workload}, ms by size`, growthTable([{ title: database, points }]))
        outcomes.push({ database, workload, points })
      }
    } finally {
      await ground.close()
    }
  }
  if (options.growth.includes('G8') && options.databases.includes('sqlite')) {
    const { points, written } = await measureFreshRules(options.seconds)
    const curves = [
      { title: 'sqlite', points },
      { title: 'JSON.stringify alone', points: written },
    ]
    print('G8, ms by size', growthTable(curves))
    outcomes.push({ database: 'sqlite', workload: 'G8', points })
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
    points.push({ size, time: result?.time ?? Number.NaN })
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
    points.push({ size, time: (performance.now() - start) / calls })
  }
  return points
}
