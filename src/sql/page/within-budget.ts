// Rows of lists without a limit, counted inside of the statement that reads them.
import { DeferredValue, sql } from '../../dialects/sql.ts'
import type { ListBelow } from '../../plan/read/nested-lists.ts'
import { isUnlimited, type RowBudget, type RowsLeft, rowsLeftOf } from '../../plan/read/row-budget.ts'
import { countedLists } from '../nested-counts.ts'
import type { PageCondition } from './pagination.ts'

/** The condition that the rows of lists without a limit are within a budget. They are counted once for a statement, in its own snapshot. */
export function withinBudget(budget: RowBudget): PageCondition {
  const needed = withParents(budget)
  const first = rowsLeftOf(budget)
  const deferred = (pick: (now: RowsLeft) => number) =>
    sql.val(new DeferredValue(budget, first, (now) => pick(now as RowsLeft))) // the value bound to a budget is what is left of it
  const weightOf = ({ weights }: RowsLeft, { at }: { readonly at: number }) => weights[at] ?? 0
  const enough = (_list: ListBelow, index: number) => {
    const one = needed[index]
    if (!one || !isUnlimited(one.below, budget.max)) return undefined
    return new DeferredValue(budget, first, (now) =>
      enoughOf(now as RowsLeft, weightOf(now as RowsLeft, one)),
    )
  }
  const lists = needed.map(({ below }) => below)
  return (rows) => {
    const { named, counts } = countedLists(rows, lists, enough)
    const weighed = needed.flatMap((one, index) =>
      isUnlimited(one.below, budget.max)
        ? [sql`${counts[index] ?? sql`0`} * ${deferred((now) => weightOf(now, one))}`]
        : [],
    )
    return sql`(${named} select ${sql.join(weighed, sql` + `)}) <= ${deferred(({ left }) => left)}`
  }
}

/** If no row may weigh anything, the rows need not be counted. */
const enoughOf = ({ left }: RowsLeft, weight: number): number =>
  weight === 0 ? 0 : Math.floor(left / weight) + 1

/** The lists without a limit and those above them, each with its position among all. */
function withParents({ lists, max }: RowBudget) {
  const isNeeded = lists.map((below) => isUnlimited(below, max))
  for (let at = lists.length - 1; at >= 0; at--) {
    const parent = lists[at]?.parent
    if (isNeeded[at] && parent !== undefined) isNeeded[parent] = true
  }
  const positions = lists.map((_, at) => isNeeded.slice(0, at).filter(Boolean).length)
  return lists.flatMap((below, at) => {
    if (!isNeeded[at]) return []
    const { list } = below
    const page = isUnlimited(below, max) ? { ...list.page, limit: undefined } : list.page
    const parent = below.parent === undefined ? undefined : positions[below.parent]
    return [{ at, below: { ...below, list: { ...list, page }, parent } }]
  })
}
