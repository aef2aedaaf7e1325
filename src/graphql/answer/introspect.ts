// Fields that ask for the schema itself, which GraphQL.js answers.
import {
  executeSync,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import { combine, fault, unreachable } from '../../errors/errors.ts'
import { tooDeep } from '../document/too-deep.ts'
import type { AnswerRequest } from './answer-request.ts'

/** Returns the answer of such a field as JSON text. */
export function introspected(
  name: string,
  nodes: readonly FieldNode[],
  { operation, input, collecting }: Pick<AnswerRequest, 'operation' | 'input' | 'collecting'>,
): string {
  const { schema, fragments } = collecting
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
    variableValues: input,
  })
  // A variable may be null where its argument may not be, which only its value shows.
  if (errors) throw combine(errors.map(refusal))
  if (!data) throw unreachable('a schema without an answer about itself')
  return JSON.stringify(data[name])
}

const refusal = ({ message, originalError }: GraphQLError) =>
  tooDeep(originalError) ?? fault('INVALID_QUERY', message)
