// Keys of items: the one place where a key is read, compared and spelled. A key of several parts is the list of them.

import { fault, quote } from '../errors/errors.ts'
import {
  type Collection,
  keyFieldsOf,
  keyOf,
  type ManyToOne,
  type OwnField,
  partsOf,
  referencedFields,
  type StoredField,
} from '../schema/model.ts'
import { familyRow } from '../types/families.ts'
import type { OperandValue, Storable } from '../types/family-row.ts'
import { shownSingle } from '../types/field-types.ts'
import { tuple } from '../types/tuple.ts'
import { listOf, parseJson } from '../values/guards.ts'
import { readStored } from './write/stored-value.ts'

declare const ofCollection: unique symbol

/** The key of an item of some collection. No other file looks into it. */
export interface Key {
  readonly [ofCollection]: true
}

/** A key as results show it: the value of one field, or a list of its parts. */
export type ShownKey = string | number | readonly (string | number)[]

/** Returns the key that is the value of a key or of a reference. The brand is for the compiler only. */
export const keyOfValue = (value: Storable): Key => value as Key

/** Reads a key from a row, a payload or a reference, in any form of its type; undefined if it cannot be a key of the collection. */
export function readKey({ key }: Pick<Collection, 'key'>, input: unknown): Key | undefined {
  if (!key || input === null || input === undefined) return undefined
  const read = readStored(key, input)
  return read.kind === 'value' ? keyOfValue(read.value) : undefined
}

/** Reads the key of a row that is stored. A table may hold what no key of its collection is, such as null. */
export function storedKey(collection: Collection, found: unknown): Key {
  const key = readKey(collection, found)
  if (key === undefined) throw unreadableKey(collection)
  return key
}

/** Returns the error of what needs the key of each row that it reaches. */
export const unreadableKey = (collection: Collection) =>
  fault('UNPROCESSABLE_CONTENT', `A row of ${quote(collection.name)} has a key that cannot be read.`, {
    hint: `Leave such rows out by a filter: ${keyFieldsOf(collection)
      .map(({ name }) => `{ ${name}: { _nnull: true } }`)
      .join(', ')}.`,
  })

/** Reads the key to which a value refers, as results show it. A number has one form there, so that other texts refer to no item. */
export function referencedKey(target: Collection, value: unknown): Key | undefined {
  const key = readKey(target, value)
  if (key === undefined) return key
  const shown = listOf(shownKeyOf(target, key))
  const isReferred = listOf(value).every(
    (input, index) =>
      keyFieldsOf(target)[index]?.value.family !== 'integer' || String(shown[index]) === String(input),
  )
  return isReferred ? key : undefined
}

type OwnValues = ReadonlyMap<OwnField, Storable | null>

/** Returns what a relation holds among some values: the key of its target, or its other unique values; null for none, undefined if it is not
 *  among the values. */
export const heldIn = (values: OwnValues, field: ManyToOne): Key | null | undefined =>
  keyOfParts(partsOf(field).map((part) => values.get(part)))

/** Returns what relations hold of an item with some values, if all of it is among them. What is seen of an item has fields of its own. */
export function heldOf(values: OwnValues, field: ManyToOne) {
  const byName = new Map([...values].map(([{ name }, value]) => [name, value]))
  return keyOfParts(referencedFields(field).map(({ name }) => byName.get(name)))
}

/** Returns the key among the values of a row to be written. */
export const ownKeyIn = (values: OwnValues, collection: Collection): Key | undefined =>
  keyOfParts(keyFieldsOf(collection).map((part) => values.get(part))) ?? undefined

/** The key that some values are: null if one of them is nothing, undefined if one is not there. */
function keyOfParts(parts: readonly (Storable | null | undefined)[]): Key | null | undefined {
  const [first] = parts
  if (parts.includes(undefined)) return undefined
  if (parts.includes(null)) return null
  return keyOfValue(parts.length === 1 && first !== undefined && first !== null ? first : parts)
}

/** The values of the fields that hold a key, for a row that has it or refers to it; null for a reference to nothing. */
export function valuesOfKey(
  fields: readonly StoredField[],
  key: Key | null,
): readonly (readonly [StoredField, Storable | null])[] {
  const values = key === null ? undefined : listOf(key)
  return fields.map((field, index) => [field, fields.length === 1 ? key : (values?.[index] ?? null)])
}

/** Returns the values of the fields that hold a key of a collection, as results show them. By default these are its own. */
export function shownParts(
  collection: Pick<Collection, 'name' | 'key'>,
  key: Key,
  fields: readonly StoredField[] = keyFieldsOf(collection),
): ReadonlyMap<StoredField, unknown> {
  const shown = listOf(shownKeyOf(collection, key))
  return new Map(fields.map((field, index) => [field, shown[index]]))
}

/** Returns the key of an item as results show it; undefined if the item does not say all of it. */
export const keyInItem = (collection: Collection, item: Readonly<Record<string, unknown>>): unknown =>
  valueOfParts(keyFieldsOf(collection).map(({ name }) => item[name]))

/** Returns one value for the parts of a value: the only one, or the list of them; undefined if one is missing. */
export function valueOfParts(parts: readonly unknown[]): unknown {
  if (parts.length === 1) return parts[0]
  return parts.length === 0 || parts.some((part) => part === undefined || part === null) ? undefined : parts
}

/** Returns what a relation holds of an item as results show it; undefined if the item does not say all of it. */
export const heldInItem = (field: ManyToOne, item: Readonly<Record<string, unknown>>): unknown =>
  valueOfParts(referencedFields(field).map(({ name }) => item[name]))

/** Returns the members of an item that say its key, as results show it. */
export function itemOfKey(collection: Collection, shown: unknown): Readonly<Record<string, unknown>> {
  const parts = keyFieldsOf(collection)
  const values = parts.length === 1 ? [shown] : listOf(shown)
  return Object.fromEntries(parts.map(({ name }, index) => [name, values[index]]))
}

/** True for the name of a field that is the key of its collection, or a part of it. */
export const isNameOfKey = (collection: Collection, name: string): boolean =>
  keyFieldsOf(collection).some((part) => part.name === name)

/** Refuses what needs a key on a collection without one. */
export function requireKey({ name, key }: Pick<Collection, 'name' | 'key'>): void {
  if (!key)
    throw fault('INVALID_PAYLOAD', `"${name}" has no key.`, {
      hint: 'Its items can be listed, and nothing else.',
    })
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
export const readNamedKey = (collection: Collection, input: unknown): Key | undefined =>
  isNamedKey(collection, input) ? readKey(collection, input) : undefined

/** True if a key is written in the form in which results show it. Each number has one form (`1`, and not `01`,
 *  `+1`, `1e0` or `1.0`), so that an item has one address. */
export function isNamedKey({ key }: Collection, input: unknown): boolean {
  if (key?.kind !== 'key') return typeof input !== 'string' || isPartNamed(key, input)
  return (
    Array.isArray(input) &&
    input.every((one: unknown, index) => typeof one !== 'string' || isPartNamed(key.parts[index], one))
  )
}

const isPartNamed = (field: StoredField | undefined, text: string): boolean =>
  !field || familyRow(field.value.family).key?.isNamedSo(text) !== false

/** True if a value has the type of a key, whatever the collection. */
export const mayBeKey = (input: unknown): input is string | number | bigint =>
  typeof input === 'string' ||
  (typeof input === 'number' && !Number.isNaN(input)) ||
  typeof input === 'bigint'

/** True if a value has the form of a collection's keys, though there need not be such a key. */
export const isKeyLike = ({ key }: Pick<Collection, 'key'>, input: unknown): boolean =>
  key?.kind === 'key'
    ? Array.isArray(input) && input.length === key.parts.length && input.every(mayBeKey)
    : mayBeKey(input)

/** True if a value is the key of no collection whatever: an address holds texts, so that a program has given it. */
export const isNoKey = (input: unknown): boolean =>
  !listOf(input).every((part) => mayBeKey(part) || ArrayBuffer.isView(part) || part instanceof Date)

/** Identifies a key among those of its collection: equal keys have the same identity. */
export function keyIdentity(key: Key): string {
  const value: unknown = key
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return JSON.stringify(value.map(keyIdentity))
  return 'digits' in value && 'scale' in value ? `${value.digits}e-${value.scale}` : String(value)
}

export const isSameKey = (one: Key | undefined, other: Key): boolean =>
  one !== undefined && keyIdentity(one) === keyIdentity(other)

export const compareKeys = (one: Key, other: Key): number => tuple.compare(partValues(one), partValues(other))

const partValues = (key: Key) => listOf(key) as readonly OperandValue[] // no type of a key is stored in another form

export const keyIdentities = (keys: readonly Key[]): ReadonlySet<string> => new Set(keys.map(keyIdentity))

/** Returns each key once, in the order of their first occurrence. */
export const distinctKeys = (keys: readonly Key[]): readonly Key[] => [
  ...new Map(keys.map((key) => [keyIdentity(key), key])).values(),
]

/** Returns a key in the form in which results show it. */
export function shownKeyOf(collection: Pick<Collection, 'name' | 'key'>, value: Key): ShownKey {
  const shown = shownSingle(value, keyOf(collection).value)
  return Array.isArray(shown) ? shown.map(shownPart) : shownPart(shown)
}

const shownPart = (shown: unknown): string | number => (typeof shown === 'number' ? shown : String(shown))

/** Returns a key as text in a column: the reference of a many-to-any field, the item of a version. */
export function keyToText(collection: Pick<Collection, 'name' | 'key'>, key: Key): string {
  const shown = shownKeyOf(collection, key)
  return typeof shown === 'object' ? JSON.stringify(shown) : String(shown)
}

/** Reads a key from a text in a column. Undefined unless it is the only text that refers to the item. */
export function keyFromText(collection: Collection, text: string): Key | undefined {
  const key = readKey(collection, collection.key?.kind === 'key' ? parseJson(text) : text)
  return key !== undefined && keyToText(collection, key) === text ? key : undefined
}

/** Returns the key in a segment of a path, after the segment was percent-decoded: several parts stand between commas. Characters that a
 *  path cannot hold everywhere are written with a tilde. */
export function keyFromAddress(
  collection: Pick<Collection, 'key'> | undefined,
  segment: string,
): string | readonly string[] {
  return collection?.key?.kind === 'key' ? segment.split(',').map(withoutTildes) : withoutTildes(segment)
}

/** Returns a key that results show as one text; null for none. Several parts stand between commas, as in an address. */
export function keyAsText(shown: unknown): string | null {
  if (shown === null || shown === undefined) return null
  return Array.isArray(shown) ? shown.map((part) => withTildes(String(part))).join(',') : String(shown)
}

const withTildes = (part: string): string =>
  part.replace(/[,~/.%]/g, (sign) => `~${sign.charCodeAt(0).toString(16).toUpperCase()}`)

const withoutTildes = (segment: string): string =>
  segment.replace(/~(2C|7E|2F|2E|25)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
