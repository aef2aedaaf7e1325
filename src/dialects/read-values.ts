// Makes the values of an answer from what drivers hand over. A host's own type parsers may have been at them, so each reader
// takes every form a driver may give.
import { fault, quote } from '../errors/errors.ts'
import { decimalText, readDecimal } from '../values/decimal.ts'
import { earliest, latest, momentText, readMoment, readTime } from '../values/moment.ts'
import { isBuffer, isBytes } from '../values/natives.ts'
import type { TemporalFamily } from './numbered-moments.ts'

export type PresentValue = NonNullable<unknown>

/** What stands for a secret. */
export const mask = '**********'

/** Null for infinities and NaN, which JSON does not know. */
export function numberFrom(value: PresentValue): number | null {
  const number = typeof value === 'number' ? value : Number(textFrom(value))
  return Number.isFinite(number) ? number : null
}

export function textFrom(value: PresentValue): string {
  if (typeof value === 'string') return value
  if (typeof value === 'object' || typeof value === 'function' || typeof value === 'symbol')
    return textFromBytes(value)
  return String(value)
}

/** Bytes are the text that they spell. */
export function textFromBytes(value: unknown): string {
  const bytes = bytesFrom(value)
  if (!bytes) throw unreadable(value)
  return bytes.toString()
}

/** Bytes in a column of text. Where they spell none, U+FFFD stands for what does not, and somebody hears of it. */
export const textOfBytes =
  (onLoss: (() => void) | undefined) =>
  (value: PresentValue): string => {
    const bytes = bytesFrom(value)
    if (!bytes) return textFrom(value)
    const text = bytes.toString()
    if (onLoss && text.includes('\uFFFD') && !spellsText(bytes)) onLoss()
    return text
  }

/** Whether bytes are text in UTF-8. A part of a text may end within a character. */
export function spellsText(bytes: Uint8Array, extent: 'whole' | 'a part' = 'whole'): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: extent === 'a part' })
    return true
  } catch {
    return false
  }
}

/** What no driver is known to hand over would become an answer that looks like one. */
const unreadable = (value: unknown) =>
  fault('INTERNAL_SERVER_ERROR', `A value came from the database's driver as ${quote(value)}.`, {
    hint: 'The driver, or a parser of types that was given to it, makes something of values that is not known here.',
  })

export const lowerCase = (value: PresentValue): string => textFrom(value).toLowerCase()

/** A driver told to parse nothing gives PostgreSQL's own letters. */
export const flagFrom = (value: PresentValue): boolean =>
  typeof value === 'boolean' || typeof value === 'number' ? Boolean(value) : !falsities.has(textFrom(value))
const falsities: ReadonlySet<string> = new Set(['', '0', 'f', 'false'])

export const listFrom = (value: PresentValue): string[] => (value === '' ? [] : textFrom(value).split(','))

/** Text that is no JSON reads as itself. */
export function parsedJson(value: PresentValue): unknown {
  // A column of SQLite's that is called JSON holds numbers as numbers, whole ones in whatever the driver makes of them.
  if (typeof value === 'bigint') return Number(value)
  const text = isBytes(value) || isBuffer(value) ? textFromBytes(value) : value
  if (typeof text !== 'string') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Plain digits, with as many behind the point as the field says at least. */
export function decimalFrom(scale: number | undefined): (value: PresentValue) => string | null {
  return (value) => {
    // A floating-point number holds fifteen digits; the others are not the decimal's own.
    const decimal = readDecimal(typeof value === 'number' ? value.toPrecision(15) : textFrom(value))
    if (!decimal) return null
    const text = decimalText(decimal)
    if (scale === undefined || decimal.scale >= scale) return text
    return `${decimal.scale === 0 ? `${text}.` : text}${'0'.repeat(scale - decimal.scale)}`
  }
}

/** Bytes in every form in which drivers hand them over; a text that stands where bytes should is its bytes. */
export function base64FromBytes(value: PresentValue): string {
  if (typeof value === 'string') return Buffer.from(value).toString('base64')
  return (bytesFrom(value) ?? Buffer.from(textFrom(value))).toString('base64')
}

/** Undefined for what is none. */
export function bytesFrom(value: unknown): Buffer | undefined {
  if (isBytes(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (isBuffer(value)) return Buffer.from(value)
  return Array.isArray(value) && value.every(isByte) ? Buffer.from(value) : undefined
}

const isByte = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255

export const base64FromHex = (value: PresentValue): string =>
  Buffer.from(textFrom(value), 'hex').toString('base64')

const canonicalForms = {
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^\d\d:\d\d:\d\d$/,
  dateTime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/,
  timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
} as const satisfies Record<TemporalFamily, RegExp>

/** Text in any ISO form. What is in none reads as itself. */
export function momentFromText(family: TemporalFamily): (value: PresentValue) => string {
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
export function momentFromNumber(
  family: TemporalFamily,
  unit: number,
): (value: PresentValue) => string | null {
  return (value) => {
    const at = Math.floor(Number(typeof value === 'number' ? value : textFrom(value)) * unit)
    return at >= earliest && at <= latest ? momentText[family](at) : null
  }
}
