// The query of a write whose result is selected by a tree.
import type { SelectionTree } from '../../plan/read/selection-tree.ts'

const ofTree: unique symbol = Symbol('tree')

/** Returns a query with a tree. Its parameters are those of the levels. */
export const withTree = (query: object, tree: SelectionTree): object => ({ ...query, [ofTree]: tree })

/** Returns the tree of a query; undefined if fields are selected by their names. */
export function treeIn(query: object | undefined): SelectionTree | undefined {
  return query && ofTree in query ? (query[ofTree] as SelectionTree) : undefined // only `withTree` sets it
}

/** Returns the parameters of a query, without its tree. */
export const parametersOf = (query: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(query))
