// A dialect is a phrase book: it is asked for a phrase, never which database it is.
import type { ValueType } from '../schema/model.ts'
import type { Decimal } from '../values/decimal.ts'
import type { JsonPath } from '../values/json-path.ts'
import type { Zone } from '../values/zone.ts'
import type { Sql } from './sql.ts'

/** Something that can be compared: a column, or a value computed from one. */
export interface Column {
  readonly sql: Sql
  readonly type: ValueType
  /** Compare and sort text by code points, whatever the column's own collation is. */
  readonly byCodePoint: boolean
  /** The value lies inside the JSON document, at this path. */
  readonly path?: Slot<JsonPath>
  /** True where there is a value. Given only when `is not null` would not say it. */
  readonly presence?: Sql
  /** Whether a negated operator holds where there is no value. */
  readonly negationMatchesNull: boolean
}

/** An operand after it was read: `at`, and whether the value given was exactly that or lay between it and the next. */
export interface Operand<Value = OperandValue> {
  readonly at: Value
  readonly exact: boolean
}
export type OperandValue = bigint | number | string | boolean | Decimal | object

/** A bound value whose form the dialect chooses. Shape and values stay apart: the phrase sees no value. */
export type Slot<Value> = (encode: (value: Value) => unknown) => Sql

export type Sign = '=' | '<' | '<=' | '>' | '>='
export type Place = 'anywhere' | 'start' | 'end'
export type JsonScalar = 'number' | 'text' | 'boolean'

export const dateParts = ['year', 'month', 'week', 'day', 'weekday', 'hour', 'minute', 'second'] as const
export type DatePart = (typeof dateParts)[number]

/** Where an operand lies, seen from what the column can hold: on one of its values, between two of them, or beyond them all. */
export type Reach = 'within' | 'between' | 'below' | 'above'

export interface Dialect {
  readonly name: string
  /** A quoted name. */
  identifier(name: string): Sql
  /** The mark of a bound value in the text; positions count from 1. */
  placeholder(position: number): string

  /** Whether a column may hold values that read as null, such as infinities. */
  losesValues(type: ValueType): boolean
  reach(type: ValueType, operand: Operand): Reach
  compare(column: Column, sign: Sign, slot: Slot<Operand>): Sql
  /** Is one of a list, which is one bound value whatever its length. */
  among(column: Column, list: Slot<readonly Operand[]>): Sql
  match(column: Column, place: Place, ignoreCase: boolean, text: Slot<string>): Sql
  isNull(column: Column): Sql
  isPresent(column: Column): Sql
  isEmpty(column: Column): Sql

  datePart(part: DatePart, column: Column, zone: Zone): Sql
  /** The number of elements of a JSON array; 0 for any other value, null for null. */
  jsonLength(column: Column): Sql
  /** The scalar at the column's path, if it is of that kind; else null. */
  jsonScalar(column: Column, kind: JsonScalar): Sql
  /** A key stored as text, as the key of a collection; null where the text is not its canonical form. */
  keyFromText(text: Sql, key: ValueType): Sql
  keyAsText(key: Sql): Sql

  /** Zones by name, with their daylight-saving rules. Absent = fixed offsets only. */
  readonly namedZones?: true
  /** Geometry; absent = the database has none. */
  readonly geo?: GeoPhrases
}

export interface GeoPhrases {
  same(column: Column, geometry: Slot<Operand>): Sql
  intersects(column: Column, geometry: Slot<Operand>): Sql
  boundsIntersect(column: Column, geometry: Slot<Operand>): Sql
}
