// How often each random test draws: `npm test` little, `npm run test:all` more, `npm run test:long` much. Which of the three a run is, support/long-runs.ts says.
import { isLong, isShort } from './long-runs.ts'

interface Draws {
  /** In `npm test`; absent = `usual`. Fewer where one draw is a world of hundreds of questions. */
  readonly short?: number
  readonly all: number
  readonly long: number
}

const usual = 20

const table = {
  'answers equal to those of the caller alone': { short: 2, all: 10, long: 40 },
  'callers and rows that are removed': { short: 2_500, all: 2_500, long: 5_000 },
  'changes that are told': { all: 60, long: 1_000 },
  'collections that are hidden': { short: 2, all: 5, long: 10 },
  'commands of a writer': { short: 500, all: 500, long: 5_000 },
  'comparisons of fields': { short: 4, all: 12, long: 200 },
  'conditions judged in memory': { all: 15, long: 60 },
  'conditions of upserts': { short: 6, all: 20, long: 400 },
  'changes of documents': { short: 40, all: 150, long: 3_000 },
  'documents of GraphQL': { all: 40, long: 1_000 },
  'deletions of the oracle': { short: 1, all: 5, long: 10 },
  'faults of a feed': { all: 40, long: 200 },
  'faults of a log': { all: 1, long: 20 },
  'filters of the oracle': { short: 10, all: 20, long: 40 },
  'flows of an installed base': { all: 300, long: 1_200 },
  'flows that run': { all: 500, long: 10_000 },
  'forms of one condition': { short: 1, all: 6, long: 40 },
  'hidden rows of lists': { short: 1, all: 6, long: 40 },
  'laws of the oracle': { short: 1, all: 3, long: 12 },
  'lists of a feed': { all: 24, long: 120 },
  'lists read by cursors': { short: 10, all: 100, long: 3_000 },
  'lists of all types': { short: 2, all: 10, long: 400 },
  'lists on both ways': { short: 4, all: 10, long: 400 },
  'lists of upserts': { all: 24, long: 480 },
  'nested items on both ways': { short: 6, all: 12, long: 400 },
  'names that are forbidden': { all: 20, long: 20 },
  'pairs of schemas': { short: 4, all: 60, long: 1_000 },
  'places in templates': { short: 1_000, all: 1_000, long: 20_000 },
  'promotions of versions': { short: 12, all: 25, long: 100 },
  'queries of the oracle': { short: 3_000, all: 3_000, long: 20_000 },
  'references that are hidden': { short: 2, all: 6, long: 100 },
  'refusals of both ways': { short: 2, all: 20, long: 400 },
  'schemas of GraphQL': { short: 8, all: 60, long: 2_000 },
  'sets of values': { short: 1, all: 3, long: 1_000 },
  'unlimited lists': { all: 40, long: 200 },
  'worlds of agents': { short: 1, all: 4, long: 60 },
  'worlds of the client': { short: 1, all: 3, long: 60 },
  'worlds judged in memory': { short: 1, all: 6, long: 40 },
  'worlds of watched lists': { short: 2, all: 10, long: 100 },
  'writes beside other writes': { all: 40, long: 1_000 },
  'writes judged by a model': { short: 12, all: 60, long: 4_000 },
  'writes in one statement': { all: 300, long: 6_000 },
  'writes in one statement, of lists': { all: 300, long: 6_000 },
} satisfies Readonly<Record<string, Draws>>

/** `QUERNEL_DRAWS=5` draws five times as often as a long run. */
export const drawsOf = (name: keyof typeof table): number => {
  const { short = usual, all, long }: Draws = table[name]
  const times = process.env.QUERNEL_DRAWS
  if (times !== undefined) return Math.ceil(long * Number(times))
  return isLong ? long : isShort ? Math.min(short, all) : all
}
