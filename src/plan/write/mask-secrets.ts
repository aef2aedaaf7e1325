import { type Collection, type Field, isToMany } from '../../schema/model.ts'
import { mask } from '../../types/hash.ts'
import { isRecord } from '../../values/guards.ts'
import type { ItemData } from './changes.ts'

/** A payload without secrets: the values of concealed fields are masked. */
export function maskSecrets(collection: Collection, payload: ItemData): Record<string, unknown> {
  // A copy takes less than half of what a list of its entries takes, and most payloads have no secrets.
  const masked: Record<string, unknown> = { ...payload }
  for (const name of Object.keys(masked)) {
    const value = masked[name]
    const safe = shown(collection.fields.get(name), value, payload)
    if (safe !== value) masked[name] = safe
  }
  return masked
}

function shown(field: Field | undefined, value: unknown, item: ItemData): unknown {
  if (!field || value === null || value === undefined) return value
  if (field.kind === 'scalar') return field.isConcealed ? mask : value
  if (isToMany(field)) return eachChild(value, (one) => maskSecrets(field.target, one))
  const target = targetIn(field, item)
  return target && isRecord(value) ? maskSecrets(target, value) : value
}

/** Returns the collection of the item that a relation of a payload holds; undefined where the payload does not name it. */
export const targetIn = (
  field: Exclude<Field, { kind: 'scalar' }>,
  item: ItemData,
): Collection | undefined =>
  field.kind === 'any' ? field.targets.get(String(item[field.by.name])) : field.target

/** Returns the children of a payload with each of those that are items changed: a list, or lists of what is created, updated and deleted. */
export function eachChild(value: unknown, change: (child: ItemData) => ItemData): unknown {
  const each = (one: unknown) => (isRecord(one) ? change(one) : one)
  if (Array.isArray(value)) return value.map(each)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([part, list]) => [part, Array.isArray(list) ? list.map(each) : list]),
  )
}
