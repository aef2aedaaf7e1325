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
  type StoredField,
  type ToMany,
} from '../../schema/model.ts'
import { type Family, familyRow } from '../../types/families.ts'
import { isForeign } from '../../types/other.ts'
import { readJsonPath } from '../../values/json-path.ts'
import { aggregates } from '../../vocabulary/aggregates.ts'
import {
  appliesTo,
  type FunctionName,
  functionsOf,
  isRelatedAggregate,
  type RelatedAggregateName,
} from '../../vocabulary/functions.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { childrenOf } from '../read/child-lists.ts'
import { fieldNamed } from '../resolve-name.ts'
import { integerType, jsonType } from '../write/value-types.ts'
import { always, type ComparedValue, type Predicate, type RelatedValue } from './predicate.ts'

/** What names mean besides the fields of a collection. */
export interface NameReading {
  readonly circumstances: Circumstances
  readonly aliases?: LevelAliases
}

interface LevelAliases {
  readonly collection: Collection
  /** Returns the relation behind a name, and the condition of the level below it; undefined if it stands for none. */
  readonly relation: (name: string) => AliasedRelation | undefined
}

export interface AliasedRelation {
  readonly field: ToMany
  readonly condition: Predicate
}

/** The subject of `function(field)`, or the error that says why there is none. */
export function callSubject(
  collection: Collection,
  text: string,
  path: Path,
  { aliases, circumstances }: NameReading,
): ComparedValue | EngineError {
  const call = readCall(text)
  if (typeof call !== 'object') return refuse(path, `${quote(text)} is not understood.`)
  const { name } = call
  const [relation = '', ...rest] = call.field.split('.')
  if (rest.length > (isRelatedAggregate(name) ? 1 : 0))
    return refuse(
      path,
      `${quote(text)} follows a relation.`,
      `Write { "${relation}": { "${name}(${rest.join('.')})": … } }`,
    )
  const isOwn = collection.fields.has(relation) || aliases?.collection !== collection
  const aliased = isOwn ? undefined : aliases.relation(relation)
  const field = aliased?.field ?? fieldNamed(collection, relation, path)
  if (isEngineError(field)) return field
  const related = { condition: aliased?.condition ?? always, shownAs: text, circumstances, path }
  if (isRelatedAggregate(name)) return aggregateOf(field, name, rest[0], related)
  if (isToMany(field)) return countOf(field, name, related)
  if (isTuple(field) || !appliesTo(name, field.value.family) || isConcealed(field))
    return notApplicable(name, field, path)
  if (name === 'count') return { kind: 'length', field, type: integerType }
  if (isDatePart(name)) return { kind: 'part', field, part: name, type: integerType }
  const steps = readJsonPath(call.path ?? '')
  if (typeof steps === 'string') return refuse(path, `${quote(text)} is not understood: ${steps}.`)
  return { kind: 'json', field, path: steps, as: undefined, type: jsonType }
}

interface RelatedPlace extends Pick<RelatedValue, 'condition' | 'shownAs'> {
  readonly circumstances: Circumstances
  readonly path: Path
}

function countOf(
  field: ToMany,
  name: FunctionName,
  { path, circumstances, ...related }: RelatedPlace,
): ComparedValue | EngineError {
  if (name !== 'count') return notApplicable(name, field, path)
  const children = childrenOf(field, circumstances)
  return { kind: 'related', name: 'count', of: undefined, children, ...related, type: integerType }
}

/** An aggregate of a field of related items. Without one, or of another type, the error shows a right form. */
function aggregateOf(
  field: Field,
  name: RelatedAggregateName,
  inner: string | undefined,
  { path, circumstances, ...related }: RelatedPlace,
): ComparedValue | EngineError {
  if (!isToMany(field)) {
    const right = inner === undefined ? `aggregate[${name}]=${field.name}` : `"${field.name}.${inner}"`
    const message = `"${name}" takes a list of related items, not "${field.name}" (${typeName(field)}).`
    return refuse(path, message, `Write ${right}.`)
  }
  const families: readonly Family[] = aggregates[name].families
  const fits = (one: Field): one is StoredField =>
    !isToMany(one) && !isTuple(one) && !isConcealed(one) && families.includes(one.value.family)
  const { target } = field
  // The sum of references means nothing.
  const example = [...target.fields.values()].find((one) => fits(one) && one.kind === 'scalar' && !one.isKey)
  const hint = example && `Write "${name}(${field.name}.${example.name})".`
  if (inner === undefined)
    return refuse(path, `"${name}" needs a field of the items of "${field.name}".`, hint)
  const of = fieldNamed(target, inner, path)
  if (isEngineError(of)) return of
  if (!fits(of)) return refuse(path, `"${name}" does not work on "${of.name}" (${typeName(of)}).`, hint)
  const type = aggregates[name].comparedAs(of.value)
  const subject = { kind: 'field', field: of, type: of.value } as const
  return { kind: 'related', name, of: subject, children: childrenOf(field, circumstances), ...related, type }
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

export function typeName(field: Field | KeyTuple): string {
  if (field.kind !== 'scalar') return field.kind
  return field.value.isArray ? `a list of ${field.value.type}` : field.value.type
}

function refuse(path: Path, message: string, hint?: string): EngineError {
  return fault('INVALID_QUERY', message, { path, hint })
}
