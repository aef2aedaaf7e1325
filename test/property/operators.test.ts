// Every operator on every type of field means the same in SQL and in memory.

import { beforeAll, describe, expect, it } from 'vitest'
import { lanes } from '../support/lanes.ts'
import { fourthOf, oneIn } from '../support/long-runs.ts'
import { columns } from './columns.ts'
import { exhaustive } from './conditions.ts'
import { disagreements } from './disagreements.ts'
import { randomFilters, runs, seed } from './random-filters.ts'
import { makeTable, type Outcome, type Table } from './table.ts'

describe.each(lanes)('on $title', ({ name, own, knowsZones, open }) => {
  const here = columns.filter(({ homes, field }) => homes[name] && (own?.includes(field.type) ?? true))
  let table: Table
  beforeAll(async () => {
    const opened = await open()
    table = await makeTable(name, opened.db)
  })

  it.each(here)(
    `every operator on $name selects what it selects in memory (QUERNEL_SEED=${seed})`,
    async (column) => {
      const filters = oneIn(12, exhaustive(column), seed)
      const upTo = table.lastOf(column)
      const outcomes = await table.inSql(filters, upTo)
      expect(disagreements(filters, outcomes, (filter) => table.inMemory(filter, upTo))).toEqual([])
    },
  )

  it('a filter in a where of its own selects what it selects among others', async () => {
    const filters = here.flatMap((column) =>
      fourthOf(
        exhaustive(column).filter((_, index) => index % 211 === 0),
        seed,
      ),
    )
    const outcomes: Outcome[] = []
    for (const filter of filters) outcomes.push(await table.byWhere(filter))
    expect(disagreements(filters, outcomes, (filter) => table.inMemory(filter))).toEqual([])
  })

  it(`${runs} random filters of several conditions select what they select in memory (QUERNEL_SEED=${seed})`, async () => {
    const filters = randomFilters(table.columns)
    const outcomes = await table.inSql(filters, rowsOfRandom)
    expect(disagreements(filters, outcomes, (filter) => table.inMemory(filter, rowsOfRandom))).toEqual([])
    const selecting = outcomes.filter((ids) => typeof ids !== 'string' && ids.length > 0)
    // Else the filters would say nothing.
    expect(selecting.length).toBeGreaterThan(runs / 5)
  })

  const zones = [
    '+05:30',
    '-03:30',
    '+14:00',
    ...(knowsZones ? ['Europe/Oslo', 'America/New_York', 'Asia/Kathmandu'] : []),
  ]
  it.each(zones)('the parts of a date at %s are those in memory', async (timezone) => {
    const dated = columns.filter(
      ({ homes, field }) => homes[name] && ['timestamp', 'dateTime'].includes(field.type),
    )
    const upTo = Math.max(...dated.map(table.lastOf))
    const filters = fourthOf(dated.flatMap(partsOf), seed)
    const abroad = table.having({ timezone })
    const outcomes = await abroad.inSql(filters, upTo)
    expect(disagreements(filters, outcomes, (filter) => abroad.inMemory(filter, upTo))).toEqual([])
  })

  it('comparisons by code point are those in memory', async () => {
    const filters = here
      .filter(({ field }) => field.type === 'string' || field.type === 'csv')
      .flatMap((column) => exhaustive(column).filter((_, index) => index % 29 === 0))
    const exact = table.having({ collation: 'codepoint' })
    expect(disagreements(filters, await exact.inSql(filters), (filter) => exact.inMemory(filter))).toEqual([])
  })
})

// Half of the rows hold most of the values, and memory takes its time.
const rowsOfRandom = 60

// In another zone the first and the last hours are in years that only some calendars have.
const withinYears = { _between: ['0001-01-02', '9999-12-30'] }

function partsOf({
  name,
  functions = [],
}: {
  readonly name: string
  readonly functions?: readonly string[]
}) {
  return functions.flatMap((word) =>
    [0, 1, 4, 12, 23, 29, 31, 52, 1969, 2024].map((number) => ({
      [`${word}(${name})`]: { _eq: number },
      [name]: withinYears,
    })),
  )
}
