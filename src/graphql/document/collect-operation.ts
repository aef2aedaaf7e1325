// Collects an operation once for all requests that leave out the same of it: most are asked again, with other variables.
import type {
  FragmentDefinitionNode,
  GraphQLObjectType,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode,
} from 'graphql'
import { Cache } from '../../values/cache.ts'
import { memoFor } from '../../values/memo.ts'
import { type Collecting, collectFields, type Fields, isIncluded, type KeptParts } from './collect-fields.ts'

interface CollectedOperation {
  readonly fields: Fields
  readonly kept: KeptParts
}

interface Conditional {
  /** Nodes that a request may leave out. */
  readonly nodes: readonly SelectionNode[]
  readonly collected: Cache<CollectedOperation>
}

const operations = new WeakMap<OperationDefinitionNode, Conditional>()
const collectedKept = 16

/** Returns what an operation selects, by the variables of a request. */
export function collectOperation(
  operation: OperationDefinitionNode,
  type: GraphQLObjectType,
  collecting: Collecting,
): CollectedOperation {
  const { nodes, collected } = memoFor(operations, operation, () => ({
    nodes: conditionalNodes(operation, collecting.fragments),
    collected: new Cache<CollectedOperation>(collectedKept),
  }))
  const left = nodes.map((node) => (isIncluded(node, collecting) ? '1' : '0')).join('')
  const known = collected.get(left)
  if (known) return known
  const kept = { selections: new WeakMap(), arguments: new WeakMap() }
  const made = { fields: collectFields(type, [operation], collecting), kept }
  collected.set(left, made)
  return made
}

/** Returns the nodes with directives. Fragments that only other operations use have variables that are unknown here. */
function conditionalNodes(
  { selectionSet }: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): readonly SelectionNode[] {
  const found: SelectionNode[] = []
  const visited = new Set<string>()
  take(selectionSet)
  return found

  function take({ selections }: SelectionSetNode): void {
    for (const node of selections) {
      if ((node.directives?.length ?? 0) > 0) found.push(node)
      if (node.kind !== 'FragmentSpread') {
        if (node.selectionSet) take(node.selectionSet)
        continue
      }
      const fragment = fragments.get(node.name.value)
      if (!fragment || visited.has(node.name.value)) continue
      visited.add(node.name.value)
      take(fragment.selectionSet)
    }
  }
}
