// Turns a coerced filter back into our own: the names of a schema stand for fields, functions and operators.
import { type GraphQLInputObjectType, type GraphQLInputType, getNamedType, isInputObjectType } from 'graphql'
import { isRecord } from '../../values/guards.ts'
import { isRelatedAggregate } from '../../vocabulary/functions.ts'
import type { FieldMeaning, FunctionsMeaning, NameMeaning } from '../schema/meaning.ts'
import { meaningOf } from '../schema/meaning.ts'

type Filter = Record<string, unknown>

export function filterArgument(from: Readonly<Record<string, unknown>>, type: GraphQLInputType): Filter {
  const named = getNamedType(type)
  if (!isInputObjectType(named)) return { ...from }
  const filter: Filter = {}
  for (const [name, value] of Object.entries(from)) {
    const input = named.getFields()[name]
    const meaning = input && meaningOf(input)
    if (input && meaning) add(filter, entryOf(name, value, input.type, meaning))
  }
  return filter
}

/** The number of rows and those of values are conditions on one aggregate. */
function add(filter: Filter, entry: Filter): void {
  for (const [name, value] of Object.entries(entry)) {
    const { [name]: known } = filter
    filter[name] = isRecord(known) && isRecord(value) ? { ...known, ...value } : value
  }
}

function entryOf(name: string, value: unknown, type: GraphQLInputType, meaning: NameMeaning): Filter {
  if ('junction' in meaning) return { [meaning.junction]: listOf(value, type) }
  if ('quantifier' in meaning) return { [meaning.quantifier]: inner(value, type) }
  if ('aggregate' in meaning) return { [meaning.aggregate]: inner(value, type) }
  if ('isCountAll' in meaning) return { count: inner(value, type) }
  if ('operator' in meaning)
    return meaning.operator === '_field' ? comparedFields(inner(value, type)) : { [meaning.operator]: value }
  if ('functionsOf' in meaning) return functionsOf(value, type, meaning)
  return 'field' in meaning ? fieldOf(value, type, meaning) : { [name]: value }
}

/** Operators with names of fields, beside those with values. */
const comparedFields = (names: unknown): Filter =>
  isRecord(names)
    ? { _and: Object.entries(names).map(([operator, $field]) => ({ [operator]: { $field } })) }
    : {}

const inner = (value: unknown, type: GraphQLInputType): unknown =>
  isRecord(value) ? filterArgument(value, type) : value

const listOf = (value: unknown, type: GraphQLInputType): unknown =>
  Array.isArray(value) ? value.map((one: unknown) => inner(one, type)) : [inner(value, type)]

/** A condition on a field. Those on paths of a document stand beside it. */
function fieldOf(value: unknown, type: GraphQLInputType, { field, arm }: FieldMeaning): Filter {
  const name = arm === undefined ? field : `${field}:${arm}`
  if (!isRecord(value)) return { [name]: value }
  const { _json: paths, ...others } = filterArgument(value, type)
  const conditions = Object.keys(others).length > 0 || paths === undefined ? { [name]: others } : {}
  return isRecord(paths) ? { ...conditions, ...pathsOf(paths, field) } : conditions
}

const pathsOf = (paths: Readonly<Record<string, unknown>>, field: string): Filter =>
  Object.fromEntries(Object.entries(paths).map(([path, condition]) => [`json(${field}, ${path})`, condition]))

function functionsOf(
  value: unknown,
  type: GraphQLInputType,
  { functionsOf: field }: FunctionsMeaning,
): Filter {
  const named = getNamedType(type)
  if (!isRecord(value) || !isInputObjectType(named)) return {}
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, condition]) => functionOf(named, name, condition, field)),
  )
}

function functionOf(
  type: GraphQLInputObjectType,
  name: string,
  condition: unknown,
  field: string,
): readonly (readonly [call: string, condition: unknown])[] {
  const input = type.getFields()[name]
  const meaning = input && meaningOf(input)
  if (!input || !meaning || !('function' in meaning)) return []
  if (!isRelatedAggregate(meaning.function) || !isRecord(condition))
    return [[`${meaning.function}(${field})`, inner(condition, input.type)]]
  // Values of related items are named as `sort` names them.
  return Object.entries(condition).map(([path, one]) => [`${meaning.function}(${field}.${path})`, one])
}
