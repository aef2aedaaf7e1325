// Queries as wide and as deep as they may be, and names that look like something else.

import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  defineSchema,
  type Engine,
  isEngineError,
  listItems,
  listItemsJson,
  type QueryReport,
  type Schema,
  streamItems,
} from '../../../src/index.ts'
import type { CollectionDefinition, FieldDefinition } from '../../../src/schema/definition.ts'
import { fuzzSeed } from '../../property/seeded-random.ts'
import { insert } from '../../support/databases.ts'
import { across, json, many, maybeOne, text } from '../../support/fields.ts'
import { lanes } from '../../support/lanes.ts'
import { oneIn } from '../../support/long-runs.ts'

type Query = Readonly<Record<string, unknown>>

// The compiler knows no name of a schema that is made while the tests run.
const anySchema = (definition: Record<string, CollectionDefinition>): Schema => defineSchema(definition)

/** The list, after the same was given as text. */
async function bothWays(engine: Engine, collection: string, query: Query): Promise<readonly unknown[]> {
  const { data } = await listItems(engine, collection, query)
  const text = JSON.parse(await listItemsJson(engine, collection, query))
  expect(text).toEqual({ data })
  return data
}

const id: FieldDefinition = { type: 'integer', key: true }
const nest = (levels: number, wrap: (inner: unknown, level: number) => unknown, inner: unknown) =>
  Array.from({ length: levels }, (_, level) => level).reduceRight(wrap, inner)

describe.each(lanes)('a tree on $title', ({ open }) => {
  const width = 120
  const texts = Object.fromEntries(
    Array.from({ length: width }, (_, index) => [`t${index}`, { type: 'string', nullable: true } as const]),
  )
  const schema = anySchema({
    nodes: { fields: { id, name: text, parent: maybeOne('nodes'), children: many('nodes.parent') } },
    wide: { fields: { id, node: maybeOne('nodes'), ...texts } },
    owners: { fields: { id, wides: across('owned.owner', 'wide') } },
    owned: { fields: { id, owner: maybeOne('owners'), wide: maybeOne('wide') } },
  })
  const nasty = [
    '"',
    "'",
    '`',
    '\\',
    '\\\\"',
    '\n',
    '\r\n',
    '\t',
    '\u0001',
    '\u001f',
    '\u007f',
    '\u2028',
    '\u2029',
    '\ufeff',
    '😀',
    'é',
    'e\u0301',
    '\u202e',
    '%',
    '_',
    '$1',
    '?',
    ':a',
    '--',
    '/*',
    '*/',
    ';',
    "''",
    '""',
    '\\u0041',
    '\\n',
    '{',
    '}',
    '[]',
    'null',
    '</script>',
    '\ufffe',
    '\uffff',
    '\u{10ffff}',
    ' ',
    '',
  ]
  let engine: Engine
  beforeAll(async () => {
    const opened = await open()
    const { db } = opened
    await sql`create table nodes (id integer primary key, name text, parent integer)`.execute(db)
    const nodes = Array.from({ length: 24 }, (_, index) => ({
      id: index + 1,
      name: `n${index + 1}`,
      parent: index < 2 ? null : index - 1,
    }))
    await db.insertInto('nodes').values(nodes).execute()
    const columns = sql.join(Object.keys(texts).map((name) => sql`${sql.ref(name)} text`))
    await sql`create table wide (id integer primary key, node integer, ${columns})`.execute(db)
    const row = (start: number) =>
      Object.fromEntries(
        Object.keys(texts).map((name, index) => [name, nasty[(index + start) % nasty.length] ?? null]),
      )
    await insert(db, 'wide', [
      { id: 1, node: 3, ...row(0) },
      { id: 2, node: null, ...row(17) },
    ])
    await sql`create table owners (id integer primary key)`.execute(db)
    await sql`create table owned (id integer primary key, owner integer, wide integer)`.execute(db)
    await sql`insert into owners values (1)`.execute(db)
    await sql`insert into owned values (1, 1, 2), (2, 1, 1), (3, 1, null)`.execute(db)
    engine = createEngine({ db, schema })
  })

  it('ten relations to one are selected, filtered and sorted', async () => {
    const path = Array.from({ length: 10 }, () => 'parent')
    const data = await bothWays(engine, 'nodes', {
      fields: ['id', [...path, 'name'].join('.')],
      filter: nest(10, (inner) => ({ parent: inner }), { name: { _nnull: true } }),
      sort: `-${[...path, 'id'].join('.')}`,
    })
    expect(data).toEqual(
      [24, 23, 22, 21].map((key) => ({
        id: key,
        ...Object(nest(10, (inner) => ({ parent: inner }), { name: `n${key - 20}` })),
      })),
    )
  })

  it('ten relations to many are selected, filtered and sorted', async () => {
    const path = Array.from({ length: 10 }, () => 'children')
    const data = await bothWays(engine, 'nodes', {
      fields: ['id', [...path, 'name'].join('.')],
      filter: nest(10, (inner) => ({ children: inner }), { name: { _nnull: true } }),
      sort: `-${[...path, 'id'].join('.')}`,
    })
    expect(data).toEqual(
      [4, 3, 2, 1].map((key) => ({
        id: key,
        ...Object(nest(10, (inner) => ({ children: [inner] }), { name: `n${key + 20}` })),
      })),
    )
  })

  it('an eleventh relation is refused in every place', async () => {
    for (const relation of ['parent', 'children']) {
      const name = [...Array.from({ length: 11 }, () => relation), 'name'].join('.')
      const filter = nest(11, (inner) => ({ [relation]: inner }), { name: 'x' })
      const queries: readonly Query[] = [{ fields: name }, { sort: name }, { groupBy: name }, { filter }]
      for (const query of queries)
        await expect(listItems(engine, 'nodes', query)).rejects.toThrow('more than 10 relations')
    }
  })

  it('there and back again ten times', async () => {
    const path = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? 'children' : 'parent'))
    const [node] = await bothWays(engine, 'nodes', { fields: [...path, 'id'].join('.'), filter: { id: 5 } })
    const inner = nest(10, (below, level) => (level % 2 === 0 ? { children: [below] } : { parent: below }), {
      id: 5,
    })
    expect(node).toEqual(inner)
  })

  it.each([
    ['to one', 'parent', { name: 'n1' }],
    ['to many', 'children', [{ name: 'n5' }]],
  ])('64 aliases of a relation %s', async (_title, relation, found) => {
    const names = Array.from({ length: 64 }, (_, index) => `a${index}`)
    const query = {
      alias: Object.fromEntries(names.map((name) => [name, relation])),
      fields: names.map((name) => `${name}.name`),
      deep: Object.fromEntries(
        names.map((name, index) => [
          name,
          index === 7 ? { _filter: { id: -1 } } : { _filter: { id: { _gt: 0 } } },
        ]),
      ),
      filter: { id: 3 },
    }
    const nothing = relation === 'parent' ? null : []
    expect(await bothWays(engine, 'nodes', query)).toEqual([
      Object.fromEntries(names.map((name, index) => [name, index === 7 ? nothing : found])),
    ])
  })

  it('64 aliases of a relation that are expanded further', async () => {
    const names = Array.from({ length: 64 }, (_, index) => `a${index}`)
    const query = {
      alias: Object.fromEntries(names.map((name) => [name, 'parent'])),
      fields: names.map((name) => `${name}.parent.parent.name`),
      filter: { id: 9 },
    }
    expect(await bothWays(engine, 'nodes', query)).toEqual([
      Object.fromEntries(names.map((name) => [name, { parent: { parent: { name: 'n3' } } }])),
    ])
  })

  it('a 65th alias is refused', async () => {
    const alias = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`a${index}`, 'name']))
    await expect(listItems(engine, 'nodes', { alias })).rejects.toThrow('at most 64')
  })

  it('a thousand fields are answered, and one more is a clear error', async () => {
    // 64 aliases of a relation of 15 fields each, 40 of the item's own.
    const names = Array.from({ length: 64 }, (_, index) => `a${index}`)
    const alias = Object.fromEntries(names.map((name) => [name, 'wides']))
    const some = Array.from({ length: 14 }, (_, index) => `t${index}`)
    const many = names.flatMap((name) => some.map((field) => `${name}.wide.${field}`))
    const query = { alias, fields: [...many, 'id'] }
    const own = await failureOrCount(query)
    expect(own).toMatchObject({
      code: 'INVALID_QUERY',
      message: expect.stringContaining('more than 1000 fields'),
    })
    const fewer = names.slice(0, 62).flatMap((name) => some.map((field) => `${name}.wide.${field}`))
    // Each alias counts as one, the relation below it as another: 62 * 16 = 992.
    const rest = Array.from({ length: 7 }, (_, index) => `a62.wide.t${index}`).slice(0, 5)
    const asked = [...fewer, 'id', ...rest]
    const [first] = await bothWays(engine, 'owners', { alias, fields: asked })
    expect(Object.keys(Object(first))).toHaveLength(64)
    expect(await failureOrCount({ alias, fields: [...asked, 'a62.wide.t9'] })).toMatchObject({
      code: 'INVALID_QUERY',
    })
  })
  const failureOrCount = (query: Query) =>
    listItems(engine, 'owners', query).then(
      ({ data }) => data.length,
      (error: unknown) => error,
    )

  it('120 columns inside a nested list keep every character', async () => {
    const [owner] = await bothWays(engine, 'owners', { fields: 'wides.wide.*' })
    const rows = await bothWays(engine, 'wide', {})
    expect(rows).toHaveLength(2)
    expect(owner).toEqual({ wides: [{ wide: rows[1] }, { wide: rows[0] }, { wide: null }] })
    const [first] = rows
    expect(Object.values(Object(first)).slice(2)).toEqual(
      Array.from({ length: width }, (_, index) => nasty[index % nasty.length]),
    )
    const streamed: unknown[] = []
    for await (const item of streamItems(engine, 'wide')) streamed.push(item)
    expect(streamed).toEqual(rows)
  })

  it('64 lists of 120 columns, filtered by each text', async () => {
    for (const [index, text] of nasty.entries()) {
      const data = await bothWays(engine, 'owners', {
        fields: 'wides.wide.id',
        filter: { wides: { wide: { [`t${index}`]: { _eq: text }, id: 1 } } },
      })
      expect(data).toHaveLength(1)
    }
  })
})

const longName = '語'.repeat(20).concat('abc')
const names = [
  'select',
  'order',
  'group',
  'user',
  'table',
  'from',
  'where',
  'limit',
  'null',
  'true',
  'FALSE',
  'rowid',
  'oid',
  'ctid',
  'value',
  'key',
  'row',
  'rows',
  'watch',
  'parse',
  'used',
  'c0',
  'f0',
  '0',
  '1',
  '00',
  '1e3',
  'hasOwnProperty',
  'toString',
  'valueOf',
  'length',
  'then',
  'toJSON',
  'name"; drop table x',
  "it's",
  'back`tick',
  'back\\slash',
  'two words',
  'a"b""c',
  '?',
  '$1'.slice(1),
  'a?b',
  'a;b',
  'a=b',
  'a[b]',
  'a{b}',
  'é',
  'É',
  'ß',
  '😀',
  'undefined',
  'NaN',
  'filter',
  'fields',
  'deep',
  'count',
  'json',
  'year',
  'item',
  longName,
  'q1',
  'A%b',
  '\u2028'.concat('x').slice(1),
]

describe.each(lanes)(`names on $title (QUERNEL_SEED=${fuzzSeed})`, (lane) => {
  const { open, name: database } = lane
  const some = <Case>(cases: readonly Case[]) => oneIn(2, cases, fuzzSeed + lanes.indexOf(lane))
  // SQLite takes some capitals for the same letters, and a table has each column once.
  const unique = [...new Map(names.map((name) => [name.toLowerCase(), name])).values()].filter(
    // PostgreSQL has columns of its own in every table.
    (name) => !['ctid', 'oid'].includes(name) || database === 'sqlite',
  )
  let engine: Engine
  const fields: Record<string, FieldDefinition> = {}
  for (const [index, name] of unique.entries())
    fields[name] = index === 0 ? id : { type: 'string', nullable: true }
  const [key = ''] = unique
  const schema = anySchema({
    'all \'the\' "names" `\\': { table: 'table"\'`\\ 😀', fields },
    ...Object.fromEntries(
      unique.map((name) => [
        `${name}`,
        {
          fields: {
            [name]: id,
            [`${name} up`]: { type: 'm2o', to: name, nullable: true, column: `${name.slice(0, 15)}-up` },
            [`${name} down`]: many(`${name}.${name} up`),
          },
        } as const,
      ]),
    ),
  })
  beforeAll(async () => {
    const opened = await open()
    const { db } = opened
    const columns = unique.map(
      (name, index) => sql`${sql.id(name)} ${sql.raw(index === 0 ? 'integer' : 'text')}`,
    )
    await sql`create table ${sql.id('table"\'`\\ 😀')} (${sql.join(columns)})`.execute(db)
    const values = unique.map((name, index) => (index === 0 ? sql`1` : sql`${name}`))
    await sql`insert into ${sql.id('table"\'`\\ 😀')} values (${sql.join(values)})`.execute(db)
    for (const name of unique) {
      const up = sql.id(`${name.slice(0, 15)}-up`)
      await sql`create table ${sql.id(name)} (${sql.id(name)} integer primary key, ${up} integer)`.execute(db)
      await sql`insert into ${sql.id(name)} values (1, null), (2, 1), (3, 2), (4, 2)`.execute(db)
    }
    engine = createEngine({ db, schema })
  })
  const all = 'all \'the\' "names" `\\'

  it('a table of all of them is read', async () => {
    const item = Object.fromEntries(unique.map((name, index) => [name, index === 0 ? 1 : name]))
    expect(await bothWays(engine, all, {})).toEqual([item])
    const streamed: unknown[] = []
    for await (const one of streamItems(engine, all)) streamed.push(one)
    expect(streamed).toEqual([item])
    expect((await listItems(engine, all, { offset: 0, meta: '*' })).meta).toMatchObject({ total_count: 1 })
    expect(await bothWays(engine, all, { offset: 1_500 })).toEqual([])
  })

  it.each(some(unique.slice(1).filter((name) => name !== 'count')))(
    'the field %j is selected, filtered, sorted, grouped, searched and renamed',
    async (name) => {
      const query = { fields: [name], filter: { [name]: name }, sort: [`-${name}`, name], search: name }
      expect(await bothWays(engine, all, query)).toEqual([{ [name]: name }])
      const groups = {
        groupBy: [name],
        aggregate: { count: ['*', name], max: [name] },
        sort: [`-${name}`, 'count.*'],
      }
      const grouped = await listItems(engine, all, { ...groups, sort: `-${name}` })
      expect(grouped.data).toEqual([{ [name]: name, count: { '*': 1, [name]: 1 }, max: { [name]: name } }])
      const renamed = { alias: { [`${name} too`]: name }, fields: [`${name} too`], sort: `${name} too` }
      expect(await bothWays(engine, all, renamed)).toEqual([{ [`${name} too`]: name }])
      const swapped = { alias: { [name]: key }, fields: [name] }
      expect(await bothWays(engine, all, swapped)).toEqual([{ [name]: 1 }])
    },
  )

  it.each(some(unique))('the collection %j is read, and related to itself', async (name) => {
    const up = `${name} up`
    const down = `${name} down`
    const data = await bothWays(engine, name, {
      fields: [name, `${up}.${up}.${name}`, `${down}.${down}.${name}`],
      filter: { _or: [{ [up]: { [up]: { [name]: 1 } } }, { [down]: { [down]: { [name]: 3 } } }] },
      sort: [`-${down}.${name}`, `${up}.${name}`],
      deep: {
        [down]: {
          _sort: `-${name}`,
          _limit: 5,
          [down]: { _sort: `-${name}`, _filter: { [name]: { _gt: 0 } } },
        },
      },
    })
    expect(data).toEqual([
      { [name]: 3, [up]: { [up]: { [name]: 1 } }, [down]: [] },
      { [name]: 4, [up]: { [up]: { [name]: 1 } }, [down]: [] },
      { [name]: 1, [up]: null, [down]: [{ [down]: [{ [name]: 4 }, { [name]: 3 }] }] },
    ])
    const follow = `$FOLLOW(${name},${up})`
    if (!/[,()]/.test(name))
      expect(await bothWays(engine, name, { fields: name, filter: { [follow]: { [name]: 2 } } })).toEqual([
        { [name]: 1 },
      ])
  })
})

describe.each(lanes)('columns on $title', ({ open }) => {
  it('called like what statements are made with are read', async () => {
    const columns = ['_rows', '_q1', '_q2', 'v', 'o', 'value', 'c0']
    const text: FieldDefinition = { type: 'string', nullable: true }
    const fields: Record<string, FieldDefinition> = { id }
    for (const [index, column] of columns.entries()) fields[`f${index}`] = { ...text, column }
    const up: FieldDefinition = { type: 'm2o', to: 'nodes', nullable: true }
    const schema = anySchema({ nodes: { fields: { ...fields, up, down: many('nodes.up') } } })
    const { db } = await open()

    const names = sql.join(columns.map((column) => sql`${sql.id(column)} text`))
    await sql`create table nodes (id integer primary key, up integer, ${names})`.execute(db)
    const row = Object.fromEntries(columns.map((column) => [column, column]))
    await insert(db, 'nodes', [
      { id: 1, up: null, ...row },
      { id: 2, up: 1, ...row },
    ])
    const item = Object.fromEntries(columns.map((column, index) => [`f${index}`, column]))
    const own = Object.keys(item)
    const below = own.flatMap((name) => [`up.${name}`, `down.${name}`])
    expect(
      await bothWays(createEngine({ db, schema }), 'nodes', { fields: [...own, ...below], sort: 'up.f0' }),
    ).toEqual([
      { ...item, up: item, down: [] },
      { ...item, up: null, down: [item] },
    ])
  })
})

describe.each(lanes)(`injection on $title (QUERNEL_SEED=${fuzzSeed})`, (lane) => {
  const { open, name: database } = lane
  const some = <Case>(cases: readonly Case[]) => oneIn(2, cases, fuzzSeed + lanes.indexOf(lane))
  const schema = anySchema({
    notes: {
      fields: {
        id,
        title: text,
        meta: json,
        made: { type: 'date', nullable: true },
        note: maybeOne('notes'),
        notes: many('notes.note'),
      },
    },
  })
  let engine: Engine
  let reports: QueryReport[] = []
  beforeAll(async () => {
    const opened = await open()
    const types = database === 'sqlite' ? ['text', 'text'] : ['jsonb', 'date']
    await opened.run(
      `create table notes (id integer primary key, title text, meta ${types[0] ?? ''}, made ${types[1] ?? ''}, note integer)`,
      'create table secrets (word text)',
      `insert into notes values (1, 'one', '{"a":{"b":1}}', '2024-01-02', null), (2, 'two', null, null, 1)`,
    )
    engine = createEngine({ db: opened.db, schema, onQuery: (report) => reports.push(report) })
  })
  beforeEach(() => {
    reports = []
  })

  const attacks = [
    '"',
    "'",
    '`',
    '\\',
    '""',
    "''",
    '"; drop table notes; --',
    "'; drop table notes; --",
    "' or 1=1 --",
    '") or 1=1 --',
    "x') union select word from secrets --",
    't1.word',
    '_q1.word',
    '"_q1"."word"',
    'word from secrets',
    'title as word',
    'title desc',
    'title; x',
    '$1',
    '?',
    ':x',
    '@x',
    'zz\\',
    'zz%',
    '/*zz*/',
    '--zz',
    'zz\n--',
    'zz\u0000',
    'zz\ud800',
    '$$zz$$',
    "E'zz'",
    'zz]',
    '[zz',
    '{zz}',
    'a.b',
    "a'b",
    'a"b',
    'a.b"]',
    "a') from secrets --",
    '$.a',
    '$.a"',
    "$[0]'",
    "a['b']",
    'title"zz',
    "title'zz",
  ]

  const doors: readonly { readonly door: string; readonly query: (text: string) => Query }[] = [
    { door: 'fields', query: (text) => ({ fields: [text] }) },
    { door: 'fields below', query: (text) => ({ fields: [`note.${text}`, `notes.${text}`] }) },
    { door: 'sort', query: (text) => ({ sort: [text] }) },
    { door: 'sort descending', query: (text) => ({ sort: [`-${text}`] }) },
    { door: 'sort below', query: (text) => ({ sort: [`notes.${text}`] }) },
    {
      door: 'the name of an alias',
      query: (text) => ({ alias: { [text]: 'title' }, fields: ['*', text], sort: text }),
    },
    {
      door: 'the name of an alias of a relation',
      query: (text) => ({
        alias: { [text]: 'notes' },
        fields: [`${text}.id`],
        deep: { [text]: { _limit: 1 } },
      }),
    },
    { door: 'what an alias stands for', query: (text) => ({ alias: { t: text }, fields: ['t'] }) },
    { door: 'groupBy', query: (text) => ({ groupBy: [text] }) },
    { door: 'aggregate', query: (text) => ({ aggregate: { max: [text] } }) },
    { door: 'the name of an aggregate', query: (text) => ({ aggregate: { [text]: ['id'] } }) },
    { door: 'a function', query: (text) => ({ fields: [`year(${text})`] }) },
    { door: 'the name of a function', query: (text) => ({ fields: [`${text}(made)`] }) },
    { door: 'a path in JSON', query: (text) => ({ fields: [`json(meta, ${text})`] }) },
    {
      door: 'a path in JSON, quoted',
      query: (text) => ({ fields: [`json(meta, "${text}")`, `json(meta, ['${text}'])`] }),
    },
    { door: 'a path in JSON, sorted', query: (text) => ({ sort: [`json(meta, ${text})`] }) },
    {
      door: 'a path in JSON, filtered',
      query: (text) => ({ filter: { meta: { _json: { [text]: { _eq: 'x' } } } } }),
    },
    { door: 'search', query: (text) => ({ search: text }) },
    { door: 'filter', query: (text) => ({ filter: { title: text } }) },
    { door: 'a name in filter', query: (text) => ({ filter: { [text]: 1 } }) },
    { door: 'an operator', query: (text) => ({ filter: { title: { [`_${text}`]: 1 } } }) },
    ...['_neq', '_gt', '_contains', '_icontains', '_starts_with', '_iends_with', '_nicontains'].map(
      (operator) => ({
        door: operator,
        query: (text: string) => ({ filter: { title: { [operator]: text } } }),
      }),
    ),
    { door: '_in', query: (text) => ({ filter: { title: { _in: [text, 'x'] } } }) },
    { door: '_between', query: (text) => ({ filter: { title: { _between: [text, text] } } }) },
    { door: 'JSON', query: (text) => ({ filter: { 'json(meta, a.b)': { _in: [text, 1] } } }) },
    { door: '$FOLLOW', query: (text) => ({ filter: { [`$FOLLOW(${text}, note)`]: { id: 1 } } }) },
    {
      door: 'the field of $FOLLOW',
      query: (text) => ({ filter: { [`$FOLLOW(notes, ${text})`]: { id: 1 } } }),
    },
    {
      door: 'a scope',
      query: (text) => ({ filter: { [`note:${text}`]: { id: 1 } }, fields: [`note:${text}.id`] }),
    },
    { door: 'a key of deep', query: (text) => ({ fields: 'notes.id', deep: { [text]: { _limit: 1 } } }) },
    {
      door: 'a parameter of deep',
      query: (text) => ({ fields: 'notes.id', deep: { notes: { [`_${text}`]: 1 } } }),
    },
    { door: 'sort in deep', query: (text) => ({ fields: 'notes.id', deep: { notes: { _sort: [text] } } }) },
    { door: 'a parameter', query: (text) => ({ [text]: 1 }) },
    { door: 'limit', query: (text) => ({ limit: text }) },
    { door: 'meta', query: (text) => ({ meta: [text] }) },
    { door: 'export', query: (text) => ({ export: text }) },
    { door: 'version', query: (text) => ({ version: text }) },
  ]

  it.each(some(doors))('nothing given as $door gets into the text of a statement', async ({ query }) => {
    const harmless: string[] = []
    for (const text of ['zzz', ...attacks]) {
      reports = []
      const asked = query(text)
      const answer = await listItems(engine, 'notes', asked).catch((reason: unknown) => reason)
      if (answer instanceof Error) {
        const isTyped = isEngineError(answer) && answer.status >= 400 && answer.status < 500
        expect(isTyped ? '' : `${text}: ${answer}`).toBe('')
        expect(reports).toEqual([])
        continue
      }
      const written = reports.map((report) => report.sql).join('\n')
      // As JSON, the database writes the names of the answer itself.
      expect(JSON.parse(await listItemsJson(engine, 'notes', asked))).toEqual(answer)
      if (text === 'zzz') harmless.push(written)
      // Longer texts would be seen; of a quote alone only the text as a whole can tell.
      if (/z|word|secrets|drop|union|1=1/.test(text)) expect(written).not.toContain(text)
      if (harmless.length > 0) expect({ text, written }).toEqual({ text, written: harmless[0] })
    }
    expect((await listItems(engine, 'notes')).data).toHaveLength(2)
  })
})
