// Pages far down a list. Skipping whole rows costs more than looking up the few rows of the page a second time
// by their keys.
import { sql } from '../../dialects/sql.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import { areEqual, derivedFrame, keyColumns, tableOf } from '../frame.ts'
import { orderedBy } from './order-keys.ts'
import { type Chosen, type How, isShort, type PageTable, subselect } from './pagination.ts'
import { rangedPage } from './ranged-page.ts'

/** The offset from which looking rows up a second time is measured to pay. */
export const farOffset = 1_000

/** Chooses the keys of rows, and looks the rows up by them. */
export function chooseByKey(list: ListPlan, table: PageTable, how: How): Chosen {
  const found = rangedPage(list, table, how) ?? subselect(list, table, undefined, how)
  const frame = { ...derivedFrame(table, isShort(list.page)), isDerived: false }
  const isReordered = table.setting.dialect.orderAgain !== undefined
  const tie = areEqual(keyColumns(frame), keyColumns(found.frame))
  return {
    frame,
    from: () => sql`${found.from(isReordered)} left join ${tableOf(frame)} on ${tie}${frame.joins.text}`,
    order: () => (isReordered ? orderedBy(found.keys, frame) : undefined),
    bookmarks: found.bookmarks,
    count: found.count,
  }
}
