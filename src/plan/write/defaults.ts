// Completes an item before it is stored: fills in defaults and reports missing values.
import { fault, type Path, quote } from '../../errors/errors.ts'
import type { Problems } from '../../errors/problems.ts'
import type { Special } from '../../schema/definition.ts'
import {
  type AnyReference,
  type Collection,
  isPartOf,
  isStored,
  type ManyToOne,
  type StoredField,
} from '../../schema/model.ts'
import { readStored } from './stored-value.ts'
import { type ItemWrite, isTouched } from './write-plan.ts'

/** The context of a write: the time, the user, and the source of new keys. */
export interface WriteMoment {
  readonly now: Date
  readonly user: string | number | null | undefined
  readonly newId: () => string
}

/** An item with its defaults filled in where it lacks values. */
interface CompletedItem
  extends Pick<
    ItemWrite,
    'collection' | 'action' | 'path' | 'values' | 'owner' | 'refused' | 'isLink' | 'isAttached'
  > {
  readonly targets: readonly { readonly field: ManyToOne | AnyReference }[]
}

/** Fills in values that are left to the engine, and reports values that are missing or null but must not be. */
export function withDefaults(item: CompletedItem, moment: WriteMoment, problems: Problems): void {
  const { collection, values, action } = item
  fill(item, moment, problems)
  for (const field of storedFieldsOf(collection)) {
    const path = [...item.path, field.name]
    const value = values.get(field)
    if (value === null && !field.isNullable) problems.reportMade(() => absent(field, path, 'nnull'), path)
    else if (value === undefined && action === 'create' && isRequired(field, item))
      problems.reportMade(() => absent(field, path, 'required'), path)
  }
}

/** Returns the columns that an update may write: those of its payload, and those that the engine fills in. */
export const updatedColumns = (collection: Collection, input: object): readonly string[] =>
  storedFieldsOf(collection)
    .filter(
      ({ name, special }) =>
        Object.hasOwn(input, name) || special.some((one) => filled[one].on.includes('update')),
    )
    .map(({ column }) => column)

const storedFields = new WeakMap<Collection, readonly StoredField[]>()

export function storedFieldsOf(collection: Collection): readonly StoredField[] {
  const known = storedFields.get(collection)
  if (known) return known
  const found = [...collection.fields.values()].filter(isStored)
  storedFields.set(collection, found)
  return found
}

/** The fields that the engine fills in by itself. */
export const filled: Readonly<
  Record<
    Special,
    { readonly on: readonly ItemWrite['action'][]; readonly value: (moment: WriteMoment) => unknown }
  >
> = {
  uuid: { on: ['create'], value: ({ newId }) => newId() },
  'date-created': { on: ['create'], value: ({ now }) => now },
  'date-updated': { on: ['update'], value: ({ now }) => now },
  'user-created': { on: ['create'], value: ({ user }) => user },
  'user-updated': { on: ['update'], value: ({ user }) => user },
}

function fill(item: CompletedItem, moment: WriteMoment, problems: Problems) {
  const { collection, values, action, targets } = item
  for (const field of storedFieldsOf(collection)) {
    if (values.has(field) && values.get(field) !== null) continue
    for (const special of field.special) {
      const { on, value } = filled[special]
      // A field of the last change that may not be null gets the time of creation first.
      const isDue = on.includes(action) || (action === 'create' && !field.isNullable)
      if (isDue && isTouched(item)) set(field, value(moment))
    }
    const isGiven = values.has(field) || targets.some((target) => isPartOf(field, target.field))
    if (action === 'create' && !isGiven && field.default !== undefined) set(field, field.default)
  }

  function set(field: StoredField, input: unknown): void {
    if (input === undefined) return
    const read = input === null ? undefined : readStored(field, input)
    if (read?.kind === 'mistake')
      problems.report(
        fault(
          'INVALID_SCHEMA',
          `"${field.name}" of "${collection.name}" ${read.says}; its default is ${quote(input)}.`,
          read.hint === undefined ? undefined : { hint: read.hint },
        ),
      )
    else values.set(field, read?.value ?? null)
  }
}

function isRequired(field: StoredField, { targets, owner, refused }: CompletedItem): boolean {
  if (refused.has(field) || (owner && isPartOf(field, owner))) return false
  if (targets.some((target) => isPartOf(field, target.field))) return false
  return needsValue(field)
}

/** True if neither the engine nor the database has a value for a field of a new item. */
export function needsValue(field: StoredField): boolean {
  if (field.isNullable || field.isDefaulted) return false
  if (field.kind === 'scalar' && field.isGenerated) return false
  // The database generates integer keys by itself, but no parts of keys.
  if (field.isKey)
    return field.value.family !== 'integer' || field.kind === 'm2o' || field.collection.key?.kind === 'key'
  return !field.special.includes('user-created') && !field.special.includes('user-updated')
}

function absent(field: StoredField, path: Path, type: 'required' | 'nnull') {
  const says = type === 'required' ? 'is required' : 'may not be null'
  return fault('FAILED_VALIDATION', `"${field.name}" of "${field.collection.name}" ${says}.`, {
    path,
    extensions: { collection: field.collection.name, field: field.name, type },
  })
}
