// Keys as callers name them, and the errors for those that are no item's.

import { type EngineError, fault, type Path, quote } from '../../errors/errors.ts'
import {
  heldInItem,
  isKeyLike,
  isNoKey,
  isSameKey,
  type Key,
  keyOfValue,
  readNamedKey,
  valuesOfKey,
} from '../../plan/key.ts'
import { otherKeySaid } from '../../plan/write/nested-item.ts'
import { readStored } from '../../plan/write/stored-value.ts'
import { type Collection, keyFieldsOf, type StoredField } from '../../schema/model.ts'
import type { Storable } from '../../types/family-row.ts'
import { isRecord } from '../../values/guards.ts'

/** Reads a key as a caller gives it. A value that cannot be a key of the collection is the key of no item. */
export function namedKey(collection: Collection, input: unknown, path: Path | undefined): Key {
  const key = readNamedKey(collection, input)
  if (key === undefined) throw notNamed(collection, input, path)
  return key
}

/** Returns the error for a value that names no item: arguments in another order are a mistake, and no item that is missing. */
export const notNamed = (collection: Collection, input: unknown, path?: Path): EngineError =>
  isNoKey(input) ? noKey(input, path ?? [], collection, argumentOrder) : missing(path)

/** Reads a key of a list. A value that cannot be a key of any item is a mistake, not a missing item. */
export function listedKey(collection: Collection, input: unknown, path: Path): Key {
  const key = readNamedKey(collection, input)
  if (key !== undefined) return key
  throw isKeyLike(collection, input) ? missing(path) : noKey(input, path, collection)
}

export function noKey(input: unknown, path: Path, collection?: Collection, hint?: string) {
  if (collection?.key?.kind !== 'key')
    return fault('INVALID_PAYLOAD', `A key is a text or a number, not ${quote(input)}.`, { path, hint })
  const names = collection.key.parts.map(({ name }) => name)
  return fault(
    'INVALID_PAYLOAD',
    `A key of "${collection.name}" is a list of ${names.length} parts (${names.join(', ')}), not ${quote(input)}.`,
    { path, hint: hint ?? 'A list of such keys is a list of lists: [[1,2]].' },
  )
}

/** Refuses what is no name of a collection whatever. */
export function requireName(name: unknown): void {
  // Callers may use JavaScript.
  if (typeof name === 'string') return
  const says = `The name of a collection is a text, not ${quote(name)}.`
  throw fault('INVALID_PAYLOAD', says, { hint: argumentOrder })
}

const argumentOrder = 'The order is: engine, collection, key, and then the rest.'

export const missing = (path?: Path) =>
  fault('NOT_FOUND', 'There is no such item, or you may not see it.', { path })

/** Returns the error for a payload that gives an item another key than it has. */
export function otherKey(
  collection: Collection,
  key: Key,
  payload: Readonly<Record<string, unknown>>,
  path: Path,
): EngineError | undefined {
  const other = valuesOfKey(keyFieldsOf(collection), key).find(([field, value]) => {
    const said = payload[field.name]
    return said !== undefined && !isSaid(field, said, value)
  })
  if (!other) return undefined
  const [{ name }] = other
  return otherKeySaid(name, path)
}

/** True if a payload says a value of a field, itself or by the item that it refers to. */
function isSaid(field: StoredField, said: unknown, value: Storable | null): boolean {
  const input = field.kind === 'm2o' && isRecord(said) ? heldInItem(field, said) : said
  if (input === undefined || input === null || value === null) return false
  const read = readStored(field, input)
  return read.kind === 'value' && isSameKey(keyOfValue(read.value), keyOfValue(value))
}
