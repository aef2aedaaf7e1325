// The row after a write, as far as it is known before: stored values, presets of rules, and the payload.

import { Problems } from '../../errors/problems.ts'
import type { RowValidation } from '../../plan/filter/validate-row.ts'
import { heldIn, shownKeyOf } from '../../plan/key.ts'
import { shownValue } from '../../plan/read/shown-value.ts'
import { readPayload } from '../../plan/write/payload.ts'
import type { ItemWrite } from '../../plan/write/write-plan.ts'
import { isPartOf, referentOf, type StoredField } from '../../schema/model.ts'
import type { Storable } from '../../types/family-row.ts'

type RowValues = Readonly<Record<string, unknown>>

/** Returns the presets of a rule as columns store them. Undefined if one of them does not fit. */
export function presetValues(
  { collection, path, action }: ItemWrite,
  presets: RowValues,
): ReadonlyMap<StoredField, Storable | null> | undefined {
  const problems = new Problems('INVALID_PAYLOAD')
  const { values } = readPayload(presets, { collection, path, problems, isKeyed: action === 'update' })
  return problems.isEmpty ? values : undefined
}

/** Returns the row after a write. `stored`: the row before; undefined for a new one. */
export function rowAfter(
  { values }: ItemWrite,
  presets: ReadonlyMap<StoredField, Storable | null>,
  fields: ReadonlySet<StoredField>,
  stored: RowValues | undefined,
): RowValues {
  const row: Record<string, unknown> = {}
  for (const field of fields) {
    const value = values.has(field) ? values.get(field) : presets.get(field)
    if (value !== undefined) row[field.name] = shownValue(field, value)
    else row[field.name] = stored ? stored[field.name] : (field.default ?? null)
  }
  return row
}

/** False if a database may store another value than a given one: it may cut blanks that are too long for the column, and round fractions. */
export const areFirm = (fields: Iterable<StoredField>, values: RowValues): boolean =>
  [...fields].every(({ name, value: { family, scale } }) => {
    const value = values[name] ?? null
    if (value === null) return true
    if (family === 'decimal') return scale !== undefined || /^-?\d+$/.test(String(value))
    // Columns of half the length hold these alone.
    if (family === 'float') return Math.fround(Number(value)) === Number(value)
    return typeof value !== 'string' || !value.endsWith(' ')
  })

/** True if the values of some fields after the write are known before it. */
export function isKnownBefore(
  { values, targets, owner, action }: ItemWrite,
  presets: ReadonlyMap<StoredField, Storable | null>,
  { fields, needsDatabase }: RowValidation,
): boolean {
  if (needsDatabase) return false
  return [...fields].every((field) => {
    if (targets.some((target) => isPartOf(field, target.field))) return false
    if (values.has(field) || presets.has(field)) return true
    // A new parent has no key yet.
    if ((owner && isPartOf(field, owner)) || field.special.length > 0) return false
    if (action === 'update') return true
    return field.default !== undefined || !(field.isDefaulted || field.isKey)
  })
}

/** True if a write affects a validation: it creates the row, or changes values on which the validation depends. */
export function isConcerned(
  item: ItemWrite,
  presets: ReadonlyMap<StoredField, Storable | null>,
  { fields, relations, isVariable }: RowValidation,
  stored: RowValues | undefined,
): boolean {
  const { action, values, targets, owner, children } = item
  // Results for another caller or an earlier time need not hold now.
  if (action === 'create' || isVariable || !stored) return true
  if (children.some(({ relation }) => relations.has(relation.name))) return true
  return [...fields].some((field) => {
    if (targets.some((target) => isPartOf(field, target.field))) return true
    const value = values.has(field) ? values.get(field) : presets.get(field)
    if (value === undefined) return owner !== undefined && isPartOf(field, owner) && item.isAttached
    return JSON.stringify(shownValue(field, value)) !== JSON.stringify(stored[field.name] ?? null)
  })
}

/** Returns the foreign key to the parent, if that has a key already. */
export function ownerOf({ owner, values }: ItemWrite): RowValues {
  const key = owner && heldIn(values, owner)
  if (!owner || key === undefined) return {}
  return { [owner.name]: key === null ? null : shownKeyOf(referentOf(owner), key) }
}
