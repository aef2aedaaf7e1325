// Pages far down a list, where rows have equal values and none in the order's keys, against the whole list cut in memory.
import { beforeAll, describe, expect, it } from 'vitest'
import { createEngine, defineSchema, listItems, listItemsJson } from '../../../src/index.ts'
import { fuzzSeed } from '../../property/seeded-random.ts'
import { insert, type OpenDatabase } from '../../support/databases.ts'
import { key, number, string, text } from '../../support/fields.ts'
import { lanes } from '../../support/lanes.ts'
import { fourthOf } from '../../support/long-runs.ts'

const schema = defineSchema({ rows: { fields: { id: key, number, word: text, kind: string } } })

interface Row {
  readonly id: number
  readonly number: number | null
  readonly word: string | null
  readonly kind: string
}

/** Runs of equal values that are shorter and longer than a page, and 1,300 rows without a number. */
const rows: readonly Row[] = Array.from({ length: 4_000 }, (_, index) => {
  const id = index + 1
  const number = id % 3 === 0 ? null : id % 2 === 0 ? Math.floor(id / 5) : id % 4
  return { id, number, word: id % 11 === 0 ? null : `w${id % 97}`, kind: id % 10 === 0 ? 'rare' : 'common' }
})

const sorts = ['number', '-number', 'word', '-word', 'kind', '-kind'] as const
const orders = sorts.flatMap((sort) => [
  [sort, 'id'],
  [sort, '-id'],
  [sort, sort.endsWith('word') ? '-number' : 'word', 'id'],
])

/** No value comes last, and first when descending. */
function compare(order: readonly string[], one: Row, other: Row): number {
  for (const key of order) {
    const name = key.replace('-', '') as keyof Row // one of the names above
    const [left, right] = [one[name], other[name]]
    const sign = key.startsWith('-') ? -1 : 1
    if (left === right) continue
    if (left === null || right === null) return left === null ? sign : -sign
    return left < right ? -sign : sign
  }
  return 0
}

describe.each(lanes)('a page far down a list on $title', (lane) => {
  let open: OpenDatabase

  beforeAll(async () => {
    open = await lane.open()
    const { db, run } = open
    await run(
      'create table "rows" (id integer primary key, number integer, word varchar(20), kind varchar(20) not null)',
    )
    await run('create index rows_number on "rows" (kind, number)')
    for (let from = 0; from < rows.length; from += 500)
      await insert(
        db,
        'rows',
        rows.slice(from, from + 500).map((row) => ({ ...row })),
      )
  })

  const filters = { 'all rows': undefined, 'some rows': 'common' } as const

  it.each(fourthOf(orders, fuzzSeed + lanes.indexOf(lane)))(
    `holds the rows that the order %s has there (QUERNEL_SEED=${fuzzSeed})`,
    async (...given) => {
      const order = given.filter((key): key is string => typeof key === 'string')
      const engine = createEngine({ db: open.db, schema, collation: 'codepoint' })
      for (const kind of Object.values(filters)) {
        const all = rows.filter((row) => kind === undefined || row.kind === kind)
        const sorted = all.toSorted((one, other) => compare(order, one, other)).map(({ id }) => id)
        for (const offset of [
          1_000, 1_190, 1_201, 1_333, 1_334, 2_000, 2_399, 2_400, 2_655, 2_667, 3_590, 3_995, 5_000,
        ]) {
          for (const limit of [1, 7, 100]) {
            const query = { fields: ['id'], sort: order, limit, offset, ...(kind && { filter: { kind } }) }
            const expected = sorted.slice(offset, offset + limit)
            const { data } = await listItems(engine, 'rows', query as object) // its order is one of many
            expect({ offset, limit, ids: data.map((row) => Reflect.get(row, 'id')) }).toEqual({
              offset,
              limit,
              ids: expected,
            })
          }
        }
      }
    },
  )

  it('is the same as JSON text, and with what is told about it', async () => {
    const engine = createEngine({ db: open.db, schema })
    const query = {
      fields: ['id', 'word'],
      sort: ['-number', 'word'],
      limit: 20,
      offset: 1_325,
      meta: '*',
    } as const
    const list = await listItems(engine, 'rows', query)
    expect(list.data).toHaveLength(20)
    expect(JSON.parse(await listItemsJson(engine, 'rows', query))).toEqual(list)
  })
})
