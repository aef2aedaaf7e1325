// References of an item to others, by the values of its fields: those of which the caller has given a part. What the host alone sets is
// none of the caller's.

import { codeTexts } from '../../errors/code-texts.ts'
import { type EngineError, fault } from '../../errors/errors.ts'
import {
  heldIn,
  isSameKey,
  type Key,
  keyFromText,
  keyToText,
  readKey,
  shownParts,
  valuesOfKey,
} from '../../plan/key.ts'
import { shownValue } from '../../plan/read/shown-value.ts'
import { holdersOf } from '../../plan/touches.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { conditionalNames, isNamed } from '../../plan/write/row-layout.ts'
import { type ItemWrite, isTouched } from '../../plan/write/write-plan.ts'
import {
  type AnyReference,
  type Collection,
  isByValue,
  isPartOf,
  isStored,
  isToMany,
  isTuple,
  keyFieldsOf,
  type ManyToOne,
  type OwnField,
  partsOf,
  referentOf,
  type StoredField,
} from '../../schema/model.ts'
import { isGenerated } from '../../schema/output-schema.ts'
import { memoFor } from '../../values/memo.ts'
import type { WriteContext } from '../context/write-context.ts'
import { mayBeNamed } from './error-disclosure.ts'

/** A field that refers to an item. */
export type Referring = ManyToOne | AnyReference

export interface Reference {
  readonly item: ItemWrite
  readonly field: Referring
  /** Undefined for a collection that the field does not lead to. */
  readonly target: Collection | undefined
  /** The key of the item, or the other unique values by which a relation refers to it. Undefined if no item can have them. */
  readonly key: Key | undefined
}

/** A reference of a stored row, with all of the row that refers. */
export interface FoundReference extends Reference {
  readonly row: Readonly<Record<string, unknown>>
}

/** Values of an item's fields, as results show them; undefined for what is not known. */
export type FieldReader = (field: StoredField) => unknown

/** Returns the reference that a field holds; undefined for none. */
export function referenceOf(item: ItemWrite, field: Referring, read: FieldReader): Reference | undefined {
  const values = holdersOf(field).map(read)
  const [first, second] = values
  if (field.kind === 'any') {
    if (first === null || first === undefined || second === undefined) return undefined
    const target = field.targets.get(String(second))
    return { item, field, target, key: target && keyFromText(target, String(first)) }
  }
  if (values.some((value) => value === null || value === undefined)) return undefined
  const key = readKey(referentOf(field), isTuple(field) ? values : first)
  return { item, field, target: field.target, key }
}

const referring = new WeakMap<Collection, readonly Referring[]>()

/** Returns the fields of a collection that refer to items. */
export const referringOf = (collection: Collection): readonly Referring[] =>
  memoFor(referring, collection, () =>
    [...collection.fields.values()].filter(
      (field): field is Referring => !isToMany(field) && isReferring(field),
    ),
  )

/** True for a field that refers to an item. */
export const isReferring = (field: OwnField): field is Referring =>
  field.kind === 'm2o' || field.kind === 'any'

/** Returns the collections to which a field may lead. */
export const targetsOf = (field: Referring): readonly Collection[] =>
  field.kind === 'any' ? [...field.targets.values()] : [field.target]

const holding = new WeakMap<Collection, readonly StoredField[]>()

/** Returns the fields of a collection that hold references, or parts of them. */
export const holdingOf = (collection: Collection): readonly StoredField[] =>
  memoFor(holding, collection, () => [...new Set(referringOf(collection).flatMap(holdersOf))])

/** Common parts of items that one statement writes: the names of their fields, and of the references that are null. */
interface Shape {
  readonly names: readonly string[]
  readonly empty: ReadonlySet<string>
}

export const shapeOf = (collection: Collection, payload: ItemData): Shape => ({
  names: Object.keys(payload),
  empty: new Set(emptyReferences(collection, payload)),
})

export function isShapedAs(collection: Collection, payload: ItemData, { names, empty }: Shape): boolean {
  if (!isNamed(payload, names)) return false
  for (const { name } of holdingOf(collection)) if ((payload[name] === null) !== empty.has(name)) return false
  return true
}

/** Returns the names of the references of an item that are null. */
export const emptyReferences = (collection: Collection, payload: ItemData): readonly string[] =>
  holdingOf(collection).flatMap(({ name }) => (payload[name] === null ? [name] : []))

/** Returns the fields of an item whose values come from its writer: by name, by a relation that they are parts of, from a nested item, from
 *  the item around it, or because the database computes them from what is written. */
export function payloadFields(item: ItemWrite): ReadonlySet<StoredField> {
  const { collection, values, targets, owner } = item
  const names = new Set(namesWritten(item))
  const relations = [...collection.fields.values()].filter(
    (field): field is Referring => !isToMany(field) && !isStored(field) && names.has(field.name),
  )
  return new Set(
    holdingOf(collection).filter((field) => {
      if (isGenerated(field)) return isTouched(item)
      if (owner && isPartOf(field, owner)) return item.action === 'create' || item.isAttached
      if (targets.some((target) => isPartOf(field, target.field))) return true
      return values.has(field) && (names.has(field.name) || relations.some((one) => isHeldBy(one, field)))
    }),
  )
}

const isHeldBy = (field: Referring, part: StoredField): boolean => holdersOf(field).includes(part)

/** Returns the names of the fields that the caller writes. A child that is linked already is not linked anew. */
export const namesWritten = ({ named, action, owner, isAttached }: ItemWrite): readonly string[] =>
  action === 'update' && !isAttached ? named.filter((name) => name !== owner?.name) : named

/** Returns the value of a field after the write, as results show it; undefined while it is not known. */
export function valueAfter(item: ItemWrite, field: StoredField, writing: WriteContext): unknown {
  const { collection, action, values, targets, owner, key } = item
  const value = values.get(field)
  if (value !== undefined) return shownValue(field, value)
  const nested = targets.find((target) => isPartOf(field, target.field))
  if (nested) {
    const { item: target, field: relation } = nested
    // What it has is known once it is stored.
    if (target.key === undefined || (relation.kind === 'm2o' && isByValue(relation))) return undefined
    return relation.kind === 'any'
      ? keyToText(target.collection, target.key)
      : shownParts(target.collection, target.key, partsOf(relation)).get(field)
  }
  if (field.isKey && key !== undefined) return shownParts(collection, key).get(field)
  // The item around it has no key yet.
  if (owner && isPartOf(field, owner) && (action === 'create' || item.isAttached)) return undefined
  if (isGenerated(field)) return undefined
  return action === 'create' ? field.default : writing.references.get(item)?.stored?.[field.name]
}

/** True if the caller gives a field, or what writes it with them. */
export const isGiven = (item: ItemWrite, field: StoredField, { references }: WriteContext): boolean =>
  references.get(item)?.fields.has(field) === true

/** True if a reference leads to the item that is nested in its field, or to the one around it: the same call writes that one. */
export function isOwn({ item, field, target, key }: Reference): boolean {
  if (key === undefined) return false
  if (item.owner === field) return isSameKey(ownerKeyOf(item) ?? undefined, key)
  return item.targets.some((one) => {
    if (one.field !== field || one.item.collection !== target) return false
    // What a nested item has is among the values once it is stored.
    const own = field.kind === 'm2o' && isByValue(field) ? heldIn(item.values, field) : one.item.key
    return isSameKey(own ?? undefined, key)
  })
}

/** Returns the key of the item around an item. It may be a part of the item's own key. */
function ownerKeyOf({ collection, owner, key, values }: ItemWrite): Key | null | undefined {
  const own = key === undefined ? [] : valuesOfKey(keyFieldsOf(collection), key)
  return owner && heldIn(new Map([...own, ...values]), owner)
}

/** Returns a text that distinguishes references of one field. */
export const referenceText = ({ field, target, key }: Reference): string =>
  `${field.name}\n${target?.name}\n${target && key !== undefined ? keyToText(field.kind === 'm2o' ? referentOf(field) : target, key) : ''}`

/** Returns the error for a reference to an item that does not exist for the caller. It names the first of some fields that they know. */
export function unseenTarget(
  { path, collection, named }: ItemWrite,
  fields: readonly OwnField[],
  writing: WriteContext,
): EngineError {
  const name = fields.find(
    (field) => named.includes(field.name) || mayBeNamed(collection, field, writing),
  )?.name
  return fault('INVALID_FOREIGN_KEY', danglingText(collection, name), {
    path: name === undefined ? path : [...path, name],
    extensions: { collection: collection.name, ...(name !== undefined && { field: name }) },
  })
}

/** Returns the text of an error for a reference that leads to no item, or to one that is hidden: it is the same. */
export const danglingText = (collection: Collection, field: string | undefined): string =>
  field === undefined
    ? codeTexts.INVALID_FOREIGN_KEY
    : `"${field}" of "${collection.name}" refers to no item, or to one that you may not see${conditionalNames(collection).has(field) ? ', or that does not meet its condition' : ''}.`
