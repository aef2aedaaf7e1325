// What the SQL of a filter may depend on, how large it may get, and what of the host's settings it may not notice.
import BetterSqlite from 'better-sqlite3'
import { CamelCasePlugin, Kysely, ParseJSONResultsPlugin, PostgresDialect, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { compileFilter, createEngine, defineSchema, type Schema } from '../../src/index.ts'
import type { FieldDefinition } from '../../src/schema/definition.ts'
import { databases, insert, type OpenDatabase, openPostgres } from '../support/databases.ts'
import { fourthOf } from '../support/long-runs.ts'
import { type Column, columns } from './columns.ts'
import { exhaustive } from './conditions.ts'
import { disagreements, written } from './disagreements.ts'
import { seed } from './random-filters.ts'
import { type Filter, makeTable } from './table.ts'

const fields: Record<string, FieldDefinition> = {
  id: { type: 'integer', key: true },
  parent: { type: 'm2o', to: 'nasty', nullable: true },
  children: { type: 'o2m', from: 'nasty.parent' },
}
for (const column of columns) fields[column.name] = column.field
const schema: Schema = defineSchema({ nasty: { fields } })
const dialects = ['sqlite', 'postgres'] as const
const sqlOf = (dialect: (typeof dialects)[number], filter: Filter) =>
  compileFilter({ schema, dialect }, 'nasty', filter).sql

/** Two sets of values for every shape of condition. */
const twins: readonly (readonly [Filter, Filter])[] = [
  ...(
    [
      '_eq',
      '_neq',
      '_lt',
      '_lte',
      '_gt',
      '_gte',
      '_contains',
      '_ncontains',
      '_icontains',
      '_nicontains',
      '_starts_with',
      '_istarts_with',
      '_ends_with',
      '_iends_with',
    ] as const
  ).map((word) => [{ word: { [word]: '' } }, { word: { [word]: '%_\\*?[\'"😀İß' } }] as const),
  [{ word: { _in: [] } }, { word: { _in: ['a', 'b', "c'"] } }],
  [{ word: { _nin: [] } }, { word: { _nin: ['a', 'b', "c'"] } }],
  [{ word: { _between: ['a', 'b'] } }, { word: { _between: ['', '\u{10ffff}'] } }],
  ...['small', 'big', 'ratio', 'price', 'amount'].flatMap((name) => [
    [{ [name]: { _eq: 0 } }, { [name]: { _eq: '123456789012345' } }] as const,
    [{ [name]: { _lt: 1 } }, { [name]: { _lt: -5 } }] as const,
    [{ [name]: { _nbetween: [0, 1] } }, { [name]: { _nbetween: ['-7', 8] } }] as const,
    [{ [name]: { _in: [1.5] } }, { [name]: { _in: [1, 2, 3] } }] as const,
  ]),
  ...columns
    .filter(({ name }) => /^(date|datetime|timestamp)_/.test(name))
    .flatMap(({ name }) => [
      [{ [name]: { _lt: '0001-01-02' } }, { [name]: { _lt: '$NOW' } }] as const,
      [{ [name]: { _eq: '9999-12-31' } }, { [name]: { _eq: '1970-01-01' } }] as const,
      [{ [name]: { _in: [] } }, { [name]: { _in: ['2024-01-01', '2024-01-01T12:00:00.5'] } }] as const,
    ]),
  [{ meta: { _json: { a: { _eq: 1 } } } }, { meta: { _json: { 'b.c[0]': { _eq: 2.5 } } } }],
  [{ 'json(meta, a)': { _eq: 'x' } }, { 'json(meta, b["c d"])': { _eq: "y'" } }],
  [
    { token: { _eq: '00000000-0000-4000-8000-000000000001' } },
    { token: { _eq: 'ABCDEFAB-cdef-4abc-8def-abcdefabcdef' } },
  ],
  [{ children: { _some: { word: 'a' } } }, { children: { _some: { word: "b' or 1=1 --" } } }],
  [{ mood: 'sad' }, { mood: 'happy' }],
  [{ flag: true }, { flag: false }],
  [{ bytes: 'AA==' }, { bytes: '' }],
]

describe.each(dialects)('the SQL for %s', (dialect) => {
  it('is the same for two sets of values of one shape', () => {
    const differing = twins.filter(([one, other]) => sqlOf(dialect, one) !== sqlOf(dialect, other))
    expect(differing.map(([one, other]) => [one, other, sqlOf(dialect, one), sqlOf(dialect, other)])).toEqual(
      [],
    )
  })

  it('holds no text of the user', () => {
    const marker = 'zqmarkerzq'
    const uuid = 'deadbeef-dead-4eef-8ead-deadbeefdead'
    const filters: readonly Filter[] = [
      ...['_eq', '_neq', '_lt', '_gte', '_contains', '_nicontains', '_starts_with', '_iends_with'].map(
        (word) => ({ word: { [word]: `${marker}'"` } }),
      ),
      { word: { _in: [marker, `${marker}2`], _nin: [marker], _between: [marker, marker] } },
      { labels: { _icontains: marker } },
      { [`json(meta, ${marker})`]: { _eq: marker } },
      { [`json(meta, a.["${marker}"])`.replace('.[', '[')]: { _null: true } },
      { meta: { _json: { [`${marker}[3].${marker}`]: { _nin: [marker, 77_777_777] } } } },
      { token: { _in: [uuid] } },
      { bytes: { _eq: Buffer.from(marker).toString('base64') } },
      {
        small: 77_777_777,
        ratio: { _gt: 77_777_777.5 },
        amount: { _between: ['77777777.25', '77777778'] },
        big: { _in: ['77777777'] },
      },
      {
        date_usual: '7777-07-07',
        time_usual: { _lt: '17:17:17' },
        datetime_usual: { _gt: '7777-07-07T17:17:17' },
        timestamp_milliseconds: { _in: ['7777-07-07T17:17:17Z'] },
      },
      { mood: { _lt: marker } },
      {
        children: { word: marker },
        parent: { parent: { body: { _eq: marker } } },
        'count(children)': { _gt: 77_777_777 },
      },
      { word: '$CURRENT_USER' },
    ]
    const shown = filters.map((filter) =>
      compileFilter({ schema, dialect }, 'nasty', filter, { access: { user: marker } }),
    )
    for (const one of shown) {
      expect(one.sql).not.toMatch(/zqmarkerzq|7777|17:17|deadbeef|enFtYXJrZXJ6cQ/)
      expect(one.parameters.length).toBeGreaterThan(0)
    }
  })
})

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await open()
    await opened.run(
      'create table nasty (id integer primary key, word text, small integer, ratio double precision, parent integer)',
      "insert into nasty (id, word, small, ratio, parent) values (1, 'a', 1, 0.5, null), (2, 'b', 2, 1.5, 1), (3, null, null, null, 2)",
    )
  })
  const engine = (limits: object = {}) => createEngine({ db: opened.db, schema, limits })
  const ids = async (filter: Filter, limits = {}) => {
    const { expression } = compileFilter(engine(limits), 'nasty', filter)
    const rows = await opened.db.selectFrom('nasty').select('id').where(expression).orderBy('id').execute()
    return rows.map(({ id }) => id)
  }

  it('a list of 100,000 is one parameter', async () => {
    const keys = Array.from({ length: 100_000 }, (_, index) => index + 2)
    const texts = keys.map((key) => `text ${key}`)
    const limits = { listOperand: 100_001 }
    expect(compileFilter(engine(limits), 'nasty', { id: { _in: keys } }).parameters).toHaveLength(1)
    expect(await ids({ id: { _in: keys } }, limits)).toEqual([2, 3])
    expect(await ids({ id: { _nin: keys } }, limits)).toEqual([1])
    expect(await ids({ word: { _in: [...texts, 'b'] } }, limits)).toEqual([2])
    expect(await ids({ word: { _nin: [...texts, 'b'] } }, limits)).toEqual([1])
    expect(await ids({ ratio: { _in: [...keys, 1.5] } }, limits)).toEqual([2])
  })

  it('500 conditions run', async () => {
    const conditions = Array.from({ length: 500 }, (_, index) => ({ word: { _icontains: `text ${index}` } }))
    expect(await ids({ _or: [...conditions.slice(1), { word: 'b' }] })).toEqual([2])
    expect(await ids({ _and: conditions.map(() => ({ small: { _between: [0, 1] } })) })).toEqual([1])
    const nested = Array.from({ length: 500 }, (_, index) => ({
      parent: { word: { _eq: index === 9 ? 'a' : 'c' } },
    }))
    expect(await ids({ _or: nested })).toEqual([2])
    const children = Array.from({ length: 500 }, () => ({ children: { _some: { word: { _eq: 'b' } } } }))
    expect(await ids({ _and: children })).toEqual([1])
  })

  it('20 levels of nesting run', async () => {
    const deep = (levels: number): Filter =>
      levels === 0
        ? { word: { _eq: 'b' } }
        : {
            [levels % 2 ? '_or' : '_and']: [deep(levels - 1), { id: { _lt: 0 } }].slice(
              0,
              levels % 2 ? 2 : 1,
            ),
          }
    expect(await ids(deep(18))).toEqual([2])
    const below = (levels: number, field: string): Filter =>
      levels === 0 ? { id: { _nnull: true } } : { [field]: below(levels - 1, field) }
    expect(await ids(below(2, 'parent'))).toEqual([3])
    expect(await ids(below(2, 'children'))).toEqual([1])
    expect(await ids(below(9, 'parent'))).toEqual([])
    expect(await ids(below(9, 'children'))).toEqual([])
  })

  it.each(['s', 'k', '\u00e9', '\u{1f600}'])(
    'the longest text of %s is matched in any case',
    async (letter) => {
      const longest = letter.repeat(256)
      await insert(opened.db, 'nasty', { id: 10, word: `x${longest.toUpperCase()}` })
      const found = await Promise.all(
        ['_icontains', '_iends_with', '_istarts_with'].map((word) => ids({ word: { [word]: longest } })),
      )
      await opened.db.deleteFrom('nasty').where('id', '=', 10).execute()
      expect(found).toEqual([[10], [10], []])
    },
  )

  it.each(['_q1', '_Q1', '_r1', 'select', 'a "b"', 'é'.repeat(20)])(
    'a host may call the table %s',
    async (alias) => {
      const { expression } = compileFilter(
        engine(),
        'nasty',
        { children: { children: { id: { _gt: 0 } } }, parent: { id: { _null: true } } },
        { alias },
      )
      const rows = await opened.db
        .selectFrom(`nasty as ${alias}`)
        .select(`${alias}.id`)
        .where(expression)
        .execute()
      expect(rows).toEqual([{ id: 1 }])
    },
  )

  it.each([
    'select',
    'order by',
    'say "x"',
    "it's",
    'Ünï-çødé',
    '字'.repeat(21),
    'a.b',
    'semi;colon',
    '$1',
    '?',
    'back\\slash',
  ])('a table and a column may be called %s', async (odd) => {
    const strange: Schema = defineSchema({
      strange: {
        table: `${odd}`,
        fields: {
          id: { type: 'integer', key: true },
          up: { type: 'm2o', to: 'strange', nullable: true, column: odd },
          down: { type: 'o2m', from: 'strange.up' },
        },
      },
    })
    const dialect = name
    const table = sql.raw(`"${odd.replaceAll('"', '""')}"`)
    await sql`create table ${table} (id integer primary key, ${table} integer)`.execute(opened.db)
    await sql`insert into ${table} values (1, null), (2, 1)`.execute(opened.db)
    const up = compileFilter({ schema: strange, dialect }, 'strange', { up: { id: { _eq: 1 } } }).expression
    const down = compileFilter({ schema: strange, dialect }, 'strange', {
      down: { up: { _nnull: true } },
      'count(down)': 1,
    }).expression
    expect((await sql`select id from ${table} where ${up}`.execute(opened.db)).rows).toEqual([{ id: 2 }])
    expect((await sql`select id from ${table} where ${down}`.execute(opened.db)).rows).toEqual([{ id: 1 }])
    await sql`drop table ${table}`.execute(opened.db)
  })

  it('plugins of the host change no answer', async () => {
    await opened.run('create table blog_posts (id integer primary key, long_title text, parent_post integer)')
    await opened.run("insert into blog_posts values (1, 'a', null), (2, 'b', 1)")
    const posts: Schema = defineSchema({
      posts: {
        table: 'blog_posts',
        fields: {
          id: { type: 'integer', key: true },
          long_title: { type: 'string', nullable: true },
          parent_post: { type: 'm2o', to: 'posts', nullable: true },
          kids: { type: 'o2m', from: 'posts.parent_post' },
        },
      },
    })
    const db = opened.db.withPlugin(new CamelCasePlugin()).withPlugin(new ParseJSONResultsPlugin())
    const own = createEngine({ db, schema: posts })
    const answers: unknown[] = []
    for (const filter of [
      { long_title: 'b' },
      { parent_post: { long_title: 'a' } },
      { kids: { long_title: { _istarts_with: 'B' } } },
    ]) {
      const plain = compileFilter(own, 'posts', filter).expression
      const aliased = compileFilter(own, 'posts', filter, { alias: 'thePost' }).expression
      answers.push((await db.selectFrom('blogPosts').select('id').where(plain).execute()).map(({ id }) => id))
      answers.push(
        (await db.selectFrom('blogPosts as thePost').select('id').where(aliased).execute()).map(
          ({ id }) => id,
        ),
      )
    }
    expect(answers).toEqual([[2], [2], [2], [2], [1], [1]])
    await opened.run('drop table blog_posts')
  })
})

describe(`settings of the driver (QUERNEL_SEED=${seed})`, () => {
  const sampled = fourthOf(
    columns.flatMap((column) => few(column, 29).map((filter) => ({ column, filter }))),
    seed,
  )

  it('whole numbers as big integers change no answer on SQLite', async () => {
    const database = new BetterSqlite(':memory:')
    database.defaultSafeIntegers(true)
    const db = new Kysely<Record<string, Record<string, unknown>>>({
      dialect: new SqliteDialect({ database }),
    })
    const table = await makeTable('sqlite', db)
    const filters = sampled.filter(({ column }) => column.homes.sqlite).map(({ filter }) => filter)
    expect(disagreements(filters, await table.inSql(filters), (filter) => table.inMemory(filter))).toEqual([])
    await db.destroy()
  })

  it('other parsers, another time zone and other styles change no answer on PostgreSQL', async () => {
    const getTypeParser = () => (text: string) => `parsed ${text}`
    const schemaName = `odd_${Date.now()}`
    const settings = `-c search_path=${schemaName} -c timezone=America/New_York -c datestyle=German,DMY -c intervalstyle=sql_standard -c extra_float_digits=-5 -c bytea_output=escape`
    const admin = new pg.Client(inject('postgres').c)
    await admin.connect()
    await admin.query(`create schema ${schemaName}`)
    const pool = new pg.Pool({
      connectionString: inject('postgres').c,
      options: settings,
      types: {
        getTypeParser: (oid: number, ...rest: []) =>
          oid === 23 ? pg.types.getTypeParser(oid, ...rest) : getTypeParser(),
      } as pg.CustomTypesConfig,
    })
    const db = new Kysely<Record<string, Record<string, unknown>>>({ dialect: new PostgresDialect({ pool }) })
    const table = await makeTable('postgres', db)
    const filters = sampled.filter(({ column }) => column.homes.postgres).map(({ filter }) => filter)
    expect(disagreements(filters, await table.inSql(filters), (filter) => table.inMemory(filter))).toEqual([])
    await db.destroy()
    await admin.query(`drop schema ${schemaName} cascade`)
    await admin.end()
  })

  it('a database that compares as a language does changes nothing but the order of texts', async () => {
    const { db } = await openPostgres({ database: 'language' })
    const table = await makeTable('postgres', db)
    const filters = columns
      .filter(({ homes }) => homes.postgres)
      .flatMap((column) => few(column, /text|string|csv/.test(column.field.type) ? 5 : 31))
      .filter((filter) => !comparesTexts(filter))
    const tried = fourthOf(filters, seed)
    expect(disagreements(tried, await table.inSql(tried), (filter) => table.inMemory(filter))).toEqual([])
  })

  it('by code point, even the order of texts is the same there', async () => {
    const { db } = await openPostgres({ database: 'language' })
    const table = (await makeTable('postgres', db)).having({ collation: 'codepoint' })
    const ordered = columns.filter(({ name }) => ['word', 'mood', 'labels'].includes(name))
    const filters = ordered.flatMap((column) => fourthOf(few(column, 7), seed))
    expect(disagreements(filters, await table.inSql(filters), (filter) => table.inMemory(filter))).toEqual([])
  })
})

const few = (column: Column, step: number) => exhaustive(column).filter((_, index) => index % step === 0)

it('SQLite refuses a text whose pattern would be too long for it, where the limit is set so high', () => {
  const db = new Kysely<Record<string, never>>({
    dialect: new SqliteDialect({ database: new BetterSqlite(':memory:') }),
  })
  const engine = createEngine({ db, schema, limits: { searchOperand: 8_192, textOperand: 20_000 } })
  const filter = { word: { _icontains: '\u00e9'.repeat(8_192) } }
  expect(() => compileFilter(engine, 'nasty', filter)).toThrow('too long')
})

it('SQLite looks for ASCII letters in any case without GLOB, whose pattern would be tried at each place of a value', () => {
  const shape = (word: string) => {
    const { parameters } = compileFilter({ schema, dialect: 'sqlite' }, 'nasty', {
      word: { _icontains: word },
    })
    // The first two are the pattern of LIKE, which is short.
    return parameters.slice(2).map((value) => value === null)
  }
  const text = 'A long text of 2026, with 100% of \u5b57 and \u{1f600}!'
  expect(shape(text)).toEqual([false, false, true])
  expect(shape('\u00e9')).toEqual([true, true, false])
})

/** Whether a filter asks which of two texts comes first. Texts inside JSON do so too. */
function comparesTexts(filter: Filter): boolean {
  const text = written(filter)
  if (!/"_(lt|lte|gt|gte|n?between)":/.test(text)) return false
  const ordered = columns.filter(
    ({ field }) => ['string', 'text', 'csv', 'json'].includes(field.type) || field.array,
  )
  return ordered.some(({ name }) => text.includes(`"${name}"`) || text.includes(`(${name},`))
}
