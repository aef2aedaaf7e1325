import { describe, expect, it } from 'vitest'
import { isEngineError, toErrorBody } from '../../src/errors/errors.ts'
import { compileFilter } from '../../src/filters/compile.ts'
import type { Filter } from '../../src/query/filter-types.ts'
import { type Shop, schema } from '../types/schema.ts'
import { hostileValue, mutatedTree } from './hostile.ts'
import {
  markers,
  misplaced,
  otherValues,
  randomCondition,
  someValues,
  type Values,
} from './random-conditions.ts'
import { fuzzRuns, fuzzSeed, Random } from './seeded-random.ts'

const collections = [...schema.collections.values()]
// A filter costs more than a query: it is read, resolved and written.
const runs = Math.ceil(fuzzRuns / 10)
const timeout = 60_000 + fuzzRuns * 2

const compiled = (dialect: 'sqlite' | 'postgres', collection: string, filter: unknown) =>
  // Whether the filter fits its collection is what is tried.
  compileFilter(
    { schema, dialect },
    collection as keyof Shop['definition'],
    filter as Filter<Shop, 'articles'>,
  )

describe.each(['sqlite', 'postgres'] as const)(
  `a filter for %s, drawn by chance (QUERNEL_SEED=${fuzzSeed})`,
  (dialect) => {
    const filterOf = (seed: number, values: Values) => {
      const random = new Random(seed)
      const collection = random.one(collections)
      return { collection: collection.name, filter: randomCondition(collection, schema, values, random) }
    }

    it(
      'has a text that depends on its shape, and not on its values',
      () => {
        for (let run = 0; run < runs; run++) {
          const seed = fuzzSeed + run
          const [some, other] = [someValues, otherValues].map((values) => {
            const { collection, filter } = filterOf(seed, values)
            return outcome(() => compiled(dialect, collection, filter))
          })
          const at = `QUERNEL_SEED=${seed}, ${JSON.stringify(filterOf(seed, someValues))}`
          expect(some, at).toBe(other)
          expect(some, at).not.toMatch(markers)
        }
      },
      timeout,
    )

    it(
      'is compiled or refused, whatever it is',
      () => {
        let accepted = 0
        for (let run = 0; run < runs; run++) {
          const seed = fuzzSeed + run
          const { collection, filter } = filterOf(seed, someValues)
          const random = new Random(~seed)
          const hostile = random.do<unknown>(
            () => filter,
            () => filter,
            () => misplaced(filter, random),
            () => misplaced(misplaced(filter, random), random),
            () => mutatedTree(filter, random),
            () => hostileValue(random),
          )
          const flaw = flawOf(() => compiled(dialect, collection, hostile))
          if (typeof flaw === 'string')
            expect.fail(`${flaw}; replay with QUERNEL_SEED=${seed} QUERNEL_FUZZ_RUNS=1`)
          if (flaw.isAccepted) accepted++
        }
        if (runs >= 1_000) expect(accepted / runs).toBeGreaterThan(0.3)
      },
      timeout,
    )
  },
)

/** The SQL of a filter; or, where the database cannot do what it asks, that alone. */
function outcome(compile: () => { readonly sql: string }): string {
  try {
    return compile().sql
  } catch (error) {
    if (isEngineError(error) && /needs geometry functions, and this database has none\.$/.test(error.message))
      return 'no geometry'
    throw error
  }
}

function flawOf(compile: () => { readonly sql: string }): string | { readonly isAccepted: boolean } {
  try {
    const { sql } = compile()
    return markers.test(sql) ? `a value or name of the filter in ${sql}` : { isAccepted: true }
  } catch (error) {
    if (!isEngineError(error))
      return `a foreign error: ${String(error instanceof Error ? error.stack : error)}`
    if (error.status < 400 || error.status >= 500) return `the code ${error.code}`
    const told = JSON.stringify(
      toErrorBody(error).errors.map(({ message, extensions }) => [message, extensions.hint]),
    )
    return sqlWords.test(told) ? `SQL in ${told}` : { isAccepted: false }
  }
}

// Words of SQL and of drivers that no sentence of ours has.
const sqlWords =
  /\bselect\b|\bexists\b|"_q\d|::|json_(?:extract|each|type)|jsonb|sqlite_|sqliteerror|pg_|::text|\bbind/i
