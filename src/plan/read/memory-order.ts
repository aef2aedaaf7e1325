// The order of rows in memory, where it is known to be that of the database.

import type { StoredField } from '../../schema/model.ts'
import { type Family, familyRow, isTemporal } from '../../types/families.ts'
import type { OperandValue } from '../../types/family-row.ts'
import { type KnownValues, unknown } from '../filter/may-hold.ts'
import type { OrderKey } from './read-plan.ts'

export interface MemoryOrder {
  /** True for a row that comes after another one. False if it does not, or if that is not known. */
  readonly isAfter: (row: KnownValues, other: KnownValues) => boolean
  readonly columns: readonly string[]
}

/** Compares two rows by a key of an order; undefined if it is not known which comes first. */
type RowComparison = (row: KnownValues, other: KnownValues) => number | undefined

/** Returns how an order is compared in memory; undefined if it cannot be. `isComparable`: true for a field whose values compare in memory as they do in the database. */
export function memoryOrder(
  order: readonly OrderKey[],
  isComparable: (field: StoredField) => boolean,
): MemoryOrder | undefined {
  const fields = order.map(fieldOf)
  const end = fields.findIndex(
    (field) => !field || !orderedInMemory.has(field.value.family) || !isComparable(field),
  )
  // Rows that are equal in all keys before one that cannot be compared are not known to have an order.
  const known = fields.slice(0, end < 0 ? undefined : end).flatMap((field) => field ?? [])
  if (known.length === 0) return undefined
  const comparisons = known.map((field, at) => comparisonOf(field, order[at]?.isDescending ?? false))
  const isAfter: MemoryOrder['isAfter'] = (row, other) => {
    for (const compare of comparisons) {
      const sign = compare(row, other)
      if (sign !== 0) return sign !== undefined && sign > 0
    }
    return false
  }
  return { isAfter, columns: known.map(({ column }) => column) }
}

/** The families whose order is the same in memory as in each database. That of texts is none of these. */
const orderedInMemory: ReadonlySet<Family> = new Set([
  'integer',
  'boolean',
  'uuid',
  'date',
  'time',
  'dateTime',
  'timestamp',
])

function fieldOf(key: OrderKey): StoredField | undefined {
  if (key.kind !== 'value' || key.value.route.length > 0 || key.value.subject.kind !== 'field')
    return undefined
  const { field } = key.value.subject
  return field.value.isArray ? undefined : field
}

function comparisonOf(
  { column, value: { family }, ...field }: StoredField,
  isDescending: boolean,
): RowComparison {
  const compare = valueOrder(family, isDescending)
  const mayBeNull = field.isNullable && !field.isKey
  return (one, other) => {
    const left = one.inOrder(column)
    const right = other.inOrder(column)
    if (left === unknown || right === unknown) return undefined
    // A null of a column that has none by the schema comes where the database likes.
    if (!mayBeNull && (left === null || right === null)) return undefined
    const sign = compare(left, right)
    // A column may hold moments that are finer than those in memory.
    return sign === 0 && left !== null && isTemporal(family) ? undefined : sign
  }
}

/** Returns the comparison of two values by an order: what has no value comes last, and first in descending order. */
export function valueOrder(family: Family, isDescending: boolean) {
  const { compare } = familyRow(family)
  const sign = isDescending ? -1 : 1
  return (left: OperandValue | null, right: OperandValue | null): number => {
    if (left !== null && right !== null) return sign * compare(left, right)
    return sign * (Number(left === null) - Number(right === null))
  }
}
