// What a query without fields, and a star in it, stands for.
import { beforeAll, describe, expect, it } from 'vitest'
import { createEngine, createItem, defineSchema, getItem, listItems, listItemsJson } from '../../src/index.ts'
import { introspectSchema } from '../../src/introspect.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { across, many, maybeOne, one } from '../support/fields.ts'

const id = { type: 'integer', key: true } as const
const definition = {
  authors: { versioned: true, fields: { id, name: { type: 'text' }, books: many('books.author') } },
  books: {
    fields: {
      id,
      title: { type: 'text' },
      author: maybeOne('authors'),
      kind: { type: 'text', nullable: true },
      about: { type: 'any', to: ['authors'], by: 'kind', nullable: true },
      shelves: across('books_shelves.book', 'shelf'),
    },
  },
  shelves: { fields: { id, name: { type: 'text' } } },
  books_shelves: { fields: { id, book: one('books'), shelf: one('shelves') } },
} as const
const schema = defineSchema(definition, { defaultFields: 'columns' })

const book = { id: 1, title: 'Notes', author: 1, kind: 'authors', about: '1' }

describe.each(databases)('on $name', ({ open }) => {
  let opened: OpenDatabase
  const engine = () => createEngine({ db: opened.db, schema })
  const books = async (query: object) => (await listItems(engine(), 'books', query)).data
  beforeAll(async () => {
    opened = await open()
    await opened.run('create table authors (id integer primary key, name text not null)')
    await opened.run('create table shelves (id integer primary key, name text not null)')
    await opened.run(`create table books (id integer primary key, title text not null,
      author integer references authors, kind text, about text)`)
    await opened.run(`create table books_shelves (id integer primary key, book integer not null references books,
      shelf integer not null references shelves)`)
    await opened.run("insert into authors values (1, 'Ada')")
    await opened.run("insert into shelves values (1, 'top')")
    await opened.run("insert into books values (1, 'Notes', 1, 'authors', '1')")
    await opened.run('insert into books_shelves values (1, 1, 1)')
    await engine().install()
  })

  it('under columns, absent fields and a star are the fields with a column', async () => {
    expect(await books({})).toEqual([book])
    expect(await books({ fields: '*' })).toEqual([book])
    expect(await books({ fields: ['*', 'shelves'] })).toEqual([{ ...book, shelves: [1] }])
    expect(await listItemsJson(engine(), 'books')).toBe(JSON.stringify({ data: [book] }))
    expect(await getItem(engine(), 'authors', 1)).toEqual({ id: 1, name: 'Ada' })
  })

  it('under columns, further stars expand many-to-one relations only', async () => {
    const author = { id: 1, name: 'Ada' }
    expect(await books({ fields: '*.*' })).toEqual([{ ...book, author }])
    expect(await books({ fields: '*.*.*' })).toEqual([{ ...book, author }])
    expect(await books({ fields: ['*.*', 'shelves'] })).toEqual([{ ...book, author, shelves: [1] }])
    expect(await books({ fields: ['*.name'] })).toEqual([{ ...book, author: { name: 'Ada' } }])
    await expect(listItems(engine(), 'authors', { fields: ['*.title'] as never })).rejects.toThrow(
      'There is no field "*.title" in "authors"',
    )
  })

  it('under columns, a star at every level of a path stands for the same', async () => {
    const { data } = await listItems(engine(), 'authors', {
      fields: ['name', 'books.*', 'books.shelves.*.*'],
    })
    expect(data).toEqual([
      { name: 'Ada', books: [{ ...book, shelves: [{ id: 1, book, shelf: { id: 1, name: 'top' } }] }] },
    ])
  })

  it('under columns, a star still holds every alias', async () => {
    expect(await books({ alias: { on: 'shelves' } })).toEqual([{ ...book, on: [1] }])
    expect(await books({ fields: '*.*', alias: { on: 'shelves' }, deep: { on: { _limit: 0 } } })).toEqual([
      { ...book, author: { id: 1, name: 'Ada' }, on: [] },
    ])
  })

  it('holds for callers with rules, for what a write answers, and for versions', async () => {
    const mine = engine().as({ rules: { authors: { read: {}, create: {} }, books: { read: {} } } })
    expect(await getItem(mine, 'authors', 1)).toEqual({ id: 1, name: 'Ada' })
    expect(await createItem(mine, 'authors', { id: 2, name: 'Bo' })).toEqual({ id: 2, name: 'Bo' })
    expect(await getItem(engine(), 'authors', 1, { fields: ['*', 'books.*'] })).toEqual({
      id: 1,
      name: 'Ada',
      books: [book],
    })
  })

  it('an engine says otherwise than its schema', async () => {
    const whole = createEngine({ db: opened.db, schema, defaultFields: 'all' })
    expect(await getItem(whole, 'authors', 1)).toEqual({ id: 1, name: 'Ada', books: [1] })
    expect(whole.schema.defaultFields).toBe('all')
    const plain = createEngine({ db: opened.db, schema: defineSchema(definition), defaultFields: 'columns' })
    expect(await getItem(plain, 'authors', 1)).toEqual({ id: 1, name: 'Ada' })
  })

  it('a schema that is introspected stands for columns', async () => {
    const found = await introspectSchema(opened.db)
    expect(found.defaultFields).toBe('columns')
    const { data } = await listItems(createEngine({ db: opened.db, schema: found }), 'authors', { limit: 1 })
    expect(data).toEqual([{ id: 1, name: 'Ada' }])
  })

  it('refuses other words', () => {
    const says = '"defaultFields" is "all" or "columns", not "none".'
    const given = { defaultFields: 'none' as never }
    expect(() => defineSchema(definition, given)).toThrow(says)
    expect(() => createEngine({ db: opened.db, schema, ...given })).toThrow(says)
  })
})
