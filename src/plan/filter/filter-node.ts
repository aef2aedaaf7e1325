// Nodes of a filter: names of fields, and words of the filter language.
import type { FilterNode } from '../../query/query.ts'
import { isJunction, isQuantifier } from '../../vocabulary/junctions.ts'

export type FilterObject = FilterNode[string]

// readFilter has given an object to every key but operators.
export const asNode = (value: unknown): FilterNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as FilterNode) : {}

export const branchesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const isName = (key: string): boolean => !key.startsWith('_')

/** True if the node or one of its branches has operators on the relation itself. */
export function namesOperators(node: FilterNode): boolean {
  return Object.entries(node).some(([key, value]) =>
    isJunction(key) ? branchesOf(value).some((branch) => namesOperators(asNode(branch))) : !isName(key),
  )
}

/** Words that test whether there are any children. */
export const wholes: Readonly<Record<string, 'some' | 'none'>> = {
  _null: 'none',
  _empty: 'none',
  _nnull: 'some',
  _nempty: 'some',
}

/** True for a word under a to-many relation that is about the list of children, and not about one child. */
export const isAboutList = (key: string): boolean => isQuantifier(key) || Object.hasOwn(wholes, key)
