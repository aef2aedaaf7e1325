// What phrases are given and give: columns, operands, and values on their way out.

import type { ValueType } from '../schema/model.ts'
import type { Decimal } from '../values/decimal.ts'
import type { JsonPath } from '../values/json-path.ts'
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
  /** Hears that the column holds bytes where there should be text, and that they spell none. */
  readonly onLoss?: (() => void) | undefined
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

/** What rows are held for: something points to them, they change, or they go away and nobody may point to them. */
export type RowUse = 'reference' | 'change' | 'removal'
export type MatchPosition = 'anywhere' | 'start' | 'end'
export type JsonScalar = 'number' | 'text' | 'boolean'
export const dateParts = ['year', 'month', 'week', 'day', 'weekday', 'hour', 'minute', 'second'] as const
export type DatePart = (typeof dateParts)[number]

/** Where an operand lies, seen from what the column can hold: on one of its values, between two of them, or beyond them all. */
export type Reach = 'within' | 'between' | 'below' | 'above'

/** What is selected, and what makes the answer's value of it. */
export interface Cell {
  readonly sql: Sql
  /** It is never given null, which is null everywhere. Absent = the value is the answer's already. */
  readonly read?: (value: NonNullable<unknown>) => unknown
  /** Only objects have to be read: any other value is the answer's already. */
  readonly isRare?: true
}

/** How the values of a column leave the database. */
export interface Reading {
  /** As a column of a row. */
  readonly column: Cell
  /** As an element of a JSON array. */
  readonly element: Cell
  /** As JSON that is the answer's value already. Absent where the database cannot write it. */
  readonly json?: Sql
}
