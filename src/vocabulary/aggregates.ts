// The aggregate functions: what they can be asked of, and what they answer.
import type { Family } from '../schema/field-types.ts'

interface AggregateRow {
  readonly families: readonly Family[]
  /** Counts rows too: `aggregate[count]=*`. */
  readonly takesStar?: true
  readonly doc: string
}

const numbers = ['integer', 'float', 'decimal'] as const
const ranked = [
  'integer',
  'float',
  'decimal',
  'text',
  'csv',
  'date',
  'time',
  'dateTime',
  'timestamp',
] as const
const all = [...ranked, 'uuid', 'boolean', 'json', 'hash', 'binary', 'geometry'] as const
const distinguishable = [...ranked, 'uuid', 'boolean'] as const

export const aggregates = {
  count: { families: all, takesStar: true, doc: 'How many rows, or how many values.' },
  countDistinct: { families: distinguishable, doc: 'How many different values.' },
  sum: { families: numbers, doc: 'The sum.' },
  sumDistinct: { families: numbers, doc: 'The sum of the different values.' },
  avg: { families: numbers, doc: 'The average.' },
  avgDistinct: { families: numbers, doc: 'The average of the different values.' },
  min: { families: ranked, doc: 'The smallest value.' },
  max: { families: ranked, doc: 'The largest value.' },
} as const satisfies Record<string, AggregateRow>

export type AggregateName = keyof typeof aggregates
export const isAggregate = (word: string): word is AggregateName => Object.hasOwn(aggregates, word)
