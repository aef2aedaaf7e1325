import type { Pool } from 'pg'
import {
  caller,
  change,
  columns,
  many,
  names,
  nextKey,
  nextViews,
  one,
  put,
  putColumns,
  putMany,
  putValues,
  setColumns,
  turns,
  valuesOf,
  type Writer,
} from '../written.ts'

const types = ['text', 'text', 'text', 'timestamptz', 'int', 'int']
export const marks = columns.map((_, index) => `$${index + 1}`)
/** A parameter for each column, which holds its values of all rows. */
export const columnLists = marks.map((mark, index) => `${mark}::${types[index]}[]`)
const single = `insert into written (${names}) values (${marks.join(', ')}) returning id`
const all = `insert into written (${names}) select * from unnest(${columnLists.join(', ')}) returning id`
const putConflict = `on conflict (id) do update set ${setColumns} returning id`
const putMarks = putColumns.map((_, index) => `$${index + 1}`)
const putOne = `insert into written (${putColumns}) values (${putMarks}) ${putConflict}, title`
const putLists = putMarks.map((mark, index) => `${mark}::${['int', ...types][index]}[]`)
const putAll = `insert into written (${putColumns}) select * from unnest(${putLists}) ${putConflict}`
const putRowMarks = (row: number) =>
  `(${putColumns.map((_, index) => `$${row * putColumns.length + index + 1}`).join(', ')})`
const putValued = `insert into written (${putColumns}) values ${many.map((_, row) => putRowMarks(row)).join(', ')} ${putConflict}`
const changedAll = "update written set views = $1 where status = 'gone'"
// All that are seen or none: who may not change one of them, changes nothing.
const changedHeld = `with held as materialized
    (select id, author from written where status = 'gone' and views >= 0 order by id for no key update)
  update written set views = $1 from held
  where written.id = held.id and (select bool_and(author is not distinct from $2) from held)`
const changedOrFailed = `with changed as (${changedAll} and views >= 0 returning author)
  select count(*)::int, 1 / coalesce(bool_and(author is not distinct from $2), true)::int from changed`
const removed = "delete from written where status = 'gone'"

const rowMarks = (row: number) =>
  `(${columns.map((_, index) => `$${row * columns.length + index + 1}`).join(', ')})`
const valued = `insert into written (${names}) values ${many.map((_, row) => rowMarks(row)).join(', ')} returning id`

/** Statements that the server knows by their names, with an array for each column of many rows, or a parameter for each value. */
export function handWriter(pool: Pool): readonly Writer[] {
  const listsOf = () => columns.map((column) => many.map((row) => row[column]))
  const putListsOf = () => {
    const rows = putMany()
    return putColumns.map((column) => rows.map((row) => row[column]))
  }
  /** The first column of rows, which come as arrays. */
  const idsOf = async (name: string, text: string, values: readonly unknown[] = []) =>
    (await pool.query<[number]>({ name, text, values: [...values], rowMode: 'array' })).rows.map(([id]) => id)
  const countOf = async (name: string, text: string, values: readonly unknown[]) =>
    (await idsOf(name, text, values))[0]
  const items = (ids: readonly number[]) => ids.map((id) => ({ id }))
  const changed = () => {
    const id = nextKey()
    const { title, views } = change()
    return [title, views, id]
  }
  const run = (name: string, text: string, values: readonly unknown[]) =>
    pool.query({ name, text, values: [...values] })
  const updated = 'update written set title = $1, views = $2 where id = $3'
  const statement = {
    W9u: async () => (await run('updated', `${updated} returning id, title`, changed())).rows[0],
    W9p: async () => (await run('put_one', putOne, putValues(put()))).rows[0],
    W9pb: async () => (await run('put_all', putAll, putListsOf())).rows,
    W10d: async () => ({
      deleted: (await run('gone_one', 'delete from written where id = $1', [turns.gone])).rowCount,
    }),
    W9a: async () => (await pool.query({ name: 'single', text: single, values: valuesOf(one) })).rows[0],
    W9b: async () => (await pool.query({ name: 'all', text: all, values: listsOf() })).rows,
    W9q: async () => ({ updated: (await run('changed_all', changedAll, [nextViews()])).rowCount }),
    W10: async () => ({ deleted: (await pool.query({ name: 'gone', text: removed })).rowCount }),
    W10k: async () => {
      const keys = (await idsOf('told', `${removed} returning id`)).sort((one, other) => one - other)
      return { deleted: keys.length, keys }
    },
  }
  const arrays = {
    W9a: async () => items(await idsOf('single_row', single, valuesOf(one)))[0],
    W9b: async () => items(await idsOf('all_rows', all, listsOf())),
    W9pb: async () => items(await idsOf('put_all_rows', putAll, putListsOf())),
  }
  const values = {
    W9b: async () => items(await idsOf('valued', valued, many.flatMap(valuesOf))),
    W9pb: async () => items(await idsOf('put_valued', putValued, putMany().flatMap(putValues))),
  }
  const ruled = {
    W9a: () => (one.views >= 0 ? statement.W9a() : undefined),
    W9b: () => (many.every(({ views }) => views >= 0) ? arrays.W9b() : undefined),
    W9u: async () =>
      (
        await run('own', `${updated} and views >= 0 and author = $4 returning id, title`, [
          ...changed(),
          caller,
        ])
      ).rows[0],
    W10d: async () => ({
      deleted: (
        await run('gone_own', "delete from written where id = $1 and views >= 0 and status = 'gone'", [
          turns.gone,
        ])
      ).rowCount,
    }),
    W9q: async () => ({
      updated: (await run('changed_held', changedHeld, [nextViews(), caller])).rowCount,
    }),
    W10: async () => ({ deleted: (await run('gone_seen', `${removed} and views >= 0`, [])).rowCount }),
  }
  /** It fails, and so writes nothing, where one of the rows may not be changed. */
  const orFails = {
    W9q: async () => ({
      updated: await countOf('changed_or_failed', changedOrFailed, [nextViews(), caller]),
    }),
  }
  return [
    { name: 'hand', forms: { statement, arrays, values } },
    { name: 'hand, narrowed', forms: { statement: ruled, 'or fails': orFails } },
  ]
}
