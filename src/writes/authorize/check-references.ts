// Treats references to items that are not visible to the caller like references to items that do not exist: before rows are stored, where
// their values are known then, and again as they are stored. A reference that the caller was shown already stays. References to items that
// do not meet their condition are like them, also without rules.

import { keyIdentity } from '../../plan/key.ts'
import { holdersOf } from '../../plan/touches.ts'
import { conditionalNames } from '../../plan/write/row-layout.ts'
import type { ItemWrite } from '../../plan/write/write-plan.ts'
import { isPartOf, isStored, type StoredField } from '../../schema/model.ts'
import { isGenerated } from '../../schema/output-schema.ts'
import { groupBy } from '../context/group-by.ts'
import { permissionsOf, type ReferencesInput, type WriteContext } from '../context/write-context.ts'
import { keysIn } from '../stored/rows-by-key.ts'
import { type StoredItems, storedItems } from '../stored/select-keys.ts'
import {
  type FieldReader,
  type FoundReference,
  holdingOf,
  isGiven,
  isOwn,
  isReferring,
  payloadFields,
  type Reference,
  type Referring,
  referenceOf,
  referenceText,
  referringOf,
  targetsOf,
  unseenTarget,
  valueAfter,
} from './references.ts'
import { seenAmong } from './seen-references.ts'
import { isLimited, noteUnsure } from './unsure-references.ts'
import { conditionOn } from './within.ts'

/** Refuses references to items that are not visible, before anything is stored. */
export async function refuseUnseenTargets(items: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  await noteReferences(items, writing)
  await refuseUnseen(items, (item) => (field) => valueAfter(item, field, writing), writing)
  writing.problems.throwIfAny()
}

/** Refuses references of which more is known by now, just before they are stored. */
export async function refuseKnownTargets(items: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  await refuseUnseen(items, (item) => (field) => valueAfter(item, field, writing), writing)
  writing.problems.throwIfAny()
}

/** Returns the references of stored rows that were not judged yet, and notes that they are. */
export async function referencesStored(
  items: readonly ItemWrite[],
  writing: WriteContext,
): Promise<readonly FoundReference[]> {
  const found: FoundReference[] = []
  const referring = items.filter((item) => (writing.references.get(item)?.fields.size ?? 0) > 0)
  for (const [collection, group] of groupBy(referring, (item) => item.collection)) {
    const rows = await storedItems(collection, keysIn(group), holdingOf(collection), writing)
    for (const item of group) {
      const row = item.key === undefined ? undefined : rows.get(keyIdentity(item.key))
      const references = referencesOf(item, ({ name }) => row?.[name], writing)
      found.push(...references.map((reference) => ({ ...reference, row: row ?? {} })))
    }
  }
  return found
}

/** Refuses references of stored rows to items that are not visible. What was checked before is not checked again: the write itself may have
 *  made its target invisible. It may have made others visible, by an unknown view or trigger: references that differ from the checked ones are
 *  refused where the caller does not see everything. */
export async function refuseStoredTargets(items: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  const sure: Reference[] = []
  for (const one of await referencesStored(items, writing)) {
    if (one.target && (await isLimited(one.target, writing))) {
      refuseReference(one, writing)
      noteUnsure(one.item, writing)
    } else sure.push(one)
  }
  await refuseAmong(sure, writing)
}

async function refuseUnseen(
  items: readonly ItemWrite[],
  readerOf: (item: ItemWrite) => FieldReader,
  writing: WriteContext,
): Promise<void> {
  await refuseAmong(
    items.flatMap((item) => referencesOf(item, readerOf(item), writing)),
    writing,
  )
}

/** Refuses those of some references that lead to items which are not visible. */
export async function refuseAmong(references: readonly Reference[], writing: WriteContext): Promise<void> {
  for (const [, group] of groupBy(references, placeOfReference)) {
    const [{ target } = { target: undefined }] = group
    const seen = target && (await seenAmong(target, group, writing))
    for (const one of group)
      if (one.key === undefined || !seen?.has(keyIdentity(one.key))) refuseReference(one, writing)
  }
}

/** Refuses a reference like one to an item that does not exist. */
export const refuseReference = ({ item, field, target }: Reference, writing: WriteContext): void =>
  refuse(item, target ? field : placeOf(item, field, writing), writing)

/** Returns what is equal for references that are looked up together: in a collection, by its key or by other fields, by one condition. */
const placeOfReference = ({ field, target }: Reference): object | undefined =>
  target && (conditionOn(field, target) ?? ((field.kind === 'm2o' && field.references) || target))

/** Returns the references of an item that have to be judged, and notes that they are. */
function referencesOf(item: ItemWrite, read: FieldReader, writing: WriteContext): readonly Reference[] {
  const known = writing.references.get(item)
  if (!known) return []
  const seen = permissionsOf(writing)?.seen
  return referringOf(item.collection).flatMap((field): Reference[] => {
    if (!holdersOf(field).some((part) => known.fields.has(part))) return []
    // If nothing of its collections is visible, a reference is an ordinary value.
    if (!targetsOf(field).some((target) => (seen ? seen.reached(target) : conditionOn(field, target))))
      return []
    if (isShownAlready(field, read, known)) return []
    if (isGuess(item, field, { ...known, read }, writing)) {
      refuse(item, placeOf(item, field, writing), writing)
      return []
    }
    const found = referenceOf(item, field, read)
    if (!found || isOwn(found) || known.judged.has(referenceText(found))) return []
    if (!seen && !(found.target && conditionOn(field, found.target))) return []
    known.judged.add(referenceText(found))
    // A collection that is not among the targets is treated like a hidden one.
    return [!seen || (found.target && seen.reached(found.target)) ? found : { ...found, target: undefined }]
  })
}

/** Returns the field with the mistake in a reference that leads nowhere: the collection beside it, if that is given. */
const placeOf = (item: ItemWrite, field: Referring, writing: WriteContext): Referring | StoredField =>
  field.kind === 'any' && isGiven(item, field.by, writing) ? field.by : field

function refuse(item: ItemWrite, field: Referring | StoredField, writing: WriteContext): void {
  const parts = isReferring(field) ? holdersOf(field).filter((part) => isGiven(item, part, writing)) : []
  // Another relation of the item may have set a part.
  const others = referringOf(item.collection).filter((one) => parts.some((part) => isPartOf(part, one)))
  writing.problems.report(unseenTarget(item, [field, ...parts, ...others], writing))
}

/** Notes what each item is given of its references, and the values that these have before the write. */
async function noteReferences(items: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  const permissions = permissionsOf(writing)
  const referring = items.filter(({ collection }) => permissions || conditionalNames(collection).size > 0)
  const input = new Map(referring.map((item) => [item, payloadFields(item)]))
  const updates = referring.filter((item) => item.action === 'update' && input.get(item)?.size)
  const { shown, stored } = await rowsBefore(updates, writing)
  for (const [item, fields] of input)
    writing.references.set(item, {
      fields,
      shown: rowOf(item, permissions ? shown : stored),
      stored: rowOf(item, stored),
      judged: new Set(),
    })
}

/** Returns the rows of items before they change, as they are visible to the caller and as they are stored. */
async function rowsBefore(updates: readonly ItemWrite[], writing: WriteContext) {
  const permissions = permissionsOf(writing)
  const [shown, stored] = [new Map(), new Map()]
  for (const [collection, group] of groupBy(updates, (item) => item.collection)) {
    const fields = holdingOf(collection)
    const seen = permissions?.seen.of.get(collection)
    const seenFields = fields.flatMap(({ name }) => {
      const field = seen?.fields.get(name)
      return field && isStored(field) ? [field] : []
    })
    const keys = keysIn(group)
    const reader = { engine: writing.caller, options: writing.options }
    if (seen) shown.set(collection, await storedItems(seen, keys, seenFields, reader))
    if (referringOf(collection).some((field) => holdersOf(field).length > 1))
      stored.set(collection, await storedItems(collection, keys, fields, writing))
  }
  return { shown, stored }
}

const rowOf = ({ collection, key, action }: ItemWrite, rows: StoredItems) =>
  action === 'update' && key !== undefined ? rows.get(collection)?.get(keyIdentity(key)) : undefined

/** True if a reference keeps the values that were visible to the caller. Those that the caller has not given have to stay as they were, seen
 *  or not, and so do those that the database computes. */
const isShownAlready = (field: Referring, read: FieldReader, { fields, shown, stored }: ReferencesInput) =>
  holdersOf(field).every((part) => {
    const before = fields.has(part) && !isGenerated(part) ? shown : stored
    return (
      before !== undefined &&
      Object.hasOwn(before, part.name) &&
      JSON.stringify(read(part)) === JSON.stringify(before[part.name])
    )
  })

/** True if a write changes only the collection beside a reference that is hidden from the caller. Whether the item exists there must not
 *  reveal the reference. */
function isGuess(
  { action }: ItemWrite,
  field: Referring,
  { fields, shown, read }: ReferencesInput & { readonly read: FieldReader },
  writing: WriteContext,
): boolean {
  if (field.kind !== 'any' || action === 'create' || fields.has(field)) return false
  // The database has not computed it yet.
  if (read(field.by) === undefined) return false
  if (!shown || !Object.hasOwn(shown, field.name)) return true
  const permissions = permissionsOf(writing)
  const seen = permissions?.seen.of.get(field.collection)
  // A field that only some rows show may be null because it is hidden.
  const isPartly = seen !== undefined && permissions?.seen.shown.get(seen)?.partly.has(field.column) === true
  return isPartly && (shown[field.name] ?? null) === null
}
