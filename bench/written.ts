// What W9 and W10 write and delete: rows of a table of their own, so that the readers' data stays as it is.
import { type CollectionDefinition, defineSchema } from 'quernel'
import type { GroundKind } from './grounds/ground.ts'
import type { WriteWorkload } from './workloads.ts'

/** Somebody who writes, in one or several ways. */
export interface Writer {
  readonly name: string
  readonly forms: Readonly<Record<string, Readonly<Partial<Record<WriteWorkload, () => unknown>>>>>
  close?(): unknown
}

const fields = {
  id: { type: 'integer', key: true },
  title: { type: 'string' },
  body: { type: 'text' },
  status: { type: 'string' },
  published_at: { type: 'timestamp', storage: 'canonical', nullable: true },
  views: { type: 'integer' },
  author: { type: 'integer', nullable: true },
} as const satisfies CollectionDefinition['fields']

export const schema = defineSchema({ written: { fields } })

/** The same with a validation. */
export const validatedSchema = defineSchema({
  written: { fields: { ...fields, views: { ...fields.views, validation: { views: { _gte: 0 } } } } },
})

/** The same table where its rows belong to authors, of which each may be several people. */
export const relatedSchema = defineSchema({
  written: { fields: { ...fields, author: { type: 'm2o', to: 'written_authors' } } },
  written_authors: {
    fields: {
      id: { type: 'integer', key: true },
      members: { type: 'o2m', from: 'written_members.author' },
    },
  },
  written_members: {
    fields: {
      id: { type: 'integer', key: true },
      author: { type: 'm2o', to: 'written_authors' },
      member: { type: 'integer' },
    },
  },
})

export interface Row extends Readonly<Record<string, unknown>> {
  title: string
  body: string
  status: string
  published_at: string
  views: number
  author: number
}
export interface Tables {
  written: Row & { id: number }
}

export const columns = ['title', 'body', 'status', 'published_at', 'views', 'author'] as const
export const names = columns.join(', ')
export const valuesOf = (row: Row) => columns.map((column) => row[column])

const rowAt = (index: number): Row => ({
  title: `Title ${index}`,
  body,
  status: index % 2 === 0 ? 'draft' : 'published',
  published_at: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString(),
  views: index,
  author: index % 100,
})
const body = 'A few words. '.repeat(46)

/** The first of some rows, by hand. */
export const first = <Item>(rows: readonly Item[]): Item | undefined => rows[0]

/** What a deletion answers, of rows with their keys. */
export const deletion = (rows: readonly { readonly id: number }[]) => ({
  deleted: rows.length,
  keys: rows.map(({ id }) => id),
})

/** The items that W9u changes by turns, and the one that W10d deletes. */
export const turns: { keys: readonly number[]; at: number; gone: number } = { keys: [], at: 0, gone: 0 }
export const nextKey = (): number => turns.keys[turns.at++ % turns.keys.length] ?? 0
export const change = () => ({ title: `Another title ${turns.at}`, views: turns.at })
/** What W9p writes: an item of the table, by its key. */
export const put = (): Row & { id: number } => ({ id: nextKey(), ...one, ...change() })
/** What W9pb writes. */
export const putMany = (): readonly (Row & { id: number })[] => {
  turns.at++
  const changed = change()
  return many.map((row, index) => ({ id: turns.keys[index] ?? 0, ...row, ...changed }))
}
/** The columns of these, and those of them that an update sets. */
export const putColumns = ['id', ...columns] as const
export const setColumns = columns.map((column) => `${column} = excluded.${column}`).join(', ')
export const putValues = (row: Row & { id: number }) => putColumns.map((column) => row[column])
/** What W9q gives all of its items, which none of them has. */
export const nextViews = (): number => ++turns.at
/** Who writes under rules. */
export const caller = 1
/** The item that W10d deletes, which belongs to the caller. */
export const going: Row = { ...rowAt(1), status: 'gone', author: caller }
/** An item that the rules keep from the caller, and what it bears as its title. */
export const foreignTitle = 'Not yours'
export const foreign = (status: string) =>
  `insert into written (${names}) values ('${foreignTitle}', '', '${status}', null, 1, 50) returning id`

export const one = rowAt(1)
export const many = Array.from({ length: 1_000 }, (_, index) => rowAt(index))

/** The table, with an index like those of articles. */
export const tableOf = (kind: GroundKind, key: string, moment: string) =>
  `create table written (id ${key}, title text not null, body text not null, status text not null,
    published_at ${moment}, views integer not null,
    author integer ${kind === 'related' ? 'not null references written_authors' : ''});
  create index written_status on written (status)`

/** Authors with five members each. */
export const relatedTables = (seriesOf: (count: number) => string) =>
  `create table written_authors (id integer primary key);
  insert into written_authors select n from ${seriesOf(100)};
  create table written_members (id integer primary key, author integer not null references written_authors,
    member integer not null, unique (author, member));
  insert into written_members
    select n, 1 + (n - 1) % 100, 1 + (n - 1) % 100 + (n - 1) / 100 from ${seriesOf(500)}`

/** Holds where somebody is a member of an author. */
export const memberOf = (author: string, member: string) =>
  `exists (select 1 from written_members m where m.author = ${author} and m.member = ${member})`

/** Keeps SQLite from ending calls with work that was left by those before. */
export const logStays = 'wal_autocheckpoint = 0'

/** As many rows of a status as a series has numbers. */
const rowsFrom = (series: string, status: string) =>
  `insert into written (${names}) select 'Title', '${body}', '${status}', null, n, 1 from ${series}`

/** 20,000 rows that stay, and 5,000 that W10 deletes. */
export const filling = (seriesOf: (count: number) => string) => ({
  stays: rowsFrom(seriesOf(20_000), 'published'),
  goes: rowsFrom(seriesOf(5_000), 'gone'),
})
