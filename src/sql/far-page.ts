// Rows far down a list. Passing over whole rows costs more than finding the few that are wanted a second time by their keys.
import { sql } from '../dialects/sql.ts'
import type { ListPlan } from '../plan/read-plan.ts'
import { derivedFrame, keyOf, tableOf } from './frame.ts'
import { type Chosen, type How, isShort, orderedBy, type PageTable, subselect } from './pagination.ts'
import { rangedPage } from './ranged-page.ts'

/** From here on it is measured to pay to look rows up a second time. */
export const isFarPage = 1_000

/** Choose the keys of rows, and look the rows up by them. */
export function chooseByKey(list: ListPlan, table: PageTable, how: How): Chosen {
  const found = rangedPage(list, table, how) ?? subselect(list, table, undefined, how)
  const frame = { ...derivedFrame(table, isShort(list.page)), isDerived: false }
  const isReordered = table.setting.dialect.orderAgain !== undefined
  const tie = sql`${keyOf(frame)} = ${keyOf(found.frame)}`
  return {
    frame,
    from: () => sql`${found.from(isReordered)} left join ${tableOf(frame)} on ${tie}${frame.joins.text}`,
    order: () => (isReordered ? orderedBy(found.keys, frame) : undefined),
    bookmarks: found.bookmarks,
    count: found.count,
  }
}
