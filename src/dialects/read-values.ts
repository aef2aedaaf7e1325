// Readers of values from drivers. A host's own type parsers may have changed them, so each reader accepts every
// form that a driver may return.
import { fault, quote } from '../errors/errors.ts'
import type { TemporalFamily } from '../types/families.ts'
import { textOf } from '../values/bytes.ts'
import { paddedDecimal, readDecimal } from '../values/decimal.ts'
import { isBuffer, isBytes } from '../values/guards.ts'
import { earliest, latest, momentText, readMoment, readTime } from '../values/moment.ts'

export type PresentValue = NonNullable<unknown>

/** Reads a number. Infinities and NaN, which JSON does not have, become null. */
export function numberFrom(value: PresentValue): number | null {
  const number = typeof value === 'number' ? value : Number(textFrom(value))
  return Number.isFinite(number) ? number : null
}

/** Reads a whole number. A host's parser may make an object of it, whose text it is. */
export function integerFrom(value: PresentValue): number {
  if (typeof value === 'number') return value
  const text =
    typeof value === 'object' && !isBytes(value) && !isBuffer(value) ? String(value) : textFrom(value)
  if (!/^-?\d+$/.test(text)) throw unreadable(value)
  return Number(text)
}

export function textFrom(value: PresentValue): string {
  if (typeof value === 'string') return value
  if (typeof value === 'object' || typeof value === 'function' || typeof value === 'symbol')
    return textFromBytes(value)
  return String(value)
}

function textFromBytes(value: unknown): string {
  const bytes = bytesFrom(value)
  if (!bytes) throw unreadable(value)
  return textOf(bytes)
}

/** Reads bytes in a text column. Invalid ones become U+FFFD, and are reported. */
export const textOfBytes =
  (onLoss: (() => void) | undefined) =>
  (value: PresentValue): string => {
    const bytes = bytesFrom(value)
    if (!bytes) return textFrom(value)
    const text = textOf(bytes)
    if (onLoss && text.includes('\uFFFD') && !spellsText(bytes)) onLoss()
    return text
  }

/** True if bytes are text in UTF-8. A part of a text may end within a character. */
export function spellsText(bytes: Uint8Array, extent: 'whole' | 'a part' = 'whole'): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: extent === 'a part' })
    return true
  } catch {
    return false
  }
}

/** An unknown form of a value must not become a result that looks valid. */
const unreadable = (value: unknown) =>
  fault('INTERNAL_SERVER_ERROR', `A value came from the database's driver as ${quote(value)}.`, {
    hint: 'The driver, or a parser of types that was given to it, makes something of values that is not known here.',
  })

export const lowerCase = (value: PresentValue): string => textFrom(value).toLowerCase()

/** Reads a boolean. A driver without type parsers returns PostgreSQL's own letters. */
export const flagFrom = (value: PresentValue): boolean =>
  typeof value === 'boolean' || typeof value === 'number' ? Boolean(value) : !falsities.has(textFrom(value))
const falsities: ReadonlySet<string> = new Set(['', '0', 'f', 'false'])

export const listFrom = (value: PresentValue): string[] => (value === '' ? [] : textFrom(value).split(','))

/** Reads JSON. Text that is not JSON is returned as it is. */
export function parsedJson(value: PresentValue): unknown {
  // A JSON column of SQLite stores numbers as numbers, and drivers may return integers as bigint.
  if (typeof value === 'bigint') return Number(value)
  const text = isBytes(value) || isBuffer(value) ? textFromBytes(value) : value
  if (typeof text !== 'string') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Reads a decimal as plain digits, with at least the field's number of digits after the point. */
export function decimalFrom(scale: number | undefined): (value: PresentValue) => string | null {
  return (value) => {
    // A floating-point number has fifteen exact digits; further ones are not the decimal's own.
    const decimal = readDecimal(typeof value === 'number' ? value.toPrecision(15) : textFrom(value))
    return decimal ? paddedDecimal(decimal, scale) : null
  }
}

export function bytesFrom(value: unknown): Uint8Array | undefined {
  if (isBytes(value)) return value
  if (isBuffer(value)) return new Uint8Array(value)
  return Array.isArray(value) && value.every(isByte) ? Uint8Array.from(value) : undefined
}

const isByte = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255

const canonicalForms = {
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^\d\d:\d\d:\d\d$/,
  dateTime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/,
  timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
} as const satisfies Record<TemporalFamily, RegExp>

/** Reads text in any ISO form. Other text is returned as it is. */
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

/** Reads a number of units of so many milliseconds. Outside the calendar it is null. */
export function momentFromNumber(
  family: TemporalFamily,
  unit: number,
): (value: PresentValue) => string | null {
  return (value) => {
    const at = Math.floor(Number(typeof value === 'number' ? value : textFrom(value)) * unit)
    return at >= earliest && at <= latest ? momentText[family](at) : null
  }
}
