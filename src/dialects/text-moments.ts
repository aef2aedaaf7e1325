// Dates, times and moments that a column stores as text in the form in which they are answered.
import { day, latest, momentText } from '../values/moment.ts'
import type { TemporalFamily } from './numbered-moments.ts'

/** A moment as a bound for stored text. What lies behind the last value of its kind sorts behind them all. */
export function boundText(family: TemporalFamily, at: number): string {
  if (family === 'time') return at >= day ? '24:00:00' : momentText.time(at)
  return at > latest ? ':' : momentText[family](at)
}
