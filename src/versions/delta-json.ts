// A delta as JSON: values that JSON does not have, in the form in which results show them.
import type { ItemData } from '../plan/write/changes.ts'
import { type Collection, type Field, isToMany } from '../schema/model.ts'
import { textOfDigits } from '../types/binary.ts'
import type { BinaryEncoding } from '../types/family-row.ts'
import { toHex } from '../values/bytes.ts'
import { isBytes, isDate, isRecord } from '../values/guards.ts'

/** Returns the fields of an item as JSON. Inside a JSON value there is no collection. */
export const itemAsJson = (item: ItemData, collection: Collection | undefined): ItemData =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      valueAsJson(value, collection?.fields.get(name), item),
    ]),
  )

function valueAsJson(value: unknown, field: Field | undefined, item: ItemData): unknown {
  if (typeof value === 'bigint') return String(value)
  if (isDate(value)) return value.toJSON()
  if (isBytes(value)) return textOfDigits(toHex(value), encodingOf(field, item))
  const target = targetOf(field, item)
  if (Array.isArray(value))
    return value.map((one) => (isRecord(one) ? itemAsJson(one, target) : valueAsJson(one, field, item)))
  if (!isRecord(value)) return value
  if (!field || !isToMany(field)) return itemAsJson(value, target)
  // Lists of what is created, updated and deleted.
  return Object.fromEntries(
    Object.entries(value).map(([part, list]) => [part, valueAsJson(list, field, item)]),
  )
}

function encodingOf(field: Field | undefined, item: ItemData): BinaryEncoding {
  const key = targetOf(field, item)?.key
  return key?.value.encoding ?? (field && !isToMany(field) ? field.value.encoding : 'base64')
}

function targetOf(field: Field | undefined, item: ItemData): Collection | undefined {
  if (!field || field.kind === 'scalar') return undefined
  return field.kind === 'any' ? field.targets.get(String(item[field.by.name])) : field.target
}
