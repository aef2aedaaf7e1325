// The model check of feeds: drawn schemas, rows, callers, lists and writes.
import { beforeAll, describe, expect, it } from 'vitest'
import { randomWorld } from '../../oracle/random-rows.ts'
import { randomSchema } from '../../oracle/random-schema.ts'
import { build, demolish } from '../../oracle/tables.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { drawsOf } from '../../support/draws.ts'
import { isLong } from '../../support/long-runs.ts'
import { type Counts, countWork } from '../counted.ts'
import { modelRun } from '../model.ts'

/** Of each database. Each has six subscribers. */
const worlds = drawsOf('worlds of watched lists')
/** Writes of each world, alone or together. A world takes as long to be made as some dozens of them. */
const steps = isLong ? 200 : 20
/** Worlds beside each other: one of them waits most of the time. */
const lanes = isLong ? 4 : 2

describe.each(databases)(`on $name (QUERNEL_SEED=${fuzzSeed})`, ({ name, open }) => {
  const opened: OpenDatabase[] = []
  beforeAll(async () => {
    opened.push(...(await Promise.all(Array.from({ length: lanes }, open))))
  })

  it('subscribers hold what lists answer', async () => {
    const counts: Counts = new Map()
    const stopCounting = countWork(counts)
    const begun = performance.now()
    const reports: string[] = []
    let next = fuzzSeed
    let done = 0
    const run = async ({ db }: OpenDatabase) => {
      while (isWanted(next - fuzzSeed, counts) && reports.length < 3) {
        const seed = next++
        const random = new Random(seed + (name === 'postgres' ? 1_000_003 : 0))
        const world = randomWorld(random, randomSchema(random))
        await build(db, world, name)
        const wrong = await modelRun({ random, world, db, counts, steps })
        if (wrong) {
          reports.push(`QUERNEL_SEED=${seed}: ${wrong}`)
          process.stdout.write(`${name}: QUERNEL_SEED=${seed}: ${wrong}\n`)
        }
        await demolish(db, world)
        done += 1
        if (done % 50 === 0) tell(name, done, begun, counts)
      }
    }
    await Promise.all(opened.map(run))
    stopCounting()
    tell(name, done, begun, counts)
    expect(reports.join('\n\n')).toBe('')
    // Of a long proof each has to be drawn a thousand times.
    for (const [what, times] of wanted) expect(counts.get(what) ?? 0, what).toBeGreaterThanOrEqual(times)
  })
})

function tell(name: string, done: number, begun: number, counts: Counts): void {
  const perSecond = (done * steps * 1_000) / (performance.now() - begun)
  const told = [...counts].toSorted().map(([what, times]) => `${times} ${what}`)
  process.stdout.write(
    `${name}: ${done * steps} steps, ${perSecond.toFixed(0)} a second: ${told.join(', ')}\n`,
  )
}

/** How often each is drawn in 60 worlds, at least: each kind of message, of what makes a list dirty, of reads, and of what memory judges. */
const least = {
  'page snapshot': 60,
  'page changes': 60,
  'match snapshot': 30,
  'match changes': 60,
  'page reset': 3,
  'match reset': 3,
  'reset access': 3,
  'reset behind': 3,
  'reset token': 3,
  'came back': 30,
  'became another': 8,
  'written alone': 100,
  'written together': 60,
  'written by the host': 60,
  'written in a part': 60,
  'written undone': 60,
  'marked by a row': 8,
  'marked by keys': 800,
  'marked as a whole': 4,
  'dropped by fields': 40,
  'judged to matter': 30,
  'judged not to matter': 30,
  'judged by a value': 20,
  'judged one by one': 20,
  'a row that is shown': 4,
  'a row that was shown': 3,
  'a row behind a page': 6,
  'read by keys': 4,
  'page read as a whole': 300,
  'match read as a whole': 200,
} as const

const wanted = Object.entries(least).map(
  ([what, times]) => [what, Math.min(1_000, Math.floor((times * worlds) / 60))] as const,
)

/** False after so many worlds, if all that is wanted was drawn: what is rare may want some more of them. */
const isWanted = (begun: number, counts: Counts): boolean =>
  begun < worlds ||
  (begun < mostTimes * worlds && wanted.some(([what, times]) => (counts.get(what) ?? 0) < times))

const mostTimes = 5
