// The functions around a field: `year(published_at)`, `count(comments)`, `json(meta, size.w)`.
import type { Family } from '../types/families.ts'
import { weekOf } from '../values/calendar.ts'
import { dated, timed } from './family-groups.ts'

interface FunctionRow {
  readonly families: readonly Family[]
  /** For the parts of a date: returns the part of a timestamp whose UTC fields already show the wanted zone. */
  readonly part?: (clock: Date) => number
}

export const functions = {
  year: { families: dated, part: (clock) => clock.getUTCFullYear() },
  month: {
    families: dated,
    part: (clock) => clock.getUTCMonth() + 1,
  },
  week: { families: dated, part: weekOf },
  day: {
    families: dated,
    part: (clock) => clock.getUTCDate(),
  },
  weekday: {
    families: dated,
    part: (clock) => clock.getUTCDay(),
  },
  hour: {
    families: timed,
    part: (clock) => clock.getUTCHours(),
  },
  minute: { families: timed, part: (clock) => clock.getUTCMinutes() },
  second: { families: timed, part: (clock) => clock.getUTCSeconds() },
  count: {
    families: ['json'],
  },
  json: {
    families: ['json'],
  },
} as const satisfies Record<string, FunctionRow>

export type FunctionName = keyof typeof functions

/** Aggregates of a field of related items: `sum(articles.views)`. */
export const relatedAggregates = ['sum', 'avg', 'min', 'max'] as const

export type RelatedAggregateName = (typeof relatedAggregates)[number]
export const isRelatedAggregate = (word: string): word is RelatedAggregateName =>
  relatedAggregates.some((one) => one === word)

export const isFunction = (word: string): word is FunctionName => Object.hasOwn(functions, word)

export function functionsOf(family: Family): FunctionName[] {
  return (Object.keys(functions) as FunctionName[]).filter((name) => appliesTo(name, family))
}

export function appliesTo(name: FunctionName, family: Family): boolean {
  const families: readonly Family[] = functions[name].families
  return families.includes(family)
}
