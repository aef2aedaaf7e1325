// Keys of items: the one place where a key is read, compared and spelled.

import { unreachable } from '../errors/errors.ts'
import type { Collection, ManyToOne, StoredField } from '../schema/model.ts'
import { familyRow } from '../types/families.ts'
import type { Storable } from '../types/family-row.ts'
import { shownSingle } from '../types/field-types.ts'
import { readStored } from './stored-value.ts'

declare const ofCollection: unique symbol

/** The key of an item of some collection. No other file looks into it. */
export interface Key {
  readonly [ofCollection]: true
}

/** Returns the key that is the value of a key or of a reference. The brand is for the compiler only. */
export const keyOfValue = (value: Storable): Key => value as Key

/** Reads a key from a row, a payload or a reference, in any form of its type; undefined if it cannot be a key of the collection. */
export function readKey({ key }: Collection, given: unknown): Key | undefined {
  const read = given === null || given === undefined ? undefined : readStored(key, given)
  return read?.kind === 'value' ? keyOfValue(read.value) : undefined
}

/** Reads the key of a row that is stored. */
export function storedKey(collection: Collection, found: unknown): Key {
  const key = readKey(collection, found)
  if (key === undefined) throw unreachable('a stored row without a key')
  return key
}

/** Reads the key to which a value refers, as results show it. A number has one form there, so that other texts refer to no item. */
export function referencedKey(target: Collection, value: unknown): Key | undefined {
  const key = readKey(target, value)
  if (key === undefined || target.key.value.family !== 'integer') return key
  return keyToText(target, key) === String(value) ? key : undefined
}

/** Returns the key to which the value of a field refers; null for none, undefined if the field is not among the values. */
export const targetKeyIn = (
  values: ReadonlyMap<StoredField, Storable | null>,
  field: ManyToOne,
): Key | null | undefined => {
  const value = values.get(field)
  return value === null || value === undefined ? value : keyOfValue(value)
}

/** Returns the key among the values of a row to be written. */
export function ownKeyIn(
  values: ReadonlyMap<StoredField, Storable | null>,
  { key }: Collection,
): Key | undefined {
  const value = values.get(key)
  return value === null || value === undefined ? undefined : keyOfValue(value)
}

/** Returns the keys of new rows that the database has counted up, from the number of the last one. */
export const countedKeys = (last: bigint, rows: number): readonly Key[] =>
  Array.from({ length: rows }, (_, index) => keyOfValue(last - BigInt(rows - 1 - index)))

/** True if some keys are the numbers that follow another key. */
export function isCountedOn(before: Key | undefined, keys: readonly Key[]): boolean {
  const last: unknown = before
  return typeof last === 'bigint' && keys.every((key, index) => Object.is(key, last + BigInt(index + 1)))
}

/** Reads a key that names an item. Each key has one such form: that of results. */
export const readNamedKey = (collection: Collection, given: unknown): Key | undefined =>
  isNamedKey(collection, given) ? readKey(collection, given) : undefined

/** True if a key is written in the form in which results show it. Each number has one form (`1`, and not `01`,
 *  `+1`, `1e0` or `1.0`), so that an item has one address. */
export const isNamedKey = ({ key: { value } }: Collection, given: unknown): boolean =>
  typeof given !== 'string' || (familyRow(value.family).key?.isNamedSo(given) ?? true)

/** True if a value has the type of a key, whatever the collection. */
export const mayBeKey = (given: unknown): given is string | number | bigint =>
  typeof given === 'string' || typeof given === 'number' || typeof given === 'bigint'

/** Identifies a key among those of its collection: equal keys have the same identity. */
export function keyIdentity(key: Key): string {
  const value: object = key
  return 'digits' in Object(value) && 'scale' in Object(value)
    ? `${Reflect.get(value, 'digits')}e-${Reflect.get(value, 'scale')}`
    : String(value)
}

export const isSameKey = (one: Key | undefined, other: Key): boolean =>
  one !== undefined && keyIdentity(one) === keyIdentity(other)

/** Identities of keys. */
export const keyIdentities = (keys: readonly Key[]): ReadonlySet<string> => new Set(keys.map(keyIdentity))

/** Returns each key once, in the order of their first occurrence. */
export const distinctKeys = (keys: readonly Key[]): readonly Key[] => [
  ...new Map(keys.map((key) => [keyIdentity(key), key])).values(),
]

/** Returns a key in the form in which results show it. */
export function shownKeyOf({ key }: Collection, value: Key): string | number {
  const shown = shownSingle(value, key.value)
  return typeof shown === 'number' ? shown : String(shown)
}

/** Returns a key as text in a column: the reference of a many-to-any field, the item of a version. */
export const keyToText = (collection: Collection, key: Key): string => String(shownKeyOf(collection, key))

/** Reads a key from a text in a column. Undefined unless it is the only text that refers to the item. */
export function keyFromText(collection: Collection, text: string): Key | undefined {
  const key = readKey(collection, text)
  return key !== undefined && keyToText(collection, key) === text ? key : undefined
}

/** Returns the key in a segment of a path, after the segment was percent-decoded. Characters that a path cannot hold everywhere are
 *  written with a tilde. */
export const keyFromAddress = (segment: string): string =>
  segment.replace(/~(2C|7E|2F|2E|25)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
