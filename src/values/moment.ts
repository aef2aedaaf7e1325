// Dates, times of day and timestamps as numbers of milliseconds, so that they compare as numbers.

import { isDate } from './guards.ts'

/** A timestamp: milliseconds since 1970 in UTC, or since midnight for a time of day. `exact` = no finer digits
 *  were cut off. */
export interface Moment {
  readonly at: number
  readonly exact: boolean
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
export const day = 24 * hour

/** The text form of a date or a timestamp, whether it exists in the calendar or not. */
export const calendar =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|z|[+-]\d{2}(?::?\d{2})?)?)?$/
/** The text form of a time of day, whether it exists or not. */
export const clock = /^(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?$/

/** Reads a date or a timestamp: ISO text, with an offset or in UTC, or a Date. A date means its midnight. */
export function readMoment(value: unknown): Moment | undefined {
  if (isDate(value)) return readDate(value)
  const match = typeof value === 'string' ? calendar.exec(value) : null
  if (!match) return undefined
  const [, year, month, dayOfMonth, hours, minutes, seconds, fraction, offset] = match
  const midnight = calendarDay(Number(year), Number(month), Number(dayOfMonth))
  const time = timeOfDay(hours, minutes, seconds, fraction)
  const shift = offsetOf(offset)
  if (midnight === undefined || time === undefined || shift === undefined) return undefined
  return inRange({ at: midnight + time.at - shift, exact: time.exact })
}

function readDate(value: Date): Moment | undefined {
  const at = value.getTime()
  return Number.isNaN(at) ? undefined : inRange({ at, exact: true })
}

/** Reads a time of day: `08:30` or `08:30:00`, or the time of a timestamp in UTC. */
export function readTime(value: unknown): Moment | undefined {
  const match = typeof value === 'string' ? clock.exec(value) : null
  if (match) return timeOfDay(match[1], match[2], match[3], match[4])
  const moment = readMoment(value)
  return moment && { at: modulo(moment.at, day), exact: moment.exact }
}

/** Rounds a timestamp down to a grid (whole days, whole seconds …). */
export function snap({ at, exact }: Moment, grid: number): Moment {
  const rest = modulo(at, grid)
  return { at: at - rest, exact: exact && rest === 0 }
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by

// The calendars of the databases agree within these years only.
export const earliest = Date.parse('0001-01-01T00:00:00.000Z')
export const latest = Date.parse('9999-12-31T23:59:59.999Z')
const inRange = (moment: Moment) => (moment.at >= earliest && moment.at <= latest ? moment : undefined)

function calendarDay(year: number, month: number, dayOfMonth: number): number | undefined {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, dayOfMonth)
  const isReal = year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === dayOfMonth
  return isReal ? date.getTime() : undefined
}

function timeOfDay(hours = '0', minutes = '0', seconds = '0', fraction = ''): Moment | undefined {
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'))
  const at = Number(hours) * hour + Number(minutes) * minute + Number(seconds) * second + milliseconds
  return { at, exact: !/[1-9]/.test(fraction.slice(3)) }
}

/** The offset `+02:00`, `+0200`, `+02` or `Z`, in milliseconds. */
export function offsetOf(text: string | undefined): number | undefined {
  if (text === undefined || /^z$/i.test(text)) return 0
  const match = /^([+-])(\d{2})(?::?(\d{2}))?$/.exec(text)
  if (!match) return undefined
  const [hours, minutes] = [Number(match[2]), Number(match[3] ?? 0)]
  if (hours > 14 || minutes > 59) return undefined
  return (match[1] === '-' ? -1 : 1) * (hours * hour + minutes * minute)
}

/** The text forms in which values are returned and stored. */
export const momentText = {
  date: (at: number) => iso(at).slice(0, 10),
  time: (at: number) => iso(at).slice(11, 19),
  dateTime: (at: number) => iso(at).slice(0, 19),
  timestamp: (at: number) => iso(at),
} as const

const iso = (at: number) => new Date(at).toISOString()
