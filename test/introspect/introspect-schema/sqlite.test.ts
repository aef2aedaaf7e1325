// What columns of SQLite are declared as, and what they hold.
import { describe, expect, it } from 'vitest'
import { createEngine, createItem, listItems } from '../../../src/index.ts'
import { introspectSchema } from '../../../src/introspect.ts'
import { openSqlite } from '../../support/databases.ts'
import { run } from '../samples/sample.ts'

const declared: Readonly<Record<string, object>> = {
  integer: { type: 'integer' },
  'tinyint(1)': { type: 'integer' },
  bigint: { type: 'bigInteger' },
  'unsigned big int': { type: 'bigInteger' },
  text: { type: 'text' },
  clob: { type: 'text' },
  'nvarchar(160)': { type: 'string', length: 160 },
  'varying character(255)': { type: 'string', length: 255 },
  string: { type: 'string' },
  real: { type: 'float' },
  'double precision': { type: 'float' },
  'decimal(10,2)': { type: 'decimal', precision: 10, scale: 2 },
  money: { type: 'decimal' },
  blob: { type: 'binary' },
  'varbinary(16)': { type: 'binary' },
  uuid_blob: { type: 'uuid', storage: 'binary' },
  'binary_uuid(16)': { type: 'uuid', storage: 'binary' },
  json: { type: 'json' },
}

const doubted: readonly {
  readonly declared: string
  readonly rows: readonly string[]
  readonly field: object
  readonly says: string
}[] = [
  {
    declared: 'datetime',
    rows: [],
    field: { type: 'dateTime' },
    says: 'SQLite knows no such type; it is read as ISO text',
  },
  {
    declared: 'datetime',
    rows: ["'2024-02-29 08:30:00'", 'null'],
    field: { type: 'dateTime', storage: 'sql' },
    says: 'its rows hold the form "2024-02-29 08:30:00"',
  },
  {
    declared: 'datetime(6)',
    rows: ["'2024-02-29 08:30:00.123456'", "'2024-02-29'"],
    field: { type: 'dateTime', storage: 'sql' },
    says: 'its rows hold the form "2024-02-29 08:30:00"',
  },
  {
    declared: 'timestamp',
    rows: ["'2024-02-29T08:30:00Z'"],
    field: { type: 'timestamp' },
    says: 'its rows hold ISO text',
  },
  {
    declared: 'timestamp',
    rows: ["'2024-02-29T08:30:00Z'", "'2024-02-29 08:30:00'"],
    field: { type: 'timestamp', storage: 'sql' },
    says: 'its rows hold several forms, "2024-02-29 08:30:00" and "2024-02-29T08:30:00", of which others compare and sort the texts',
  },
  {
    declared: 'date',
    rows: ["'2024-02-29 00:00:00'"],
    field: { type: 'date' },
    says: 'its rows hold ISO text',
  },
  {
    declared: 'DATETIME',
    rows: ['1709195400000', 'null'],
    field: { type: 'timestamp', storage: 'milliseconds' },
    says: 'its rows hold whole milliseconds since 1970',
  },
  {
    declared: 'timestamp',
    rows: ['1709195400'],
    field: { type: 'timestamp', storage: 'seconds' },
    says: 'its rows hold whole seconds since 1970',
  },
  ...['interval', 'int8range', 'inet', 'point of sale'].map((declared) => ({
    declared,
    rows: ["'1 day'"],
    field: { type: 'string' },
    says: 'its rows hold text',
  })),
  { declared: 'date', rows: ['20240229'], field: { type: 'integer' }, says: 'its rows hold whole numbers' },
  { declared: 'date', rows: ['2460369.5'], field: { type: 'float' }, says: 'its rows hold numbers' },
  { declared: 'date', rows: ["'29.02.2024'"], field: { type: 'string' }, says: 'its rows hold text' },
  { declared: 'time', rows: ["'08:30'"], field: { type: 'time' }, says: 'its rows hold ISO text' },
  {
    declared: 'boolean',
    rows: [],
    field: { type: 'boolean' },
    says: 'SQLite knows no such type; it is read as 0 and 1',
  },
  { declared: 'boolean', rows: ['1', '0'], field: { type: 'boolean' }, says: 'its rows hold 0 and 1' },
  { declared: 'bool', rows: ["'true'"], field: { type: 'string' }, says: 'its rows hold text' },
  { declared: 'bool', rows: ['1', '2'], field: { type: 'integer' }, says: 'its rows hold whole numbers' },
  {
    declared: 'uuid',
    rows: ["'0b8e7a3c-1111-4222-8333-444455556666'"],
    field: { type: 'uuid' },
    says: 'its rows hold UUIDs as text',
  },
  {
    declared: 'uuid',
    rows: ["x'0b8e7a3c111142228333444455556666'", 'null'],
    field: { type: 'uuid', storage: 'binary' },
    says: 'its rows hold UUIDs as 16 bytes',
  },
  {
    declared: 'uuid',
    rows: ["x'0b8e7a3c111142228333444455556666'", "x'00'"],
    field: { type: 'binary' },
    says: 'its rows hold bytes',
  },
  { declared: 'guid', rows: ["x'00ff'"], field: { type: 'binary' }, says: 'its rows hold bytes' },
  {
    declared: '',
    rows: ['1', "'a'"],
    field: { type: 'string' },
    says: 'its rows hold several kinds of values; it is read as text',
  },
  { declared: '', rows: ['7'], field: { type: 'integer' }, says: 'its rows hold whole numbers' },
  { declared: 'fruit', rows: ["'pear'"], field: { type: 'string' }, says: 'its rows hold text' },
  { declared: 'point', rows: ["x'00'"], field: { type: 'binary' }, says: 'its rows hold bytes' },
]

describe('a column of SQLite', () => {
  it('has the type that its declaration means there, and nothing is said where that is sure', async () => {
    const { db } = await openSqlite()
    const columns = Object.keys(declared).map((type, at) => `c${at} ${type} not null`)
    await run(db, `create table a (id integer primary key, ${columns.join(', ')})`)
    const { definition, report } = await introspectSchema(db)
    const { id: _key, ...fields } = definition.a?.fields ?? {}
    expect(Object.values(fields)).toEqual(Object.values(declared))
    expect(report).toEqual([])
  })

  it.each(doubted)(
    'declared "$declared" with $rows is $field',
    async ({ declared: type, rows, field, says }) => {
      const { db } = await openSqlite()
      await run(db, `create table a (id integer primary key, c ${type})`)
      for (const row of rows) await run(db, `insert into a (c) values (${row})`)
      const { definition, report } = await introspectSchema(db)
      expect(definition.a?.fields.c).toEqual({ ...field, nullable: true })
      expect(report.map(({ code, message }) => [code, message.replace(/^.*: /, '')])).toEqual([
        ['TYPE_GUESSED', `${says}.`],
      ])
    },
  )

  it.each([
    { rows: ['2147483647', '-2147483648', 'null'], field: { type: 'integer' } },
    { rows: ['1', '2147483648'], field: { type: 'integer', wide: true } },
    { rows: ['-2147483649'], field: { type: 'integer', wide: true } },
    { rows: ['1709195400000'], field: { type: 'integer', wide: true } },
    { rows: ['-9223372036854775808', "x'00'"], field: { type: 'integer', wide: true } },
    { rows: ["'a'", "x'00'"], field: { type: 'integer' } },
  ])('of integers that holds $rows is $field', async ({ rows, field }) => {
    const { db } = await openSqlite()
    await run(db, 'create table a (id integer primary key, c integer, parent integer references a)')
    for (const row of rows) await run(db, `insert into a (c) values (${row})`)
    await run(db, 'insert into a (id, parent) values (5000000000, 5000000000)')
    const { definition, report } = await introspectSchema(db)
    expect(definition.a?.fields).toMatchObject({
      id: { type: 'integer', key: true },
      parent: { type: 'm2o', to: 'a', nullable: true },
    })
    expect(definition.a?.fields.id).not.toHaveProperty('wide')
    expect(definition.a?.fields.c).toEqual({ ...field, nullable: true })
    expect(report).toEqual([])
  })

  it('of no type that holds large numbers is wide, and so is one whose default is large', async () => {
    const { db } = await openSqlite()
    await run(
      db,
      'create table a (id integer primary key, c, d integer default 3000000000, e integer default 7)',
      'insert into a (c) values (3000000000)',
    )
    const { definition } = await introspectSchema(db, { include: ['a'] })
    expect(definition.a?.fields.c).toEqual({ type: 'integer', wide: true, nullable: true })
    expect(definition.a?.fields.e).toEqual({ type: 'integer', default: 7, nullable: true })
    const unseen = await introspectSchema(db, { sample: 0 })
    const engine = createEngine({ db, schema: unseen })
    expect(unseen.definition.a?.fields.d).toMatchObject({ default: 3_000_000_000, wide: true })
    expect(await createItem(engine, 'a', { id: 9 })).toMatchObject({ d: 3_000_000_000 })
  })

  it('is not looked at when the host says what it is, or that nothing is looked at', async () => {
    const { db } = await openSqlite()
    await run(
      db,
      'create table a (id integer primary key, c datetime)',
      'insert into a (c) values (1709195400)',
    )
    const said = await introspectSchema(db, {
      override: { a: { fields: { c: { type: 'timestamp', storage: 'seconds' } } } },
    })
    expect(said.definition.a?.fields.c).toEqual({ type: 'timestamp', storage: 'seconds', nullable: true })
    expect(said.report).toEqual([])
    const unseen = await introspectSchema(db, { sample: 0 })
    expect(unseen.definition.a?.fields.c).toEqual({ type: 'dateTime', nullable: true })
  })

  it('is looked at in the first rows only, and however many there are of its kind', async () => {
    const { db } = await openSqlite()
    const columns = Array.from({ length: 450 }, (_, at) => `c${at} boolean`)
    await run(
      db,
      `create table a (id integer primary key, ${columns.join(', ')})`,
      'insert into a (c0) values (1), (7)',
    )
    const { definition } = await introspectSchema(db, { sample: 1 })
    expect(definition.a?.fields.c0).toMatchObject({ type: 'boolean' })
    expect((await introspectSchema(db)).definition.a?.fields.c0).toMatchObject({ type: 'integer' })
  })

  it('is looked at beside all others of its table, whatever they are called', async () => {
    const { db } = await openSqlite()
    const names = Array.from({ length: 70 }, (_, at) => `t${at}`)
    await run(
      db,
      `create table a (id integer primary key, "v0" text, "a ""b"" c" text, v1 integer, made datetime, ${names.map((name) => `${name} text`).join(', ')})`,
      'create view b as select id, v1 as v0, v0 as v1, made, t69 from a',
      `insert into a values (1, 'a', 'b', 2, 1709195400, ${names.map((name) => `'${name}'`).join(', ')})`,
      `insert into a (id, v0, "a ""b"" c", v1, t69) values (2, 'a', x'ff', 5000000000, x'61')`,
    )
    const { definition, report } = await introspectSchema(db)
    expect(definition.a?.fields).toMatchObject({
      v1: { type: 'integer', wide: true },
      made: { type: 'timestamp', storage: 'seconds' },
    })
    expect(definition.b?.fields).toMatchObject({
      v0: { type: 'integer', wide: true },
      made: { type: 'timestamp', storage: 'seconds' },
    })
    const seen = report.map(({ table, column, message }) => [table, column, message.replace(/^.*: /, '')])
    expect(seen).toEqual(
      expect.arrayContaining([
        ['a', 'a "b" c', expect.stringContaining('bytes that spell no text')],
        ['a', 't69', 'its rows hold bytes that spell text.'],
        ['b', 't69', 'its rows hold bytes that spell text.'],
      ]),
    )
  })
})

describe('a schema of SQLite', () => {
  it('knows generated columns, STRICT tables and those without row numbers', async () => {
    const { db } = await openSqlite()
    await run(
      db,
      'create table a (id integer primary key, n int not null, twice int as (n * 2) stored, thrice int generated always as (n * 3))',
      'create table b (code text primary key, x any) strict, without rowid',
    )
    const schema = await introspectSchema(db)
    expect(schema.definition).toEqual({
      a: {
        fields: {
          id: { type: 'integer', key: true },
          n: { type: 'integer' },
          twice: { type: 'integer', nullable: true, generated: true },
          thrice: { type: 'integer', nullable: true, generated: true },
        },
      },
      b: { fields: { code: { type: 'text', key: true }, x: { type: 'string', nullable: true } } },
    })
    const engine = createEngine({ db, schema })
    expect(await createItem(engine, 'a', { n: 2 })).toEqual({ id: 1, n: 2, twice: 4, thrice: 6 })
  })

  it('takes no view that is broken, no virtual table and none behind it', async () => {
    const { db } = await openSqlite()
    await run(
      db,
      'create table a (id integer primary key)',
      'create view broken as select * from missing',
      'create virtual table words using fts5(body)',
    )
    const { definition, report } = await introspectSchema(db)
    expect(Object.keys(definition)).toEqual(['a'])
    expect(report.map(({ code, message }) => [code, message])).toEqual([
      ['NO_COLUMNS', 'The view "broken" has no columns that can be read.'],
      ['VIRTUAL_TABLE', 'The table "words" is virtual: an extension provides its rows.'],
    ])
  })

  it('leaves out what has an empty name', async () => {
    const { db } = await openSqlite()
    await run(
      db,
      'create table "" (id integer primary key)',
      'create table odd (id integer primary key, "" datetime, " " text, child integer references "" (id))',
      'create table keyed ("" integer primary key)',
      'create table leading (id integer primary key, odd integer references keyed (""))',
    )
    const schema = await introspectSchema(db)
    expect([...schema.collections].map(([name, { fields }]) => [name, [...fields.keys()]])).toEqual([
      ['leading', ['id', 'odd']],
      ['odd', ['id', 'unnamed', 'child']],
    ])
    expect(schema.report.map(({ code, table, column }) => [code, table, column])).toEqual(
      expect.arrayContaining([
        ['NO_NAME', '', undefined],
        ['NO_NAME', 'odd', ''],
        ['NO_NAME', 'keyed', ''],
        ['NO_COLUMNS', 'keyed', undefined],
      ]),
    )
    const engine = createEngine({ db, schema })
    await createItem(engine, 'odd', { unnamed: 'a' })
    expect((await listItems(engine, 'odd')).data).toEqual([{ id: 1, unnamed: 'a', child: null }])
  })

  it('refuses a key that no filter could ask for', async () => {
    const { db } = await openSqlite()
    await run(db, 'create table a (id json primary key)', 'create table b (id integer primary key)')
    const { definition, report } = await introspectSchema(db)
    expect(definition.a).toEqual({
      key: false,
      fields: { id: { type: 'json', nullable: true, unique: true } },
    })
    expect(Object.keys(definition)).toEqual(['a', 'b'])
    expect(
      report.filter(({ code }) => code !== 'TYPE_GUESSED').map(({ code, message }) => [code, message]),
    ).toEqual([
      [
        'UNFIT_KEY',
        'The column "id" of the table "a" is its primary key, and a value of "json" cannot be a key here, so its rows can be read and not written.',
      ],
    ])
  })

  it('lists rows of which no column tells them apart or can be ordered', async () => {
    const { db } = await openSqlite()
    await run(
      db,
      'create table owners (id integer primary key)',
      'create table pieces (body json, owner json references owners)',
      'insert into owners values (1)',
      `insert into pieces values ('{"a":1}', 1), ('{"a":1}', 1)`,
    )
    const engine = createEngine({ db, schema: await introspectSchema(db) })
    expect(await listItems(engine, 'pieces', { fields: ['body'], filter: { owner: 1 } })).toEqual({
      data: [{ body: { a: 1 } }, { body: { a: 1 } }],
    })
    expect(await listItems(engine, 'owners', { fields: ['id', 'pieces.body'] })).toEqual({
      data: [{ id: 1, pieces: [{ body: { a: 1 } }, { body: { a: 1 } }] }],
    })
  })

  it('takes the number of a row for its key where it is told to', async () => {
    const { db } = await openSqlite()
    await run(db, 'create table a (x text)', "insert into a values ('one'), ('two')")
    const engine = createEngine({
      db,
      schema: await introspectSchema(db, { override: { a: { key: 'rowid' } } }),
    })
    expect(await createItem(engine, 'a', { x: 'three' })).toEqual({ rowid: 3, x: 'three' })
    expect(await listItems(engine, 'a', { filter: { rowid: { _gte: 2 } } })).toEqual({
      data: [
        { rowid: 2, x: 'two' },
        { rowid: 3, x: 'three' },
      ],
    })
  })

  it('calls the number of a row by another name where a column has it', async () => {
    const { db } = await openSqlite()
    await run(db, 'create table a (rowid text, _rowid_ text)', "insert into a values ('x', 'y')")
    const schema = await introspectSchema(db, { override: { a: { key: 'oid' } } })
    expect((await listItems(createEngine({ db, schema }), 'a')).data).toEqual([
      { oid: 1, rowid: 'x', rowid_: 'y' },
    ])
  })

  it.each([
    ['a view', 'create view a as select 1 as x'],
    ['a table without rowid', 'create table a (x text primary key) without rowid'],
  ])('finds no number of a row in %s', async (_, statement) => {
    const { db } = await openSqlite()
    await run(db, statement)
    await expect(introspectSchema(db, { override: { a: { key: 'rowid' } } })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: 'The table "a" has no column "rowid" to be its key.',
      path: ['override', 'a', 'key'],
    })
  })

  it('reads databases that are attached', async () => {
    const { db } = await openSqlite()
    await run(
      db,
      "attach ':memory:' as shop",
      'create table a (id integer primary key)',
      'create table shop.a (id integer primary key)',
    )
    const schema = await introspectSchema(db, { dbSchemas: ['main', 'shop'] })
    const engine = createEngine({ db, schema })
    await createItem(engine, 'shop_a', { id: 5 })
    expect(await listItems(engine, 'shop_a')).toEqual({ data: [{ id: 5 }] })
    expect(await listItems(engine, 'a')).toEqual({ data: [] })
  })

  it('says nothing of keys that lead in a circle but their values', async () => {
    const { db } = await openSqlite()
    await run(
      db,
      'create table a (id integer primary key references b)',
      'create table b (id integer primary key references a)',
      'create table c (id integer primary key references a)',
    )
    const { definition, report } = await introspectSchema(db)
    expect(definition.a?.fields.id).toEqual({ type: 'integer', key: true })
    expect(definition.c?.fields.id).toEqual({ type: 'm2o', to: 'a', key: true })
    expect(report.map(({ code, table }) => [code, table])).toEqual([['CIRCLE_OF_KEYS', 'a']])
  })
})

describe('indexes of SQLite', () => {
  it('are told of columns with which one of all rows begins, and which is not unique by itself', async () => {
    const { db } = await openSqlite()
    await run(
      db,
      'create table shops (id integer primary key, name text unique)',
      'create table lines (shop integer references shops (id), number integer, code text, price real, day text, note text, primary key (shop, number))',
      'create index lines_shop on lines (shop)',
      'create index lines_code on lines (code, day)',
      'create unique index lines_price on lines (price, day)',
      "create index lines_day on lines (day) where code = 'a'",
      'create index lines_note on lines (lower(note))',
      'create index lines_number on lines (number)',
    )
    const { definition } = await introspectSchema(db)
    const told = Object.entries(definition).flatMap(([table, { fields }]) =>
      Object.entries(fields).flatMap(([name, field]) => ('indexed' in field ? [`${table}.${name}`] : [])),
    )
    expect(told).toEqual(['lines.number', 'lines.code', 'lines.price'])
  })
})
