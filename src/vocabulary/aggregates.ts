// The aggregate functions: what they can be asked of, what they mean in SQL, and what they answer.
import type { Column, Dialect } from '../dialects/dialect.ts'
import { type Sql, sql as write } from '../dialects/sql.ts'
import type { Family, FieldType } from '../schema/field-types.ts'
import { distinct, everything, numbers, ordered } from './family-groups.ts'

interface AggregateRow {
  readonly families: readonly Family[]
  /** Counts rows too: `aggregate[count]=*`. */
  readonly takesStar?: true
  readonly doc: string
  readonly sql: (dialect: Dialect, column: Column) => Sql
  /** The type of what it answers; absent = that of the field. */
  readonly answers?: FieldType
}

export const aggregates = {
  count: {
    families: everything,
    takesStar: true,
    doc: 'How many rows, or how many values.',
    sql: (dialect, column) => write`count(case when ${dialect.isPresent(column)} then 1 end)`,
    answers: 'integer',
  },
  countDistinct: {
    families: distinct,
    doc: 'How many different values.',
    sql: (dialect, column) => write`count(distinct ${dialect.shown(column).sql})`,
    answers: 'integer',
  },
  sum: { families: numbers, doc: 'The sum.', sql: (dialect, column) => dialect.sum(column, false) },
  sumDistinct: {
    families: numbers,
    doc: 'The sum of the different values.',
    sql: (dialect, column) => dialect.sum(column, true),
  },
  avg: {
    families: numbers,
    doc: 'The average.',
    sql: (dialect, column) => dialect.average(column, false),
    answers: 'float',
  },
  avgDistinct: {
    families: numbers,
    doc: 'The average of the different values.',
    sql: (dialect, column) => dialect.average(column, true),
    answers: 'float',
  },
  min: {
    families: ordered,
    doc: 'The smallest value.',
    sql: (dialect, column) => write`min(${dialect.shown(column).sql})`,
  },
  max: {
    families: ordered,
    doc: 'The largest value.',
    sql: (dialect, column) => write`max(${dialect.shown(column).sql})`,
  },
} as const satisfies Record<string, AggregateRow>

export type AggregateName = keyof typeof aggregates
export const isAggregate = (word: string): word is AggregateName => Object.hasOwn(aggregates, word)
