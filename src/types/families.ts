// The table of all types of values. A new one is a file beside this one, a row here, and rows in the dialects.
import { type BinaryTypes, binary } from './binary.ts'
import { type BooleanTypes, boolean } from './boolean.ts'
import { type CsvTypes, csv } from './csv.ts'
import { type DecimalTypes, decimal } from './decimal.ts'
import type { FamilyGroup, FamilyRow, OperandValue } from './family-row.ts'
import { type FloatTypes, float } from './float.ts'
import { type GeometryTypes, geometry } from './geometry.ts'
import { type HashTypes, hash } from './hash.ts'
import { type IntegerTypes, integer } from './integer.ts'
import { type JsonTypes, json } from './json.ts'
import {
  type DateTimeTypes,
  type DateTypes,
  date,
  dateTime,
  type TimestampTypes,
  type TimeTypes,
  time,
  timestamp,
} from './moments.ts'
import { type OtherTypes, opaque, other } from './other.ts'
import { type TextTypes, text } from './text.ts'
import { tuple } from './tuple.ts'
import { type UuidTypes, uuid } from './uuid.ts'

/** One row per type of value. */
export const families = {
  integer,
  float,
  decimal,
  text,
  uuid,
  boolean,
  date,
  time,
  dateTime,
  timestamp,
  json,
  csv,
  hash,
  binary,
  geometry,
  other,
  opaque,
  tuple,
} as const

/** The name of a type of value. */
export type Family = keyof typeof families

/** Types of the values of each field type, for the compiler. */
export interface TypesOfValues
  extends IntegerTypes,
    FloatTypes,
    DecimalTypes,
    TextTypes,
    UuidTypes,
    BooleanTypes,
    DateTypes,
    TimeTypes,
    DateTimeTypes,
    TimestampTypes,
    JsonTypes,
    CsvTypes,
    HashTypes,
    BinaryTypes,
    GeometryTypes,
    OtherTypes {}

/** A field type of a schema. */
export type FieldType = { [Name in Family]: keyof (typeof families)[Name]['fieldTypes'] }[Family]

/** The family of a field type. */
export type FamilyOf<Type extends FieldType> = FamilyByFieldType[Type]
// A table, so that the compiler finds each family once.
type FamilyByFieldType = {
  [Type in FieldType]: {
    [Name in Family]: Type extends keyof (typeof families)[Name]['fieldTypes'] ? Name : never
  }[Family]
}

/** The families of a group. */
export type FamilyIn<Of extends FamilyGroup> = {
  [Name in Family]: Of extends (typeof families)[Name]['groups'][number] ? Name : never
}[Family]

/** Families whose values are dates or times. */
export type TemporalFamily = {
  [Name in Family]: (typeof families)[Name] extends { readonly grain: number } ? Name : never
}[Family]

/** The row of a family, without the types of its values: they only ever meet values that the same row has read. */
export function familyRow(family: Family): FamilyRow {
  return families[family] as FamilyRow
}

export const familyNames = Object.keys(families) as readonly Family[]

export const familiesIn = <const Of extends FamilyGroup>(group: Of): readonly FamilyIn<Of>[] =>
  familyNames.filter((name): name is FamilyIn<Of> => familyRow(name).groups.includes(group))

export const isTemporal = (family: Family): family is TemporalFamily => familyRow(family).grain !== undefined

export const isEmptyValue = (value: OperandValue | null, family: Family): boolean =>
  value === null || (familyRow(family).isEmpty?.(value) ?? false)

/** True if values of the family can identify an item. */
export const canBeKey = (family: Family): boolean => familyRow(family).key !== undefined
