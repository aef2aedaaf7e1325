// Whether a database keeps columns unique: what upserts and relations to columns rely on.
import { beforeEach, describe, expect, it } from 'vitest'
import { internalsOf } from '../../src/engine/engine.ts'
import { uniquenessOf } from '../../src/execution/unique-columns.ts'
import type { Uniqueness } from '../../src/execution/uniqueness.ts'
import { createEngine, defineSchema } from '../../src/index.ts'
import { databases, type OpenDatabase, type TestDatabase } from '../support/databases.ts'

const key = { areUnique: true, areKey: true }
const more = { areUnique: true, areKey: false }
const none = { areUnique: false, areKey: false }

/** What makes table `t`, and whether some of its columns, or those of another table, are unique. */
type Case = readonly [
  made: string | readonly string[],
  columns: readonly string[],
  expected: Uniqueness,
  table?: string,
]

const shared: Readonly<Record<string, Case>> = {
  'a primary key': ['create table t (id integer primary key, a text)', ['id'], key],
  'a primary key with another column': ['create table t (id integer primary key, a text)', ['a', 'id'], more],
  'another column than the primary key': ['create table t (id integer primary key, a text)', ['a'], none],
  'a primary key of two columns, in any order': [
    'create table t (a integer, b text, primary key (a, b))',
    ['b', 'a'],
    key,
  ],
  'one column of a primary key of two': [
    'create table t (a integer, b text, primary key (a, b))',
    ['a'],
    none,
  ],
  'a text as primary key': ['create table t (a varchar(20) primary key)', ['a'], key],
  'a unique column': ['create table t (a text unique)', ['a'], key],
  'a unique index, in a descending order': [
    ['create table t (a text, b integer)', 'create unique index i on t (a, b desc)'],
    ['a', 'b'],
    key,
  ],
  'an index that is not unique': [['create table t (a text)', 'create index i on t (a)'], ['a'], none],
  'an index of some rows': [
    ['create table t (a text)', "create unique index i on t (a) where a <> 'x'"],
    ['a'],
    none,
  ],
  'an index of an expression': [
    ['create table t (a text, b text)', 'create unique index i on t (a, lower(b))'],
    ['a', 'b'],
    none,
  ],
  'a view of a table with a key': [
    ['create table u (a integer primary key)', 'create view t as select * from u'],
    ['a'],
    none,
  ],
  'a table and a column with capitals and quotes': [
    `create table "It's" ("A""b" text unique)`,
    ['A"b'],
    key,
    "It's",
  ],
}

const withoutCase = `create collation nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`

const own: Readonly<Record<TestDatabase['name'], Readonly<Record<string, Case>>>> = {
  sqlite: {
    'a key that is the number of a row, in another spelling': [
      'create table t (ID integer primary key, a text)',
      ['id'],
      key,
    ],
    'a key of a table without numbers of rows': [
      'create table t (a text primary key, b text) without rowid',
      ['a'],
      key,
    ],
    'a unique column without case': ['create table t (a text collate nocase unique)', ['a'], key],
    'an index without case of a column with it': [
      ['create table t (a text)', 'create unique index i on t (a collate nocase)'],
      ['a'],
      more,
    ],
    'an index with case of a column without it': [
      ['create table t (a text collate nocase)', 'create unique index i on t (a collate binary)'],
      ['a'],
      none,
    ],
    'an index that ignores blanks of a column that ignores case': [
      ['create table t (a text collate nocase)', 'create unique index i on t (a collate rtrim)'],
      ['a'],
      none,
    ],
    'a table with rows that are equal without case': [
      ['create table t (a text unique)', "insert into t values ('a'), ('A')"],
      ['a'],
      key,
    ],
  },
  postgres: {
    'a key that is checked at the end of a transaction': [
      'create table t (a integer unique deferrable)',
      ['a'],
      none,
    ],
    'an index with columns that it does not compare': [
      ['create table t (a integer, b integer)', 'create unique index i on t (a) include (b)'],
      ['a'],
      key,
    ],
    'an index in another order of letters': [
      ['create table t (a text)', 'create unique index i on t (a collate "C")'],
      ['a'],
      key,
    ],
    'a unique column without case': [
      [withoutCase, 'create table t (a text collate nocase unique)'],
      ['a'],
      key,
    ],
    'an index with case of a column without it': [
      [withoutCase, 'create table t (a text collate nocase)', 'create unique index i on t (a collate "C")'],
      ['a'],
      none,
    ],
    'an index without case of a column with it': [
      [withoutCase, 'create table t (a text)', 'create unique index i on t (a collate nocase)'],
      ['a'],
      more,
    ],
    'a key of a table from which another one inherits': [
      ['create table t (a integer primary key)', 'create table u () inherits (t)'],
      ['a'],
      none,
    ],
    'a key of a table in partitions': [
      [
        'create table t (a integer primary key) partition by range (a)',
        'create table u partition of t default',
      ],
      ['a'],
      key,
    ],
    'a column that excludes what overlaps': [
      'create table t (a int4range, exclude using gist (a with &&))',
      ['a'],
      none,
    ],
  },
}

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  beforeEach(async () => {
    opened = await open()
  })

  const asking = (table: string, columns: readonly string[]) => {
    const schema = defineSchema({ things: { table, fields: { id: { type: 'integer', key: true } } } })
    const engine = internalsOf(createEngine({ db: opened.db, schema }))
    const [things] = engine.schema.collections.values()
    return async () => things && (await uniquenessOf(things, columns, engine, {}))
  }

  it.each(Object.entries({ ...shared, ...own[name] }))(
    '%s',
    async (_title, [made, columns, expected, table = 't']) => {
      for (const text of [made].flat()) await opened.run(text)
      const ask = asking(table, columns)
      expect(await ask()).toEqual(expected)
      expect(await ask()).toEqual(expected)
    },
  )

  it('asks again after an index is created', async () => {
    await opened.run('create table t (id integer primary key, a text)')
    const ask = asking('t', ['a'])
    expect(await ask()).toEqual(none)
    await opened.run('create unique index i on t (a)')
    expect(await ask()).toEqual(key)
  })
})
