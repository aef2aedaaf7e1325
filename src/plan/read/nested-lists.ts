// The lists below the root of a result, and the number of rows they may have: their pages multiply.
import { membersBelow, type Through } from '../walk.ts'
import type { ListPlan, Member, Page } from './read-plan.ts'

/** A list of children, at any depth. */
export interface ListBelow {
  readonly list: ListPlan
  /** The index of the list that has its parent items; undefined for the root. */
  readonly parent: number | undefined
  /** The steps from these items to those that have the children. */
  readonly through: readonly Through[]
  /** The weight of one of its rows in the count: less for a bare key. */
  readonly weight: number
}

const keyWeight = 0.1

/** All lists below the root, each after its parent. */
export function nestedLists({ rows }: ListPlan): readonly ListBelow[] {
  const found: ListBelow[] = []
  if (rows.kind === 'items') gather(rows.members, undefined, [])
  return found

  function gather(members: readonly Member[], parent: number | undefined, through: readonly Through[]): void {
    for (const member of members) {
      if (member.kind === 'many') add(member.list, parent, through)
      for (const below of membersBelow(member))
        gather(below.members, parent, below.through ? [...through, below.through] : through)
    }
  }

  function add(list: ListPlan, parent: number | undefined, through: readonly Through[]): void {
    const at = found.push({ list, parent, through, weight: list.rows.kind === 'keys' ? keyWeight : 1 }) - 1
    if (list.rows.kind === 'items') gather(list.rows.members, at, [])
  }
}

/** The maximum number of rows below a number of items. A list without a limit may have any number. */
export function maxRows(
  lists: readonly ListBelow[],
  roots: number,
  pageOf: (page: Page) => Page = (page) => page,
): number {
  const counts: number[] = []
  let sum = 0
  for (const { list, parent, weight } of lists) {
    const above = parent === undefined ? roots : (counts[parent] ?? 0)
    const count = rowsOfEach(above, list, pageOf(list.page))
    counts.push(count)
    sum += count * weight
  }
  return sum
}

/** The maximum number of rows of a list below so many items. */
export const rowsOfEach = (items: number, list: ListPlan, page: Page): number =>
  items === 0 ? 0 : times(items, longestOf(list, page))

/** The maximum number of rows of a list below one item. Without groups there is one row of aggregates. */
export const longestOf = ({ rows }: ListPlan, { limit = Number.POSITIVE_INFINITY }: Page): number =>
  rows.kind === 'groups' && rows.groups.length === 0 ? Math.min(1, limit) : limit

const times = (some: number, each: number): number => (each === 0 ? 0 : some * each)
