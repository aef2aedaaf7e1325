// The field types of schemas: the words of all families, each with the type of its columns.

import { type Family, type FieldType, families, familyRow } from './families.ts'
import type { ColumnStorage, ColumnType, FieldTypeRow, Storable, TuplePart } from './family-row.ts'

interface NamedFieldType extends FieldTypeRow {
  readonly family: Family
}

/** All scalar field types of a schema. */
export const fieldTypes = Object.fromEntries(
  Object.entries(families).flatMap(([family, row]) =>
    Object.entries(row.fieldTypes).map(([type, about]) => [type, { family, ...about }]),
  ),
) as Readonly<Record<FieldType, NamedFieldType>> // a word each, as the types of the rows say

export const isFieldType = (name: string): name is FieldType => Object.hasOwn(fieldTypes, name)

/** The type of a column's values, whichever field has it. */
export interface ValueType extends ColumnType {
  readonly type: FieldType | 'tuple'
  readonly family: Family
  readonly parts?: readonly ValuePart[]
  /** True for a number that is computed with 64 bits, such as a count. */
  readonly is64Bit?: true
}

interface ValuePart extends TuplePart {
  readonly type: ValueType
}

export const elementType = (type: ValueType): ValueType => ({
  ...type,
  isArray: false,
  family: type.type === 'tuple' ? 'tuple' : fieldTypes[type.type].family,
})

/** Returns a value that is not a list in the form of results. */
export const shownSingle = (value: Storable, type: ValueType): unknown =>
  familyRow(type.family).show?.(value, type) ?? value

/** Returns the elements of a stored list in the form of results. */
export function shownElements(values: readonly unknown[], type: ValueType): readonly unknown[] {
  const element = elementType(type)
  const { show, showInList = show } = familyRow(element.family)
  return values.map((value) =>
    value === null || value === undefined ? null : (showInList?.(value, element) ?? value),
  )
}

/** Columns of one family and form can be compared as they are. Bytes among texts keep their own values. */
export const storedForm = (storage: ColumnStorage | undefined): ColumnStorage =>
  storage === undefined || storage === 'mixed' || storage === 'canonical' ? 'native' : storage
