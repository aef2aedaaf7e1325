// The tables of the smoke and what is in them: a small library with relations of every kind.
import { type Kysely, sql } from 'kysely'
import { defineSchema } from '../../../src/index.ts'
import type { AnyTables } from '../../support/databases.ts'
import { type DatabaseName, keyColumns } from './check.ts'

export const schema = defineSchema({
  authors: {
    fields: {
      id: { type: 'integer', key: true },
      name: { type: 'string' },
      born: { type: 'date', nullable: true },
      books: { type: 'o2m', from: 'books.author' },
    },
  },
  books: {
    versioned: true,
    fields: {
      id: { type: 'integer', key: true },
      title: { type: 'string' },
      pages: { type: 'integer', nullable: true },
      price: { type: 'decimal', precision: 10, scale: 2, nullable: true },
      rating: { type: 'float', nullable: true },
      printed: { type: 'boolean', nullable: true },
      sold_at: { type: 'timestamp', nullable: true },
      code: { type: 'uuid', nullable: true },
      cover: { type: 'binary', nullable: true },
      meta: { type: 'json', nullable: true },
      author: { type: 'm2o', to: 'authors', nullable: true },
      chapters: { type: 'o2m', from: 'chapters.book', sort: 'place' },
      genres: { type: 'm2m', through: 'books_genres.book', to: 'genre' },
    },
  },
  chapters: {
    fields: {
      id: { type: 'integer', key: true },
      title: { type: 'string' },
      place: { type: 'integer', nullable: true },
      book: { type: 'm2o', to: 'books' },
    },
  },
  genres: {
    fields: {
      id: { type: 'integer', key: true },
      name: { type: 'string' },
      parent: { type: 'm2o', to: 'genres', nullable: true },
      below: { type: 'o2m', from: 'genres.parent' },
    },
  },
  books_genres: {
    fields: {
      id: { type: 'integer', key: true },
      book: { type: 'm2o', to: 'books' },
      genre: { type: 'm2o', to: 'genres' },
    },
  },
  shelves: {
    fields: {
      id: { type: 'integer', key: true },
      name: { type: 'string' },
      items: { type: 'm2a', through: 'shelves_items.shelf', to: 'item', sort: 'place' },
    },
  },
  shelves_items: {
    fields: {
      id: { type: 'integer', key: true },
      shelf: { type: 'm2o', to: 'shelves' },
      kind: { type: 'string' },
      item: { type: 'any', to: ['authors', 'books'], by: 'kind' },
      place: { type: 'integer' },
    },
  },
  /** Whether a driver returns many rows, and streams them. */
  numbers: {
    fields: { id: { type: 'integer', key: true }, square: { type: 'integer' }, word: { type: 'string' } },
  },
  /** Written to, one item for each check. */
  notes: {
    fields: {
      id: { type: 'integer', key: true },
      subject: { type: 'string' },
      stars: { type: 'integer', nullable: true },
      changed: { type: 'timestamp', nullable: true, special: ['date-updated'] },
      lines: { type: 'o2m', from: 'lines.note' },
    },
  },
  lines: {
    fields: {
      id: { type: 'integer', key: true },
      text: { type: 'string' },
      note: { type: 'm2o', to: 'notes', nullable: true },
    },
  },
  /** Where the database itself makes the keys. */
  events: {
    fields: {
      id: { type: 'integer', key: true },
      what: { type: 'string' },
      times: { type: 'integer', nullable: true },
      noted: { type: 'timestamp', nullable: true, special: ['date-updated'] },
    },
  },
  settings: {
    singleton: true,
    fields: { id: { type: 'integer', key: true }, motto: { type: 'string', default: 'Quietly.' } },
  },
  owners: { fields: { id: { type: 'integer', key: true }, name: { type: 'string', nullable: true } } },
  pets: {
    fields: {
      id: { type: 'integer', key: true },
      owner: { type: 'm2o', to: 'owners', nullable: true },
      age: { type: 'integer', nullable: true },
      site: { type: 'string', nullable: true },
      slug: { type: 'string', nullable: true },
    },
  },
  missing: { fields: { id: { type: 'integer', key: true } } },
})

const types = {
  sqlite: { moment: 'text', json: 'text', bytes: 'blob', float: 'real' },
  postgres: {
    moment: 'timestamptz',
    json: 'jsonb',
    bytes: 'bytea',
    float: 'double precision',
  },
} as const satisfies Readonly<Record<DatabaseName, unknown>>

const tables = (
  key: string,
  { moment, json, bytes, float }: (typeof types)[DatabaseName],
): readonly string[] => [
  `create table authors (id ${key}, name text not null, born date)`,
  `create table books (id ${key}, title text not null, pages integer, price numeric(10, 2), rating ${float}, printed boolean,
    sold_at ${moment}, code uuid, cover ${bytes}, meta ${json}, author integer references authors)`,
  `create table chapters (id ${key}, title text not null, place integer, book integer not null references books on delete cascade)`,
  `create table genres (id ${key}, name text not null unique, parent integer references genres)`,
  `create table books_genres (id ${key}, book integer not null references books, genre integer not null references genres)`,
  `create table shelves (id ${key}, name text not null)`,
  `create table shelves_items (id ${key}, shelf integer not null references shelves, kind text not null, item text not null, place integer not null)`,
  `create table numbers (id ${key}, square integer not null, word text not null)`,
  `create table notes (id ${key}, subject text not null, stars integer, changed ${moment})`,
  `create table lines (id ${key}, text text not null, note integer references notes)`,
  `create table events (id ${key}, what text not null, times integer, noted ${moment})`,
  `create table settings (id ${key}, motto text not null)`,
  `create table owners (id ${key}, name text not null unique)`,
  `create table pets (id ${key}, owner integer not null references owners on delete restrict, age integer check (age > 0),
    site text, slug text, unique (site, slug))`,
]

const rows: readonly string[] = [
  `insert into authors (id, name, born) values (1, 'Ada', '1815-12-10'), (2, 'Grace', '1906-12-09'), (3, 'Åse', null)`,
  `insert into books (id, title, pages, price, rating, printed, sold_at, code, meta, author) values
    (1, 'Engines', 120, 12.5, 4.5, true, '2024-02-29T08:30:15.123Z', 'abcdef00-0000-4000-8000-00000000000a', '{"size": {"w": 12}, "tags": ["old", null]}', 1),
    (2, 'Compilers', 450, 99.99, 3.25, false, '2023-12-31T23:30:00.000Z', 'abcdef00-0000-4000-8000-00000000000b', '["a"]', 2),
    (3, 'Blue 100%_fish', 40, 0.05, null, null, null, null, null, null),
    (4, 'ÅRET RUNDT, OG ENDA LITT TIL', null, null, 0.1, true, '1969-12-31T23:59:59.999Z', null, '{"size": {"w": 3}}', 3),
    (5, 'engines again', 120, 12.5, 4.5, false, '2024-07-01T00:00:00.000Z', null, '5', 1)`,
  `insert into chapters (id, title, place, book) values (1, 'Wheels', 2, 1), (2, 'Steam', 1, 1), (3, 'Parsing', 1, 2), (4, 'Code', 2, 2), (5, 'Linking', 3, 2)`,
  `insert into genres (id, name, parent) values (1, 'all', null), (2, 'science', 1), (3, 'history', 1), (4, 'machines', 2)`,
  'insert into books_genres (id, book, genre) values (1, 1, 4), (2, 1, 3), (3, 2, 4), (4, 4, 3)',
  `insert into shelves (id, name) values (1, 'left'), (2, 'right')`,
  `insert into shelves_items (id, shelf, kind, item, place) values (1, 1, 'books', '2', 1), (2, 1, 'authors', '1', 2), (3, 2, 'books', '1', 1)`,
  `insert into events (what, times) values ('first', 1), ('second', 2), ('third', 3)`,
  `insert into numbers (id, square, word) with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200)
    select i, i * i, 'word ' || i from n`,
]

/** Creates the tables and their rows, a statement at a time and without a transaction. */
export async function fillLibrary(db: Kysely<AnyTables>, dialect: DatabaseName): Promise<void> {
  for (const text of [...tables(keyColumns[dialect], types[dialect]), ...rows])
    await sql.raw(text).execute(db)
  const cover = dialect === 'sqlite' ? `x'00ff10'` : `'\\x00ff10'`
  await sql.raw(`update books set cover = ${cover} where id = 1`).execute(db)
}
