// Keys under a to-many relation: they apply to the list of children, or to one child.
import { asNode, branchesOf, isAboutList } from '../../plan/filter/filter-node.ts'
import { isJunction } from '../../vocabulary/junctions.ts'

type FilterEntry = readonly [key: string, value: unknown]

/** True if an entry, with everything inside it, applies to one child. */
export const isAboutOneChild = ([key, value]: FilterEntry): boolean =>
  isJunction(key) ? entriesBelow(value).every(isAboutOneChild) : !isAboutList(key)

/** True if any part of an entry applies to one child. */
export const asksOfOneChild = ([key, value]: FilterEntry): boolean =>
  isJunction(key) ? entriesBelow(value).some(asksOfOneChild) : !isAboutList(key)

const entriesBelow = (value: unknown): readonly FilterEntry[] =>
  branchesOf(value).flatMap((branch) => Object.entries(asNode(branch)))
