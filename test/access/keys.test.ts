// What rules leave of keys of several parts, of what refers to them, and of items without a key.
import { beforeAll, describe, expect, it } from 'vitest'
import { createEngine, type Engine, getItem, listItems, type Schema } from '../../src/index.ts'
import { rows, schema as typed } from '../conformance/reads/collections.ts'
import { loud, ware } from '../conformance/reads/key-collections.ts'
import { createTables } from '../conformance/tables.ts'
import { databases, openSqlite } from '../support/databases.ts'
import { outcomeOf } from '../support/outcome.ts'
import { titled } from '../support/titled.ts'

const schema: Schema = typed
type Query = Readonly<Record<string, unknown>>

interface AccessCase {
  readonly title: string
  readonly rules: Readonly<Record<string, unknown>>
  readonly of: string
  readonly query: Query
  /** The items of a list, or the message of an error. */
  readonly expect: unknown
}

const all = { read: true }
const hidden = (field: string, of: string) =>
  `There is no field "${field}" in "${of}", or you may not use it.`
/** All of order 1, and without the ware of the others. */
const partly = { read: [{ filter: { order: 1 } }, { fields: ['order', 'amount', 'parcels'] }] }
const parcelFields = ['id', 'order_no', 'ware_code', 'weight']

const cases: readonly AccessCase[] = titled({
  'an item of which not all parts of the key are seen is listed by what is seen': {
    rules: { lines: { read: { fields: ['order', 'amount'] } } },
    of: 'lines',
    query: {},
    expect: [
      { amount: null, order: 1 },
      { amount: 5, order: 1 },
      { amount: 1, order: 2 },
      { amount: 5, order: 2 },
    ],
  },
  'a list of items of which not all parts of the key are seen does not show the keys': {
    rules: { orders: all, lines: { read: { fields: ['order', 'amount'] } } },
    of: 'orders',
    query: { fields: ['lines', 'lines.amount'], filter: { id: 1 } },
    expect: [{ lines: [{ amount: null }, { amount: 5 }] }],
  },
  'a bare list of items of which not all parts of the key are seen withholds them': {
    rules: { orders: all, lines: { read: { fields: ['order', 'amount'] } } },
    of: 'orders',
    query: { fields: ['lines'], filter: { id: 1 } },
    expect: [{ lines: [null, null] }],
  },
  'no operator tests a key of which not all parts are seen': {
    rules: { orders: all, lines: { read: { fields: ['order', 'amount'] } } },
    of: 'orders',
    query: { filter: { lines: { _eq: [1, ware(1)] } } },
    expect: '"_eq" needs a field to work on.',
  },
  'a part that is seen on some rows only is null on the others, and so is the key': {
    rules: { orders: all, lines: partly },
    of: 'orders',
    query: { fields: ['id', 'lines'] },
    expect: [
      {
        id: 1,
        lines: [
          [1, ware(1)],
          [1, ware(2)],
        ],
      },
      { id: 2, lines: [null, null] },
      { id: 10, lines: [] },
    ],
  },
  'a condition on a part that is seen on some rows only finds no others': {
    rules: { orders: all, wares: all, lines: partly },
    of: 'lines',
    query: { fields: ['order', 'ware', 'ware.name'], filter: { ware: { _nnull: true } } },
    expect: [
      { order: 1, ware: { name: 'Tea' } },
      { order: 1, ware: { name: 'Salt' } },
    ],
  },
  'a list of keys does not find items whose keys are seen in part': {
    rules: { orders: all, lines: partly },
    of: 'orders',
    query: {
      fields: ['id'],
      filter: {
        lines: {
          _in: [
            [1, ware(2)],
            [2, ware(1)],
          ],
        },
      },
    },
    expect: [{ id: 1 }],
  },
  'children that refer to an item of which not all parts are seen are there': {
    rules: { parcels: all, lines: partly },
    of: 'lines',
    query: { fields: ['parcels'] },
    expect: [{ parcels: [1, 2] }, { parcels: [] }, { parcels: [] }, { parcels: [3] }],
  },
  'a reference needs all fields that hold it': {
    rules: { lines: all, parcels: { read: { fields: ['id', 'order_no', 'line'] } } },
    of: 'parcels',
    query: { fields: ['line'] },
    expect: hidden('line', 'parcels'),
  },
  'children by a reference whose fields are not all seen are no relation': {
    rules: { lines: all, parcels: { read: { fields: ['id', 'order_no', 'line'] } } },
    of: 'lines',
    query: { fields: ['parcels.id'] },
    expect: hidden('parcels', 'lines'),
  },
  'a reference that is not granted is not there, though its fields are': {
    rules: { lines: all, parcels: { read: { fields: parcelFields } } },
    of: 'parcels',
    query: { filter: { line: { _null: true } } },
    expect: hidden('line', 'parcels'),
  },
  'a reference into a collection that is not seen is not there, and its fields are': {
    rules: { parcels: all },
    of: 'parcels',
    query: { filter: { id: 1 } },
    expect: [{ id: 1, order_no: 1, ware_code: ware(1), weight: 10 }],
  },
  'a reference that is seen on some rows only is null on the others, and so is what is behind it': {
    rules: { lines: all, parcels: { read: [{ filter: { weight: { _gt: 15 } } }, { fields: parcelFields }] } },
    of: 'parcels',
    query: { fields: ['id', 'ware_code', 'line', 'line.amount'], filter: { id: { _lte: 3 } } },
    expect: [
      { id: 1, ware_code: ware(1), line: null },
      { id: 2, ware_code: ware(1), line: { amount: null } },
      { id: 3, ware_code: loud, line: null },
    ],
  },
  'conditions on a reference that is seen on some rows only do not find the others': {
    rules: { lines: all, parcels: { read: [{ filter: { weight: { _gt: 15 } } }, { fields: parcelFields }] } },
    of: 'parcels',
    query: {
      fields: ['id'],
      filter: { _or: [{ line: { _nnull: true } }, { line: { order: { _nnull: true } } }] },
    },
    expect: [{ id: 2 }],
  },
  'a field of a reference that is seen on some rows only hides the reference on the others': {
    rules: { lines: all, parcels: { read: [{ filter: { id: 1 } }, { fields: ['id', 'order_no', 'line'] }] } },
    of: 'parcels',
    query: { fields: ['id', 'line'], filter: { id: { _lte: 2 } } },
    expect: [
      { id: 1, line: [1, ware(1)] },
      { id: 2, line: null },
    ],
  },
  'a reference is not there where no rule allows all fields that hold it': {
    rules: {
      lines: all,
      parcels: {
        read: [
          { fields: ['id', 'order_no', 'line'], filter: { id: 1 } },
          { fields: ['id', 'ware_code'], filter: { id: 2 } },
        ],
      },
    },
    of: 'parcels',
    query: { fields: ['line'] },
    expect: hidden('line', 'parcels'),
  },
  'a reference of which each of two rules shows another field is null by either': {
    rules: {
      lines: all,
      parcels: {
        read: [
          { fields: ['id', 'order_no', 'line'], filter: { id: 1 } },
          { fields: ['id', 'ware_code', 'line'], filter: { id: 2 } },
        ],
      },
    },
    of: 'parcels',
    query: {},
    expect: [
      { id: 1, order_no: 1, ware_code: null, line: null },
      { id: 2, order_no: null, ware_code: ware(1), line: null },
    ],
  },
  'the order of rows does not tell of a reference that is not seen on them': {
    rules: { lines: all, parcels: { read: [{ filter: { id: 3 } }, { fields: ['id'] }] } },
    of: 'parcels',
    query: { fields: ['id'], sort: ['line', 'id'] },
    expect: [{ id: 3 }, { id: 1 }, { id: 2 }, { id: 4 }, { id: 5 }, { id: 6 }],
  },
  'an item that is not seen is null behind a reference, whose key is the data of the other': {
    rules: { lines: { read: { filter: { order: 1 } } }, parcels: all },
    of: 'parcels',
    query: { fields: ['id', 'line.amount'], alias: { key: 'line' }, filter: { id: { _in: [1, 3] } } },
    expect: [
      { id: 1, line: { amount: null } },
      { id: 3, line: null },
    ],
  },
  'items without a key are listed by what is seen of them': {
    rules: { visits: { read: { fields: ['word'], filter: { order: 1 } } } },
    of: 'visits',
    query: {},
    expect: [{ word: 'a' }, { word: 'a' }, { word: 'b' }],
  },
  'items without a key are counted below others by what is seen of them': {
    rules: { orders: all, visits: { read: { filter: { word: { _nnull: true } } } } },
    of: 'orders',
    query: { fields: ['count(visits)', 'visits.word'], filter: { id: { _lt: 5 } } },
    expect: [
      { visits_count: 3, visits: [{ word: 'a' }, { word: 'a' }, { word: 'b' }] },
      { visits_count: 0, visits: [] },
    ],
  },
})

describe.each(databases)('on $name', ({ name, open }) => {
  let engine: Engine
  beforeAll(async () => {
    const opened = await open()
    await createTables(name, opened.db, schema, rows)
    engine = createEngine({ db: opened.db, schema })
  })

  const outcome = (work: () => Promise<unknown>) => outcomeOf(work, ({ message }) => message)

  it.each(cases.map((one) => [one.title, one] as const))(
    '%s',
    async (_, { rules, of, query, expect: wanted }) => {
      const caller = engine.as({ rules: rules as never })
      expect(await outcome(async () => (await listItems(caller, of, query)).data)).toEqual(wanted)
    },
  )

  it('an item is read by its key though not all of its parts are seen', async () => {
    const caller = engine.as({ rules: { lines: { read: { fields: ['amount'] } } } })
    expect(await getItem(caller, 'lines', [1, ware(2)])).toEqual({ amount: 5 })
    expect(await outcome(() => getItem(caller, 'lines', [3, ware(2)]))).toBe(
      'There is no such item, or you may not see it.',
    )
  })

  it('items are ordered by their key though it is seen in part', async () => {
    const caller = engine.as({ rules: { lines: partly } })
    const { data } = await listItems(caller, 'lines', {
      fields: ['amount'],
      sort: ['order'],
      limit: 2,
      offset: 2,
    })
    expect(data).toEqual([{ amount: 1 }, { amount: 5 }])
  })
})

describe('variables of a caller', () => {
  it.each(['lines', 'visits'])(
    'are not looked up in %s, whose items have no key of one field',
    async (of) => {
      const { db } = await openSqlite()
      expect(() => createEngine({ db, schema, variables: { $CURRENT_USER: of } })).toThrow(
        `"${of}" is looked up by its key, which has to be one field.`,
      )
    },
  )
})
