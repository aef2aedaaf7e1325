import type { Database } from 'better-sqlite3'
import { many, names, one, type Row, valuesOf, type Writer } from '../written.ts'

/** Statements that are prepared once; SQLite tells the number of the last row. */
export function handWriter(database: Database): Writer {
  const insert = database.prepare(`insert into written (${names}) values (?, ?, ?, ?, ?, ?)`)
  const create = (row: Row) => ({ id: Number(insert.run(...valuesOf(row)).lastInsertRowid) })
  const createAll = database.transaction(() => many.map(create))
  const hundred = 100
  const marks = Array<string>(hundred).fill('(?, ?, ?, ?, ?, ?)').join()
  const insertHundred = database.prepare(`insert into written (${names}) values ${marks}`)
  /** The keys of rows of one statement follow one another. */
  const createHundreds = database.transaction(() => {
    const items: { id: number }[] = []
    for (let from = 0; from < many.length; from += hundred) {
      const values = many.slice(from, from + hundred).flatMap(valuesOf)
      const last = Number(insertHundred.run(values).lastInsertRowid)
      for (let id = last - hundred + 1; id <= last; id++) items.push({ id })
    }
    return items
  })
  const found = database
    .prepare<[], number>("select id from written where status = 'gone' order by id")
    .pluck()
  const remove = database.prepare("delete from written where status = 'gone'")
  const removeAll = database.transaction(() => {
    const keys = found.all()
    return { deleted: remove.run().changes, keys }
  })
  const returning = database
    .prepare<[], number>("delete from written where status = 'gone' returning id")
    .pluck()
  const statement = {
    W9a: () => create(one),
    W9b: () => createAll(),
    W10: () => ({ deleted: remove.run().changes }),
    W10k: () => removeAll(),
  }
  const returned = () => {
    const keys = returning.all().sort((one, other) => one - other)
    return { deleted: keys.length, keys }
  }
  return { name: 'hand', forms: { statement, batched: { W9b: () => createHundreds(), W10k: returned } } }
}
