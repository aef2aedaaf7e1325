import type { Database } from 'better-sqlite3'
import { many, names, one, type Row, valuesOf, type Writer } from '../written.ts'

/** Statements that are prepared once; SQLite tells the number of the last row. */
export function handWriter(database: Database): Writer {
  const insert = database.prepare(`insert into written (${names}) values (?, ?, ?, ?, ?, ?)`)
  const create = (row: Row) => ({ id: Number(insert.run(...valuesOf(row)).lastInsertRowid) })
  const createAll = database.transaction(() => many.map(create))
  const found = database
    .prepare<[], number>("select id from written where status = 'gone' order by id")
    .pluck()
  const remove = database.prepare("delete from written where status = 'gone'")
  const removeAll = database.transaction(() => {
    const keys = found.all()
    return { deleted: remove.run().changes, keys }
  })
  return { name: 'hand', forms: { statement: { W9a: () => create(one), W9b: createAll, W10: removeAll } } }
}
