// Rows that lists without a limit may have: what the lists with one cannot have of all that are allowed.
import type { Path } from '../../errors/errors.ts'
import { type ListBelow, longestOf, rowsOfEach } from './nested-lists.ts'
import type { ListPlan, Page } from './read-plan.ts'

/** The budget of a read: its lists below the root, of which some have no limit. Its value depends on the pages of each request. */
export interface RowBudget {
  readonly lists: readonly ListBelow[]
  readonly root: Page
  /** The rows that all lists together may have. */
  readonly max: number
  /** No value of a query is the budget's alone. */
  readonly path: Path
}

/** The value of a budget for the pages of a request, in tenths of a row: the weights of bare keys are no whole numbers. */
export interface RowsLeft {
  /** The rest for lists without a limit; less than zero if those with one may already have too many. */
  readonly left: number
  /** The part of it that each row of a list takes, with the rows below that have a limit. */
  readonly weights: readonly number[]
}

/** Returns the budget of a read. Undefined if all of its lists have a limit, or its root has none. */
export function rowBudgetOf(
  { page }: ListPlan,
  lists: readonly ListBelow[],
  max: number,
): RowBudget | undefined {
  if (page.limit === undefined || !lists.some((below) => isUnlimited(below, max))) return undefined
  return { lists, root: page, max, path: noPath }
}

const noPath: Path = []

/** True if only its rows say how many there are, of `max` that may be. Those of a list that a large limit of the host's cuts are counted as if it did
 *  not: few items have so many. */
export const isUnlimited = ({ list }: ListBelow, max: number): boolean => {
  const { page } = list
  const isCounted = page.isCut && (page.limit ?? 0) * 50 > max
  return longestOf(list, isCounted ? { ...page, limit: undefined } : page) === Number.POSITIVE_INFINITY
}

/** Returns the value of a budget. `pageOf`: the pages of the current request. */
export function rowsLeftOf(
  { lists, root, max }: RowBudget,
  pageOf: (page: Page) => Page = (page) => page,
): RowsLeft {
  const weights = lists.map(() => 0)
  /** For each list: the list without a limit to whose rows its rows belong, and how many of them belong to each. */
  const belonging: { readonly to: number | undefined; readonly each: number }[] = []
  let left = max * tenths
  for (const [at, below] of lists.entries()) {
    const above = below.parent === undefined ? undefined : belonging[below.parent]
    const own = isUnlimited(below, max)
      ? { to: at, each: 1 }
      : {
          to: above?.to,
          each: rowsOfEach(above?.each ?? pageOf(root).limit ?? 0, below.list, pageOf(below.list.page)),
        }
    belonging.push(own)
    const weight = own.each * Math.round(below.weight * tenths)
    if (own.to === undefined) left -= weight
    else weights[own.to] = (weights[own.to] ?? 0) + weight
  }
  // A weight beyond what is left is as good as any other, and no number that a database cannot hold.
  return { left, weights: weights.map((weight) => Math.min(weight, Math.max(left, 0) + 1)) }
}

const tenths = 10

/** The value of a budget for a read whose rows were counted before. */
export const anyRows = ({ lists }: RowBudget): RowsLeft => ({ left: 0, weights: lists.map(() => 0) })
