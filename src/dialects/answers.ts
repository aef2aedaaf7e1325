// Makes the values of an answer from what drivers hand over. A host's own type parsers may have been at them, so each reader
// takes every form a driver may give.
import { decimalText, readDecimal } from '../values/decimal.ts'
import { earliest, latest, momentText, readMoment, readTime } from '../values/moment.ts'
import { isBytes } from '../values/natives.ts'
import type { TemporalFamily } from './numbered-moments.ts'

export type Present = NonNullable<unknown>

/** What stands for a secret. */
export const mask = '**********'

/** Null for infinities and NaN, which JSON does not know. */
export function numberFrom(value: Present): number | null {
  const number = typeof value === 'number' ? value : Number(value)
  return Number.isFinite(number) ? number : null
}

export const textFrom = (value: Present): string => (typeof value === 'string' ? value : String(value))
export const lowerCase = (value: Present): string => textFrom(value).toLowerCase()
/** A driver told to parse nothing gives PostgreSQL's own letters. */
export const flagFrom = (value: Present): boolean => value !== 'f' && value !== 'false' && Boolean(value)
export const listFrom = (value: Present): string[] => (value === '' ? [] : textFrom(value).split(','))

/** Text that is no JSON reads as itself. */
export function parsedJson(value: Present): unknown {
  // A column of SQLite's that is called JSON holds numbers as numbers, whole ones in whatever the driver makes of them.
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** Plain digits, with as many behind the point as the field says at least. */
export function decimalFrom(scale: number | undefined): (value: Present) => string | null {
  return (value) => {
    // A floating-point number holds fifteen digits; the others are not the decimal's own.
    const decimal = readDecimal(typeof value === 'number' ? value.toPrecision(15) : String(value))
    if (!decimal) return null
    const text = decimalText(decimal)
    if (scale === undefined || decimal.scale >= scale) return text
    return `${decimal.scale === 0 ? `${text}.` : text}${'0'.repeat(scale - decimal.scale)}`
  }
}

export const base64FromBytes = (value: Present): string =>
  (isBytes(value) ? Buffer.from(value) : Buffer.from(String(value))).toString('base64')
export const base64FromHex = (value: Present): string => Buffer.from(String(value), 'hex').toString('base64')

const canonicalForms = {
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^\d\d:\d\d:\d\d$/,
  dateTime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/,
  timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
} as const satisfies Record<TemporalFamily, RegExp>

/** Text in any ISO form. What is in none reads as itself. */
export function momentFromText(family: TemporalFamily): (value: Present) => string {
  const canonical = canonicalForms[family]
  const read = family === 'time' ? readTime : readMoment
  return (value) => {
    const text = textFrom(value)
    if (canonical.test(text)) return text
    const moment = read(text)
    return moment ? momentText[family](moment.at) : text
  }
}

/** A number of units of so many milliseconds. What lies beyond the calendar is no moment. */
export function momentFromNumber(family: TemporalFamily, unit: number): (value: Present) => string | null {
  return (value) => {
    const at = Math.floor(Number(value) * unit)
    return at >= earliest && at <= latest ? momentText[family](at) : null
  }
}
