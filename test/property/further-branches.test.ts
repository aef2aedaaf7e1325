// The law of `_and`: a further branch lets no more rows through, and under an odd number of `_none` no fewer.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileFilter, createEngine, type Engine, matchesFilter, type Schema } from '../../src/index.ts'
import { lazyItemsOf, rows } from '../conformance/rows.ts'
import { schema as typed } from '../conformance/schema.ts'
import { createTables } from '../conformance/tables.ts'
import type { OpenDatabase } from '../support/databases.ts'
import { lanes } from '../support/lanes.ts'
import { fourthOf } from '../support/long-runs.ts'
import { type Filter, type Pair, pairsOfFilters, toBeShown } from './further-branches.ts'

// The filters name fields by text, so the compiler is to see no names.
const schema: Schema = typed
const { pairs, shown } = pairsOfFilters()
const options = { schema, clock: () => new Date('2024-03-01T12:00:00Z') }

it('a further branch is drawn of every operator on every family, under every list at every depth', () => {
  expect([...toBeShown()].filter((word) => !shown.has(word))).toEqual([])
  for (const isOdd of [true, false])
    expect(pairs.filter((pair) => pair.isOdd === isOdd).length).toBeGreaterThan(200)
})

describe.each(lanes.map((lane, at) => ({ ...lane, tried: fourthOf(pairs, at) })))(
  'on $title',
  ({ name, open, tried }) => {
    let opened: OpenDatabase
    beforeAll(async () => {
      opened = await open()
      await createTables(name, opened.db, schema, rows)
    })
    afterAll(() => opened.close())

    it('a further branch of _and lets no more rows through, and no fewer under an odd number of _none', async () => {
      const engine = createEngine({ db: opened.db, ...options })
      const found = await selected(
        engine,
        tried.flatMap(({ base, further }) => [base, further]),
      )
      expect(breaches(found, tried)).toEqual([])
      const inMemory = tried.filter(({ needsSql }) => !needsSql)
      const expected = tried.flatMap((pair, index) =>
        pair.needsSql ? [] : [found[2 * index], found[2 * index + 1]],
      )
      expect(inMemory.flatMap(({ base, further }) => [held(base), held(further)])).toEqual(expected)
    })
  },
)

it('a further branch of _and lets no more items through in memory either, where negations match null', () => {
  const inMemory = pairs.filter(({ needsSql }) => !needsSql)
  const found = inMemory.flatMap(({ base, further }) => [held(base, true), held(further, true)])
  expect(breaches(found, inMemory)).toEqual([])
})

/** The pairs whose further branch changes the wrong way what is found. */
function breaches(found: readonly (readonly unknown[])[], of: readonly Pair[]): readonly Pair[] {
  return of.filter(({ isOdd }, index) => {
    const [base = [], further = []] = found.slice(2 * index, 2 * index + 2)
    const [fewer, more] = isOdd ? [base, further] : [further, base]
    return !fewer.every((key) => more.includes(key))
  })
}

function held(filter: Filter, negationMatchesNull = false): readonly unknown[] {
  const means = { schema, negationMatchesNull }
  return lazyItemsOf('articles')
    .filter((item) => matchesFilter(means, 'articles', filter, item))
    .map(({ id }) => id)
}

const filtersAtOnce = 40

/** The keys that each filter finds, of many filters in one statement. */
async function selected(engine: Engine, filters: readonly Filter[]): Promise<(readonly unknown[])[]> {
  const found: (readonly unknown[])[] = []
  for (let start = 0; start < filters.length; start += filtersAtOnce) {
    const some = filters.slice(start, start + filtersAtOnce)
    const columns = some.map((filter, index) => {
      const { expression } = compileFilter(engine, 'articles', filter)
      return sql<number>`case when ${expression} then 1 else 0 end`.as(`f${index}`)
    })
    const items = await engine.db
      .selectFrom('articles')
      .select('id')
      .select(columns)
      .orderBy('row_number')
      .execute()
    for (const index of some.keys())
      found.push(items.filter((item) => Reflect.get(item, `f${index}`) === 1).map(({ id }) => id))
  }
  return found
}
