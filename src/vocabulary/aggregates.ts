// The aggregate functions: their families, their SQL, and the types of their results.
import type { Dialect } from '../dialects/dialect.ts'
import type { Column } from '../dialects/phrase-types.ts'
import { type Sql, write } from '../dialects/sql.ts'
import { countType, valueTypeOf } from '../schema/stored-fields.ts'
import type { Family, FieldType } from '../types/families.ts'
import type { ValueType } from '../types/field-types.ts'
import { distinct, everything, numbers, ordered } from './family-groups.ts'

interface AggregateRow {
  readonly families: readonly Family[]
  /** True if it counts rows too: `aggregate[count]=*`. */
  readonly takesStar?: true
  readonly comparedAs: (of: ValueType) => ValueType
  readonly of: (dialect: Dialect, column: Column) => Column
}

const counting = (column: Column, sql: Sql): Column => ({ ...column, sql, type: countType })

const answering = (column: Column, type: FieldType, sql: Sql): Column => ({
  ...column,
  sql,
  type: valueTypeOf({ type }),
})

const asCount = (): ValueType => countType
const [floatType, decimalType] = [valueTypeOf({ type: 'float' }), valueTypeOf({ type: 'decimal' })]
const asFloat = (): ValueType => floatType
const asItself = (of: ValueType): ValueType => of
/** Sums of 64-bit integers are larger than any of them, and exact. */
const asSum = (of: ValueType): ValueType =>
  of.family === 'decimal' || of.type === 'bigInteger' ? decimalType : { ...of, is64Bit: true }

export const aggregates = {
  /** The number of rows, or of values. */
  count: {
    families: everything,
    takesStar: true,
    comparedAs: asCount,
    of: (dialect, column) =>
      counting(column, write`count(case when ${dialect.isPresent(column)} then 1 end)`),
  },
  /** The number of different values. */
  countDistinct: {
    families: distinct,
    comparedAs: asCount,
    of: (dialect, column) => counting(column, write`count(distinct ${dialect.shown(column).sql})`),
  },
  /** The sum. */
  sum: {
    families: numbers,
    comparedAs: asSum,
    of: (dialect, column) => dialect.sum(column, false),
  },
  /** The sum of the different values. */
  sumDistinct: {
    families: numbers,
    comparedAs: asSum,
    of: (dialect, column) => dialect.sum(column, true),
  },
  /** The average. */
  avg: {
    families: numbers,
    comparedAs: asFloat,
    of: (dialect, column) => answering(column, 'float', dialect.average(column, false)),
  },
  /** The average of the different values. */
  avgDistinct: {
    families: numbers,
    comparedAs: asFloat,
    of: (dialect, column) => answering(column, 'float', dialect.average(column, true)),
  },
  /** The smallest value. */
  min: {
    families: ordered,
    comparedAs: asItself,
    of: (dialect, column) => dialect.extreme('min', column),
  },
  /** The largest value. */
  max: {
    families: ordered,
    comparedAs: asItself,
    of: (dialect, column) => dialect.extreme('max', column),
  },
} as const satisfies Record<string, AggregateRow>

export type AggregateName = keyof typeof aggregates
export const isAggregate = (word: string): word is AggregateName => Object.hasOwn(aggregates, word)
