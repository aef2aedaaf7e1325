// Fields that ask for the schema itself, which GraphQL.js answers.
import {
  executeSync,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import { unreachable } from '../../errors/errors.ts'
import type { Collecting } from '../document/collect-fields.ts'

/** Returns the answer of such a field as JSON text. */
export function introspected(
  name: string,
  nodes: readonly FieldNode[],
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  { schema, fragments }: Pick<Collecting, 'schema' | 'fragments'>,
): string {
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
