// What relations hold of items: their keys, or other unique values, which are read from the rows.

import { fault, type Path } from '../../errors/errors.ts'
import { heldOf, type Key, keyIdentity, keyOfValue, valuesOfKey } from '../../plan/key.ts'
import {
  isByValue,
  keyOf,
  type ManyToOne,
  type OwnField,
  referencedFields,
  referencedOf,
  type StoredField,
} from '../../schema/model.ts'
import type { Storable } from '../../types/family-row.ts'
import type { WriteContext } from '../context/write-context.ts'
import { type Holder, holders } from './rows-by-key.ts'

/** Returns what a relation holds of some stored items, by the texts of their keys: null of an item that lacks a part of it. */
export async function heldValues(
  field: ManyToOne,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<ReadonlyMap<string, Key | null>> {
  if (!isByValue(field)) return new Map(keys.map((key) => [keyIdentity(key), key]))
  const found = await holders(keyOf(field.target), keys, referencedOf(field), writing)
  return new Map(
    [...found].map(([text, [row]]) => [text, row?.other === null || !row ? null : keyOfValue(row.other)]),
  )
}

/** Returns all that a relation holds of some stored items. */
export const allHeld = async (
  field: ManyToOne,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<readonly Key[]> =>
  [...(await heldValues(field, keys, writing)).values()].filter((value) => value !== null)

/** Returns the keys of the items to which some values of a relation refer, by the texts of these values. */
export async function referencedKeys(
  field: ManyToOne,
  values: readonly Key[],
  writing: WriteContext,
): Promise<ReadonlyMap<string, Key>> {
  const found = await holders(referencedOf(field), values, undefined, writing)
  return new Map([...found].flatMap(([text, [row]]) => (row ? [[text, row.key]] : [])))
}

/** Returns the rows behind a relation of some items, by the texts of these items' keys. */
export async function childrenOfItems(
  foreign: ManyToOne,
  owners: readonly Key[],
  other: OwnField | undefined,
  writing: WriteContext,
): Promise<ReadonlyMap<string, readonly Holder[]>> {
  if (!isByValue(foreign)) return holders(foreign, owners, other, writing)
  const held = await heldValues(foreign, owners, writing)
  const values = [...held.values()].filter((value) => value !== null)
  const there = await holders(foreign, values, other, writing)
  return new Map(
    [...held].map(([text, value]) => [text, (value === null ? [] : there.get(keyIdentity(value))) ?? []]),
  )
}

/** An item with what is known before it is written. */
export interface UnwrittenItem {
  readonly key: Key | undefined
  readonly values: ReadonlyMap<StoredField, Storable | null>
}

/** What a relation holds of an item before and after a write. Undefined where that is not known before. */
export interface HeldByWrite {
  readonly before: Key | null | undefined
  readonly after: Key | null | undefined
}

/** Returns what a relation holds of items that are about to be written, in their order. */
export async function heldByWrites(
  field: ManyToOne,
  items: readonly UnwrittenItem[],
  writing: WriteContext,
): Promise<readonly HeldByWrite[]> {
  if (!isByValue(field)) return items.map(({ key }) => ({ before: key, after: key }))
  const keys = items.flatMap(({ key }) => (key === undefined ? [] : [key]))
  const stored = await heldValues(field, keys, writing)
  return items.map(({ key, values }) => {
    const before = key === undefined ? undefined : stored.get(keyIdentity(key))
    const fields = referencedFields(field)
    const changed = new Set([...values.keys()].map(({ name }) => name))
    if (!fields.some(({ name }) => changed.has(name))) return { before, after: before }
    const own = before === undefined || before === null ? [] : valuesOfKey(fields, before)
    return { before, after: heldOf(new Map([...own, ...values]), field) }
  })
}

/** Returns the error for a relation to an item that has nothing to be referred to by. */
export const nothingHeld = (field: ManyToOne, path: Path) =>
  fault(
    'INVALID_PAYLOAD',
    `Nothing can refer by "${field.name}" to this item of "${field.target.name}": it has no value there.`,
    { path },
  )
