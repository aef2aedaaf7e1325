import type { Database } from 'better-sqlite3'
import {
  caller,
  change,
  many,
  names,
  nextKey,
  nextViews,
  one,
  put,
  putColumns,
  putMany,
  putValues,
  type Row,
  setColumns,
  turns,
  valuesOf,
  type Writer,
} from '../written.ts'

/** Statements that are prepared once; SQLite tells the number of the last row. */
export function handWriter(database: Database): readonly Writer[] {
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
  const update = database.prepare('update written set title = ?, views = ? where id = ? returning id, title')
  const updateOwn = database.prepare(
    'update written set title = ?, views = ? where id = ? and views >= 0 and author = ? returning id, title',
  )
  const updateAll = database.prepare("update written set views = ? where status = 'gone'")
  // All that are seen or none: who may not change one of them, changes nothing.
  const updateAllOwn = database.prepare(
    `update written set views = ? where status = 'gone' and views >= 0 and not exists
      (select 1 from written where status = 'gone' and views >= 0 and author is not ?)`,
  )
  const putText = (rows: number) =>
    `insert into written (${putColumns}) values ${Array<string>(rows).fill('(?, ?, ?, ?, ?, ?, ?)').join()}
      on conflict (id) do update set ${setColumns} returning id`
  const putOne = database.prepare(`${putText(1)}, title`)
  const putKey = database.prepare<unknown[], number>(putText(1)).pluck()
  const putHundred = database.prepare<unknown[], number>(putText(hundred)).pluck()
  const idsOf = (ids: readonly (number | undefined)[]) => ids.map((id) => ({ id }))
  const putEach = database.transaction(() => idsOf(putMany().map((row) => putKey.get(putValues(row)))))
  const putHundreds = database.transaction(() => {
    const rows = putMany()
    const ids: number[] = []
    for (let from = 0; from < rows.length; from += hundred)
      ids.push(...putHundred.all(rows.slice(from, from + hundred).flatMap(putValues)))
    return idsOf(ids)
  })
  const removeOne = database.prepare('delete from written where id = ?')
  const removeOwn = database.prepare("delete from written where id = ? and views >= 0 and status = 'gone'")
  const removeSeen = database.prepare("delete from written where status = 'gone' and views >= 0")
  const changed = () => {
    const id = nextKey()
    const { title, views } = change()
    return [title, views, id] as const
  }
  const statement = {
    W9a: () => create(one),
    W9b: () => createAll(),
    W9u: () => update.get(...changed()),
    W9p: () => putOne.get(putValues(put())),
    W9pb: () => putEach(),
    W10d: () => ({ deleted: removeOne.run(turns.gone).changes }),
    W9q: () => ({ updated: updateAll.run(nextViews()).changes }),
    W10: () => ({ deleted: remove.run().changes }),
    W10k: () => removeAll(),
  }
  const returned = () => {
    const keys = returning.all().sort((one, other) => one - other)
    return { deleted: keys.length, keys }
  }
  /** The rule stands in the statement, or is checked before. */
  const ruled = {
    W9a: () => (one.views >= 0 ? create(one) : undefined),
    W9b: () => (many.every(({ views }) => views >= 0) ? createHundreds() : undefined),
    W9u: () => updateOwn.get(...changed(), caller),
    W10d: () => ({ deleted: removeOwn.run(turns.gone).changes }),
    W9q: () => ({ updated: updateAllOwn.run(nextViews(), caller).changes }),
    W10: () => ({ deleted: removeSeen.run().changes }),
  }
  return [
    {
      name: 'hand',
      forms: {
        statement,
        batched: { W9b: () => createHundreds(), W9pb: () => putHundreds(), W10k: returned },
      },
    },
    { name: 'hand, narrowed', forms: { statement: ruled } },
  ]
}
