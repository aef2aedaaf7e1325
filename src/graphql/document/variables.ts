// Variables of an operation, in the form in which each major version of GraphQL.js passes them on.
import {
  type ASTNode,
  GraphQLError,
  type GraphQLSchema,
  type getArgumentValues,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql'
import { tooDeep } from './too-deep.ts'

/** Coerced variables. Only GraphQL.js looks into them. */
export type Variables = NonNullable<Parameters<typeof getArgumentValues>[2]>

/** Coerces the variables of a request, or returns all that is wrong with them. */
export function readVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  input: Readonly<Record<string, unknown>>,
): Variables | readonly GraphQLError[] {
  const read = getVariableValues(schema, variableDefinitions, input, { maxErrors: maxErrors })
  return read.errors ? read.errors.map(shownError) : coerced(read)
}

export const withoutVariables = (schema: GraphQLSchema): Variables =>
  coerced(getVariableValues(schema, [], {}))

// Version 17 has them with their sources, and version 16 as they are.
const coerced = (read: ReturnType<typeof getVariableValues>): Variables =>
  (Reflect.get(read, 'variableValues') ?? Reflect.get(read, 'coerced')) as Variables

const maxErrors = 50

/** GraphQL.js reports that its stack is full like any other mistake. */
const shownError = (error: GraphQLError): GraphQLError => {
  const deep = tooDeep(error.originalError ?? error)
  return deep ? new GraphQLError(deep.message) : error
}

export function hasVariables(node: ASTNode): boolean {
  switch (node.kind) {
    case 'Variable':
      return true
    case 'Field':
      return node.arguments?.some(({ value }) => hasVariables(value)) ?? false
    case 'ListValue':
      return node.values.some(hasVariables)
    case 'ObjectValue':
      return node.fields.some(({ value }) => hasVariables(value))
    default:
      return false
  }
}
