// The functions around a field: `year(published_at)`, `count(comments)`, `json(meta, size.w)`.
import type { Family } from '../types/families.ts'
import { weekOf } from '../values/calendar.ts'
import { dated, timed } from './family-groups.ts'

interface FunctionRow {
  readonly families: readonly Family[]
  readonly doc: string
  /** For the parts of a date: returns the part of a timestamp whose UTC fields already show the wanted zone. */
  readonly part?: (clock: Date) => number
}

export const functions = {
  year: { families: dated, doc: 'The year.', part: (clock) => clock.getUTCFullYear() },
  month: {
    families: dated,
    doc: 'The month, 1 to 12.',
    part: (clock) => clock.getUTCMonth() + 1,
  },
  week: { families: dated, doc: 'The week by ISO 8601, 1 to 53.', part: weekOf },
  day: {
    families: dated,
    doc: 'The day of the month.',
    part: (clock) => clock.getUTCDate(),
  },
  weekday: {
    families: dated,
    doc: 'The day of the week, 0 = Sunday.',
    part: (clock) => clock.getUTCDay(),
  },
  hour: {
    families: timed,
    doc: 'The hour, 0 to 23.',
    part: (clock) => clock.getUTCHours(),
  },
  minute: { families: timed, doc: 'The minute.', part: (clock) => clock.getUTCMinutes() },
  second: { families: timed, doc: 'The second.', part: (clock) => clock.getUTCSeconds() },
  count: {
    families: ['json'],
    doc: 'The number of related items, or of elements of a JSON array (0 for any other JSON value).',
  },
  json: {
    families: ['json'],
    doc: 'The value at a path of a JSON field: `json(meta, size.w)`.',
  },
} as const satisfies Record<string, FunctionRow>

export type FunctionName = keyof typeof functions

/** Aggregates of a field of related items: `sum(articles.views)`. */
export const relatedAggregates = ['sum', 'avg', 'min', 'max'] as const

export type RelatedAggregateName = (typeof relatedAggregates)[number]
export const isRelatedAggregate = (word: string): word is RelatedAggregateName =>
  relatedAggregates.some((one) => one === word)

export const isFunction = (word: string): word is FunctionName => Object.hasOwn(functions, word)

/** The functions that work on a family. */
export function functionsOf(family: Family): FunctionName[] {
  return (Object.keys(functions) as FunctionName[]).filter((name) => appliesTo(name, family))
}

export function appliesTo(name: FunctionName, family: Family): boolean {
  const families: readonly Family[] = functions[name].families
  return families.includes(family)
}
