// Evaluates conditions and orders on rows in memory, with the operators of memory filters.

import { rulePredicate } from '../../access/caller-scope.ts'
import type { VisibleField } from '../../access/collection-view.ts'
import type { RuleRead } from '../../access/rules.ts'
import { fieldSubject, fieldsIn } from '../../plan/field-path.ts'
import { holds, type MemorySetting, valueAt, withOperand } from '../../plan/filter/evaluate.ts'
import {
  always,
  type ComparedValue,
  never,
  type OneRelated,
  type Predicate,
} from '../../plan/filter/predicate.ts'
import { type RowReader, verdictOn } from '../../plan/filter/verdict.ts'
import { distinctKeys, keyIdentity } from '../../plan/key.ts'
import { valueOrder } from '../../plan/read/memory-order.ts'
import type { OrderKey, Value } from '../../plan/read/read-plan.ts'
import { stepInto } from '../../plan/walk.ts'
import { isByValue, isToMany } from '../../schema/model.ts'
import type { OperandValue } from '../../types/family-row.ts'
import { visibleKeys } from '../../writes/authorize/visible-keys.ts'
import { circumstancesOf, permissionsOf, type WriteContext } from '../../writes/context/write-context.ts'
import { matchingKeys } from '../../writes/stored/select-keys.ts'
import { heldByRow, keyMark, type OverlayRow, openNames, rowKey } from './overlay-row.ts'
import { ownKeyIn, stepName } from './required-data.ts'
import { isBefore } from './row-changes.ts'

/** True if a row meets a predicate. Without a row all its values are null. */
export function matchesRow(
  predicate: Predicate,
  row: OverlayRow | undefined,
  setting: MemorySetting,
): boolean {
  const reader: RowReader<OverlayRow> = {
    passes: (test, one) => {
      const { operand } = test
      const values = one && valuesFor(test.subject, one)
      if (operand.kind !== 'field') return holds(test, values, setting)
      const end = operand.route.reduce<OverlayRow | null>(
        (row, field) => row?.below.get(stepName({ kind: 'one', field }))?.[0] ?? null,
        one,
      )
      const other = end && subjectValue(fieldSubject(operand.field), end, setting)
      return holds(withOperand(test, other), other === null ? null : values, setting)
    },
    behind: (step, { below }) => below.get(stepName(stepInto(step))) ?? [],
  }
  return verdictOn(predicate, row ?? null, reader) === true
}

/** Returns the values of a subject. Of children only the number counts. */
function valuesFor(subject: ComparedValue, { own, below }: OverlayRow): Readonly<Record<string, unknown>> {
  if (subject.kind !== 'related') return own
  const { children } = subject
  const rows = below.get(stepName({ kind: 'children', children })) ?? []
  return { [children.name ?? '']: rows.map(() => ({})) }
}

export const subjectValue = (
  subject: ComparedValue,
  row: OverlayRow,
  setting: MemorySetting,
): OperandValue | null => operandOf(subject, valuesFor(subject, row), setting)

function operandOf(
  subject: ComparedValue,
  values: OverlayRow['own'],
  { zone }: MemorySetting,
): OperandValue | null {
  const value = valueAt(subject, values, zone, [])
  return typeof value === 'symbol' ? null : value
}

/** Sorts rows; those without a value come last, and first in descending order. */
export function ordered(
  rows: readonly OverlayRow[],
  order: readonly OrderKey[],
  setting: MemorySetting,
): readonly OverlayRow[] {
  const comparisons = order.flatMap((key) =>
    key.kind === 'value' ? [comparison(key.value, key.isDescending, setting)] : [],
  )
  return [...rows].sort((one, other) => {
    for (const compare of comparisons) {
      const sign = compare(one, other)
      if (sign !== 0) return sign
    }
    return 0
  })
}

function comparison(value: Value, isDescending: boolean, setting: MemorySetting) {
  const compare = valueOrder(value.subject.type.family, isDescending)
  const ownKey = ownKeyIn(value)
  return (one: OverlayRow, other: OverlayRow): number => {
    const [left, right] = [valueIn(one), valueIn(other)]
    if (ownKey && left === null && right === null) return (isDescending ? -1 : 1) * byAge(one, other)
    return compare(left, right)
  }

  /** Returns the sort value. Of several, the first in the requested order counts. */
  function valueIn(row: OverlayRow): OperandValue | null {
    if (ownKey) return operandOf(value.subject, { [ownKey.name]: rowKey(row) }, setting)
    const ends = value.route.reduce<readonly OverlayRow[]>(
      (rows, step) => rows.flatMap(({ below }) => below.get(stepName(step)) ?? []),
      [row],
    )
    return ends
      .map((end) => subjectValue(value.subject, end, setting))
      .reduce((best, next) => {
        if (best === null || next === null) return best ?? next
        return compare(next, best) < 0 ? next : best
      }, null)
  }
}

/** Compares new rows without a key, which will be numbered in sequence. */
function byAge({ row: one }: OverlayRow, { row: other }: OverlayRow): number {
  if (!one || !other || one === other) return 0
  return isBefore(one, other) ? -1 : 1
}

// Applies rules in memory to rows that a version would create, since the database does not have them yet.

/** Returns the visible parts of new rows of one collection, of those that are visible at all. Parts that are not known are hidden. */
export async function visibleRows(
  rows: readonly OverlayRow[],
  writing: WriteContext,
): Promise<readonly OverlayRow[]> {
  const [first] = rows
  const shown = first && permissionsOf(writing)?.seen.shown.get(first.collection)
  if (!shown) return rows
  const metBy = await rulesOfNew(shown, rows, writing)
  return rows.flatMap((row) => {
    const met = metBy(row)
    return met.length === 0 ? [] : [visiblePart(row, (name) => met.some(({ fields }) => fields.has(name)))]
  })
}

function visiblePart(row: OverlayRow, isSeen: (name: string) => boolean): OverlayRow {
  const own = Object.entries(row.own).map(([name, value]) => [
    name,
    name === keyMark || isSeen(name) ? value : null,
  ])
  const lists = [...row.collection.fields.values()].flatMap((field) =>
    isToMany(field) && field.within?.shownBy
      ? [[field.within.shownBy.name, isSeen(field.name) ? 1 : null]]
      : [],
  )
  return { ...row, own: Object.fromEntries([...own, ...lists]) }
}

/** Returns what determines those of some rules that a new row is known to meet: by its own values, and by the items to which it refers as the
 *  database has them. */
export async function rulesOfNew(
  { of, rules }: Pick<VisibleField, 'of' | 'rules'>,
  rows: readonly OverlayRow[],
  writing: WriteContext,
): Promise<(row: OverlayRow) => readonly RuleRead[]> {
  const permissions = permissionsOf(writing)
  if (!permissions) return () => rules
  const conditions = rules.map((rule) => ({
    rule,
    predicate: rulePredicate(rule, of, permissions.whole, circumstancesOf(writing)),
  }))
  const met = new Map<Predicate, TargetsMet>()
  for (const { predicate } of conditions)
    for (const part of targetConditions(predicate)) met.set(part, await targetsMet(part, rows, writing))
  const settled = (part: Predicate, row: OverlayRow): Predicate => {
    if (part.kind === 'and' || part.kind === 'or')
      return { ...part, parts: part.parts.map((one) => settled(one, row)) }
    return met.get(part)?.get(row) ?? part
  }
  return (row) =>
    conditions.flatMap(({ rule, predicate }) =>
      isMet(settled(predicate, row), row, writing.caller) ? [rule] : [],
    )
}

/** For rows whose target the caller sees, true or false. */
type TargetsMet = ReadonlyMap<OverlayRow, Predicate>

function targetConditions(predicate: Predicate): readonly OneRelated[] {
  if (predicate.kind === 'and' || predicate.kind === 'or') return predicate.parts.flatMap(targetConditions)
  return predicate.kind === 'one' && !isByValue(predicate.field) ? [predicate] : []
}

async function targetsMet(
  { field, condition }: OneRelated,
  rows: readonly OverlayRow[],
  writing: WriteContext,
): Promise<TargetsMet> {
  const named = rows.flatMap((row) => {
    const key = openNames(row).has(field.name) ? undefined : heldByRow(row, field)
    return key === undefined ? [] : [{ row, key }]
  })
  const keys = distinctKeys(named.map(({ key }) => key))
  if (keys.length === 0) return new Map()
  const seen = await visibleKeys(field.target, keys, writing)
  const met = await matchingKeys(field.target, keys, condition, writing)
  return new Map(
    named.flatMap(({ row, key }) => {
      const text = keyIdentity(key)
      return seen.has(text) ? [[row, met.has(text) ? always : never]] : []
    }),
  )
}

/** True if it is known from a row's own values that it meets a condition. */
function isMet(predicate: Predicate, row: OverlayRow, setting: MemorySetting): boolean {
  const open = openNames(row)
  const reader: RowReader<OverlayRow['own']> = {
    passes: (test) => {
      const { operand, subject } = test
      if (subject.kind === 'related' || (operand.kind === 'field' && operand.route.length > 0))
        return undefined
      const own = fieldsIn(subject)
      const fields = operand.kind === 'field' ? [...own, operand.field] : own
      if (fields.some(({ name }) => open.has(name))) return undefined
      // Its key will differ from all existing ones.
      const isOfKey = own.some(({ isKey }) => isKey)
      return holds(test, row.own, isOfKey ? { ...setting, negationMatchesNull: true } : setting)
    },
    behind: () => undefined,
  }
  return verdictOn(predicate, row.own, reader) === true
}
