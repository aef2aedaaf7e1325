// Variables of an operation, in the form in which each major version of GraphQL.js passes them on.
import {
  type GraphQLError,
  type GraphQLSchema,
  type getArgumentValues,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql'

/** Coerced variables. Only GraphQL.js looks into them. */
export type Variables = NonNullable<Parameters<typeof getArgumentValues>[2]>

/** Coerces the variables of a request, or returns all that is wrong with them. */
export function readVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
): Variables | readonly GraphQLError[] {
  const read = getVariableValues(schema, variableDefinitions, given, { maxErrors: mostErrors })
  if (read.errors) return read.errors
  // Version 17 has them with their sources, and version 16 as they are.
  return (Reflect.get(read, 'variableValues') ?? Reflect.get(read, 'coerced')) as Variables
}

const mostErrors = 50
