// The shape of a type of value: everything that the engine has to know of it, apart from SQL.

import type { Decimal } from '../values/decimal.ts'

/** A type of value. Field types whose values behave alike, such as `string` and `text`, share one row. */
export interface FamilyRow<Value = OperandValue> {
  /** Its field types, as schemas name them. */
  readonly fieldTypes: Readonly<Record<string, FieldTypeRow>>
  /** The groups to which it belongs; operators, functions and aggregates work on groups. */
  readonly groups: readonly FamilyGroup[]
  /** A description of a valid value. */
  readonly expects: string
  /** The description of a valid value of a column, if columns differ. */
  readonly expectsOf?: (type: ColumnType) => string
  /** A hint for a value that was refused. */
  readonly hintFor?: (input: unknown, type: ColumnType) => string | undefined

  // Comparing
  /** Reads an operand; undefined if it cannot be of this type. */
  readonly operand: (input: unknown, type: ColumnType) => Operand<Value & OperandValue> | undefined
  /** Compares two values: negative, zero or positive. */
  compare(left: Value, right: Value): number
  /** True for a value that counts as empty besides null. Absent = there is none. */
  isEmpty?(value: Value): boolean
  /** Returns the value of an item in the form in which it compares. Absent = it is read like an operand. */
  readonly comparable?: (value: NonNullable<unknown>, type: ColumnType) => OperandValue | null
  /** Adds two values: what comes out, or the reason why the column cannot store it. Absent = they are no numbers. */
  sum?(left: Value, right: Value, type: ColumnType): StoredRead
  /** True if the text "null" is a value, so that it does not mean null in a filter. */
  readonly holdsNullText?: true

  // Storing and showing
  /** Reads a value that is to be stored, or returns the reason why it cannot be. */
  readonly store: (input: unknown, type: ColumnType) => StoredRead
  /** The test for values that are bound unchanged on all databases. Absent = every value is read first. */
  readonly boundAsGiven?: (type: ColumnType) => (input: unknown) => boolean
  /** Returns a stored value in the form of results. Absent = that is the form in which it was read. */
  readonly show?: (value: Storable, type: ColumnType) => unknown
  /** Returns an element of a stored list in the form of results. Absent = `show` does. */
  readonly showInList?: (value: Storable, type: ColumnType) => unknown
  /** The forms of columns, besides the database's usual one. */
  readonly storages: readonly ColumnStorage[]
  /** The finest step of its values in milliseconds, if they are dates or times. */
  readonly grain?: number
  /** Test for texts that are keys in the form of results. Absent = it cannot be the type of a key. */
  readonly key?: { readonly isNamedSo: (text: string) => boolean }
  /** Reads a default of the database that is a constant; undefined if it is none of this type. Absent = it is left to the database. */
  readonly constant?: (constant: ConstantDefault) => ConstantDefault | undefined

  // Describing and transporting
  /** Schemas of values in payloads, by the name of their component. */
  readonly inputSchemas: Readonly<Record<string, JsonSchema>>
  /** Returns the name of the schema that a column accepts. Absent = there is one only. */
  readonly inputSchemaOf?: (type: ColumnType) => string
  /** Schema of operands in filters. Absent = values cannot be compared. */
  readonly operandSchema?: JsonSchema
  /** Returns the schema of values in responses. */
  readonly outputSchema: (type: ColumnType) => JsonSchema
  /** Schema of elements of a list in responses, if it is another one. */
  readonly elementSchema?: (type: ColumnType) => JsonSchema | undefined
  /** Kind of its columns in exported tables. */
  readonly exportKind: ColumnKind
  /** The way it is written in a field of a form, which holds text. Absent = as that text. */
  readonly form?: { readonly read: (text: string) => unknown; readonly schema: JsonSchema }
}

export interface FieldTypeRow {
  /** The only geometry of the column; absent = any. */
  readonly shape?: string
}

/** The types of a field type's values for the compiler: in items, in filters, and what a payload may have besides both. */
export interface ValueTypes<InItem, InFilter, InPayload = never> {
  readonly item: InItem
  readonly operand: InFilter
  readonly input: InPayload
}

/** A variable such as `$NOW`, whose value is known only when the query runs. */
export type VariableWord = `$${string}`

/** Groups of types that behave alike: `ordered` can be sorted, `distinct` be grouped, `comparable` be equal. */
export type FamilyGroup = 'number' | 'textual' | 'dated' | 'timed' | 'ordered' | 'distinct' | 'comparable'

export const sortable = ['ordered', 'distinct', 'comparable'] as const satisfies readonly FamilyGroup[]

/** An operand after reading: `at`, and `exact` if the given value was exactly that, and not between it and the next. */
export interface Operand<Value = OperandValue> {
  readonly at: Value
  readonly exact: boolean
}
export type OperandValue = bigint | number | string | boolean | Decimal | object

export const exactly = <Value>(at: Value): Operand<Value> => ({ at, exact: true })

/** A value in the form in which its type compares; for JSON, the JSON itself. */
export type Storable = NonNullable<unknown>

export type StoredRead =
  | { readonly kind: 'value'; readonly value: Storable }
  /** `type` names the violated rule, as in an error's extensions. */
  | {
      readonly kind: 'mistake'
      readonly code: 'FAILED_VALIDATION' | 'VALUE_TOO_LONG' | 'VALUE_OUT_OF_RANGE'
      readonly type: string
      readonly says: string
      readonly valid?: unknown
      readonly hint?: string
    }

export const accepted = (value: Storable): StoredRead => ({ kind: 'value', value })
export const wrongType = (expects: string, hint?: string): StoredRead => ({
  kind: 'mistake',
  code: 'FAILED_VALIDATION',
  type: 'type',
  says: `takes ${expects}`,
  ...(hint !== undefined && { hint }),
})
export const outOfRange = (says: string): StoredRead => ({
  kind: 'mistake',
  code: 'VALUE_OUT_OF_RANGE',
  type: 'range',
  says,
})

/** Properties of a column that a type needs. */
export interface ColumnType {
  readonly type: string
  readonly storage: ColumnStorage | undefined
  /** The text form of bytes. */
  readonly encoding: BinaryEncoding
  readonly isArray: boolean
  readonly values: readonly string[] | undefined
  readonly enumType: string | undefined
  /** The name of the type of the database, if only that knows it. */
  readonly databaseType: string | undefined
  readonly srid: number | undefined
  readonly length: number | undefined
  readonly precision: number | undefined
  readonly scale: number | undefined
  /** True if an integer of more than 32 bits may be written. */
  readonly isWide: boolean
  /** The parts of a key of several. Absent = it is a value of one column. */
  readonly parts?: readonly TuplePart[]
}

/** A part of a key of several: its type, and the row of its family. */
export interface TuplePart {
  readonly type: ColumnType
  readonly row: FamilyRow
}

/** Storage formats of a column's values. `canonical` = in the form of results and in no other, or in the database's own type; `sql` = text as `current_timestamp`
 *  writes it, or in that type; `mixed` = text, of which some is stored as bytes; `binary` = a UUID as 16 bytes. */
export const storages = [
  'text',
  'canonical',
  'sql',
  'seconds',
  'milliseconds',
  'native',
  'mixed',
  'binary',
] as const
export type ColumnStorage = (typeof storages)[number]

/** Text forms of bytes. */
export const encodings = ['base64', 'hex'] as const
export type BinaryEncoding = (typeof encodings)[number]

export type ConstantDefault = string | number | boolean

/** Kind of the values of an exported column. Numbers may be text, because no JavaScript number is exact enough. */
export type ColumnKind = 'number' | 'text' | 'json'

/** A schema of JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>
