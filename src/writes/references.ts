// Treats references to items that are not visible to the caller like references to items that do not exist. A reference that is stored
// already stays.

import { fault } from '../errors/errors.ts'
import { type Key, keyFromText, keyIdentity, readKey, shownParts, targetKeyIn } from '../plan/key.ts'
import { shownValue } from '../plan/shown-value.ts'
import type { ItemWrite } from '../plan/write-plan.ts'
import {
  type Collection,
  isPartOf,
  isStored,
  isToMany,
  isTuple,
  type LinkTuple,
  type OwnField,
  type StoredField,
} from '../schema/model.ts'
import { groupBy } from './group-by.ts'
import { lockVisible } from './lock-rows.ts'
import { keysIn } from './rows-by-key.ts'
import { type StoredItems, storedItems } from './select-keys.ts'
import { visibleKeys } from './visible-keys.ts'
import { permissionsOf, type WriteContext } from './write-context.ts'

interface Reference {
  readonly item: ItemWrite
  readonly field: OwnField
  readonly target: Collection
  /** Undefined if no item can have the key. */
  readonly key: Key | undefined
}

/** Refuses references to items that are not visible. */
export async function refuseUnseenTargets(items: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  const before = await referencesBefore(items, writing)
  const references = items.flatMap((item) => [
    ...singleReferences(item, before, writing),
    ...tupleReferences(item, before, writing),
    ...anyReferences(item, before, writing),
  ])
  for (const [target, group] of groupBy(references, (one) => one.target)) {
    const seen = await seenAmong(target, group, writing)
    for (const one of group)
      if (one.key === undefined || !seen.has(keyIdentity(one.key))) refuse(one.item, one.field, writing)
  }
  writing.problems.throwIfAny()
}

/** References of rows before they change. */
interface Before {
  /** Values that are visible to the caller. Hidden values cannot be sent back, and must not be discoverable by trying. */
  readonly shown: StoredItems
  readonly stored: StoredItems
}

async function referencesBefore(items: readonly ItemWrite[], writing: WriteContext): Promise<Before> {
  const permissions = permissionsOf(writing)
  const [shown, stored] = [new Map(), new Map()]
  const updates = items.filter(
    (item) => item.action === 'update' && [...item.values.keys()].some((field) => isLeading(field)),
  )
  for (const [collection, group] of groupBy(updates, (item) => item.collection)) {
    const fields = [...collection.fields.values()].filter(
      (field): field is StoredField => isStored(field) && isLeading(field),
    )
    const seen = permissions?.seen.of.get(collection)
    const seenFields = fields.flatMap(({ name }) => {
      const field = seen?.fields.get(name)
      return field && isStored(field) ? [field] : []
    })
    const keys = keysIn(group)
    const reader = { engine: writing.caller, options: writing.options }
    if (seen) shown.set(collection, await storedItems(seen, keys, seenFields, reader))
    if (fields.some(({ kind }) => kind === 'any') || tuplesOf(collection).length > 0)
      stored.set(collection, await storedItems(collection, keys, fields, writing))
  }
  return { shown, stored }
}

/** True if a field refers to another item or is a part of what does, or names the collection of a reference. */
const isLeading = (field: StoredField): boolean =>
  field.kind !== 'scalar' ||
  [...field.collection.fields.values()].some(
    (one) =>
      (one.kind === 'any' && one.by.name === field.name) || (one.kind === 'm2o' && isPartOf(field, one)),
  )

const tuplesOf = ({ fields }: Collection): readonly LinkTuple[] =>
  [...fields.values()].filter((field): field is LinkTuple => !isToMany(field) && isTuple(field))

function refuse({ path, collection }: ItemWrite, { name }: OwnField, { problems }: WriteContext): void {
  problems.report(
    fault('INVALID_FOREIGN_KEY', undefined, {
      path: [...path, name],
      extensions: { collection: collection.name, field: name },
    }),
  )
}

async function seenAmong(
  target: Collection,
  group: readonly Reference[],
  writing: WriteContext,
): Promise<ReadonlySet<string>> {
  const keys = group.flatMap(({ key }) => (key === undefined ? [] : [key]))
  // The database itself locks the target of a foreign key, but not those of other references.
  const loose = group.flatMap(({ key, field }) => (key !== undefined && field.kind !== 'm2o' ? [key] : []))
  await lockVisible(target, { keys: loose, use: 'reference' }, writing)
  return visibleKeys(target, keys, writing)
}

function singleReferences(item: ItemWrite, before: Before, writing: WriteContext): readonly Reference[] {
  const seen = permissionsOf(writing)?.seen
  return [...item.values.keys()].flatMap((field): Reference[] => {
    if (field.kind !== 'm2o' || !isNamed(item, field)) return []
    const key = targetKeyIn(item.values, field)
    if (key === null) return []
    // If nothing of a collection is visible, its keys are ordinary values.
    if (isOfOwner(item, field) || !seen?.reached(field.target) || isAsShown(item, [field], before)) return []
    return [{ item, field, target: field.target, key }]
  })
}

/** References that several fields hold: any of these may change. */
function tupleReferences(item: ItemWrite, before: Before, writing: WriteContext): readonly Reference[] {
  const seen = permissionsOf(writing)?.seen
  return tuplesOf(item.collection).flatMap((field): Reference[] => {
    const { parts, target } = field
    if (!parts.some((part) => item.values.has(part) && isNamed(item, part))) return []
    const isNested = item.targets.some((one) => one.field === field)
    if (item.owner === field || isNested || !seen?.reached(target) || isAsShown(item, parts, before))
      return []
    const values = parts.map((part) => heldAfter(item, part, before) ?? null)
    return values.includes(null) ? [] : [{ item, field, target, key: readKey(target, values) }]
  })
}

/** True if the caller writes a field, itself or by the relation that it is a part of. */
const isNamed = ({ named, collection }: ItemWrite, field: StoredField): boolean =>
  named.includes(field.name) ||
  tuplesOf(collection).some((tuple) => named.includes(tuple.name) && isPartOf(field, tuple))

/** True if a field refers to the parent, which the nesting decides. */
const isOfOwner = ({ owner }: ItemWrite, field: StoredField): boolean =>
  owner !== undefined && isPartOf(field, owner)

/** References with their collection in another field: either of the two may change. */
function anyReferences(item: ItemWrite, before: Before, writing: WriteContext): readonly Reference[] {
  const seen = permissionsOf(writing)?.seen
  return [...item.collection.fields.values()].flatMap((field): Reference[] => {
    if (field.kind !== 'any' || ![...field.targets.values()].some((target) => seen?.reached(target)))
      return []
    const isNamed = [field, field.by].some((one) => item.values.has(one) && item.named.includes(one.name))
    const isNested = item.targets.some((target) => target.field === field)
    if (!isNamed || isNested || isAsShown(item, [field, field.by], before)) return []
    const [text, name] = [heldAfter(item, field, before), heldAfter(item, field.by, before)]
    const isOpen = item.values.has(field) || item.action === 'create' || isShown(item, field, before, writing)
    if (isOpen && (text === null || text === undefined)) return []
    const target = isOpen ? field.targets.get(String(name)) : undefined
    // A collection that is not among the targets is treated like a hidden one, and so is a reference that is not visible.
    if (!target || !seen?.reached(target)) refuse(item, item.values.has(field.by) ? field.by : field, writing)
    return target && seen?.reached(target)
      ? [{ item, field, target, key: keyFromText(target, String(text)) }]
      : []
  })
}

/** Returns the value of a field after the write, as results show it. */
function heldAfter(item: ItemWrite, field: StoredField, { stored }: Before): unknown {
  const value = item.values.get(field)
  if (value !== undefined) return shownValue(field, value)
  if (field.isKey && item.key !== undefined) return shownParts(item.collection, item.key).get(field)
  return item.action === 'create' ? field.default : rowOf(item, stored)?.[field.name]
}

const rowOf = ({ collection, key, action }: ItemWrite, rows: StoredItems) =>
  action === 'update' && key !== undefined ? rows.get(collection)?.get(keyIdentity(key)) : undefined

/** True if the stored value of a field is visible to the caller. A field that only some rows show may be null because it is hidden. */
function isShown(
  item: ItemWrite,
  { name, column }: StoredField,
  { shown }: Before,
  writing: WriteContext,
): boolean {
  const row = rowOf(item, shown)
  if (!row || !Object.hasOwn(row, name)) return false
  const permissions = permissionsOf(writing)
  const seen = permissions?.seen.of.get(item.collection)
  const isPartly = seen !== undefined && permissions?.seen.shown.get(seen)?.partly.has(column) === true
  return !isPartly || (row[name] ?? null) !== null
}

/** True if fields of a row keep the values that are visible to the caller. */
function isAsShown(item: ItemWrite, fields: readonly StoredField[], { shown }: Before): boolean {
  const row = rowOf(item, shown)
  return (
    row !== undefined &&
    fields.every((field) => {
      const value = item.values.get(field)
      return (
        value === undefined || JSON.stringify(shownValue(field, value)) === JSON.stringify(row[field.name])
      )
    })
  )
}
