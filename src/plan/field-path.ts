// Names of values: a field, a function of one, or either behind a path of relations.
import { type EngineError, fault, isEngineError, type Path, quote } from '../errors/errors.ts'
import { readCall } from '../query/call.ts'
import type { Collection, KeyField, OwnField, StoredField } from '../schema/model.ts'
import { isToMany, isTuple, shownKey } from '../schema/model.ts'
import { isRelatedAggregate } from '../vocabulary/functions.ts'
import { callSubject, type NameReading, typeName } from './filter/function-call.ts'
import type { ComparedValue } from './filter/predicate.ts'
import { armOf, childrenOf } from './read/child-lists.ts'
import type { RelationStep, Value } from './read/read-plan.ts'
import { fieldNamed, noField } from './resolve-name.ts'

/** The steps of a name: relations, and a last one that may be a function. `year(author.born)` is `author`, `year(born)`. */
export function stepsOf(name: string): readonly string[] {
  const open = name.indexOf('(')
  if (open < 0) return name.split('.')
  const relations = name.slice(0, open).split('.')
  const word = relations.pop() ?? ''
  const inside = name.slice(open + 1, name.lastIndexOf(')'))
  const comma = inside.indexOf(',')
  const field = (comma < 0 ? inside : inside.slice(0, comma)).trim().split('.')
  // An aggregate takes a relation and a field behind it.
  const last = field.splice(isRelatedAggregate(word) ? -2 : -1).join('.')
  const rest = comma < 0 ? '' : `, ${inside.slice(comma + 1).trim()}`
  return [...relations, ...field, `${word}(${last}${rest})`]
}

/** Resolves a name to a value. A relation at the end resolves to the keys of its items. */
export function valueNamed(
  collection: Collection,
  name: string,
  path: Path,
  naming: NameReading,
): Value | EngineError {
  const route: RelationStep[] = []
  let place = collection
  const steps = stepsOf(name)
  for (const step of steps.slice(0, -1)) {
    const next = stepTo(place, step, path, naming)
    if (isEngineError(next)) return next
    route.push(next)
    place = targetOf(next)
  }
  const last = steps.at(-1) ?? ''
  if (typeof readCall(last) === 'object') {
    const subject = callSubject(place, last, path, naming)
    return isEngineError(subject) ? subject : { route, subject, path }
  }
  const field = fieldNamed(place, last, path)
  if (isEngineError(field)) return field
  if (!isToMany(field)) return { route, subject: fieldSubject(field), path }
  const children = childrenOf(field, naming.circumstances)
  const key = shownKey(children.target)
  if (!key) return noField(place, last, path)
  return { route: [...route, { kind: 'children', children }], subject: fieldSubject(key), path }
}

export const fieldSubject = (field: OwnField | KeyField): ComparedValue =>
  isTuple(field) ? { kind: 'tuple', field, type: field.value } : { kind: 'field', field, type: field.value }

/** The fields of an item from which a value is made; none for an aggregate of children. */
export function fieldsIn(subject: ComparedValue): readonly StoredField[] {
  if (subject.kind === 'related') return []
  if (subject.kind === 'aggregate') return subject.of ? fieldsIn(subject.of) : []
  return subject.kind === 'tuple' ? subject.field.parts : [subject.field]
}

/** The name of a value's field; undefined if it has none: an aggregate, or a key of several parts. */
export function nameIn(subject: ComparedValue): string | undefined {
  if (subject.kind === 'related' || subject.kind === 'aggregate') return undefined
  return 'name' in subject.field ? subject.field.name : undefined
}

function stepTo(
  collection: Collection,
  name: string,
  path: Path,
  { circumstances }: NameReading,
): RelationStep | EngineError {
  const colon = name.indexOf(':')
  const field = fieldNamed(collection, colon < 0 ? name : name.slice(0, colon), path)
  if (isEngineError(field)) return field
  if (colon >= 0) {
    const target = field.kind === 'any' ? field.targets.get(name.slice(colon + 1)) : undefined
    return field.kind === 'any' && target
      ? { kind: 'arm', ...armOf(field, target, circumstances) }
      : noField(collection, name, path)
  }
  if (field.kind === 'm2o') return { kind: 'one', field }
  if (isToMany(field)) return { kind: 'children', children: childrenOf(field, circumstances) }
  if (field.kind === 'any') {
    const [first = ''] = field.targets.keys()
    return fault('INVALID_QUERY', `"${name}" points to several collections; say which one.`, {
      path,
      hint: `Write "${name}:${first}".`,
    })
  }
  return fault('FORBIDDEN', `${quote(name)} (${typeName(field)}) holds no fields.`, { path })
}

export function targetOf(step: RelationStep): Collection {
  if (step.kind === 'one') return step.field.target
  return step.kind === 'arm' ? step.target : step.children.target
}
