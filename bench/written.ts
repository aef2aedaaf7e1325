// What W9 and W10 write and delete: rows of a table of their own, so that the readers' data stays as it is.
import { defineSchema } from 'quernel'
import type { WriteWorkload } from './workloads.ts'

/** Somebody who writes, in one or several ways. */
export interface Writer {
  readonly name: string
  readonly forms: Readonly<Record<string, Readonly<Partial<Record<WriteWorkload, () => unknown>>>>>
  close?(): unknown
}

export const schema = defineSchema({
  written: {
    fields: {
      id: { type: 'integer', key: true },
      title: { type: 'string' },
      body: { type: 'text' },
      status: { type: 'string' },
      published_at: { type: 'timestamp', storage: 'canonical', nullable: true },
      views: { type: 'integer' },
      author: { type: 'integer', nullable: true },
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
/** The item that W10d deletes, which belongs to the caller. */
export const going: Row = { ...rowAt(1), status: 'gone', author: 1 }

export const one = rowAt(1)
export const many = Array.from({ length: 1_000 }, (_, index) => rowAt(index))

/** The table, with an index like those of articles. */
export const tableOf = (key: string, moment: string) =>
  `create table written (id ${key}, title text not null, body text not null, status text not null,
    published_at ${moment}, views integer not null, author integer);
  create index written_status on written (status)`

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
