// One note is written by drawn callers, through several doors: what is answered, refused and stored is what a model says that was written from the
// documentation alone.
import { afterAll, describe, expect, it } from 'vitest'
import { fuzzSeed } from '../../property/seeded-random.ts'
import { databases } from '../../support/databases.ts'
import { drawsOf } from '../../support/draws.ts'
import { known } from './known.ts'
import { type Step, trial } from './trial.ts'

const counts: Record<string, number> = {}
const count = (name: string) => {
  counts[name] = (counts[name] ?? 0) + 1
}

describe.each(databases)('on $name', ({ name: database, open }) => {
  it.each(Array.from({ length: drawsOf('writes judged by a model') }, (_, at) => fuzzSeed + at))(
    'a write is what the model says (QUERNEL_SEED=%s)',
    async (seed) => {
      const opened = await open()

      for await (const step of trial(opened, database, seed)) {
        const { write, outcome, isAgreed } = step
        const reason = isAgreed ? undefined : Object.keys(known).find((name) => known[name]?.(step))
        expect(isAgreed || reason !== undefined, reportOf(step)).toBe(true)
        if (reason) count(reason)
        count(`${write.verb} ${'refusals' in outcome ? outcome.refusals[0]?.kind : 'done'}`)
        if ('refusals' in outcome && outcome.isMixed) count('mixed')
      }
    },
  )
})

afterAll(() => {
  console.info('obligations', JSON.stringify(counts))
  expect(counts.mixed).toBeGreaterThan(0)
})

/** What has to be known to repeat a step by hand. */
function reportOf({ seed, at, door, write, caller, facts, tables, told, stored, outcome }: Step): string {
  const { user, variables, rules } = caller
  const parts = { write, user, variables, rules, facts, ...tables, told, outcome, stored }
  const lines = Object.entries(parts).map(([name, part]) => `${name}: ${JSON.stringify(part)}`)
  return [`QUERNEL_SEED=${seed}, write ${at} by ${door}`, ...lines].join('\n')
}
