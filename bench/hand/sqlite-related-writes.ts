import type { Database } from 'better-sqlite3'
import { caller, change, memberOf, names, nextKey, one, turns, valuesOf, type Writer } from '../written.ts'

/** The rule stands in the statement, which nobody else's can come in between. */
export function relatedWriter(database: Database): Writer {
  const insert = database.prepare(
    `insert into written (${names}) select ?, ?, ?, ?, ?, ? where ${memberOf('?', '?')}`,
  )
  const update = database.prepare(
    `update written set title = ?, views = ? where id = ? and ${memberOf('written.author', '?')} returning id, title`,
  )
  const remove = database.prepare(`delete from written where id = ? and ${memberOf('written.author', '?')}`)
  const statement = {
    W9a: () => {
      const { changes, lastInsertRowid } = insert.run(...valuesOf(one), one.author, caller)
      return changes === 1 ? { id: Number(lastInsertRowid) } : undefined
    },
    W9u: () => {
      const id = nextKey()
      const { title, views } = change()
      return update.get(title, views, id, caller)
    },
    W10d: () => ({ deleted: remove.run(turns.gone, caller).changes }),
  }
  return { name: 'hand, related', forms: { statement } }
}
