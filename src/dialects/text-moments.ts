// Dates, times and timestamps that a column stores as text in the form of results.

import type { TemporalFamily } from '../types/families.ts'
import type { ValueType } from '../types/field-types.ts'
import { day, latest, momentText } from '../values/moment.ts'

/** True if a column of text holds the form of results and no other: it is compared, sorted and returned as it is. */
export const isCanonical = ({ storage }: ValueType): boolean => storage === 'canonical'

/** The form that SQL's `current_timestamp` and most frameworks write: with a blank, without a zone, and with a fraction only where there is one. */
export const sqlText = (family: TemporalFamily, at: number): string =>
  momentText[family](at)
    .replace('T', ' ')
    .replace(/(?:\.000)?Z$/, '')

/** A bound for stored text. A timestamp after the last value of its kind sorts after all of them. */
export function boundText(family: TemporalFamily, at: number): string {
  if (family === 'time') return at >= day ? '24:00:00' : momentText.time(at)
  return at > latest ? ':' : momentText[family](at)
}
