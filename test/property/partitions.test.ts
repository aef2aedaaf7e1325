import { beforeAll, describe, expect, it } from 'vitest'
import { lanes } from '../support/lanes.ts'
import { fourthOf } from '../support/long-runs.ts'
import { columns } from './columns.ts'
import { written } from './disagreements.ts'
import { type Partition, partitionsOf } from './partitions.ts'
import { seed } from './random-filters.ts'
import { makeTable, type Outcome, type Table } from './table.ts'

describe.each(lanes)('on $title', ({ name, own, open }) => {
  const here = columns.filter(({ homes, field }) => homes[name] && (own?.includes(field.type) ?? true))
  let table: Table
  let matchingNull: Table
  beforeAll(async () => {
    const opened = await open()
    table = await makeTable(name, opened.db)
    matchingNull = table.having({ negationMatchesNull: true })
  })

  it.each(here)(
    `a condition on $name, its opposite and null hold each row once (QUERNEL_SEED=${seed})`,
    async (column) => {
      const partitions = fourthOf(partitionsOf(column), seed)
      const upTo = table.lastOf(column)
      const filters = partitions.flatMap(({ parts }) => parts)
      const inSql = await table.inSql(filters, upTo)
      expect(flaws(partitions, inSql, upTo)).toEqual([])
      expect(
        flaws(
          partitions,
          filters.map((filter) => table.inMemory(filter, upTo)),
          upTo,
        ),
      ).toEqual([])
    },
  )

  it.each(here)(
    `with negations that match null, a condition on $name and its opposite do (QUERNEL_SEED=${seed})`,
    async (column) => {
      const partitions = fourthOf(partitionsOf(column), seed).map(({ parts }) => ({
        parts: parts.slice(0, 2),
        isTwoWay: true,
      }))
      const upTo = table.lastOf(column)
      const filters = partitions.flatMap(({ parts }) => parts)
      const inSql = await matchingNull.inSql(filters, upTo)
      expect(flaws(partitions, inSql, upTo)).toEqual([])
      expect(inSql).toEqual(filters.map((filter) => matchingNull.inMemory(filter, upTo)))
    },
  )
})

function flaws(partitions: readonly Partition[], outcomes: readonly Outcome[], upTo: number): string[] {
  let at = 0
  return partitions.flatMap(({ parts }) => {
    const found = outcomes.slice(at, at + parts.length)
    at += parts.length
    // What is refused, is refused with its opposite; whether there is a value may still be asked.
    if (typeof found[0] === 'string')
      return found[0] === found[1] && found[0] === 'INVALID_QUERY'
        ? []
        : [`${parts.map(written).join(' ')}: ${JSON.stringify(found)}`]
    const ids = found.flat()
    const isWhole = ids.length === upTo && new Set(ids).size === upTo
    return isWhole ? [] : [`${parts.map(written).join(' ')}: ${JSON.stringify(found)}`]
  })
}
