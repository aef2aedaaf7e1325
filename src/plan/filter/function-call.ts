// Resolves a function of a field.

import { type DatePart, dateParts } from '../../dialects/phrase-types.ts'
import { type EngineError, fault, isEngineError, type Path, quote } from '../../errors/errors.ts'
import { readCall } from '../../query/call.ts'
import {
  type Collection,
  type Field,
  isToMany,
  isTuple,
  type KeyTuple,
  keyFieldsOf,
} from '../../schema/model.ts'
import { type Family, familyRow } from '../../types/families.ts'
import { isForeign } from '../../types/other.ts'
import { readJsonPath } from '../../values/json-path.ts'
import { appliesTo, type FunctionName, functions, functionsOf } from '../../vocabulary/functions.ts'
import { childrenOf } from '../read/child-lists.ts'
import { fieldNamed } from '../resolve-name.ts'
import { integerType, jsonType } from '../write/value-types.ts'
import type { ComparedValue } from './predicate.ts'

/** The subject of `function(field)`, or the error that says why there is none. */
export function callSubject(collection: Collection, text: string, path: Path): ComparedValue | EngineError {
  const call = readCall(text)
  if (typeof call !== 'object') return refuse(path, `${quote(text)} is not understood.`)
  if (call.field.includes('.')) {
    const [relation, ...rest] = call.field.split('.')
    return refuse(
      path,
      `${quote(text)} follows a relation.`,
      `Write { "${relation}": { "${call.name}(${rest.join('.')})": … } }`,
    )
  }
  const field = fieldNamed(collection, call.field, path)
  if (isEngineError(field)) return field
  if (isToMany(field)) return countOf(field, call.name, path)
  if (isTuple(field) || !appliesTo(call.name, field.value.family) || isConcealed(field))
    return notApplicable(call.name, field, path)
  if (call.name === 'count') return { kind: 'length', field, type: integerType }
  if (isDatePart(call.name)) return { kind: 'part', field, part: call.name, type: integerType }
  const steps = readJsonPath(call.path ?? '')
  if (typeof steps === 'string') return refuse(path, `${quote(text)} is not understood: ${steps}.`)
  return { kind: 'json', field, path: steps, as: undefined, type: jsonType }
}

function countOf(
  field: Extract<Field, { kind: 'o2m' | 'm2m' | 'm2a' }>,
  name: FunctionName,
  path: Path,
): ComparedValue | EngineError {
  if (!functions[name].onRelations) return notApplicable(name, field, path)
  return { kind: 'count', children: childrenOf(field), type: integerType }
}

const isDatePart = (name: string): name is DatePart => dateParts.some((part) => part === name)
const isConcealed = (field: Field) => field.kind === 'scalar' && field.isConcealed

function notApplicable(name: FunctionName, field: Field, path: Path): EngineError {
  const legal = isToMany(field) ? ['count'] : isConcealed(field) ? [] : functionsOf(field.value.family)
  const takes = legal.length === 0 ? 'it takes no function' : `it takes ${legal.join(', ')}`
  return refuse(path, `"${name}" does not work on "${field.name}" (${typeName(field)}); ${takes}.`)
}

/** The family as which a value may be used. A concealed value can only be tested for presence, like a hash. */
export const usableFamily = (subject: ComparedValue): Family =>
  isMasked(subject) ? 'hash' : subject.type.family

/** True for a value that is only unusable because it is concealed. */
export const isMasked = (subject: ComparedValue): boolean =>
  subject.kind === 'field' && isConcealed(subject.field) && subject.type.family !== 'hash'

/** The reason why a value makes no groups, in words; undefined if it does. */
export const withoutGroups = (subject: ComparedValue): string | undefined =>
  familyRow(usableFamily(subject)).groups.includes('distinct') ? undefined : typeInWords(subject)

/** The reason why a value cannot be sorted, in words; undefined if it can. Every type of a key has an order, but of those that only the database knows, the keys alone. */
export const withoutOrder = (subject: ComparedValue): string | undefined =>
  familyRow(usableFamily(subject)).key && (!isForeign(usableFamily(subject)) || isKey(subject))
    ? undefined
    : withoutGroups(subject)

/** True for a key, or a reference to one: the database keeps keys in an order. */
const isKey = (subject: ComparedValue): boolean =>
  subject.kind === 'field' &&
  (subject.field.kind === 'm2o' || keyFieldsOf(subject.field.collection).includes(subject.field))

function typeInWords(subject: ComparedValue): string {
  const isField = subject.kind === 'field' || subject.kind === 'tuple'
  const what = isField ? typeName(subject.field) : subject.type.type
  return isMasked(subject) ? `is a concealed ${what}` : `is of type ${what}`
}

/** The type of a field, as shown in a message. */
export function typeName(field: Field | KeyTuple): string {
  if (field.kind !== 'scalar') return field.kind
  return field.value.isArray ? `a list of ${field.value.type}` : field.value.type
}

function refuse(path: Path, message: string, hint?: string): EngineError {
  return fault('INVALID_QUERY', message, { path, hint })
}
