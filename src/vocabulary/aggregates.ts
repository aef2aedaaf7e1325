// The aggregate functions: their families, their SQL, and the types of their results.
import type { Dialect } from '../dialects/dialect.ts'
import type { Column } from '../dialects/phrase-types.ts'
import { type Sql, sql as write } from '../dialects/sql.ts'
import { countType, valueTypeOf } from '../schema/stored-fields.ts'
import type { Family, FieldType } from '../types/families.ts'
import { distinct, everything, numbers, ordered } from './family-groups.ts'

interface AggregateRow {
  readonly families: readonly Family[]
  /** True if it counts rows too: `aggregate[count]=*`. */
  readonly takesStar?: true
  readonly doc: string
  readonly of: (dialect: Dialect, column: Column) => Column
}

const counting = (column: Column, sql: Sql): Column => ({ ...column, sql, type: countType })

const answering = (column: Column, type: FieldType, sql: Sql): Column => ({
  ...column,
  sql,
  type: valueTypeOf({ type }),
})

export const aggregates = {
  count: {
    families: everything,
    takesStar: true,
    doc: 'The number of rows, or of values.',
    of: (dialect, column) =>
      counting(column, write`count(case when ${dialect.isPresent(column)} then 1 end)`),
  },
  countDistinct: {
    families: distinct,
    doc: 'The number of different values.',
    of: (dialect, column) => counting(column, write`count(distinct ${dialect.shown(column).sql})`),
  },
  sum: { families: numbers, doc: 'The sum.', of: (dialect, column) => dialect.sum(column, false) },
  sumDistinct: {
    families: numbers,
    doc: 'The sum of the different values.',
    of: (dialect, column) => dialect.sum(column, true),
  },
  avg: {
    families: numbers,
    doc: 'The average.',
    of: (dialect, column) => answering(column, 'float', dialect.average(column, false)),
  },
  avgDistinct: {
    families: numbers,
    doc: 'The average of the different values.',
    of: (dialect, column) => answering(column, 'float', dialect.average(column, true)),
  },
  min: {
    families: ordered,
    doc: 'The smallest value.',
    of: (dialect, column) => dialect.extreme('min', column),
  },
  max: {
    families: ordered,
    doc: 'The largest value.',
    of: (dialect, column) => dialect.extreme('max', column),
  },
} as const satisfies Record<string, AggregateRow>

export type AggregateName = keyof typeof aggregates
export const isAggregate = (word: string): word is AggregateName => Object.hasOwn(aggregates, word)
