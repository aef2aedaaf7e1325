// Selections that are trees: each member says its own name, so that any name is possible and one field may be shown twice.
import { beforeAll, describe, expect, it } from 'vitest'
import { internalsOf } from '../../../src/engine/engine.ts'
import { createEngine, defineSchema, type Engine, type QueryReport, toErrorBody } from '../../../src/index.ts'
import { planTree, type TreeRead } from '../../../src/items/read/read-tree.ts'
import type { TreeMember } from '../../../src/plan/read/selection-tree.ts'
import type { OpenDatabase } from '../../support/databases.ts'
import { integer, key, many, maybeOne, one, string, text } from '../../support/fields.ts'
import { type Lane, lanes } from '../../support/lanes.ts'

const schema = defineSchema({
  teas: {
    fields: {
      id: key,
      name: string,
      price: { type: 'decimal', precision: 30, scale: 2 },
      picked: { type: 'date', nullable: true },
      farm: maybeOne('farms'),
      lots: many('lots.tea'),
      pair: { type: 'any', by: 'kind', to: ['farms', 'lots'], nullable: true },
      kind: text,
    },
  },
  farms: { fields: { id: key, name: string, teas: many('teas.farm') } },
  lots: { key: ['tea', 'code'], fields: { tea: one('teas'), code: string, weight: integer } },
  visits: { key: false, fields: { page: string } },
  settings: { singleton: true, fields: { id: key, title: { type: 'string', default: 'Loom' } } },
})

const tables = [
  'create table farms (id integer primary key, name text not null)',
  'create table teas (id integer primary key, name text not null, price numeric(30,2) not null, picked date, farm integer references farms, pair text, kind text)',
  'create table lots (tea integer not null references teas, code text not null, weight integer not null, primary key (tea, code))',
  'create table settings (id integer primary key, title text)',
  'create table visits (page text)',
  "insert into visits values ('home')",
  "insert into farms values (1, 'Hill'), (2, 'Lake')",
  "insert into teas values (1, 'Assam', 4.50, '2024-04-05', 1, '2', 'farms'), (2, 'Sencha', 12.00, null, null, null, null), (3, 'Oolong', 7.25, '2023-01-02', 1, '9', 'farms')",
  "insert into lots values (1, 'a,b', 3), (1, 'c~', 5), (2, 'x', 1)",
]

const value = (name: string, field = name, as?: 'key' | 'number'): TreeMember => ({
  kind: 'value',
  name,
  field,
  as,
})
const kind = (text: string): TreeMember => ({ kind: 'constant', name: '__typename', text })

type Case = readonly [
  title: string,
  read: Omit<TreeRead, 'tree'> & { members: readonly TreeMember[] },
  answer: unknown,
]

const cases: readonly Case[] = [
  [
    'shows a field under any name, and twice',
    {
      verb: 'text',
      collection: 'teas',
      query: { limit: 1 },
      members: [
        value('name'),
        value('name_again', 'name'),
        value('id', 'name'),
        value('_id', 'id'),
        value('_rows', 'id'),
      ],
    },
    [{ name: 'Assam', name_again: 'Assam', id: 'Assam', _id: 1, _rows: 1 }],
  ],
  [
    'sorts by the field, and not by what has its name in the result',
    { verb: 'text', collection: 'teas', query: { sort: ['-name'] }, members: [value('name', 'id')] },
    [{ name: 2 }, { name: 3 }, { name: 1 }],
  ],
  [
    'shows constants and groups of the same item',
    {
      verb: 'text',
      collection: 'teas',
      query: { limit: 2 },
      members: [
        kind('teas'),
        {
          kind: 'group',
          name: 'picked_func',
          members: [value('y', 'year(picked)'), value('month', 'month(picked)'), kind('dates')],
        },
      ],
    },
    [
      { __typename: 'teas', picked_func: { y: 2024, month: 4, __typename: 'dates' } },
      { __typename: 'teas', picked_func: { y: null, month: null, __typename: 'dates' } },
    ],
  ],
  [
    'shows keys as text, and exact numbers as numbers',
    {
      verb: 'text',
      collection: 'teas',
      query: { filter: { id: 1 } },
      members: [value('id', 'id', 'key'), value('price', 'price', 'number')],
    },
    [{ id: '1', price: 4.5 }],
  ],
  [
    'shows numbers with their own digits where nothing has to be exact',
    { verb: 'text', collection: 'teas', query: { limit: 1 }, members: [value('id', 'id', 'number')] },
    [{ id: 1 }],
  ],
  [
    'shows no key of what has none',
    { verb: 'text', collection: 'visits', query: {}, members: [{ kind: 'key', name: 'id' }, value('page')] },
    [{ page: 'home' }],
  ],
  [
    'shows a key of several parts as one text',
    { verb: 'text', collection: 'lots', query: {}, members: [{ kind: 'key', name: 'id' }] },
    [{ id: '1,a~2Cb' }, { id: '1,c~7E' }, { id: '2,x' }],
  ],
  [
    'follows one relation under two names, each with its own parameters',
    {
      verb: 'text',
      collection: 'teas',
      query: {
        filter: { id: 1 },
        deep: { level0: { _limit: 1 }, level1: { _sort: ['-weight'] }, level2: {} },
      },
      members: [
        { kind: 'items', name: 'first', field: 'lots', level: 'level0', members: [value('code')] },
        {
          kind: 'items',
          name: 'lots',
          field: 'lots',
          level: 'level1',
          members: [value('w', 'weight'), kind('lots')],
        },
        {
          kind: 'items',
          name: 'from',
          field: 'farm',
          level: 'level2',
          members: [value('name'), kind('farms')],
        },
      ],
    },
    [
      {
        first: [{ code: 'a,b' }],
        lots: [
          { w: 5, __typename: 'lots' },
          { w: 3, __typename: 'lots' },
        ],
        from: { name: 'Hill', __typename: 'farms' },
      },
    ],
  ],
  [
    'shows an item of any collection as an object, whatever is selected of it',
    {
      verb: 'text',
      collection: 'teas',
      query: {},
      members: [
        {
          kind: 'any',
          name: 'pair',
          field: 'pair',
          arms: [
            { collection: 'farms', level: 'level0', members: [kind('farms')] },
            { collection: 'lots', level: 'level1', members: [] },
          ],
        },
      ],
    },
    [{ pair: { __typename: 'farms' } }, { pair: null }, { pair: null }],
  ],
  [
    'selects nothing of an item of any collection',
    {
      verb: 'text',
      collection: 'teas',
      query: { limit: 1 },
      members: [
        {
          kind: 'any',
          name: 'pair',
          field: 'pair',
          arms: [{ collection: 'farms', level: 'level0', members: [] }],
        },
      ],
    },
    [{ pair: {} }],
  ],
  [
    'reads one item',
    {
      verb: 'one',
      collection: 'teas',
      key: '3',
      query: {},
      members: [value('id', 'id', 'key'), value('name')],
    },
    { id: '3', name: 'Oolong' },
  ],
  ['finds no item', { verb: 'one', collection: 'teas', key: '9', query: {}, members: [value('name')] }, null],
  [
    'reads the defaults of a singleton',
    {
      verb: 'singleton',
      collection: 'settings',
      query: {},
      members: [kind('settings'), value('title'), value('id', 'id', 'key')],
    },
    { __typename: 'settings', title: 'Loom', id: null },
  ],
]

const items = (field: string, members: readonly TreeMember[] = [value('id')], name = field): TreeMember => ({
  kind: 'items',
  name,
  field,
  level: 'level0',
  members,
})

const any = (field: string, collection: string): TreeMember => ({
  kind: 'any',
  name: 'shown',
  field,
  arms: [{ collection, level: 'level0', members: [] }],
})

/** A farm of a tea of a farm, and so on. */
const circle = (depth: number): TreeMember =>
  items(
    depth % 2 === 0 ? 'farm' : 'teas',
    depth === 0 ? [value('name')] : [circle(depth - 1)],
    `level_${depth}`,
  )

type Refused = readonly [
  title: string,
  member: TreeMember,
  message: string,
  query: Readonly<Record<string, unknown>>,
]

const refused: readonly Refused[] = [
  ['a relation to many as one value', value('lots'), '"lots" (o2m) is not shown like this.', {}],
  [
    'a function that the field does not take',
    value('year', 'year(name)'),
    '"year" does not work on "name"',
    {},
  ],
  ['items behind a value', items('name'), '"name" (string) is not shown like this.', {}],
  ['items behind an unknown field', items('secret'), 'There is no field "secret" in "teas"', {}],
  [
    'an item of any collection behind a value',
    any('name', 'farms'),
    '"name" (string) is not shown like this.',
    {},
  ],
  [
    'an item of any collection behind an unknown field',
    any('secret', 'farms'),
    'There is no field "secret"',
    {},
  ],
  [
    'an item of a collection to which the field does not point',
    any('pair', 'teas'),
    'There is no field "pair:teas" in "teas"',
    {},
  ],
  [
    'groups of one item',
    items('farm', [value('name')]),
    '"_aggregate" makes groups of a list, and there is one item here.',
    { deep: { level0: { _aggregate: { count: ['*'] } } } },
  ],
  ['more relations in a row than the limit', circle(12), 'The selection follows more than 10 relations.', {}],
]

describe.each(lanes)('a tree on $name', (lane: Lane) => {
  let database: OpenDatabase
  let engine: Engine<typeof schema>
  const reports: QueryReport[] = []

  beforeAll(async () => {
    database = await lane.open()
    for (const table of tables) await database.run(table)
    engine = createEngine({ db: database.db, schema, onQuery: (report) => reports.push(report) })
  })

  const read = async ({ members, ...asked }: Case[1]) => {
    const tree = { id: JSON.stringify(members), members }
    const planned = await planTree(internalsOf(engine), { ...asked, tree }, {})
    return (await planned.run()).text
  }

  it.each(cases)('%s', async (_title, asked, answer) => {
    expect(JSON.parse(await read(asked))).toEqual(answer)
    // The template is used again.
    expect(JSON.parse(await read(asked))).toEqual(answer)
  })

  it.each(refused)('refuses %s', async (_title, member, message, query) => {
    reports.length = 0
    await expect(read({ verb: 'text', collection: 'teas', query, members: [member] })).rejects.toThrow(
      message,
    )
    expect(reports).toEqual([])
  })

  it('reports the mistakes of a selection together, and not all of a thousand', async () => {
    const members = Array.from({ length: 200 }, (_, index) => value(`x${index}`))
    const failed = await read({ verb: 'text', collection: 'teas', query: {}, members }).catch(toErrorBody)
    expect(failed).toMatchObject({ errors: { length: 50 } })
  })

  it('keeps all digits of an exact number', async () => {
    const digits = '12345678901234567890.25'
    await database.run(`insert into teas (id, name, price) values (7, 'Exact', ${digits})`)
    const asked = {
      verb: 'text',
      collection: 'teas',
      query: { filter: { id: 7 } },
      members: [value('price', 'price', 'number')],
    } as const
    // SQLite keeps 15 digits in a column of numbers.
    const isExact = lane.name.includes('postgres')
    expect(await read(asked)).toMatch(
      isExact ? `[{"price":${digits}}]` : /^\[{"price":12345678901234[0-9]*(\.00)?}]$/,
    )
  })

  it('tells apart trees that differ in their members alone', async () => {
    const one = {
      verb: 'text',
      collection: 'teas',
      query: { limit: 1 },
      members: [value('a', 'id')],
    } as const
    const other = { ...one, members: [value('a', 'name')] }
    expect(await read(one)).toBe('[{"a":1}]')
    expect(await read(other)).toBe('[{"a":"Assam"}]')
  })

  it('takes one statement, and refuses unknown names before it', async () => {
    reports.length = 0
    await read({ verb: 'one', collection: 'teas', key: 1, query: {}, members: [value('name')] })
    expect(reports.length).toBe(1)
    reports.length = 0
    await expect(
      read({ verb: 'text', collection: 'teas', query: {}, members: [value('x', 'secret')] }),
    ).rejects.toThrow('There is no field "secret" in "teas", or you may not use it.')
    expect(reports.length).toBe(0)
  })
})
