// The members of items, as a caller sees them.
import type { VisibleActions } from '../../../access/visible-actions.ts'
import {
  type Collection,
  type Field,
  isStored,
  isToMany,
  keyFieldsOf,
  partsOf,
  type StoredField,
  shownKey,
} from '../../../schema/model.ts'
import { functionKind } from '../function-kinds.ts'
import type { CollectionNames, SchemaNames } from '../names/names.ts'
import type { SchemaSettings } from '../schema-options.ts'
import { valueForm } from '../value-scalars.ts'
import type { MemberOutline } from './outline.ts'

interface MemberContext {
  readonly names: SchemaNames
  readonly settings: SchemaSettings
  /** True for a collection with a type to which relations can lead. */
  readonly isReadable: (collection: string) => boolean
}

export function membersOf({ seen, whole }: VisibleActions, context: MemberContext): readonly MemberOutline[] {
  const names = context.names.of.get(whole.name)
  if (!seen || !names) return []
  const members = [...seen.fields.values()].flatMap((field) => memberOf(field, whole, names, context))
  return [...keyMember(seen, whole, names), ...members]
}

/** True if there are members wherever relations lead. */
export function hasOwnMembers({ seen, whole }: VisibleActions, names: SchemaNames): boolean {
  const own = names.of.get(whole.name)
  if (!seen || !own) return false
  const certain = own.certain === undefined ? undefined : seen.fields.get(own.certain)
  if (certain && isOwn(certain)) return true
  return [...seen.fields.values()].some((field) => isOwn(field) && own.fields.has(field.name))
}

const isOwn = (field: Field): boolean => !isToMany(field) && isStored(field)

function memberOf(
  field: Field,
  whole: Collection,
  names: CollectionNames,
  context: MemberContext,
): readonly MemberOutline[] {
  const name = names.fields.get(field.name)
  if (name === undefined) return []
  const { isReadable } = context
  const named = { field: field.name, name, note: field.note }
  const functions = names.functions.has(field.name) ? functionKind(field) : undefined
  if (isToMany(field)) {
    const target = field.target.name
    return isReadable(target) ? [{ kind: 'many', ...named, target, hasCount: functions === 'count' }] : []
  }
  const isSeen = field.kind === 'm2o' && isReadable(field.target.name)
  if (!isStored(field)) return isSeen ? [{ kind: 'one', ...named, target: field.target.name }] : []
  const { isList, condition, ...form } = valueForm(field, context.settings)
  if (isSeen) return [{ kind: 'one', ...named, target: field.target.name, ...form }]
  const targets = field.kind === 'any' ? [...field.targets.keys()].filter(isReadable) : []
  if (targets.length > 0) return [{ kind: 'any', ...named, targets, ...form }]
  // A reference that leads nowhere is its own value.
  const scalar = isSoleKey(field, whole) ? 'ID' : form.scalar
  const isSure = isKeyPart(field, whole) && isKnown([field], whole)
  return [{ kind: 'value', ...named, ...form, scalar, isList, condition, functions, isSure }]
}

export const isKeyPart = ({ name }: Field, whole: Collection): boolean =>
  keyFieldsOf(whole).some((part) => part.name === name)

/** True for the key, of which the text is an id. */
export const isSoleKey = (field: Field, whole: Collection): boolean =>
  whole.key?.kind !== 'key' && isKeyPart(field, whole)

/** True if every item has these fields of its key. A singleton may not exist yet, nor may the item of a version. */
const isKnown = (parts: readonly StoredField[], { isSingleton, isVersioned }: Collection): boolean =>
  !isSingleton && !isVersioned && parts.every(({ isNullable }) => !isNullable)

/** Returns the member with a key of several parts, if all of them are seen. */
function keyMember(
  seen: Collection,
  whole: Collection,
  { key: name }: CollectionNames,
): readonly MemberOutline[] {
  const key = shownKey(seen)
  return name !== undefined && key?.kind === 'key'
    ? [{ kind: 'key', name, isSure: isKnown(partsOf(key), whole) }]
    : []
}
