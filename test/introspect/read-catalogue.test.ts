// What is read of a database's own catalogue.

import { type Kysely, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { readCatalogue } from '../../src/introspect/read-catalogue.ts'
import { type AnyTables, databases, openPostgres, openSqlite } from '../support/databases.ts'

const run = async (db: Kysely<AnyTables>, ...statements: readonly string[]) => {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

describe.each(databases)('the catalogue of $name', ({ open }) => {
  it('tells tables, columns, keys and where foreign keys lead', async () => {
    const { db } = await open()
    await run(
      db,
      'create table authors (id integer primary key, name varchar(40) not null, email text unique)',
      `create table articles (id integer primary key, title text not null default 'new', price numeric(10,2),
        author integer references authors on delete cascade, unique (title, author))`,
    )
    const { tables } = await readCatalogue(db)
    expect(tables.map(({ name, kind, isWritable }) => ({ name, kind, isWritable }))).toEqual([
      { name: 'articles', kind: 'table', isWritable: true },
      { name: 'authors', kind: 'table', isWritable: true },
    ])
    const [articles, authors] = tables
    expect(articles?.foreignKeys).toEqual([
      {
        columns: ['author'],
        table: { schema: authors?.schema, name: 'authors' },
        targetColumns: ['id'],
        onDelete: 'cascade',
      },
    ])
    expect(articles?.uniqueKeys).toEqual([['title', 'author']])
    expect(articles?.primaryKey).toEqual(['id'])
    expect(authors?.uniqueKeys).toEqual([['email']])
    expect(
      articles?.columns.map(({ name, isNullable, precision, scale }) => [name, isNullable, precision, scale]),
    ).toEqual([
      ['id', false, null, null],
      ['title', false, null, null],
      ['price', true, 10, 2],
      ['author', true, null, null],
    ])
    expect(articles?.columns.map(({ source }) => source === 'default')).toEqual([false, true, false, false])
    expect(authors?.columns[1]?.length).toBe(40)
  })

  it('tells foreign keys of several columns, and those of one table to itself', async () => {
    const { db } = await open()
    await run(
      db,
      'create table places (land text, town text, above text, primary key (land, town), foreign key (land, above) references places (land, town))',
    )
    const { tables } = await readCatalogue(db)
    expect(tables[0]?.primaryKey).toEqual(['land', 'town'])
    expect(tables[0]?.foreignKeys.map(({ columns, targetColumns }) => [columns, targetColumns])).toEqual([
      [
        ['land', 'above'],
        ['land', 'town'],
      ],
    ])
  })

  it('tells views, and whether rows can be written through them', async () => {
    const { db } = await open()
    await run(
      db,
      'create table a (id integer primary key, b text)',
      'create view counted as select count(*) as n from a',
    )
    const { tables } = await readCatalogue(db)
    expect(tables.map(({ name, kind, isWritable }) => [name, kind, isWritable])).toEqual([
      ['a', 'table', true],
      ['counted', 'view', false],
    ])
  })

  it('refuses a schema that is not there', async () => {
    const { db } = await open()
    await expect(readCatalogue(db, { dbSchemas: ['nowhere'] })).rejects.toThrow(
      'There is no schema "nowhere" in the database, or no table in it.',
    )
  })
})

describe('the catalogue of SQLite', () => {
  it('finds the table and the columns that a foreign key means in other letters', async () => {
    const { db } = await openSqlite()
    await run(
      db,
      'create table Artists (ArtistId integer primary key)',
      'create table albums (ARTIST int references artists (artistid))',
    )
    const { tables } = await readCatalogue(db)
    expect(tables[1]?.foreignKeys).toEqual([
      {
        columns: ['ARTIST'],
        table: { schema: 'main', name: 'Artists' },
        targetColumns: ['ArtistId'],
        onDelete: 'no action',
      },
    ])
  })

  it('tells what a broken view, a virtual table and the tables behind it are', async () => {
    const { db } = await openSqlite()
    await run(
      db,
      'create view broken as select * from missing',
      'create virtual table words using fts5(body)',
    )
    const { tables } = await readCatalogue(db)
    expect(
      tables.map(({ name, kind, columns }) => [name, kind, columns.map((column) => column.name)]),
    ).toEqual([
      ['broken', 'view', []],
      ['words', 'virtual', ['body']],
    ])
  })

  it('tells the columns of a view whatever views beside it are broken', async () => {
    const { db } = await openSqlite()
    const letters = [...'abcdefghijklmnop']
    await run(
      db,
      'create table t (id integer primary key)',
      ...letters.map(
        (letter) => `create view ${letter} as select * from ${'aei'.includes(letter) ? 'missing' : 't'}`,
      ),
    )
    const { tables } = await readCatalogue(db)
    expect(tables.filter(({ columns }) => columns.length === 0).map(({ name }) => name)).toEqual([
      'a',
      'e',
      'i',
    ])
  })

  it('tells a name for the number of a row that no column hides, where rows have one', async () => {
    const { db } = await openSqlite()
    await run(
      db,
      'create table a (rowid text, b text)',
      'create table b (x text, y text, primary key (x, y)) without rowid',
      'create table c (id integer primary key)',
      'create table d (id int primary key)',
    )
    const { tables } = await readCatalogue(db)
    expect(tables.map(({ rowNumber }) => rowNumber)).toEqual(['_rowid_', null, 'rowid', 'rowid'])
    expect(tables.slice(2).map(({ columns }) => columns[0]?.source)).toEqual(['counter', 'caller'])
  })

  it('leaves out indexes that compute something or hold some rows only', async () => {
    const { db } = await openSqlite()
    await run(
      db,
      'create table a (id integer primary key, b text, c text, d int as (id * 2) stored)',
      'create unique index i on a (lower(b))',
      'create unique index j on a (b) where c is null',
      'create unique index k on a (c)',
    )
    const { tables } = await readCatalogue(db)
    expect(tables[0]?.uniqueKeys).toEqual([['c']])
    expect(tables[0]?.columns[3]?.source).toBe('database')
  })

  it('looks into databases that are attached', async () => {
    const { db } = await openSqlite()
    await run(db, "attach ':memory:' as shop", 'create table shop.a (id integer primary key)')
    expect((await readCatalogue(db)).tables).toEqual([])
    expect((await readCatalogue(db, { dbSchemas: ['shop'] })).tables.map(({ schema }) => schema)).toEqual([
      'shop',
    ])
  })
})

describe('the catalogue of PostgreSQL', () => {
  it('tells what is below a domain, in an array, and of an enum', async () => {
    const { db } = await openPostgres()
    await run(
      db,
      "create type mood as enum ('sad', 'ok')",
      'create domain cents as numeric(12,2) not null',
      'create domain price as cents',
      'create domain words as varchar(9)[]',
      'create table a (id int primary key, p price, w words, m mood, ms mood[], ps price[])',
    )
    const { tables } = await readCatalogue(db)
    const seen = tables[0]?.columns.map((column) => ({
      name: column.name,
      declared: column.declared,
      type: column.type,
      isArray: column.isArray,
      isNullable: column.isNullable,
      size: column.length ?? column.precision,
      values: column.enum?.values ?? null,
    }))
    const mood = ['sad', 'ok']
    expect(seen).toEqual([
      {
        name: 'id',
        declared: 'integer',
        type: 'int4',
        isArray: false,
        isNullable: false,
        size: null,
        values: null,
      },
      {
        name: 'p',
        declared: 'numeric(12,2)',
        type: 'numeric',
        isArray: false,
        isNullable: false,
        size: 12,
        values: null,
      },
      {
        name: 'w',
        declared: 'character varying(9)[]',
        type: 'varchar',
        isArray: true,
        isNullable: true,
        size: 9,
        values: null,
      },
      {
        name: 'm',
        declared: 'mood',
        type: 'mood',
        isArray: false,
        isNullable: true,
        size: null,
        values: mood,
      },
      {
        name: 'ms',
        declared: 'mood[]',
        type: 'mood',
        isArray: true,
        isNullable: true,
        size: null,
        values: mood,
      },
      {
        name: 'ps',
        declared: 'price[]',
        type: 'numeric',
        isArray: true,
        isNullable: true,
        size: 12,
        values: null,
      },
    ])
  })

  it('tells who says what is in a column', async () => {
    const { db } = await openPostgres()
    await run(
      db,
      `create table a (id int generated always as identity primary key, i int generated by default as identity, s serial,
        g int generated always as (1 + 1) stored, d timestamptz default now(), n text)`,
    )
    const { tables } = await readCatalogue(db)
    expect(tables[0]?.columns.map(({ source }) => source)).toEqual([
      'database',
      'counter',
      'counter',
      'database',
      'default',
      'caller',
    ])
  })

  it('has each partitioned table and each key that leads to it once, and notes', async () => {
    const { db } = await openPostgres()
    await run(
      db,
      'create table days (day date primary key) partition by range (day)',
      "create table days_24 partition of days for values from ('2024-01-01') to ('2025-01-01')",
      'create table notes (id int primary key, day date references days)',
      "comment on table notes is 'What happened'",
      "comment on column notes.day is 'When'",
    )
    const { tables } = await readCatalogue(db)
    expect(tables.map(({ name, note, foreignKeys }) => [name, note, foreignKeys.length])).toEqual([
      ['days', null, 0],
      ['notes', 'What happened', 1],
    ])
    expect(tables[1]?.columns[1]?.note).toBe('When')
  })

  it('leaves out indexes that compute something, hold some rows only, and columns that are only carried along', async () => {
    const { db } = await openPostgres()
    await run(
      db,
      'create table a (id int primary key, b text, c text)',
      'create unique index on a (lower(b))',
      'create unique index on a (b) where c is null',
      'create unique index on a (c) include (b)',
    )
    const { tables } = await readCatalogue(db)
    expect(tables[0]?.uniqueKeys).toEqual([['c']])
  })

  it('says whether rows of a simple view can be written', async () => {
    const { db } = await openPostgres()
    await run(
      db,
      'create table a (id int primary key)',
      'create view v as select id from a',
      'create materialized view w as select id from a',
    )
    const { tables } = await readCatalogue(db)
    expect(tables.map(({ name, isWritable }) => [name, isWritable])).toEqual([
      ['a', true],
      ['v', true],
      ['w', false],
    ])
  })
})
