import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { isEngineError, toErrorBody } from '../../src/errors/errors.ts'
import { parseQuery } from '../../src/query/parse.ts'
import { randomInput } from './hostile.ts'
import { asBrackets, asJsonText, asTakenApart } from './query-forms.ts'
import { randomQuery } from './random-queries.ts'
import { fuzzRuns, fuzzSeed, Random } from './seeded-random.ts'

// Against hanging only.
const timeout = 60_000 + fuzzRuns * 5

const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype]
const ownNames = () => prototypes.map((prototype) => Reflect.ownKeys(prototype).length).join()

describe(`a query drawn by chance (QUERNEL_SEED=${fuzzSeed})`, () => {
  it(
    `is read or refused, whatever it is (QUERNEL_FUZZ_RUNS=${fuzzRuns})`,
    () => {
      const before = ownNames()
      let accepted = 0
      for (let run = 0; run < fuzzRuns; run++) {
        const seed = fuzzSeed + run
        const { input, isText } = randomInput(new Random(seed))
        const flaw = flawOf(input, isText)
        if (typeof flaw === 'string')
          expect.fail(`${flaw}; replay with QUERNEL_SEED=${seed} QUERNEL_FUZZ_RUNS=1`)
        if (flaw.isAccepted) accepted++
      }
      expect(ownNames()).toBe(before)
      // What refuses everything never goes wrong.
      if (fuzzRuns >= 1_000) expect(accepted / fuzzRuns).toBeGreaterThan(0.3)
    },
    timeout,
  )

  it(
    'is the same in brackets, in JSON text, taken apart and typed',
    () => {
      for (let run = 0; run < fuzzRuns / 10; run++) {
        const seed = fuzzSeed + run
        const random = new Random(seed)
        const query = randomQuery(random)
        const forms: Readonly<Record<string, () => unknown>> = {
          typed: () => parseQuery(query),
          brackets: () => parseQuery(asBrackets(query, random)),
          parameters: () => parseQuery(new URLSearchParams(asBrackets(query, random))),
          json: () => parseQuery(asJsonText(query)),
          apart: () => parseQuery(asTakenApart(query, random), { isText: true }),
        }
        for (const [form, read] of Object.entries(forms)) {
          // An expectation for each would take longer than all the reading.
          if (isDeepStrictEqual(read(), query)) continue
          expect(read(), `as ${form}, QUERNEL_SEED=${seed}`).toStrictEqual(query)
        }
      }
    },
    timeout,
  )
})

/** What is wrong with the way an input was met; or whether it was accepted, when nothing is. */
function flawOf(input: unknown, isText: boolean): string | { readonly isAccepted: boolean } {
  try {
    const query = parseQuery(input, { isText })
    if (!isDeepStrictEqual(parseQuery(query), query)) return 'a second reading changes the query'
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(query)), query)) return 'the query is no plain JSON'
    return { isAccepted: true }
  } catch (error) {
    return flawOfError(error) ?? { isAccepted: false }
  }
}

function flawOfError(error: unknown): string | undefined {
  if (!isEngineError(error)) return `a foreign error: ${String(error instanceof Error ? error.stack : error)}`
  if (error.code !== 'INVALID_QUERY' || error.status !== 400) return `the code ${error.code}`
  const { errors } = toErrorBody(error)
  if (errors.length > 50) return `${errors.length} errors`
  return errors.map(({ message }) => flawOfMessage(message)).find((flaw) => flaw !== undefined)
}

function flawOfMessage(message: string): string | undefined {
  if (message.length > 480) return `a message of ${message.length} characters`
  if (/[\p{Cc}\p{Cs}\p{Cf}]/u.test(message))
    return `a character that cannot be shown in ${JSON.stringify(message)}`
  return /^["A-Z].*\.$/.test(message) ? undefined : `a message that is no sentence: ${message}`
}
