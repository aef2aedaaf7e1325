// The rows below the items of an answer. Where their number could go beyond the limit they are counted first, as far as that.
import { fault } from '../errors.ts'
import { mostRows, type NestedList, nestedLists } from '../plan/nested-lists.ts'
import type { ListPlan, Page } from '../plan/read-plan.ts'
import type { Limits } from '../query/limits.ts'
import type { After } from '../sql/after.ts'
import type { Setting } from '../sql/frame.ts'
import { nestedCounts } from '../sql/nested-counts.ts'
import type { Statement } from '../sql/statement.ts'
import type { Row } from './row.ts'

/** The lists below a root. */
export interface Below {
  readonly lists: readonly NestedList[]
  readonly most: number
}

/** With the statement that counts their rows. It is absent where there cannot be too many, as long as nobody asks for longer pages. */
export interface CountedBelow extends Below {
  readonly counts: Statement | undefined
}

/** Undefined where there are none, or as many as one likes. */
export function belowOf(list: ListPlan, { nestedRows: most }: Limits): Below | undefined {
  const lists = most === Number.POSITIVE_INFINITY ? [] : nestedLists(list)
  return lists.length === 0 ? undefined : { lists, most }
}

export function countedBelow(
  list: ListPlan,
  setting: Setting & { readonly limits: Limits },
): CountedBelow | undefined {
  const below = belowOf(list, setting.limits)
  const { limit } = list.page
  return (
    below && { ...below, counts: mayExceed(below, limit) ? countsBelow(list, below, setting) : undefined }
  )
}

/** `after`: counted below the page behind a place in the order. */
export const countsBelow = (
  list: ListPlan,
  { lists, most }: Below,
  setting: Setting,
  after?: After,
): Statement => nestedCounts(list, lists, setting, most, after)

/** Whether there could be too many rows below so many items. `pageOf`: the pages as they are asked for now. */
export const mayExceed = (
  { lists, most }: Below,
  roots = Number.POSITIVE_INFINITY,
  pageOf?: (page: Page) => Page,
): boolean => mostRows(lists, roots, pageOf) > most

/** Refuses an answer whose counts are too many. Nothing is told of them: some rows may be hidden. */
export function refuseExcess({ lists, most }: Below, row: Row | undefined): void {
  const counts = lists.map(({ weight }, at) => Number(row?.[at] ?? 0) * weight)
  const sum = counts.reduce((all, count) => all + count, 0)
  if (sum <= most) return
  const longest = lists[counts.indexOf(Math.max(...counts))]
  if (!longest) return
  const { place, page } = longest.list
  throw fault(
    'INVALID_QUERY',
    `There are more than ${most} rows below the items of the answer, and most of them in "${place}".`,
    {
      path: [...page.path, '_limit'],
      hint: 'Ask for fewer items, or give the list a smaller "_limit" in "deep".',
    },
  )
}
