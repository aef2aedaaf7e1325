// The fields by which an upsert finds its item: those of a key, or of a unique index over all rows.

import type { EngineInternals } from '../../engine/engine.ts'
import { fault, quote } from '../../errors/errors.ts'
import type { Options } from '../../execution/database.ts'
import { uniquenessOf } from '../../execution/unique-columns.ts'
import { noField } from '../../plan/resolve-name.ts'
import {
  type Collection,
  type Field,
  isStored,
  isToMany,
  isTuple,
  type KeyField,
  keyFieldsOf,
} from '../../schema/model.ts'
import { tupleTypeOf } from '../../schema/stored-fields.ts'
import { canBeKey } from '../../types/families.ts'

type OnField = Exclude<KeyField, { readonly kind: 'key' }>

/** The fields by which an upsert finds its item. */
export interface OnFields {
  readonly fields: readonly OnField[]
  readonly names: ReadonlySet<string>
  /** All of them as one field. */
  readonly together: KeyField
}

/** Returns the fields with some names, or those of the key. They have to be visible to the caller, and unique together. */
export async function onFields(
  collection: Collection,
  input: readonly string[] | undefined,
  engine: EngineInternals,
  options: Options,
): Promise<OnFields> {
  const names = new Set(input ?? keyFieldsOf(collection).map(({ name }) => name))
  const fields = [...names].map((name) => onField(collection, name, engine))
  const [first] = fields
  const columns = fields.map(({ column }) => column)
  const { areKey } = await uniquenessOf(collection, columns, engine, options)
  if (!first || !areKey) throw notUnique(collection, [...names])
  const together: KeyField =
    fields.length === 1
      ? first
      : { kind: 'key', collection, parts: fields, value: tupleTypeOf(fields), isNullable: false }
  return { fields, names, together }
}

function onField(collection: Collection, name: string, engine: EngineInternals): OnField {
  const permissions = engine.scope?.permissions
  const visible = permissions ? permissions.seen.of.get(collection) : collection
  if (!visible?.fields.has(name))
    throw noField(visible ?? { name: collection.name, fields: new Map() }, name, path)
  const field = collection.fields.get(name)
  const mistake = field && mistakeOf(field)
  if (!field || mistake !== undefined || !isOnField(field))
    throw fault('INVALID_PAYLOAD', `An upsert cannot find an item by ${quote(name)}, ${mistake}.`, { path })
  return field
}

const path = ['on']

const isOnField = (field: Field): field is OnField => isStored(field) && field.kind !== 'any'

/** Returns the reason why items are not found by a field. */
function mistakeOf(field: Field): string | undefined {
  if (isToMany(field)) return 'which is a list of other items'
  if (isTuple(field)) return `whose value is in ${field.parts.map(({ name }) => quote(name)).join(' and ')}`
  if (field.kind === 'any' || field.value.isArray || !canBeKey(field.value.family))
    return 'whose type cannot be in a key'
  if (field.kind === 'scalar' && field.isConcealed) return 'which is concealed'
  return field.special.some((special) => special !== 'uuid') ? 'which is set by the engine' : undefined
}

export function notUnique({ name }: Collection, names: readonly string[]) {
  const [its, all] =
    names.length === 1 ? [quote(names[0]), 'unique'] : [names.map(quote).join(', '), 'unique together']
  return fault('INVALID_PAYLOAD', `Nothing in the database keeps ${its} of ${quote(name)} ${all}.`, {
    path,
    hint: 'Name the fields of its key, or of a unique index that has all rows, no expressions, and is not deferrable.',
  })
}
