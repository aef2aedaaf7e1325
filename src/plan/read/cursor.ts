// Places in the order of a list: what a cursor stands for, and the page that begins at one.
import { type EngineError, fault, isEngineError, type Path } from '../../errors/errors.ts'
import { placeIn, staleCursor } from '../../query/cursor.ts'
import type { LevelQuery } from '../../query/query.ts'
import { type Collection, isStored, keyFieldsOf, type StoredField } from '../../schema/model.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { fieldsIn } from '../field-path.ts'
import { fieldsTouched, valueTouches } from '../touches.ts'
import { isGrouped, type Level, parameterPath } from './query-level.ts'
import type { CursorMember, ListPlan, OrderKey, PagePlace } from './read-plan.ts'

/** Name of the member that shows the cursor of an item, which no field has. */
export const cursorName = '$cursor'

/** The member of a selection, before the order of its list is known. */
export const noCursorYet = (path: Path, name = cursorName): CursorMember => ({
  kind: 'cursor',
  name,
  path,
  mark: '',
  order: [],
  isKey: [],
})

type OrderedList = Pick<ListPlan, 'collection' | 'order'>

export function cursorMember(list: OrderedList, query: LevelQuery, path: Path): CursorMember | EngineError {
  const { collection, order } = list
  const refused = (says: string) => fault('INVALID_QUERY', says, { path, hint: 'Use "offset".' })
  if (isGrouped(query)) return refused('Groups have no cursors.')
  if (!collection.key) return refused(`"${collection.name}" has no key, so its items have no cursors.`)
  if (!isSeenWhole(list))
    return refused('A list has cursors only if its key, and what it is sorted by, can be read on every row.')
  const keys = new Set(keyFieldsOf(collection))
  const isKey = order.map((key) => isOwn(key) && fieldsIn(key.value.subject).some((field) => keys.has(field)))
  return { kind: 'cursor', name: cursorName, path, mark: markOf(list, query), order, isKey }
}

export const isOwn = (key: OrderKey): key is Extract<OrderKey, { kind: 'value' }> =>
  key.kind === 'value' && key.value.route.length === 0 && key.value.subject.kind === 'field'

/** True if a caller sees the values of an order on every row. */
function isSeenWhole({ collection, order }: OrderedList): boolean {
  const sorted = order.flatMap((key) => (key.kind === 'value' ? valueTouches(key.value) : []))
  return [...keyFieldsOf(collection), ...sorted.flatMap(fieldsTouched)].every(isShown)
}

/** True for a field that the caller sees on every row. One of a part of the rows has a column of its own, or is listed by its collection. */
function isShown({ collection, name, column }: StoredField): boolean {
  const shown = collection.fields.get(name)
  return shown !== undefined && isStored(shown) && shown.column === column && !collection.partly?.has(column)
}

/** Returns a mark that differs for another collection, order or form of filter. */
function markOf({ collection, order }: OrderedList, { filter, search }: LevelQuery): string {
  const sorted = order.map(
    (key) => key.kind === 'value' && [key.isDescending, key.value.route, key.value.subject],
  )
  const text = JSON.stringify([collection.name, sorted, search !== undefined], named)
  return hashOf(text + JSON.stringify(filter ?? {}, withoutOperands))
}

/** Replaces parts of the schema by their names and types: they lead back to each other. Operands do not belong to the mark, nor does who asks when. */
function named(key: string, value: unknown): unknown {
  if (key === 'operand' || key === 'circumstances') return undefined
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null || !('name' in value)) return value
  if (isCollection(value)) return value.name
  if (!('collection' in value) || !isCollection(value.collection)) return value
  const { family, storage } = Object('value' in value ? value.value : {})
  return [value.collection.name, value.name, family, storage]
}

const isCollection = (value: unknown): value is Collection =>
  typeof value === 'object' && value !== null && 'fields' in value && value.fields instanceof Map

/** Replaces the operands of a filter, whose values may differ from page to page. */
const withoutOperands = (key: string, value: unknown): unknown =>
  typeof value !== 'object' || (Array.isArray(value) && !key.startsWith('_')) || /^_n?in$/.test(key)
    ? 0
    : value

/** Returns a hash of 64 bits. Nothing rests on it: a cursor of another list would only lead to another place. */
function hashOf(text: string): string {
  let [one, other] = [0x811c9dc5, 0x1b873593]
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    one = Math.imul(one ^ unit, 0x01000193)
    other = Math.imul(other ^ unit, 0x5bd1e995) + at
  }
  return (BigInt(one >>> 0) * 0x1_0000_0000n + BigInt(other >>> 0)).toString(36)
}

/** Returns the place at which the page of a level begins or ends; undefined if it begins with the list. */
export function placeOf(list: OrderedList, level: Level): PagePlace | undefined | EngineError {
  const { query, context } = level
  const token = query.after ?? query.before
  if (token === undefined) return undefined
  const [first, second] = places.filter((name) => query[name] !== undefined)
  if (first && second) return excluding(parameterPath(level, first), parameterPath(level, second))
  const isBackward = query.after === undefined
  const path = parameterPath(level, isBackward ? 'before' : 'after')
  const member = cursorMember(list, query, path)
  if (isEngineError(member)) return member
  const { mark, order } = member
  const { cursors } = context.circumstances
  return placeAt(token, { mark, isBackward, length: order.length }, cursors) ?? staleCursor(path)
}

/** Parameters that say where a page begins or ends. */
const places = ['page', 'offset', 'after', 'before'] as const

const excluding = (path: Path, other: Path) =>
  fault('INVALID_QUERY', `"${path.at(-1)}" and "${other.at(-1)}" exclude each other.`, { path })

/** Returns the place of a token in a list that is marked so; undefined if it is of another one. `read`: values that it has no room for. */
export function placeAt(
  token: string,
  { mark, isBackward, length }: Pick<PagePlace, 'mark' | 'isBackward'> & { readonly length: number },
  read: Circumstances['cursors'],
): PagePlace | undefined {
  const found = placeIn(token)
  if (found?.mark !== mark || found.values.length !== length) return undefined
  const values = found.values.map((value, at) =>
    value === undefined ? (read?.get(token)?.[at] ?? undefined) : value,
  )
  const nulls = values.map((value) => value === null)
  return values.includes(undefined)
    ? undefined
    : { mark, isBackward, nulls, values: values.map((value) => value ?? null) }
}
