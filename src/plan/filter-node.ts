// What stands in an object of a filter: names of fields, and words of the language.
import type { FilterNode } from '../query/query.ts'
import { isJunction, isQuantifier } from '../vocabulary/operators.ts'

export type FilterObject = FilterNode[string]

// readFilter has given every key but operators an object.
export const asNode = (value: unknown): FilterNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as FilterNode) : {}

export const branchesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const isName = (key: string): boolean => !key.startsWith('_')

/** Whether operators on the relation itself stand in the node, or in its branches. */
export function namesOperators(node: FilterNode): boolean {
  return Object.entries(node).some(([key, value]) =>
    isJunction(key) ? branchesOf(value).some((branch) => namesOperators(asNode(branch))) : !isName(key),
  )
}

/** Words that speak of the children as a whole: whether there are any. */
export const wholes: Readonly<Record<string, 'some' | 'none'>> = {
  _null: 'none',
  _empty: 'none',
  _nnull: 'some',
  _nempty: 'some',
}

/** Whether a word under a to-many relation speaks of the list of children, and not of one child. */
export const isAboutList = (key: string): boolean => isQuantifier(key) || Object.hasOwn(wholes, key)
