// The row of a cursor, for values that the cursor has no room for.
import { sql } from '../dialects/sql.ts'
import type { CursorMember, ListPlan } from '../plan/read/read-plan.ts'
import type { CursorPlace } from '../query/cursor.ts'
import { type Setting, tableOf } from './frame.ts'
import { rootFrame } from './page/chosen-root.ts'
import { bookmarkOf } from './page/keyset.ts'
import { keysOf } from './page/order-keys.ts'
import { finished, type Statement } from './statement.ts'

/** Selects the order keys of the row of a cursor, which its key identifies. Undefined if what is given cannot be the key. */
export function cursorRow(
  list: ListPlan,
  { order, isKey }: CursorMember,
  values: CursorPlace['values'],
  setting: Setting,
): Statement | undefined {
  const table = rootFrame(list, setting)
  const { dialect } = setting
  const keys = keysOf({ order }, table).map(({ column }) => bookmarkOf(column, dialect))
  const tests = keys.flatMap(({ ordered, bound, read }, at) =>
    isKey[at]
      ? [
          {
            value: read(values[at] ?? ''),
            is: (value: unknown) => sql`${ordered} = ${bound(sql.val(value))}`,
          },
        ]
      : [],
  )
  if (tests.length === 0 || tests.some(({ value }) => value === undefined)) return undefined
  const where = sql.join(
    tests.map(({ is, value }) => is(value)),
    sql` and `,
  )
  const columns = keys.map(({ selected }, at) => sql`${selected} as ${dialect.identifier(String(at))}`)
  return finished(
    sql`select ${sql.join(columns, sql`, `)} from ${tableOf(table)}${table.joins.text} where ${where}`,
    setting,
  )
}
