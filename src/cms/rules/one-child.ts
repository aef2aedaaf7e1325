// Words under a to-many relation: about the list of children, or about one child.
import { asNode, branchesOf, isAboutList } from '../../plan/filter-node.ts'
import { isJunction } from '../../vocabulary/operators.ts'

type FilterEntry = readonly [key: string, value: unknown]

/** An entry is about one child, with all that stands inside of it. */
export const isAboutOneChild = ([key, value]: FilterEntry): boolean =>
  isJunction(key) ? entriesBelow(value).every(isAboutOneChild) : !isAboutList(key)

/** Something in an entry is about one child. */
export const asksOfOneChild = ([key, value]: FilterEntry): boolean =>
  isJunction(key) ? entriesBelow(value).some(asksOfOneChild) : !isAboutList(key)

const entriesBelow = (value: unknown): readonly FilterEntry[] =>
  branchesOf(value).flatMap((branch) => Object.entries(asNode(branch)))
