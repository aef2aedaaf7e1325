import type { Pool } from 'pg'
import { columns, many, names, one, valuesOf, type Writer } from '../written.ts'

const types = ['text', 'text', 'text', 'timestamptz', 'int', 'int']
const marks = columns.map((_, index) => `$${index + 1}`)
const lists = marks.map((mark, index) => `${mark}::${types[index]}[]`)
const single = `insert into written (${names}) values (${marks.join(', ')}) returning id`
const all = `insert into written (${names}) select * from unnest(${lists.join(', ')}) returning id`
const removed = "delete from written where status = 'gone' returning id"

/** Statements that the server knows by their names, with an array for each column of many rows. */
export function handWriter(pool: Pool): Writer {
  const listsOf = () => columns.map((column) => many.map((row) => row[column]))
  const statement = {
    W9a: async () => (await pool.query({ name: 'single', text: single, values: valuesOf(one) })).rows[0],
    W9b: async () => (await pool.query({ name: 'all', text: all, values: listsOf() })).rows,
    W10: async () => {
      const { rows } = await pool.query<[number]>({ name: 'gone', text: removed, rowMode: 'array' })
      const keys = rows.map(([id]) => id).sort((one, other) => one - other)
      return { deleted: keys.length, keys }
    },
  }
  return { name: 'hand', forms: { statement } }
}
