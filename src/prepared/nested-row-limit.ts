// The rows below the items of an answer. Where their number could go beyond the limit they are counted first, as far as that.
import { fault } from '../errors/errors.ts'
import { type ListBelow, mostRows, nestedLists } from '../plan/nested-lists.ts'
import type { ListPlan, Page } from '../plan/read-plan.ts'
import type { Limits } from '../query/limits.ts'
import type { Row } from '../rows/row.ts'
import type { Setting } from '../sql/frame.ts'
import type { KeysetPosition } from '../sql/keyset.ts'
import { nestedCounts } from '../sql/nested-counts.ts'
import type { Statement } from '../sql/statements.ts'

/** The lists below a root. */
export interface RowsBelow {
  readonly lists: readonly ListBelow[]
  readonly most: number
}

/** With the statement that counts their rows. It is absent where there cannot be too many, as long as nobody asks for longer pages. */
export interface CountedBelow extends RowsBelow {
  readonly counts: Statement | undefined
}

/** Undefined where there are none, or as many as one likes. */
export function belowOf(list: ListPlan, { nestedRows: most }: Limits): RowsBelow | undefined {
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
  { lists, most }: RowsBelow,
  setting: Setting,
  after?: KeysetPosition,
): Statement => nestedCounts(list, lists, setting, most, after)

/** Whether there could be too many rows below so many items. `pageOf`: the pages as they are asked for now. */
export const mayExceed = (
  { lists, most }: RowsBelow,
  roots = Number.POSITIVE_INFINITY,
  pageOf?: (page: Page) => Page,
): boolean => mostRows(lists, roots, pageOf) > most

/** Refuses an answer whose counts are too many. Nothing is told of them: some rows may be hidden. */
export function refuseExcess({ lists, most }: RowsBelow, row: Row | undefined): void {
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
