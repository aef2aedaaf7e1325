// The aggregate functions: what they can be asked of, and what they answer.
import type { Family } from '../schema/field-types.ts'
import { distinct, everything, numbers, ordered } from './family-groups.ts'

interface AggregateRow {
  readonly families: readonly Family[]
  /** Counts rows too: `aggregate[count]=*`. */
  readonly takesStar?: true
  readonly doc: string
}

export const aggregates = {
  count: { families: everything, takesStar: true, doc: 'How many rows, or how many values.' },
  countDistinct: { families: distinct, doc: 'How many different values.' },
  sum: { families: numbers, doc: 'The sum.' },
  sumDistinct: { families: numbers, doc: 'The sum of the different values.' },
  avg: { families: numbers, doc: 'The average.' },
  avgDistinct: { families: numbers, doc: 'The average of the different values.' },
  min: { families: ordered, doc: 'The smallest value.' },
  max: { families: ordered, doc: 'The largest value.' },
} as const satisfies Record<string, AggregateRow>

export type AggregateName = keyof typeof aggregates
export const isAggregate = (word: string): word is AggregateName => Object.hasOwn(aggregates, word)
