// Whether a database keeps columns unique: what upserts and relations to columns rely on.
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { internalsOf } from '../../src/engine/engine.ts'
import { uniquenessOf } from '../../src/execution/unique-columns.ts'
import type { Uniqueness } from '../../src/execution/uniqueness.ts'
import { createEngine, defineSchema } from '../../src/index.ts'
import { databases, type OpenDatabase, type TestDatabase } from '../support/databases.ts'

const key = { areUnique: true, areKey: true }
const more = { areUnique: true, areKey: false }
const none = { areUnique: false, areKey: false }

interface Case {
  readonly title: string
  readonly tables: readonly string[]
  readonly table?: string
  readonly columns: readonly string[]
  readonly expected: Uniqueness
}

const shared: readonly Case[] = [
  {
    title: 'a primary key',
    tables: ['create table t (id integer primary key, a text)'],
    columns: ['id'],
    expected: key,
  },
  {
    title: 'a primary key with another column',
    tables: ['create table t (id integer primary key, a text)'],
    columns: ['a', 'id'],
    expected: more,
  },
  {
    title: 'another column than the primary key',
    tables: ['create table t (id integer primary key, a text)'],
    columns: ['a'],
    expected: none,
  },
  {
    title: 'a primary key of two columns, in any order',
    tables: ['create table t (a integer, b text, primary key (a, b))'],
    columns: ['b', 'a'],
    expected: key,
  },
  {
    title: 'one column of a primary key of two',
    tables: ['create table t (a integer, b text, primary key (a, b))'],
    columns: ['a'],
    expected: none,
  },
  {
    title: 'a text as primary key',
    tables: ['create table t (a varchar(20) primary key)'],
    columns: ['a'],
    expected: key,
  },
  { title: 'a unique column', tables: ['create table t (a text unique)'], columns: ['a'], expected: key },
  {
    title: 'a unique index, in a descending order',
    tables: ['create table t (a text, b integer)', 'create unique index i on t (a, b desc)'],
    columns: ['a', 'b'],
    expected: key,
  },
  {
    title: 'an index that is not unique',
    tables: ['create table t (a text)', 'create index i on t (a)'],
    columns: ['a'],
    expected: none,
  },
  {
    title: 'an index of some rows',
    tables: ['create table t (a text)', "create unique index i on t (a) where a <> 'x'"],
    columns: ['a'],
    expected: none,
  },
  {
    title: 'an index of an expression',
    tables: ['create table t (a text, b text)', 'create unique index i on t (a, lower(b))'],
    columns: ['a', 'b'],
    expected: none,
  },
  {
    title: 'a view of a table with a key',
    tables: ['create table u (a integer primary key)', 'create view t as select * from u'],
    columns: ['a'],
    expected: none,
  },
  {
    title: 'a table and a column with capitals and quotes',
    tables: [`create table "It's" ("A""b" text unique)`],
    table: "It's",
    columns: ['A"b'],
    expected: key,
  },
]

const withoutCase = `create collation nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`

const own: Readonly<Record<TestDatabase['name'], readonly Case[]>> = {
  sqlite: [
    {
      title: 'a key that is the number of a row, in another spelling',
      tables: ['create table t (ID integer primary key, a text)'],
      columns: ['id'],
      expected: key,
    },
    {
      title: 'a key of a table without numbers of rows',
      tables: ['create table t (a text primary key, b text) without rowid'],
      columns: ['a'],
      expected: key,
    },
    {
      title: 'a unique column without case',
      tables: ['create table t (a text collate nocase unique)'],
      columns: ['a'],
      expected: key,
    },
    {
      title: 'an index without case of a column with it',
      tables: ['create table t (a text)', 'create unique index i on t (a collate nocase)'],
      columns: ['a'],
      expected: more,
    },
    {
      title: 'an index with case of a column without it',
      tables: ['create table t (a text collate nocase)', 'create unique index i on t (a collate binary)'],
      columns: ['a'],
      expected: none,
    },
    {
      title: 'an index that ignores blanks of a column that ignores case',
      tables: ['create table t (a text collate nocase)', 'create unique index i on t (a collate rtrim)'],
      columns: ['a'],
      expected: none,
    },
    {
      title: 'a table with rows that are equal without case',
      tables: ['create table t (a text unique)', "insert into t values ('a'), ('A')"],
      columns: ['a'],
      expected: key,
    },
  ],
  postgres: [
    {
      title: 'a key that is checked at the end of a transaction',
      tables: ['create table t (a integer unique deferrable)'],
      columns: ['a'],
      expected: none,
    },
    {
      title: 'an index with columns that it does not compare',
      tables: ['create table t (a integer, b integer)', 'create unique index i on t (a) include (b)'],
      columns: ['a'],
      expected: key,
    },
    {
      title: 'an index in another order of letters',
      tables: ['create table t (a text)', 'create unique index i on t (a collate "C")'],
      columns: ['a'],
      expected: key,
    },
    {
      title: 'a unique column without case',
      tables: [withoutCase, 'create table t (a text collate nocase unique)'],
      columns: ['a'],
      expected: key,
    },
    {
      title: 'an index with case of a column without it',
      tables: [
        withoutCase,
        'create table t (a text collate nocase)',
        'create unique index i on t (a collate "C")',
      ],
      columns: ['a'],
      expected: none,
    },
    {
      title: 'an index without case of a column with it',
      tables: [withoutCase, 'create table t (a text)', 'create unique index i on t (a collate nocase)'],
      columns: ['a'],
      expected: more,
    },
    {
      title: 'a key of a table from which another one inherits',
      tables: ['create table t (a integer primary key)', 'create table u () inherits (t)'],
      columns: ['a'],
      expected: none,
    },
    {
      title: 'a key of a table in partitions',
      tables: [
        'create table t (a integer primary key) partition by range (a)',
        'create table u partition of t default',
      ],
      columns: ['a'],
      expected: key,
    },
    {
      title: 'a column that excludes what overlaps',
      tables: ['create table t (a int4range, exclude using gist (a with &&))'],
      columns: ['a'],
      expected: none,
    },
  ],
}

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  const run = (text: string) => sql.raw(text).execute(opened.db)
  beforeEach(async () => {
    opened = await open()
  })
  afterEach(() => opened.close())

  const asking = (table: string, columns: readonly string[]) => {
    const schema = defineSchema({ things: { table, fields: { id: { type: 'integer', key: true } } } })
    const engine = internalsOf(createEngine({ db: opened.db, schema }))
    const [things] = engine.schema.collections.values()
    return async () => things && (await uniquenessOf(things, columns, engine, {}))
  }

  it.each([...shared, ...own[name]])('$title', async ({ tables, table = 't', columns, expected }) => {
    for (const text of tables) await run(text)
    const ask = asking(table, columns)
    expect(await ask()).toEqual(expected)
    expect(await ask()).toEqual(expected)
  })

  it('asks again after an index is created', async () => {
    await run('create table t (id integer primary key, a text)')
    const ask = asking('t', ['a'])
    expect(await ask()).toEqual(none)
    await run('create unique index i on t (a)')
    expect(await ask()).toEqual(key)
  })
})
