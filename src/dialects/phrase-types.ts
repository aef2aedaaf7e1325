// Arguments and results of phrases: columns, operands, and readings of values.

import type { Operand } from '../types/family-row.ts'
import type { ValueType } from '../types/field-types.ts'
import type { JsonPath } from '../values/json-path.ts'
import type { Sql } from './sql.ts'

/** A value that can be compared: a column, or an expression of one. */
export interface Column {
  readonly sql: Sql
  readonly type: ValueType
  /** True if text is compared and sorted by code points, whatever the column's own collation is. */
  readonly byCodePoint: boolean
  /** The path of the value inside the JSON document. */
  readonly path?: Slot<JsonPath>
  /** A condition that is true if there is a value. Given only if `is not null` is not enough. */
  readonly presence?: Sql
  /** True if a negated operator matches rows without a value. */
  readonly negationMatchesNull: boolean
  /** The table and column that store it. Absent = it is computed. */
  readonly home?: { readonly table: Sql; readonly column: Sql }
  /** The columns of a key of several parts. Absent = it is one column. */
  readonly parts?: readonly Column[]
  /** Called if the column has bytes instead of text, and they are no valid text; or numbers instead of booleans, and they are not 0 or 1. */
  readonly onLoss?: (() => void) | undefined
}

/** A bound value whose form the dialect chooses. Shape and values stay separate: the phrase has no access to the value. */
export type Slot<Value> = (encode: (value: Value) => unknown) => Sql
/** The sign of a comparison. */
export type Sign = '=' | '<' | '<=' | '>' | '>='

/** The use of locked rows: they are referenced, they change, they are deleted and may not be referenced any more, or they are claimed: then rows
 *  that others have locked are left to them. */
export type RowUse = 'reference' | 'change' | 'removal' | 'claim'
export type MatchPosition = 'anywhere' | 'start' | 'end'
export type JsonScalar = 'number' | 'text' | 'boolean'
export const dateParts = ['year', 'month', 'week', 'day', 'weekday', 'hour', 'minute', 'second'] as const
export type DatePart = (typeof dateParts)[number]

/** The position of an operand relative to the values of the column: on one of them, on the last of a calendar or between
 *  that and its end, between two, or beyond all. */
export type Reach = 'within' | 'last' | 'afterLast' | 'between' | 'below' | 'above'

/** A selected cell, and the reader of its value. */
export interface Cell {
  readonly sql: Sql
  /** Reads the value. It is never called with null, which is null everywhere. Absent = the value is returned unchanged. */
  readonly read?: (value: NonNullable<unknown>) => unknown
  /** True if only objects have to be read: any other value is returned unchanged. */
  readonly isRare?: true
}

/** The forms in which the values of a column leave the database. */
export interface Reading {
  /** As a column of a row. */
  readonly column: Cell
  /** As an element of a JSON array. */
  readonly element: Cell
  /** As JSON of the final value. Absent if the database cannot write it. */
  readonly json?: Sql
}

/** Columns of a new row whose given values are checked in memory. */
export interface JudgedColumns {
  readonly texts: readonly string[]
  /** Those of integers and booleans. */
  readonly numbers: readonly string[]
  /** Those that new rows may leave out, to be null. */
  readonly optional: readonly string[]
}

/** A value that each of many value sets has. */
export interface SetValue {
  /** The type with whose values it is compared. */
  readonly type: ValueType
  /** True if it is a list of such values. */
  readonly isList: boolean
  /** True for a text to match, whatever the type is. */
  readonly isPattern: boolean
  /** True if text is compared by code points. */
  readonly byCodePoint: boolean
  /** True for a value that is stored in a column, and not compared with it. */
  readonly isWritten?: true
  /** The table and column of the values that it is compared with as they are stored. Absent = they are computed. */
  readonly home?: Column['home']
  /** The value of one of the sets, as it would be bound alone. */
  readonly example: unknown
}

/** Value sets: rows of the values of each, as they would be bound alone. */
export type ValueSets = readonly (readonly unknown[])[]

/** A table of bound values, with a row for each value set. */
export interface ValueSetTable {
  /** The table, behind FROM. */
  readonly from: Sql
  /** The number of a row, from 0. */
  readonly place: Sql
  /** Expressions in the place of the values. */
  readonly values: readonly Sql[]
}

/** An order key as a text that clients keep, and that is compared with the column again. */
export interface Bookmark {
  /** The column with all of its digits, as text; null for null. */
  readonly selected: Sql
  /** The same, without what no cursor has room for. */
  readonly cut: Sql
  /** The column as it is ordered. */
  readonly ordered: Sql
  /** Casts what was read to the type of the column. */
  readonly bound: (value: Sql) => Sql
  /** Reads such a text as a value to bind; undefined if it cannot be one. */
  readonly read: (text: string) => unknown
}

/** Comparisons of geometries. */
export interface GeoPhrases {
  same(column: Column, geometry: Slot<Operand>): Sql
  intersects(column: Column, geometry: Slot<Operand>): Sql
  boundsIntersect(column: Column, geometry: Slot<Operand>): Sql
}

/** The clause that returns columns of written rows. */
export type ReturningClause = (columns: Sql) => Sql

/** A table, and the database schema that its name is looked up in. */
export interface TableName {
  readonly table: string
  readonly dbSchema: string | undefined
}

/** Inserts of rows that may be there already. Each clause stands behind the values. */
export interface ConflictPhrases {
  /** Leaves out rows of which another one has a unique value already, or the same values of some columns. Absent = the insert fails. */
  unlessThere?(columns?: readonly Sql[]): Sql
  /** Updates the rows that have the same values of some columns, which are unique together, instead. Absent = it cannot. */
  orUpdate?(columns: readonly Sql[], assignments: Sql): Sql
  /** The value of a column that was not inserted, in such assignments. */
  leftOut?(column: Sql): Sql
  /** True for types whose values are the same in a unique index exactly where filters find them equal. */
  isFoundAsStored?(type: ValueType): boolean
  /** Tests, in what such an insert returns, whether the row was inserted. Absent = it cannot be known. */
  readonly isInserted?: Sql
}
