// The model check of feeds: drawn schemas, rows, callers, lists and writes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { randomWorld } from '../oracle/random-rows.ts'
import { randomSchema } from '../oracle/random-schema.ts'
import { build, demolish } from '../oracle/tables.ts'
import { fuzzSeed, Random } from '../property/seeded-random.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { timesOf } from '../support/long-runs.ts'
import { type Counts, modelRun } from './model.ts'

/** Of each database. Each has six subscribers. */
const worlds = Math.ceil(100 * timesOf('QUERNEL_WATCHED', 0.15))
const steps = 20

describe.each(databases)(`on $name (QUERNEL_SEED=${fuzzSeed})`, ({ name, open }) => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())

  it('subscribers hold what lists answer', async () => {
    const counts: Counts = new Map()
    const reports: string[] = []
    for (let seed = fuzzSeed; seed < fuzzSeed + worlds && reports.length < 3; seed++) {
      const random = new Random(seed + (name === 'postgres' ? 1_000_003 : 0))
      const world = randomWorld(random, randomSchema(random))
      await build(opened.db, world, name)
      const wrong = await modelRun({ random, world, db: opened.db, counts, steps })
      if (wrong) reports.push(`QUERNEL_SEED=${seed}: ${wrong}`)
      await demolish(opened.db, world)
    }
    expect(reports.join('\n\n')).toBe('')
    process.stdout.write(`${name}: ${[...counts].map(([what, times]) => `${times} ${what}`).join(', ')}\n`)
    // How often each was drawn in 30 worlds, at least.
    const least = {
      'page snapshot': 60,
      'page changes': 60,
      'match snapshot': 30,
      'match changes': 60,
      'came back': 30,
    }
    for (const [what, times] of Object.entries(least))
      expect(counts.get(what) ?? 0, what).toBeGreaterThan((times * worlds) / 60)
  })
})
