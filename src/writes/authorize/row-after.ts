// The row after a write, with what is known of it before: stored values, presets of rules, and the payload.

import { Problems } from '../../errors/problems.ts'
import { holds, type MemorySetting } from '../../plan/filter/evaluate.ts'
import type { Predicate, Test } from '../../plan/filter/predicate.ts'
import { ownTouches, type RowValidation } from '../../plan/filter/validate-row.ts'
import { type RowReader, verdictOn } from '../../plan/filter/verdict.ts'
import { heldIn, shownKeyOf } from '../../plan/key.ts'
import { shownValue } from '../../plan/read/shown-value.ts'
import { ownFields } from '../../plan/touches.ts'
import { fieldsTested } from '../../plan/walk.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { isWrapped } from '../../plan/write/document-change.ts'
import { incrementedNames } from '../../plan/write/increment.ts'
import { readPayload } from '../../plan/write/payload.ts'
import { needsDatabase as asksDatabase } from '../../plan/write/validate-item.ts'
import type { ItemWrite } from '../../plan/write/write-plan.ts'
import { isByValue, isPartOf, isTuple, referentOf, type StoredField } from '../../schema/model.ts'
import { isGenerated } from '../../schema/output-schema.ts'
import { isExact } from '../context/place.ts'
import { contextOf, type FilledValues, type WriteContext } from '../context/write-context.ts'

type RowValues = Readonly<Record<string, unknown>>

/** Returns the presets of a rule as columns store them. Undefined if one of them does not fit. */
export function presetValues(
  { collection, path, action }: ItemWrite,
  presets: RowValues,
): FilledValues | undefined {
  const problems = new Problems('INVALID_PAYLOAD')
  const { values } = readPayload(presets, { collection, path, problems, isKeyed: action === 'update' })
  return problems.isEmpty ? values : undefined
}

/** Returns the row after a write. `stored`: the row before; undefined for a new one. */
export function rowAfter(
  { values }: ItemWrite,
  presets: FilledValues,
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
  presets: FilledValues,
  { fields, needsDatabase }: Pick<RowValidation, 'fields' | 'needsDatabase'>,
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

/** True if a new row has values of some fields from the item, a rule or the schema. What is absent may have a default of which only the database
 *  knows. */
export const areGiven = (
  { values }: ItemWrite,
  presets: FilledValues,
  fields: Iterable<StoredField>,
): boolean =>
  [...fields].every((field) => values.has(field) || presets.has(field) || field.default !== undefined)

/** True if a write affects a validation: it creates the row, or changes values on which the validation depends. */
export function isConcerned(
  item: ItemWrite,
  presets: FilledValues,
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

/** Returns whether a new item meets a filter; undefined if only its stored row can show it. `filled`: values that the rule fills in. */
export function filterHolds(
  filter: Predicate,
  item: ItemWrite,
  filled: FilledValues,
  writing: WriteContext,
): boolean | undefined {
  const { setting } = contextOf(writing)
  const rowFor = (part: Predicate): RowValues | undefined => {
    const fields = new Set(ownTouches(part).flatMap(ownFields))
    const isOpen = [...fields].some(isGenerated) || !areGiven(item, filled, fields)
    const isKnown = isKnownBefore(item, filled, { fields, needsDatabase: isOpen })
    return isKnown ? rowAfter(item, filled, fields, undefined) : undefined
  }
  const reader: RowReader<ItemWrite> = {
    passes: (test, row) => (row ? testHolds(test, rowFor(test), setting) : holds(test, null, setting)),
    behind: (step) => {
      if (step.kind !== 'one' || isTuple(step.field) || isByValue(step.field)) return undefined
      return rowFor(step)?.[step.field.name] === null ? [] : undefined
    },
  }
  const verdict = verdictOn(filter, item, reader)
  return verdict && verdict === true
}

function testHolds(test: Test, row: RowValues | undefined, setting: MemorySetting): boolean | undefined {
  const fields = fieldsTested(test)
  if (!row || asksDatabase(test) || !areFirm(fields, row)) return undefined
  const isMet = holds(test, row, setting)
  if (test.operator === '_null' || test.operator === '_nnull') return isMet
  if (!isExact(test)) return undefined
  // Different texts may be equal for a column.
  const isText = fields.some(({ name, value }) => value.family === 'text' && row[name] !== null)
  return isText && !isMet ? undefined : isMet
}

/** Returns the sums of an item as results show them, in the place of its increments, and documents in the place of what holds them. */
export function sumsOf({ collection, payload, increments, values }: ItemWrite): ItemData {
  const sums = new Map<string, unknown>(incrementedNames(collection, payload).map((name) => [name, null]))
  for (const { name } of increments.keys()) sums.set(name, undefined)
  for (const [field, value] of values)
    if (field.kind === 'scalar' && (increments.has(field) || isWrapped(field, payload[field.name])))
      sums.set(field.name, shownValue(field, value))
  return Object.fromEntries(sums)
}
