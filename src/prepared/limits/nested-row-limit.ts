// Limit of rows below the items of a result. If their number could exceed it, they are counted first, up to the limit.
import { fault } from '../../errors/errors.ts'
import { type ListBelow, maxRows, nestedLists } from '../../plan/read/nested-lists.ts'
import type { ListPlan, Page } from '../../plan/read/read-plan.ts'
import { type RowBudget, rowBudgetOf } from '../../plan/read/row-budget.ts'
import type { Limits } from '../../query/limits.ts'
import type { Row } from '../../rows/row.ts'
import type { Setting } from '../../sql/frame.ts'
import { nestedCounts } from '../../sql/nested-counts.ts'
import type { KeysetPosition } from '../../sql/page/keyset.ts'
import type { Statement } from '../../sql/statement.ts'

/** Lists below a root, with their greatest number of rows. */
export interface RowsBelow {
  readonly lists: readonly ListBelow[]
  readonly max: number
}

/** Lists with the statement that counts their rows. It is absent if there cannot be too many unless longer pages are requested. */
export interface CountedBelow extends RowsBelow {
  readonly counts: Statement | undefined
  /** The budget of lists without a limit, whose rows are counted in the statements that read them. */
  readonly budget: RowBudget | undefined
}

export function belowOf(list: ListPlan, { nestedRows: max }: Limits): RowsBelow | undefined {
  const lists = max === Number.POSITIVE_INFINITY ? [] : nestedLists(list)
  return lists.length === 0 ? undefined : { lists, max }
}

/** Returns the lists below, with the statement that counts their rows if there may be more than a share of the limit. */
export function countedBelow(
  list: ListPlan,
  setting: Setting & { readonly limits: Limits },
  share = 1,
): CountedBelow | undefined {
  const below = belowOf(list, setting.limits)
  if (!below) return undefined
  const { lists, max } = below
  const isCounted = mayExceed({ lists, max: max * share }, list.page.limit)
  const counts = isCounted ? countsBelow(list, below, setting) : undefined
  return { ...below, counts, budget: isCounted ? rowBudgetOf(list, lists, max) : undefined }
}

/** Returns the statement that counts rows below a page. `after`: the position in the order behind which the page begins. */
export const countsBelow = (
  list: ListPlan,
  below: RowsBelow,
  setting: Setting,
  after?: KeysetPosition,
): Statement => nestedCounts(list, below, setting, after)

/** True if there could be too many rows below so many items. `pageOf`: the pages of the current request. */
export const mayExceed = (
  { lists, max }: RowsBelow,
  roots = Number.POSITIVE_INFINITY,
  pageOf?: (page: Page) => Page,
): boolean => maxRows(lists, roots, pageOf) > max

/** Refuses a result with too many rows below. The error does not give the counts: some rows may be hidden. */
export function refuseExcess(below: RowsBelow, row: Row | undefined): void {
  const { lists, max } = below
  if (rowsCounted(below, row) <= max) return
  const counts = countsOf(below, row)
  const longest = lists[counts.indexOf(Math.max(...counts))]
  if (!longest) return
  const { place, page } = longest.list
  throw fault(
    'INVALID_QUERY',
    `There are more than ${max} rows below the items of the result, and most of them in "${place}".`,
    {
      path: [...page.path, '_limit'],
      hint: 'Ask for fewer items, or give the list a smaller "_limit" in "deep".',
    },
  )
}

/** Returns the sum of the counts of lists, by their weights. */
export const rowsCounted = (below: RowsBelow, row: Row | undefined): number =>
  countsOf(below, row).reduce((all, count) => all + count, 0)

const countsOf = ({ lists }: RowsBelow, row: Row | undefined): readonly number[] =>
  lists.map(({ weight }, at) => Number(row?.[at] ?? 0) * weight)
