// Articles with every kind of relation, of which versions are made.
import { sql } from 'kysely'
import { createEngine, defineSchema, type Engine, type EngineOptions } from '../../src/index.ts'
import type { ValueType } from '../../src/types/field-types.ts'
import type { OpenDatabase, TestDatabase } from '../support/databases.ts'

const key = { type: 'integer', key: true } as const
const text = { type: 'string', nullable: true } as const
const number = { type: 'integer', nullable: true } as const

export const schema = defineSchema({
  authors: {
    fields: {
      id: key,
      name: { type: 'string' },
      born: { type: 'date', nullable: true },
      pin: { ...text, conceal: true },
      articles: { type: 'o2m', from: 'articles.author' },
      token: { type: 'hash', nullable: true },
      remarks: { type: 'o2m', from: 'comments.writer' },
    },
  },
  articles: {
    versioned: true,
    fields: {
      id: key,
      title: { type: 'string', validation: { title: { _nempty: true } } },
      status: { type: 'string', values: ['draft', 'published'], default: 'draft' },
      views: number,
      big: { type: 'bigInteger', nullable: true },
      price: { type: 'decimal', precision: 10, scale: 2, nullable: true },
      rating: { type: 'float', nullable: true },
      live: { type: 'boolean', nullable: true },
      day: { type: 'date', nullable: true },
      at: { type: 'timestamp', nullable: true },
      words: { type: 'csv', nullable: true },
      meta: { type: 'json', nullable: true },
      pin: { ...text, conceal: true },
      author: { type: 'm2o', to: 'authors', nullable: true },
      editor: { type: 'm2o', to: 'authors', nullable: true },
      comments: { type: 'o2m', from: 'comments.article' },
      notes: { type: 'o2m', from: 'notes.article', sort: 'position', deselect: 'delete' },
      tags: { type: 'm2m', through: 'articles_tags.article', to: 'tag', sort: 'position' },
      blocks: { type: 'm2a', through: 'blocks.article', to: 'item', sort: 'position' },
    },
  },
  comments: {
    fields: {
      id: key,
      text,
      likes: number,
      article: { type: 'm2o', to: 'articles', nullable: true },
      writer: { type: 'm2o', to: 'authors', nullable: true },
    },
  },
  notes: {
    fields: {
      id: key,
      text,
      position: number,
      article: { type: 'm2o', to: 'articles', nullable: true },
    },
  },
  tags: { fields: { id: key, name: text, links: { type: 'o2m', from: 'articles_tags.tag' } } },
  articles_tags: {
    fields: {
      id: key,
      article: { type: 'm2o', to: 'articles' },
      tag: { type: 'm2o', to: 'tags' },
      position: number,
    },
  },
  blocks: {
    fields: {
      id: key,
      article: { type: 'm2o', to: 'articles' },
      kind: { type: 'string' },
      item: { type: 'any', to: ['heroes', 'quotes'], by: 'kind', nullable: true },
      position: number,
    },
  },
  heroes: { fields: { id: key, headline: text } },
  quotes: { fields: { id: { type: 'string', key: true }, text } },
  site: {
    singleton: true,
    versioned: true,
    fields: { id: key, name: text, lead: { type: 'm2o', to: 'authors', nullable: true } },
  },
})
export type World = typeof schema

const articles = [
  {
    id: 1,
    title: 'Tea',
    status: 'published',
    views: 10,
    big: '9007199254740993',
    price: '1.50',
    rating: 4.5,
    live: 1,
    day: '2024-02-29',
    at: '2024-02-29T08:30:00.000Z',
    words: 'hot,green',
    meta: '{"size":{"w":3},"list":[1,2]}',
    author: 1,
    editor: 2,
  },
  { id: 2, title: 'Coffee', status: 'draft', views: 5, author: 1 },
  { id: 3, title: 'Cocoa', status: 'draft', author: 3 },
]

const rows: Readonly<Record<string, readonly object[]>> = {
  authors: [
    { id: 1, name: 'Ada', born: '1815-12-10', pin: '1234' },
    { id: 2, name: 'Grace', born: '1906-12-09' },
    { id: 3, name: 'Edsger' },
  ],
  articles,
  comments: [
    { id: 1, text: 'good', likes: 3, article: 1, writer: 2 },
    { id: 2, text: 'bad', likes: 1, article: 1, writer: 1 },
    { id: 3, text: 'fine', article: 1 },
    { id: 4, text: 'black', likes: 2, article: 2, writer: 3 },
    { id: 5, text: 'lost', likes: 9 },
  ],
  notes: [
    { id: 1, text: 'second', position: 2, article: 1 },
    { id: 2, text: 'first', position: 1, article: 1 },
    { id: 3, text: 'other', position: 1, article: 2 },
  ],
  tags: [
    { id: 1, name: 'hot' },
    { id: 2, name: 'cold' },
    { id: 3, name: 'sweet' },
  ],
  articles_tags: [
    { id: 1, article: 1, tag: 1, position: 1 },
    { id: 2, article: 1, tag: 3, position: 2 },
    { id: 3, article: 2, tag: 1, position: 1 },
  ],
  blocks: [
    { id: 1, article: 1, kind: 'heroes', item: '1', position: 2 },
    { id: 2, article: 1, kind: 'quotes', item: 'q1', position: 1 },
  ],
  heroes: [
    { id: 1, headline: 'Hello' },
    { id: 2, headline: 'Other' },
  ],
  quotes: [{ id: 'q1', text: 'To brew' }],
  site: [{ id: 7, name: 'Here', lead: 1 }],
}

const plain = { bigInteger: 'bigint', float: 'double precision', decimal: 'numeric(10,2)' }
const types: Readonly<Record<TestDatabase['name'], Readonly<Record<string, string>>>> = {
  sqlite: { ...plain, integer: 'integer', boolean: 'boolean' },
  postgres: {
    ...plain,
    integer: 'integer',
    boolean: 'boolean',
    date: 'date',
    timestamp: 'timestamptz',
    json: 'jsonb',
  },
}

const keyType = {
  sqlite: 'integer primary key autoincrement',
  postgres: 'integer generated by default as identity (start with 100000) primary key',
}

/** Of new rows, keys are this or more. */
export const firstNewKey = 100_000

/** Creates the tables, fills them, and installs what versions need. */
export async function openWorld(
  { name, open }: TestDatabase,
  options: Partial<EngineOptions<World>> = {},
): Promise<{ readonly engine: Engine<World>; readonly opened: OpenDatabase }> {
  const opened = await open()
  // However a host has set its database up, the tables are the same.
  const db = opened.db.withoutPlugins()
  for (const { table, fields } of schema.collections.values()) {
    const declared = [...fields.values()].flatMap((field) =>
      'column' in field
        ? [sql`${sql.id(field.column)} ${sql.raw(columnType(field.value, field.isKey, name))}`]
        : [],
    )
    await sql`create table ${sql.id(table)} (${sql.join(declared)})`.execute(db)
    for (const row of rows[table] ?? []) await db.insertInto(table).values(written(row, name)).execute()
  }
  // Keys of new rows are told from those above by their size, on both databases.
  if (name === 'sqlite') await sql`update sqlite_sequence set seq = 99999`.execute(db)
  const engine = createEngine({
    db: opened.db,
    schema,
    clock: () => new Date('2024-03-01T12:00:00Z'),
    ...options,
  })
  await engine.install()
  return { engine, opened }
}

function columnType({ type }: ValueType, isKey: boolean, name: TestDatabase['name']): string {
  if (isKey) return type === 'integer' ? keyType[name] : 'text primary key'
  return types[name][type] ?? 'text'
}

const written = (row: object, name: TestDatabase['name']) =>
  name === 'postgres' && 'live' in row ? { ...row, live: row.live === 1 } : row
