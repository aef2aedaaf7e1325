// The rows below items are counted as they are, also where keys have several parts, or where there is none.
import { beforeAll, describe, expect, it } from 'vitest'
import { createEngine, listItems, type Schema, streamItems } from '../../../src/index.ts'
import { rows, schema as typed } from '../../conformance/reads/collections.ts'
import { createTables } from '../../conformance/tables.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'

const schema: Schema = typed

/** Rows below the items of a query, counted by hand. */
const cases: readonly (readonly [
  title: string,
  of: string,
  query: Readonly<Record<string, unknown>>,
  below: number,
])[] = [
  ['children by keys of several parts', 'orders', { fields: ['lines.parcels.id'] }, 4 + 3],
  ['pages of children', 'orders', { fields: ['lines.parcels.id'], deep: { lines: { _limit: 1 } } }, 2 + 2],
  ['children of targets', 'parcels', { fields: ['line.parcels.id'] }, 2 + 2 + 1],
  ['children through junctions', 'lines', { fields: ['tags.tag.taggings.place'] }, 3 + 3],
  ['groups of children', 'lines', { fields: ['parcels'], deep: { parcels: { _groupBy: 'weight' } } }, 3],
  ['children without a key', 'orders', { fields: ['visits.word'] }, 4],
  [
    'pages of children without a key',
    'orders',
    { fields: ['visits.word'], deep: { visits: { _limit: 2 } } },
    3,
  ],
  [
    'children of targets of children without a key',
    'orders',
    { fields: ['visits.order.lines.amount'] },
    4 + 8,
  ],
  ['children of targets of items without a key', 'visits', { fields: ['order.lines.amount'] }, 8],
]

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await open()
    await createTables(name, opened.db, schema, rows)
  })

  const engineWith = (nestedRows: number) => createEngine({ db: opened.db, schema, limits: { nestedRows } })
  async function all(of: string, query: object, nestedRows: number): Promise<unknown[]> {
    const items: unknown[] = []
    for await (const item of streamItems(engineWith(nestedRows), of, query)) items.push(item)
    return items
  }

  it.each(cases)('%s are counted', async (_, of, query, below) => {
    const { data } = await listItems(engineWith(Number.POSITIVE_INFINITY), of, query)
    expect(await listItems(engineWith(below), of, query)).toEqual({ data })
    await expect(listItems(engineWith(below - 1), of, query)).rejects.toThrow('rows below the items')
    expect(await all(of, query, below)).toEqual(data)
    // Where the pages of one item cannot be too many, a stream reads fewer items at a time.
    if (!query.deep) await expect(all(of, query, below - 1)).rejects.toThrow('rows below the items')
  })
})
