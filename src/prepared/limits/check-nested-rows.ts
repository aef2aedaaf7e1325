// Counts the rows below the items of a result before they are read, if there may be too many.

import type { Database, Options } from '../../execution/database.ts'
import { execute } from '../../execution/execute.ts'
import { maxRows } from '../../plan/read/nested-lists.ts'
import type { Page } from '../../plan/read/read-plan.ts'
import { anyRows, type RowsLeft } from '../../plan/read/row-budget.ts'
import { rowsLeft } from '../../sql/nested-counts.ts'
import { filledOf, mayBeTooMany, type PreparedRead, pageNow } from '../prepare.ts'
import { bindStatement } from '../templates/template.ts'
import { refuseExcess, rowsCounted } from './nested-row-limit.ts'

/** True if the rows below have to be counted before those of a page are read. */
export const needsRowCheck = (prepared: PreparedRead): boolean =>
  prepared.template.below?.counts !== undefined &&
  !prepared.isCounted &&
  !countsItself(prepared) &&
  mayBeTooMany(prepared)

/** True if the statements of a read count the rows of its lists without a limit themselves, and return nothing if there are too many of them.
 *  Without that, the rows have to be counted first. */
export function countsItself({ boundValues, template: { below }, isCounted }: PreparedRead): boolean {
  const now = below?.budget && (boundValues.get(below.budget) as RowsLeft | undefined) // the value bound to a budget is what is left of it
  return now !== undefined && now.left >= 0 && !isCounted
}

/** Returns a read whose rows were counted, with statements that do not count them again. */
export function countedAlready({ boundValues, template }: PreparedRead): PreparedRead {
  const budget = template.below?.budget
  if (!budget) return { boundValues, template, isCounted: true }
  const any = anyRows(budget)
  const get = (openValue: object) => (openValue === budget ? any : boundValues.get(openValue))
  return { template, boundValues: { get }, isCounted: true }
}

/** Counts the rows below the items of a read that counted them itself and returned nothing: there are too many of them, or no items. */
export async function countAgain(
  database: Database,
  prepared: PreparedRead,
  options: Options,
): Promise<PreparedRead> {
  await checkNestedRows(database, prepared, options)
  return countedAlready(prepared)
}

/** Refuses a read with too many rows below its items. */
export async function checkNestedRows(
  database: Database,
  prepared: PreparedRead,
  options: Options,
): Promise<void> {
  const { below } = prepared.template
  if (!below?.counts) return
  const [row] = await execute(database, filledOf(prepared, below.counts), options)
  refuseExcess(below, row)
}

/** Returns the number of rows below the items, or the greatest possible one where that is small enough not to be counted. Of more rows than are
 *  left, no more are counted than it takes to see that. */
export async function countNestedRows(
  database: Database,
  { boundValues, template }: PreparedRead,
  left: number,
  options: Options,
): Promise<number> {
  const { below } = template
  if (!below?.counts) return maxRowsBelow({ boundValues, template })
  const values = { get: (openValue: object) => (openValue === rowsLeft ? left : boundValues.get(openValue)) }
  const [row] = await execute(database, bindStatement(below.counts, values), options)
  return rowsCounted(below, row)
}

/** Returns the greatest number of rows below the items of the current page. */
export function maxRowsBelow(prepared: PreparedRead): number {
  const { below, list } = prepared.template
  if (!below) return 0
  const { limit = Number.POSITIVE_INFINITY } = pageNow(prepared, list.page)
  return maxRows(below.lists, limit, (page) => pageNow(prepared, page))
}

/** Returns the number of rows that the limits of a request could lead to. A list for which it gives no number counts as one row. */
export function rowsRequested(prepared: PreparedRead): number {
  const { below, list } = prepared.template
  const requested = (page: Page): Page => {
    const now = pageNow(prepared, page)
    return now.isCut || now.limit === undefined ? { ...now, limit: 1 } : now
  }
  const { limit = 1 } = pageNow(prepared, list.page)
  return limit + (below ? maxRows(below.lists, limit, requested) : 0)
}
