// The arguments of a list, or of an item behind a field, as the parameters of a level.
import { type FieldNode, GraphQLError, type GraphQLField, getArgumentValues } from 'graphql'
import { fault } from '../../errors/errors.ts'
import { isRecord } from '../../values/guards.ts'
import type { Collecting, FieldNodes } from './collect-fields.ts'
import type { RootArguments } from './document-selection.ts'
import { filterArgument } from './filter-argument.ts'
import { hasVariables, type Variables } from './variables.ts'

type AnyField = GraphQLField<unknown, unknown>
export type Parameters = Readonly<Record<string, unknown>>

/** Returns the arguments of a field, coerced, without those that are null. */
export function argumentsOf(field: AnyField, node: FieldNode, variables: Variables): Parameters {
  return withoutNull(coerced(field, node, variables))
}

/** A variable may be null where its argument may not be, which only its value shows. */
function coerced(field: AnyField, node: FieldNode, variables: Variables): Parameters {
  try {
    return getArgumentValues(field, node, variables)
  } catch (cause) {
    throw cause instanceof GraphQLError ? fault('INVALID_QUERY', cause.message, { cause }) : cause
  }
}

/** An argument that is null is as if it was not given. */
export const withoutNull = (input: Parameters): Parameters =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null && value !== undefined))

/** Returns the arguments of a field at the root, which are read once where they have no variables. */
export function rootArguments(
  field: AnyField,
  nodes: FieldNodes,
  { variables, kept }: Collecting,
): RootArguments {
  const known = kept?.arguments.get(nodes)
  if (known) return known
  const [node] = nodes
  const input = argumentsOf(field, node, variables)
  const read = { input, level: levelOf(field, input, '') }
  if (!hasVariables(node)) kept?.arguments.set(nodes, read)
  return read
}

export function filterIn(field: AnyField, input: Parameters, name: string) {
  const { [name]: conditions } = input
  const type = field.args.find((argument) => argument.name === name)?.type
  return isRecord(conditions) && type ? filterArgument(conditions, type) : undefined
}

const levelNames = ['sort', 'limit', 'offset', 'page', 'after', 'before', 'search', 'groupBy'] as const

/** Returns the parameters of a level. `prefix`: an underscore below the root. */
export function levelOf(field: AnyField, input: Parameters, prefix: '' | '_'): Record<string, unknown> {
  const level: Record<string, unknown> = {}
  for (const name of ['filter', 'having']) {
    const filter = filterIn(field, input, name)
    if (filter) level[`${prefix}${name}`] = filter
  }
  for (const name of levelNames) {
    const value = input[name]
    if (value === undefined || (name === 'search' && value === '')) continue
    level[`${prefix}${name}`] = Array.isArray(value) ? value.filter((one) => one !== null) : value
  }
  return level
}
