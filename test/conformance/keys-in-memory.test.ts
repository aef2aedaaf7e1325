// Filters on keys of several parts mean the same in memory, whether relations are loaded or not.
import { beforeAll, describe, expect, it } from 'vitest'
import { createEngine, listItems, matchesFilter, type Schema } from '../../src/index.ts'
import { type OpenDatabase, openSqlite } from '../support/databases.ts'
import type { ReadCase } from './reads/case.ts'
import { rows, schema as typed } from './reads/collections.ts'
import { keyCases } from './reads/keys.ts'
import { createTables } from './tables.ts'

const schema: Schema = typed
const clock = () => new Date('2024-03-01T12:00:00Z')

/** What is loaded of a collection, besides its own fields. */
const loaded: Readonly<Record<string, readonly string[]>> = {
  parcels: ['*', 'line.*', 'line.ware.*'],
  lines: ['*', 'parcels.*', 'tags.*', 'tags.tag.*'],
  orders: ['*', 'lines.*', 'visits.*'],
  seals: ['*', 'taggings.*', 'taggings.line.*', 'taggings.line.order.*'],
  taggings: ['*', 'line.*', 'tag.*'],
}

type AnyFilter = Readonly<Record<string, unknown>>
type Filtered = ReadCase & { readonly call: { readonly query: { readonly filter: AnyFilter } } }
const isFiltered = (one: ReadCase): one is Filtered => {
  const { verb, of, query } = one.call
  const { filter, deep } = query
  const isPlain = typeof filter === 'object' && filter !== null && !deep && Object.hasOwn(loaded, of)
  const isAnswered = !('problems' in Object(one.expect))
  return verb === 'list' && isPlain && isAnswered && !JSON.stringify(filter).includes('$FOLLOW')
}
const cases = keyCases.filter(isFiltered)
/** A filter that needs no related items. */
const isShallow = ({ call: { query } }: Filtered) =>
  Object.entries(query.filter).every(
    ([, inner]) =>
      typeof inner !== 'object' || inner === null || Object.keys(inner).every((word) => word.startsWith('_')),
  )

describe('filters on keys of several parts', () => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await openSqlite()
    await createTables('sqlite', opened.db, schema, rows)
  })

  it('are many', () => {
    expect(cases.length).toBeGreaterThan(30)
  })

  it.each(cases.map((one) => [one.title, one] as const))(
    'in memory: %s',
    async (_, { call, engine: setting }) => {
      const engine = createEngine({ db: opened.db, schema, clock, ...setting })
      const { of, query } = call
      const read = async (fields: readonly string[], filter?: AnyFilter) =>
        (await listItems(engine, of, { fields, limit: -1, ...(filter && { filter }) })).data
      const all = await read(loaded[of] ?? ['*'])
      const expected = JSON.stringify(await read(loaded[of] ?? ['*'], query.filter))
      const holds = (item: object) => matchesFilter(engine, of, query.filter, item)
      expect(JSON.stringify(all.filter(holds))).toBe(expected)
    },
  )

  it.each(cases.filter(isShallow).map((one) => [one.title, one] as const))(
    'in memory, of keys alone: %s',
    async (_, { call, engine: setting }) => {
      const engine = createEngine({ db: opened.db, schema, clock, ...setting })
      const { of, query } = call
      const { data } = await listItems(engine, of, { limit: -1 })
      const found = await listItems(engine, of, { limit: -1, filter: query.filter })
      const holds = (item: object) => matchesFilter(engine, of, query.filter, item)
      expect(data.filter(holds)).toEqual(found.data)
    },
  )
})
