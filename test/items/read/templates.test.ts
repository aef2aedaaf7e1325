// Requests of one shape share a statement. Nobody may notice it but by the time it saves.

import { inspect, isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Dialect } from '../../../src/dialects/dialect.ts'
import { internalsOf } from '../../../src/engine/engine.ts'
import {
  createEngine,
  defineSchema,
  type Engine,
  type EngineOptions,
  getItem,
  isEngineError,
  listItems,
  listItemsJson,
  parseQuery,
  type QueryReport,
} from '../../../src/index.ts'
import { fuzzSeed } from '../../property/seeded-random.ts'
import { insert, type OpenDatabase } from '../../support/databases.ts'
import { json, key, many, maybeOne, moment, number, text } from '../../support/fields.ts'
import { lanes } from '../../support/lanes.ts'
import { fourthOf, isLong, oneIn } from '../../support/long-runs.ts'

const schema = defineSchema({
  people: { fields: { id: key, name: text, things: many('things.owner') } },
  things: {
    fields: {
      id: key,
      name: text,
      count: number,
      big: { type: 'bigInteger', nullable: true },
      weight: { type: 'float', nullable: true },
      price: { type: 'decimal', precision: 10, scale: 2, nullable: true },
      isNew: { type: 'boolean', nullable: true, column: 'is_new' },
      made: { type: 'date', nullable: true },
      seen: moment,
      uuid: { type: 'uuid', nullable: true },
      meta: json,
      bytes: { type: 'binary', nullable: true },
      owner: maybeOne('people'),
      tag: maybeOne('tags'),
    },
  },
  // Keys that look like something else.
  tags: { fields: { id: { type: 'string', key: true }, label: text } },
  larger: { fields: { id: { type: 'bigInteger', key: true } } },
  marked: { fields: { id: { type: 'uuid', key: true } } },
})
type Things = Engine<typeof schema>
type Query = Readonly<Record<string, unknown>>

const tagKeys = [
  'a',
  'null',
  'true',
  '7',
  '$NOW',
  '$CURRENT_USER',
  '$NOW(+1 day)',
  '{"_neq":"a"}',
  ' b',
  'a,b',
]
const numberKeys = [1, 2, '2', 2 ** 53, '99999999999999999999', -1e30, 2n ** 63n - 1n, 2n ** 63n]
const now = new Date('2024-05-06T07:08:09Z')

async function createThings({ db }: OpenDatabase, isSqlite: boolean): Promise<void> {
  const [json, moment, bytes, uuid] = isSqlite
    ? ['text', 'text', 'blob', 'text']
    : ['jsonb', 'timestamptz', 'bytea', 'uuid']
  await sql`create table people (id integer primary key, name text)`.execute(db)
  await sql`create table tags (id text primary key, label text)`.execute(db)
  await sql`create table things (id integer primary key, name text, "count" integer, big bigint,
    weight double precision, price decimal(10, 2), is_new boolean, made ${sql.raw(isSqlite ? 'text' : 'date')},
    seen ${sql.raw(moment)}, uuid ${sql.raw(uuid)}, meta ${sql.raw(json)}, bytes ${sql.raw(bytes)},
    owner integer, tag text)`.execute(db)
  const person = (id: number) => ({ id, name: ['null', 'Ada', '7', '$NOW', null][id % 5] ?? null })
  await db.insertInto('people').values([1, 2, 3, 4, 5].map(person)).execute()
  await insert(
    db,
    'tags',
    tagKeys.map((id) => ({ id, label: `label of ${id}` })),
  )
  const texts = ['null', 'a', '', 'true', '7', '$NOW', 'a,b', '{"_neq":"a"}', 'A', null]
  const documents = ['{"a":1,"b":"x"}', '{"a":"1","b":true}', '{"a":true}', '{"a":null}', '[]', null]
  const rows = Array.from({ length: 60 }, (_, index) => ({
    id: index + 1,
    name: texts[index % texts.length] ?? null,
    count: index % 7 === 0 ? null : (index % 9) - 3,
    big: index % 6 === 0 ? null : index * 3,
    weight: index % 8 === 0 ? null : index / 4,
    price: index % 9 === 0 ? null : index / 2,
    is_new: index % 3 === 0 ? null : isSqlite ? index % 2 : index % 2 === 1,
    made: index % 5 === 0 ? null : `2024-0${(index % 8) + 1}-11`,
    seen: index % 5 === 1 ? null : `2024-0${(index % 8) + 1}-11T10:00:00.000Z`,
    uuid: index % 4 === 0 ? null : `00000000-0000-4000-8000-0000000000${String(index % 10).padStart(2, '0')}`,
    meta: documents[index % documents.length] ?? null,
    bytes: index % 3 === 0 ? null : Buffer.from([index % 4, 255]),
    owner: index % 6 === 0 ? null : (index % 5) + 1,
    tag: index % 4 === 0 ? null : (tagKeys[index % tagKeys.length] ?? null),
  }))
  await db.insertInto('things').values(rows).execute()
  await sql`create table larger (id bigint primary key)`.execute(db)
  await sql`insert into larger values (1), (2), (9007199254740992), (9223372036854775807)`.execute(db)
  await sql`create table marked (id ${sql.raw(uuid)} primary key)`.execute(db)
  await sql`insert into marked values (${uuidOf(1)})`.execute(db)
}

/** Queries of one shape: what they have in common, and the values in which they differ. */
interface Variation {
  readonly title: string
  readonly query: (value: never) => Query
  readonly values: readonly unknown[]
}

const vary = <Value>(
  title: string,
  query: (value: Value) => Query,
  ...values: readonly Value[]
): Variation => ({ title, query, values })

const uuidOf = (last: number) => `00000000-0000-4000-8000-00000000000${last}`
const day = (month: number) => new Date(`2024-0${month}-11T10:00:00Z`)

const variations: readonly Variation[] = [
  vary(
    'texts',
    (name) => ({ filter: { name: { _eq: name } } }),
    'a',
    'A',
    '',
    "it's",
    '\\',
    '%',
    '?',
    '1$1',
    ':x',
  ),
  vary('texts in short', (name) => ({ filter: { name } }), 'a', 'A', '{"_neq":"a"}', 'a,b'),
  vary('parts of texts', (name) => ({ filter: { name: { _icontains: name } } }), 'a', 'U', '%', '_', '[a]*?'),
  vary('beginnings', (name) => ({ filter: { name: { _nstarts_with: name } } }), 'a', 'n', '\u{10ffff}', ''),
  vary('whole numbers', (count) => ({ filter: { count: { _gt: count } } }), 1, -2, 0, -0),
  vary('numbers and texts of them', (count) => ({ filter: { count } }), '1', '-2', '0'),
  vary('big numbers', (big) => ({ filter: { big: { _lte: big } } }), 9n, 30n, 2n ** 60n),
  vary('fractions', (weight) => ({ filter: { weight: { _lt: weight } } }), 1.25, 3, -1e300, 1e300),
  vary('decimals', (price) => ({ filter: { price: { _gte: price } } }), '1.5', '10', '-3.999'),
  vary('booleans', (isNew) => ({ filter: { isNew: { _eq: isNew } } }), true, false),
  vary('dates', (made) => ({ filter: { made: { _gt: made } } }), day(2), day(5)),
  vary('texts of dates', (made) => ({ filter: { made: { _gt: made } } }), '2024-02-11', '2024-05-11'),
  vary('moments', (seen) => ({ filter: { seen: { _lt: seen } } }), day(2), day(7)),
  vary('UUIDs', (value) => ({ filter: { uuid: value } }), uuidOf(1), uuidOf(2), uuidOf(3)),
  vary(
    'bytes',
    (bytes) => ({ filter: { bytes: { _eq: bytes } } }),
    Buffer.from([1, 255]),
    Buffer.from([2, 255]),
  ),
  vary(
    'lists of texts',
    (list) => ({ filter: { name: { _in: list } } }),
    ['a'],
    ['a', 'A', ''],
    ['x', 'x', 'x'],
  ),
  vary('lists of numbers', (list) => ({ filter: { count: { _nin: list } } }), [1], [1, 2, 3], [5, 4]),
  vary('lists of moments', (list) => ({ filter: { seen: { _in: list } } }), [day(1)], [day(2), day(3)]),
  vary(
    'lists of UUIDs',
    (list) => ({ filter: { uuid: { _in: list } } }),
    [uuidOf(1)],
    [uuidOf(2), uuidOf(3)],
  ),
  vary('comma texts', (list) => ({ filter: { count: { _in: list } } }), '1', '1,2,3', '2,4'),
  vary('pairs', (pair) => ({ filter: { count: { _between: pair } } }), [0, 3], [-3, -1], [4, 1]),
  vary('numbers in JSON', (a) => ({ filter: { 'json(meta, a)': { _gte: a } } }), 1, 0, 2),
  vary('texts in JSON', (a) => ({ filter: { meta: { _json: { a: { _eq: a } } } } }), '1', 'x'),
  vary('lists in JSON', (a) => ({ filter: { 'json(meta, a)': { _in: a } } }), [1, 'x'], [2, '1', 1, 'y']),
  vary('functions', (month) => ({ filter: { 'year(made)': { _gte: month } } }), 2024, 2025, -1),
  vary('counts of relations', (count) => ({ filter: { 'count(things)': { _gt: count } } }), 5, 8, 100),
  vary('related items', (name) => ({ filter: { owner: { name } } }), 'Ada', 'null', '7'),
  vary('keys of related items', (owner) => ({ filter: { owner } }), 1, 2, 99),
  vary('keys that are texts', (tag) => ({ filter: { tag } }), 'a', 'null', 'true', ' b'),
  vary(
    'alternatives',
    (count) => ({ filter: { _or: [{ count }, { name: 'a', big: { _gt: count } }] } }),
    1,
    2,
    3,
  ),
  vary('limits', (limit) => ({ limit }), 1, 2, 0, 100),
  // To many rows PostgreSQL joins others in another way.
  vary('limits of long pages', (limit) => ({ limit }), 101, 120),
  // JSON text of long lists is not made by every database, and the bytes of their long values are added up before.
  vary('long limits', (limit) => ({ limit }), 5_000, 1_000_000),
  vary('offsets', (offset) => ({ offset, limit: 3 }), 1, 2, 59, 999),
  vary('far offsets', (offset) => ({ offset, limit: 3 }), 1_000, 2_000),
  vary(
    'numbers of rows of groups',
    (count) => ({ groupBy: 'name', having: { count: { _gte: count } } }),
    1,
    3,
    9,
  ),
  vary('numbers of rows in short', (count) => ({ groupBy: 'name', having: { count } }), 1, 3),
  vary(
    'sums of groups',
    (most) => ({ groupBy: 'name', aggregate: { sum: 'count' }, having: { sum: { count: { _in: most } } } }),
    [3],
    [1, 5, 9],
  ),
  vary(
    'sums of big numbers',
    (least) => ({ groupBy: 'name', having: { sum: { big: { _gt: least } } } }),
    '5',
    '9223372036854775808',
    '-18446744073709551616',
  ),
  vary(
    'groups below',
    (count) => ({
      fields: 'things',
      deep: { things: { _groupBy: 'name', _having: { count: { _eq: count } } } },
    }),
    1,
    2,
  ),
  vary('pages', (page) => ({ page, limit: 7, meta: '*' }), 2, 3, 50),
  vary('searches', (search) => ({ search }), 'a', 'TRUE', '%', '$now', ' a '),
  vary(
    'limits below',
    (limit) => ({ fields: ['id', 'things.id'], deep: { things: { _limit: limit } } }),
    1,
    2,
    0,
  ),
  vary('offsets below', (offset) => ({ fields: 'things.id', deep: { things: { _offset: offset } } }), 1, 2),
  vary(
    'pages below',
    (page) => ({ fields: 'things.id', deep: { things: { _page: page, _limit: 2 } } }),
    2,
    3,
  ),
  vary('filters below', (count) => ({ fields: 'things.id', deep: { things: { _filter: { count } } } }), 1, 2),
  vary(
    'searches below',
    (search) => ({ fields: 'things.id', deep: { things: { _search: search } } }),
    'a',
    'U',
  ),
  vary(
    'everything at once',
    ({ name, count, limit }: { name: string; count: number; limit: number }) => ({
      fields: ['id', 'owner.name', 'tag.label'],
      filter: {
        _and: [{ name: { _contains: name } }, { _or: [{ count: { _lt: count } }, { owner: count }] }],
      },
      search: name,
      sort: ['-owner.name', 'count'],
      limit,
      offset: count,
      meta: '*',
    }),
    { name: 'a', count: 1, limit: 5 },
    { name: 'u', count: 4, limit: 7 },
    { name: 'b', count: 3, limit: 1 },
  ),
]

/** Values that mean something else than their neighbours in the same place. */
const strange: readonly unknown[] = [
  1,
  2,
  -0,
  1.5,
  9_007_199_254_740_993n,
  5n,
  2 ** 31,
  -(2 ** 63),
  2n ** 64n,
  1e300,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  null,
  undefined,
  true,
  false,
  '',
  ' ',
  'a',
  'null',
  'true',
  '7',
  ' 7',
  '1.5',
  '$NOW',
  '$NOW(+1 day)',
  ' $NOW',
  '$CURRENT_USER',
  '$NONSENSE',
  '{"_neq":"a"}',
  '["a","7"]',
  'a,b',
  '7,$CURRENT_USER',
  'nul\u0000',
  '\ud800',
  'x'.repeat(9_000),
  uuidOf(1),
  '2024-03-11',
  day(3),
  new Date(Number.NaN),
  Buffer.from([1, 255]),
  new Uint8Array([1, 255]),
  [],
  [1],
  ['a'],
  [1, 'a'],
  ['a', 1],
  [1, 2],
  [2, 1, 1],
  [null],
  ['a', null],
  [undefined],
  [Number.NaN, 1],
  [true, 1],
  [day(3)],
  [['a']],
  ['$NOW', 'a'],
  ['$CURRENT_USER'],
  // biome-ignore lint/suspicious/noSparseArray: what a host hands over may have holes.
  [, 1],
  {},
  { _eq: 1 },
  { _null: false },
  { _null: true },
  { _null: 'false' },
  { _nnull: null },
  { _empty: false },
  { type: 'Point', coordinates: [1, 2] },
  { type: 'Point', coordinates: '1,2' },
  { type: 'a' },
  { toJSON: () => 'a' },
  Object(true),
  Object('a'),
  Object(1),
  JSON.parse('{"__proto__":1}'),
  { constructor: 1 },
  { hasOwnProperty: 'a' },
  { id: 1 },
  { id: { _in: [1, 2] } },
  new Map([['id', 1]]),
  () => 1,
  Symbol('a'),
]

/** The places in which each of them is put. */
const places: readonly { readonly place: string; readonly query: (value: unknown) => Query }[] = [
  ...['name', 'count', 'big', 'weight', 'price', 'isNew', 'made', 'seen', 'uuid', 'meta', 'bytes'].map(
    (field) => ({ place: field, query: (value: unknown) => ({ filter: { [field]: value } }) }),
  ),
  ...['_eq', '_neq', '_gt', '_in', '_nin', '_between', '_contains', '_null', '_empty', '_intersects'].flatMap(
    (operator) =>
      ['name', 'count', 'seen', 'json(meta, a)'].map((field) => ({
        place: `${operator} of ${field}`,
        query: (value: unknown) => ({ filter: { [field]: { [operator]: value } } }),
      })),
  ),
  { place: 'a relation', query: (owner) => ({ filter: { owner } }) },
  { place: 'a relation by text', query: (tag) => ({ filter: { tag } }) },
  { place: 'a field of a relation', query: (id) => ({ filter: { owner: { id } } }) },
  { place: 'a branch', query: (branch) => ({ filter: { _or: [branch, { id: 1 }] } }) },
  { place: 'branches', query: (_and) => ({ filter: { _and } }) },
  { place: 'filter', query: (filter) => ({ filter }) },
  ...[
    'search',
    'limit',
    'offset',
    'page',
    'sort',
    'fields',
    'meta',
    'alias',
    'deep',
    'groupBy',
    'aggregate',
  ].map((parameter) => ({ place: parameter, query: (value: unknown) => ({ [parameter]: value }) })),
  { place: 'limit of a page', query: (limit) => ({ limit, page: 2 }) },
  { place: 'page of a limit', query: (page) => ({ limit: 3, page }) },
  ...['_limit', '_offset', '_page', '_filter', '_search', '_sort', '_alias', '_backlink'].map(
    (parameter) => ({
      place: `${parameter} of things`,
      query: (value: unknown) => ({ fields: ['id', 'things.id'], deep: { things: { [parameter]: value } } }),
    }),
  ),
]

/** A query of things, unless it speaks of those that have them. */
const collectionOf = (query: Query) => (/'?things/.test(inspect(query, { depth: 4 })) ? 'people' : 'things')

type Verb = (engine: Things, collection: string, query: Query) => Promise<unknown>
// The compiler cannot follow names that are made while the tests run.
const anyName = (engine: Things): Engine => engine as unknown as Engine
const verbs: readonly { readonly verb: string; readonly call: Verb }[] = [
  { verb: 'listItems', call: (engine, collection, query) => listItems(anyName(engine), collection, query) },
  {
    verb: 'listItemsJson',
    call: async (engine, collection, query) =>
      JSON.parse(await listItemsJson(anyName(engine), collection, query)),
  },
]

const anyList = (engine: Things, query: Query) => listItems(anyName(engine), collectionOf(query), query)

const ofEverybody = {
  rules: { tags: { read: true }, things: { read: true }, larger: { read: true }, marked: { read: true } },
}

/** The answer, or what is wrong, as plain data. */
async function outcome(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return { answer: await work() }
  } catch (error) {
    if (!isEngineError(error)) return { foreign: String(error) }
    const { code, message, path, hint } = error
    return { code, message, path, hint }
  }
}

describe.each(lanes)(`a shape on $title (QUERNEL_SEED=${fuzzSeed})`, ({ open, name }) => {
  let opened: OpenDatabase
  let reports: QueryReport[]
  const fresh = (options: Partial<EngineOptions<typeof schema>> = {}): Things =>
    createEngine({
      db: opened.db,
      schema,
      clock: () => now,
      onQuery: (report) => reports.push(report),
      ...options,
    })
  beforeAll(async () => {
    opened = await open()
    await createThings(opened, name === 'sqlite')
  })
  beforeEach(() => {
    reports = []
  })

  describe.each(verbs)('of $verb', ({ call }) => {
    it.each(fourthOf(variations, fuzzSeed))(
      'has one text for all $title, and each its own answer',
      async ({ query, values }) => {
        const engine = fresh()
        const texts = new Set<string>()
        for (const value of values) {
          const asked = query(value as never) // each variation has values of its own type
          const collection = collectionOf(asked)
          reports = []
          const answer = await outcome(() => call(engine, collection, asked))
          // Where there are several connections, rows and counts may end in either order.
          texts.add(
            reports
              .map((report) => report.sql)
              .sort()
              .join('\n'),
          )
          expect(answer).toEqual(await outcome(() => call(fresh(), collection, asked)))
          expect(answer).toHaveProperty('answer')
        }
        expect([...texts]).toHaveLength(1)
        expect(internalsOf(engine).templates.size).toBe(1)
      },
    )
  })

  it.each(oneIn(8, places, fuzzSeed))(
    'is shared by no two requests that mean different things by $place',
    async ({ query }) => {
      const answers = await Promise.all(strange.map((value) => outcome(() => anyList(fresh(), query(value)))))
      const answered = strange.filter((_, index) => Object.hasOwn(Object(answers[index]), 'answer'))
      // Whoever comes first makes the statement for those of its shape.
      for (const first of answered.filter((_, index) => index % 3 === 0)) {
        const engine = fresh()
        await anyList(engine, query(first))
        for (const [index, value] of strange.entries()) {
          const answer = await outcome(() => anyList(engine, query(value)))
          if (isDeepStrictEqual(answer, answers[index])) continue
          expect({ first, value, answer }).toEqual({ first, value, answer: answers[index] })
        }
      }
    },
  )

  // Too large for a number, it is a text, and stands for a list of one.
  it('is not shared by a large number alone and a smaller one', async () => {
    const ask = (engine: Things, value: unknown) =>
      anyList(engine, { filter: { 'json(meta, a)': { _in: value } } })
    const engine = fresh()
    await ask(engine, 2n ** 64n)
    const answer = await ask(engine, 1)
    expect(answer).toEqual(await ask(fresh(), 1))
    expect(answer.data).not.toEqual([])
  })

  it.each([
    ['texts', 'tags', tagKeys],
    ['whole numbers', 'things', numberKeys],
    ['big numbers', 'larger', numberKeys],
    ['UUIDs', 'marked', [uuidOf(1), uuidOf(2)]],
  ] as const)('is shared by no two keys that mean different things, of %s', async (_, collection, keys) => {
    const ask = (engine: Engine, key: unknown) => outcome(() => getItem(engine, collection, key as string))
    for (const made of [() => anyName(fresh()), () => anyName(fresh()).as(ofEverybody)]) {
      const answers = await Promise.all(keys.map((key) => ask(made(), key)))
      for (const first of oneIn<unknown>(3, [...keys, ...strange], fuzzSeed)) {
        const engine = made()
        await ask(engine, first)
        for (const [index, key] of keys.entries()) {
          const answer = await ask(engine, key)
          if (isDeepStrictEqual(answer, answers[index])) continue
          expect({ first, key, answer }).toEqual({ first, key, answer: answers[index] })
        }
      }
    }
  })

  it('finds an item by its key after somebody asked for a key beyond 64 bits', async () => {
    for (const beyond of ['99999999999999999999', '-99999999999999999999', 1e30, 2n ** 64n]) {
      const engine = fresh()
      for (const key of [beyond, beyond, 1, 2, beyond, 1])
        expect(
          await outcome(() => getItem(anyName(engine), 'things', key as number, { fields: 'id' })),
        ).toEqual(key === beyond ? expect.objectContaining({ code: 'NOT_FOUND' }) : { answer: { id: key } })
    }
  })

  it('finds an item by each key that looks like something else', async () => {
    for (const key of tagKeys)
      expect(await getItem(fresh(), 'tags', key)).toEqual({ id: key, label: `label of ${key}` })
  })

  it('is one of 500 that are kept', async () => {
    const engine = fresh()
    for (let index = 0; index < (isLong ? 2_000 : 600); index++) {
      const fields = ['id', 'name', 'count', 'big', 'weight', 'price', 'made', 'seen', 'uuid', 'tag', 'owner']
      const asked = fields.filter((_, bit) => (index + 1) & (1 << bit))
      const { data } = await listItems(anyName(engine), 'things', { fields: asked, limit: 1 })
      expect(Object.keys(data[0] ?? {})).toEqual(asked)
    }
    expect(internalsOf(engine).templates.size).toBeLessThanOrEqual(500)
  })

  it('is planned and written once', async () => {
    let named = 0
    const { dialect } = internalsOf(fresh())
    const counting: Dialect = {
      ...dialect,
      identifier: (text) => {
        named++
        return dialect.identifier(text)
      },
    }
    for (const { query, values } of variations) {
      const engine = fresh({ dialect: counting })
      const [first, ...others] = values.map((value) => query(value as never))
      await anyList(engine, first ?? {})
      expect(named).toBeGreaterThan(0)
      named = 0
      for (const other of others) await anyList(engine, other)
      expect(named).toBe(0)
    }
  })

  it('of a parsed query is that of the query', async () => {
    const engine = fresh()
    for (const text of ['filter[count][_gt]=1&limit=3', 'filter[count][_gt]=-2&limit=4']) {
      const { data } = await listItems(engine, 'things', parseQuery(text))
      expect(data).toEqual((await listItems(fresh(), 'things', parseQuery(text))).data)
    }
    expect(internalsOf(engine).templates.size).toBe(1)
  })
})

describe('the name of a shape', () => {
  it('is not mistaken for that of a collection with a strange name', async () => {
    const [lane] = lanes
    const opened = await (lane?.open() ?? Promise.reject(new Error('no lane')))
    const strangeSchema = defineSchema({
      a: { fields: { id: key } },
      'a;limit=?': { table: 'b', fields: { id: key } },
    })
    await opened.run('create table a (id integer primary key)')
    await opened.run('create table b (id integer primary key)')
    await opened.run('insert into b values (1)')
    const engine = createEngine({ db: opened.db, schema: strangeSchema })
    expect((await listItems(engine, 'a', { limit: 5 })).data).toEqual([])
    expect((await listItems(engine, 'a;limit=?')).data).toEqual([{ id: 1 }])
  })
})
