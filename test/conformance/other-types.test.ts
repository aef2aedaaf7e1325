// Columns of types that only the database knows: read as the same text everywhere, compared for equality where they have it, and written.
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import {
  createEngine,
  createItem,
  defineSchema,
  type Engine,
  getItem,
  listItems,
  matchesFilter,
  type Schema,
  streamItems,
  updateItem,
} from '../../src/index.ts'
import { introspectSchema } from '../../src/introspect.ts'
import { run } from '../introspect/samples/sample.ts'
import { type AnyTables, openPostgres } from '../support/databases.ts'

interface OtherCase {
  readonly type: string
  /** The text that is written, and the one that is read; absent = the same. */
  readonly given: string
  readonly shown?: string
  /** Another text of an equal value. */
  readonly alike?: string
  /** A text that is no value; absent = every text is one. */
  readonly wrong?: string
  readonly isOpaque?: true
}

const cases: readonly OtherCase[] = [
  { type: 'inet', given: '10.0.0.1', alike: '10.0.0.1/32', wrong: 'nowhere' },
  { type: 'inet', given: '2001:db8::1/64', alike: '2001:0db8:0:0::1/64', wrong: '::1::2' },
  { type: 'cidr', given: '10.1.0.0/16', alike: '10.1/16', wrong: '10.1.2.3/16' },
  { type: 'macaddr', given: '08:00:2b:01:02:03', alike: '08002B010203', wrong: '08:00' },
  { type: 'macaddr8', given: '08:00:2b:01:02:03:04:05', alike: '08002B0102030405', wrong: 'x' },
  { type: 'bit(3)', given: '101', alike: 'B101', wrong: '102' },
  { type: 'varbit', given: '10111', wrong: '3' },
  { type: 'int4range', given: '[1,5)', alike: '[1,4]', wrong: '[5,1]' },
  { type: 'numrange', given: '(,1.5]', wrong: 'all' },
  {
    type: 'daterange',
    given: '[2024-01-02,2024-02-03)',
    alike: '[2024-01-02,2024-02-02]',
    wrong: '[2024-13-01,]',
  },
  { type: 'tsrange', given: '["2024-01-02 03:04:05",)', alike: '[2024-01-02T03:04:05,)', wrong: 'x' },
  {
    type: 'tstzrange',
    given: '["2024-01-02 03:04:05+00","2024-01-03 03:04:05.5+00")',
    alike: '["2024-01-02 05:04:05+02","2024-01-03 03:04:05.5")',
    wrong: '[now',
  },
  { type: 'int4multirange', given: '{[1,3),[5,7)}', alike: '{[1,2],[5,6]}', wrong: '{1}' },
  { type: 'tstzmultirange', given: '{["2024-01-02 03:04:05+00",)}', wrong: '{1}' },
  { type: 'interval', given: '1 year 2 mons -3 days +04:05:06.7', wrong: 'soon' },
  {
    type: 'interval',
    given: '-1 years -2 mons +3 days -04:05:06',
    alike: '-14 mons 3 days -04:05:06',
    wrong: '1 zonk',
  },
  { type: 'money', given: '1234.50', alike: '1234.5', wrong: 'much' },
  { type: 'timetz', given: '03:04:05+00', alike: '03:04:05', wrong: '25:00' },
  { type: 'pg_lsn', given: '16/B374D848', alike: '16/b374d848', wrong: 'x' },
  { type: 'oid', given: '4711', wrong: '-x' },
  { type: 'name', given: 'public' },
  { type: '"char"', given: 'a' },
  { type: 'tsvector', given: "'cat':3 'fat':2", alike: "'fat':2 'cat':3", wrong: "'a" },
  { type: 'tsquery', given: "'fat' & 'cat'", alike: 'fat&cat', wrong: '&&' },
  { type: 'pair', given: '(1,two)', alike: '("1","two")', wrong: '(1' },
  { type: 'pair', given: '(1,)', wrong: '(x,)' },
  { type: 'stay', given: '(2024-02-03,"1 day 02:03:04","2024-01-02 03:04:05+00",0.1)', wrong: '(1)' },
  { type: 'shop.size', given: 'large.one', wrong: 'small' },
  { type: 'address', given: '10.0.0.1', alike: '10.0.0.1/32', wrong: 'x' },
  { type: 'span', given: '[0.5,1.5]', wrong: '[2,1]' },
  { type: 'xml', given: '<a>1</a><b/>', wrong: '<a>', isOpaque: true },
  { type: 'point', given: '(1,0.1)', wrong: '(1', isOpaque: true },
  { type: 'box', given: '(3,4),(1,2)', wrong: 'x', isOpaque: true },
  { type: 'path', given: '((0,0),(1,0.1))', wrong: 'x', isOpaque: true },
  { type: 'circle', given: '<(1,2),0.3>', wrong: 'x', isOpaque: true },
  { type: 'jsonpath', given: '$."a"', wrong: '$$$', isOpaque: true },
]

const styles = {
  plain: '',
  odd: '-c IntervalStyle=sql_standard -c DateStyle=SQL,DMY -c TimeZone=Asia/Tokyo -c extra_float_digits=-15 -c bytea_output=escape -c xmloption=document',
  verbose: '-c IntervalStyle=postgres_verbose -c DateStyle=German -c TimeZone=America/New_York',
  iso: '-c IntervalStyle=iso_8601 -c DateStyle=Postgres,MDY',
}

describe.each(Object.entries(styles))('with the session style %s', (_style, options) => {
  let db: Kysely<AnyTables>
  let engine: Engine
  const names = cases.map((_, at) => `v${at}`)
  beforeAll(async () => {
    const opened = await openPostgres()
    const { rows } = await pathOf(opened.db)
    const path = String(rows[0]?.search_path)
    const pool = new pg.Pool({
      connectionString: inject('postgres').c,
      options: `-c search_path=${path} ${options}`,
    })
    db = new Kysely<AnyTables>({ dialect: new PostgresDialect({ pool }) })
    await run(
      db,
      `create schema ${path}_shop`,
      `create type ${path}_shop."size.of" as enum ('large.one')`,
      'create type pair as (a int, b text)',
      'create type stay as (day date, long interval, at timestamptz, part float8)',
      'create domain address as inet',
      'create type span as range (subtype = float8)',
      'create table owners (id int primary key)',
      `create table kept (id int primary key, owner int references owners, ${cases
        .map(({ type }, at) => `v${at} ${type === 'shop.size' ? `${path}_shop."size.of"` : type}`)
        .join(', ')})`,
      'insert into owners values (1)',
    )
    const schema = await introspectSchema(db)
    engine = createEngine({ db, schema })
    await createItem(engine, 'kept', {
      id: 1,
      owner: 1,
      ...Object.fromEntries(cases.map(({ given }, at) => [`v${at}`, given])),
    })
    await createItem(engine, 'kept', { id: 2, owner: 1 })
  })
  afterAll(() => db.destroy())

  it.each(cases.map((one, at) => ({ ...one, at })))(
    '$type reads as $given at every depth',
    async ({ given, shown = given, at }) => {
      const field = `v${at}`
      const none = { [field]: null }
      expect(await getItem(engine, 'kept', 1, { fields: [field] })).toEqual({ [field]: shown })
      expect(await listItems(engine, 'owners', { fields: [`kept.${field}`] })).toEqual({
        data: [{ kept: [{ [field]: shown }, none] }],
      })
      expect(
        await listItems(engine, 'kept', { fields: [`owner.kept.owner.kept.${field}`], limit: 1 }),
      ).toMatchObject({ data: [{ owner: { kept: [{ owner: { kept: [{ [field]: shown }, none] } }, {}] } }] })
    },
  )

  it.each(cases.map((one, at) => ({ ...one, at })))(
    '$type takes what it can be compared with',
    async ({ given, alike = given, isOpaque, at, wrong }) => {
      const field = `v${at}`
      const keys = async (filter: Record<string, object | string>) =>
        (await listItems(engine, 'kept', { fields: ['id'], filter })).data.map(({ id }) => id)
      expect(await keys({ [field]: { _null: true } })).toEqual([2])
      expect(await keys({ [field]: { _nnull: true } })).toEqual([1])
      if (isOpaque) {
        await expect(keys({ [field]: given })).rejects.toMatchObject({
          code: 'INVALID_QUERY',
          path: ['filter', field, '_eq'],
        })
      } else {
        expect(await keys({ [field]: alike })).toEqual([1])
        expect(await keys({ [field]: { _neq: alike } })).toEqual([])
        expect(await keys({ [field]: { _in: [alike] } })).toEqual([1])
        expect(await keys({ [field]: { _nin: [alike] } })).toEqual([])
        expect(await keys({ [field]: { _nin: [] } })).toEqual([1])
        if (wrong !== undefined) {
          for (const operand of [{ _eq: wrong }, { _in: [wrong] }, { _nin: [wrong, given] }])
            await expect(keys({ [field]: operand })).rejects.toMatchObject({ code: 'INVALID_QUERY' })
        }
      }
      if (wrong !== undefined)
        await expect(updateItem(engine, 'kept', 2, { [field]: wrong })).rejects.toMatchObject({
          code: expect.stringMatching(/^(FAILED_VALIDATION|VALUE_OUT_OF_RANGE|VALUE_TOO_LONG)$/),
        })
    },
  )

  it('streams', async () => {
    const items: unknown[] = []
    for await (const item of streamItems(engine, 'kept', { fields: names, limit: 1 })) items.push(item)
    expect(items).toEqual([
      Object.fromEntries(cases.map(({ given, shown = given }, at) => [`v${at}`, shown])),
    ])
  })

  it('leaves the session as it was', async () => {
    const settings = async (on: Kysely<AnyTables>) => (await settingsOf(on)).rows
    const before = await settings(db)
    await db.transaction().execute(async (transaction) => {
      await listItems(engine.using(transaction), 'kept', { fields: names })
      expect(await settings(transaction)).toEqual(before)
    })
    expect(await settings(db)).toEqual(before)
  })
})

describe('in memory', () => {
  const schema: Schema = defineSchema({
    hosts: {
      fields: {
        id: { type: 'integer', key: true },
        address: { type: 'other', databaseType: 'inet' },
        place: { type: 'opaque', databaseType: 'point', nullable: true },
      },
    },
  })
  const host = { id: 1, address: '10.0.0.1', place: null }

  it.each([
    [{ address: '10.0.0.1' }, true],
    [{ address: '10.0.0.1/32' }, false],
    [{ address: { _in: ['::1', '10.0.0.1'] } }, true],
    [{ address: { _nin: ['10.0.0.1'] } }, false],
    [{ address: { _neq: 7 } }, true],
    [{ place: { _null: true } }, true],
    [{ place: null }, true],
  ] as const)('equal values have one text: %j', (filter, expected) => {
    expect(matchesFilter({ schema }, 'hosts', filter, host)).toBe(expected)
  })

  it.each([
    [{ address: '\ud800' }, ['filter', 'address']],
    [{ address: { _gt: '1' } }, ['filter', 'address', '_gt']],
    [{ place: '(1,2)' }, ['filter', 'place', '_eq']],
  ])('the rest is refused: %j', (filter: Record<string, string | object>, path) => {
    expect(() => matchesFilter({ schema }, 'hosts', filter, host)).toThrow(
      expect.objectContaining({ code: 'INVALID_QUERY', path }),
    )
  })

  it('the type of the column has to be named, and by no other field', () => {
    const fields = { id: { type: 'integer', key: true } } as const
    expect(() => defineSchema({ a: { fields: { ...fields, b: { type: 'other' } } } })).toThrow('databaseType')
    expect(() =>
      defineSchema({ a: { fields: { ...fields, b: { type: 'string', databaseType: 'inet' } } } }),
    ).toThrow('databaseType')
  })
})

const pathOf = (db: Kysely<AnyTables>) => sql<{ search_path: string }>`show search_path`.execute(db)
const settingsOf = (db: Kysely<AnyTables>) =>
  sql`select name, setting from pg_settings where name in ('DateStyle', 'IntervalStyle', 'TimeZone', 'extra_float_digits', 'bytea_output', 'lc_monetary') order by name`.execute(
    db,
  )
