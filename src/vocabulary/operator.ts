// The shape of an operator's row, and the negation of rows.
import type { Dialect } from '../dialects/dialect.ts'
import type { Column, Reach, Slot } from '../dialects/phrase-types.ts'
import { type Sql, write } from '../dialects/sql.ts'
import type { Family } from '../types/families.ts'
import type { FamilyRow, Operand, OperandValue } from '../types/family-row.ts'
import type { Pattern } from './regex.ts'

/** A bound value, and the only property of it that the SQL may depend on. */
export interface Bound<Value> {
  readonly slot: Slot<Value>
  readonly reach: Reach
}

/** The kinds of operands: their types in SQL and in memory. */
interface OperandKinds {
  value: { readonly sql: Bound<Operand>; readonly memory: Operand }
  values: { readonly sql: Slot<readonly Operand[]>; readonly memory: readonly Operand[] }
  pair: {
    readonly sql: readonly [Bound<Operand>, Bound<Operand>]
    readonly memory: readonly [Operand, Operand]
  }
  text: { readonly sql: Slot<string>; readonly memory: string }
  geometry: { readonly sql: Slot<Operand>; readonly memory: Operand }
  flag: { readonly sql: undefined; readonly memory: undefined }
  pattern: { readonly sql: never; readonly memory: Pattern }
}
export type OperandKind = keyof OperandKinds

/** The context of a comparison in memory. */
export interface Meaning {
  readonly family: Family
  readonly row: FamilyRow
  readonly negationMatchesNull: boolean
}

export interface Operator<Kind extends OperandKind = OperandKind> {
  readonly operand: Kind
  readonly families: readonly Family[]
  /** The SQL condition: true, false, or null if there is no value. */
  readonly sql: (dialect: Dialect, column: Column, operand: OperandKinds[Kind]['sql']) => Sql
  readonly test: (
    value: OperandValue | null,
    operand: OperandKinds[Kind]['memory'],
    meaning: Meaning,
  ) => boolean
  /** True if it ignores case. Absent = there is no case. */
  readonly ignoreCase?: boolean
  /** True if it works in memory only, so that a query may not use it. */
  readonly memoryOnly?: true
  /** True if its SQL may be false instead of null if there is no value. */
  readonly decidesNull?: true
  /** True if it was made by `not`. */
  readonly isNegation?: true
}

export type AnyOperator = { readonly [Kind in OperandKind]: Operator<Kind> }[OperandKind]

/** The negation of an operator. Rows without a value are excluded, unless the engine is set otherwise: this
 *  function is the whole NULL policy. */
export function not<const Row extends AnyOperator>(row: Row) {
  // A row takes the operands of its own kind, which the compiler cannot infer while the kind is generic.
  const plain = row as unknown as Operator<Row['operand']>
  return {
    ...row,
    isNegation: true as const,
    sql: (dialect: Dialect, column: Column, operand: OperandKinds[Row['operand']]['sql']): Sql => {
      const positive = plain.sql(dialect, column, operand)
      if (column.presence && !column.negationMatchesNull)
        return write`(${column.presence} and (${positive}) is not true)`
      if (column.presence) return write`(${positive}) is not true`
      const negative = write`not (${positive})`
      if (column.negationMatchesNull) return write`(${negative} or ${dialect.isNull(column)})`
      return row.decidesNull ? write`(${negative} and ${dialect.isPresent(column)})` : negative
    },
    test: (
      value: OperandValue | null,
      operand: OperandKinds[Row['operand']]['memory'],
      meaning: Meaning,
    ): boolean => (value === null ? meaning.negationMatchesNull : !plain.test(value, operand, meaning)),
  }
}

/** The exact complement of an operator that is never null. */
export function inverse<const Row extends Operator<'flag'>>(row: Row, sql?: Operator<'flag'>['sql']) {
  return {
    ...row,
    sql:
      sql ?? ((dialect: Dialect, column: Column): Sql => write`not ${row.sql(dialect, column, undefined)}`),
    test: (value: OperandValue | null, _operand: undefined, meaning: Meaning): boolean =>
      !row.test(value, undefined, meaning),
  }
}
