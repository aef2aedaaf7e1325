import type { JsonScalar } from '../../dialects/phrase-types.ts'
import { type EngineError, fault, isEngineError, type Path, quote } from '../../errors/errors.ts'
import { directionHint } from '../../query/direction-hint.ts'
import { type Collection, isStored, partsOf, type StoredField } from '../../schema/model.ts'
import { fieldSubject, valueNamed } from '../field-path.ts'
import { withoutOrder } from '../filter/function-call.ts'
import { scalarTypes } from '../write/value-types.ts'
import { namingOf } from './level-condition.ts'
import { type Level, parameterPath } from './query-level.ts'
import type { OrderKey, Value } from './read-plan.ts'

/** The order of a list of items. Its last key is the collection's own, so that the order of rows is always unique. */
export function orderOf(level: Level, sortField: StoredField | undefined): readonly OrderKey[] {
  const { collection, query, context } = level
  const path = parameterPath(level, 'sort')
  const requested = (query.sort ?? []).map((name, index) =>
    sortNamed(name, level, sortPath(path, query.sort, index)),
  )
  for (const key of requested) if (isEngineError(key)) context.problems.report(key)
  const keys = requested.flatMap((key) => (isEngineError(key) ? [] : key))
  const own = keys.length > 0 ? keys : defaultOrder(collection, sortField)
  const ends = identifying(collection).map((field) => ({ field, place: own.findIndex(isOf(field)) }))
  const rest = ends.filter(({ place }) => place < 0)
  if (rest.length === 0) return own.slice(0, Math.max(...ends.map(({ place }) => place)) + 1)
  return [...own, ...rest.map(({ field }) => ascending(field, own.at(-1)?.isDescending ?? false))]
}

/** The fields that identify items: the key, or without one all that can be ordered. */
function identifying(collection: Collection): readonly StoredField[] {
  if (collection.key) return partsOf(collection.key)
  return [...collection.fields.values()]
    .filter(isStored)
    .filter((field) => withoutOrder(fieldSubject(field)) === undefined)
}

const sortPath = (path: Path, names: readonly string[] | undefined, index: number): Path =>
  names && names.length > 1 ? [...path, index] : path

const defaultOrder = (collection: Collection, sortField: StoredField | undefined): OrderKey[] => {
  const field = sortField ?? collection.sortField
  return field ? [ascending(field, false)] : []
}

const ascending = (field: StoredField, isDescending: boolean): OrderKey => ({
  kind: 'value',
  value: { route: [], subject: fieldSubject(field), path: [] },
  isDescending,
})

const isOf = (field: StoredField) => (key: OrderKey) =>
  key.kind === 'value' &&
  key.value.route.length === 0 &&
  key.value.subject.kind === 'field' &&
  key.value.subject.field === field

function sortNamed(text: string, level: Level, path: Path): OrderKey[] | EngineError {
  const { collection, query } = level
  const isDescending = text.startsWith('-')
  const name = isDescending ? text.slice(1) : text
  const alias = query.alias && Object.hasOwn(query.alias, name) ? query.alias[name] : undefined
  const value = valueNamed(collection, alias ?? name, path, namingOf(level))
  if (isEngineError(value)) return withDirection(value, text)
  if (value.subject.kind === 'tuple' && value.route.some(({ kind }) => kind === 'children'))
    return fault('INVALID_QUERY', `${quote(name)} has keys of several parts; say which one to sort by.`, {
      path,
      hint: `Write "${name}.${value.subject.field.parts[0]?.name}".`,
    })
  const fans = fansOf(value)
  if (fans > 1)
    return fault(
      'INVALID_QUERY',
      `${quote(name)} leads ${fans} times from a related item to a list of others; once is the most.`,
      { path },
    )
  // A value inside JSON is sorted by its type, and a key of several parts by each.
  const isPlain = value.subject.kind !== 'json' && value.subject.kind !== 'tuple'
  const mistake = isPlain ? withoutOrder(value.subject) : undefined
  if (mistake) return fault('INVALID_QUERY', `${quote(name)} ${mistake}, which has no order.`, { path })
  return parts(value).map((part) => ({ kind: 'value', value: part, isDescending }))
}

/** Number of times that a path leads from a related item to a list of others. Many items share such a list, and each reads it anew; lists right inside lists have
 *  each row once. */
function fansOf({ route, subject }: Value): number {
  const steps = [...route.map(({ kind }) => kind), ...(subject.kind === 'related' ? ['children'] : [])]
  return steps.filter((step, at) => step === 'children' && at > 0 && steps[at - 1] !== 'children').length
}

/** The type of a value inside JSON is unknown beforehand: numbers come first, then texts, then false and true. */
function parts(value: Value): Value[] {
  const { subject } = value
  if (subject.kind === 'tuple')
    return subject.field.parts.map((part) => ({ ...value, subject: fieldSubject(part) }))
  if (subject.kind !== 'json') return [value]
  return (['number', 'text', 'boolean'] as const satisfies readonly JsonScalar[]).map((as) => ({
    ...value,
    subject: { ...subject, as, type: scalarTypes[as] },
  }))
}

/** Adds to an error about a name what it is to be, if a direction stands behind it. */
function withDirection(error: EngineError, text: string): EngineError {
  const hint = directionHint(text)
  const { code, message, path, extensions } = error
  return hint === undefined ? error : fault(code, message, { path, extensions, hint })
}
