import type { Pool } from 'pg'
import { change, columns, many, names, nextKey, one, turns, valuesOf, type Writer } from '../written.ts'

const types = ['text', 'text', 'text', 'timestamptz', 'int', 'int']
const marks = columns.map((_, index) => `$${index + 1}`)
const lists = marks.map((mark, index) => `${mark}::${types[index]}[]`)
const single = `insert into written (${names}) values (${marks.join(', ')}) returning id`
const all = `insert into written (${names}) select * from unnest(${lists.join(', ')}) returning id`
const removed = "delete from written where status = 'gone'"

const rowMarks = (row: number) =>
  `(${columns.map((_, index) => `$${row * columns.length + index + 1}`).join(', ')})`
const valued = `insert into written (${names}) values ${many.map((_, row) => rowMarks(row)).join(', ')} returning id`

/** Statements that the server knows by their names, with an array for each column of many rows, or a parameter for each value. */
export function handWriter(pool: Pool): readonly Writer[] {
  const listsOf = () => columns.map((column) => many.map((row) => row[column]))
  /** The first column of rows, which come as arrays. */
  const idsOf = async (name: string, text: string, values: readonly unknown[] = []) =>
    (await pool.query<[number]>({ name, text, values: [...values], rowMode: 'array' })).rows.map(([id]) => id)
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
    W10d: async () => ({
      deleted: (await run('gone_one', 'delete from written where id = $1', [turns.gone])).rowCount,
    }),
    W9a: async () => (await pool.query({ name: 'single', text: single, values: valuesOf(one) })).rows[0],
    W9b: async () => (await pool.query({ name: 'all', text: all, values: listsOf() })).rows,
    W10: async () => ({ deleted: (await pool.query({ name: 'gone', text: removed })).rowCount }),
    W10k: async () => {
      const keys = (await idsOf('told', `${removed} returning id`)).sort((one, other) => one - other)
      return { deleted: keys.length, keys }
    },
  }
  const arrays = {
    W9a: async () => items(await idsOf('single_row', single, valuesOf(one)))[0],
    W9b: async () => items(await idsOf('all_rows', all, listsOf())),
  }
  const values = { W9b: async () => items(await idsOf('valued', valued, many.flatMap(valuesOf))) }
  const ruled = {
    W9a: () => (one.views >= 0 ? statement.W9a() : undefined),
    W9b: () => (many.every(({ views }) => views >= 0) ? arrays.W9b() : undefined),
    W9u: async () =>
      (await run('own', `${updated} and views >= 0 and author = $4 returning id, title`, [...changed(), 1]))
        .rows[0],
    W10d: async () => ({
      deleted: (
        await run('gone_own', "delete from written where id = $1 and views >= 0 and status = 'gone'", [
          turns.gone,
        ])
      ).rowCount,
    }),
    W10: async () => ({ deleted: (await run('gone_seen', `${removed} and views >= 0`, [])).rowCount }),
  }
  return [
    { name: 'hand', forms: { statement, arrays, values } },
    { name: 'hand, narrowed', forms: { statement: ruled } },
  ]
}
