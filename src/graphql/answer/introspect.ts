// Fields that ask for the schema itself, which GraphQL.js answers.
import {
  executeSync,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql'
import { fault, unreachable } from '../../errors/errors.ts'
import type { Collecting } from '../document/collect-fields.ts'

/** True for `__schema` and `__type`. */
export const isIntrospection = (node: FieldNode): boolean =>
  node.name.value === '__schema' || node.name.value === '__type'

/** Returns the answer of such a field as JSON text. */
export function introspected(
  name: string,
  nodes: readonly FieldNode[],
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  { schema, fragments }: Pick<Collecting, 'schema' | 'fragments'>,
): string {
  refuseCrowded(nodes, fragments)
  const { selectionSet } = operation
  const alone: OperationDefinitionNode = {
    ...operation,
    selectionSet: { ...selectionSet, selections: nodes },
  }
  const definitions: readonly (OperationDefinitionNode | FragmentDefinitionNode)[] = [
    alone,
    ...fragments.values(),
  ]
  const { data, errors } = executeSync({
    schema,
    document: { kind: Kind.DOCUMENT, definitions },
    variableValues: variables,
  })
  if (errors || !data) throw unreachable(`a schema without an answer about itself: ${errors?.[0]?.message}`)
  return JSON.stringify(data[name])
}

/** Fields and fragments of one question. What tools ask has about 250. */
const mostFields = 1_000

/** Refuses a question whose fragments multiply: each of its fields is answered for each member of a schema. */
function refuseCrowded(
  nodes: readonly SelectionNode[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): void {
  let counted = 0
  count(nodes)

  function count(selections: readonly SelectionNode[]): void {
    for (const node of selections) {
      counted++
      if (counted > mostFields)
        throw fault('INVALID_QUERY', `A question about the schema has more than ${mostFields} fields.`)
      const inner = node.kind === 'FragmentSpread' ? fragments.get(node.name.value) : node
      count(inner?.selectionSet?.selections ?? [])
    }
  }
}
