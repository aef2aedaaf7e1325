// The binding of stored values. By default they are text in the form of results; databases override the rest.
import type { Family } from '../schema/field-types.ts'
import type { ValueType } from '../schema/model.ts'
import { type Decimal, decimalText } from '../values/decimal.ts'
import { momentText } from '../values/moment.ts'
import { isSound } from '../values/text.ts'
import { isTemporalFamily, numberingOf } from './numbered-moments.ts'
import type { Sql } from './sql.ts'

/** The way values are written into a column: their binding, and the SQL around the placeholder. */
export interface Storing {
  readonly encode: (value: NonNullable<unknown>) => unknown
  readonly around?: (mark: Sql) => Sql
  /** True if an unread value is bound unchanged. Most are, and need not be read at all. */
  readonly isAsGiven?: ((given: unknown) => boolean) | undefined
}

/** The test for values that are bound unchanged on all databases. */
export function boundAsGiven(type: ValueType): Storing['isAsGiven'] {
  if (type.isArray || type.values || type.length !== undefined) return undefined
  if (type.type === 'integer' && !type.isWide) return isNarrow
  return asGiven[type.family]
}

const asGiven: Partial<Record<Family, (given: unknown) => boolean>> = {
  text: (given) => typeof given === 'string' && isSound(given),
  // -0 is stored as 0.
  integer: (given) => Number.isSafeInteger(given) && !Object.is(given, -0),
}

const isNarrow = (given: unknown): boolean =>
  typeof given === 'number' && (given | 0) === given && !Object.is(given, -0)

/** The binding of dates, times and timestamps. Undefined for other families. */
export function storedMoment(type: ValueType): Storing | undefined {
  const { family } = type
  if (!isTemporalFamily(family)) return undefined
  const numbering = numberingOf(type)
  if (numbering) return { encode: (value) => Math.floor(Number(value) / numbering.unit) }
  const encode = (value: unknown) => momentText[family](Number(value))
  return family === 'timestamp' ? { encode, isAsGiven: isTimestamp } : { encode }
}

/** A timestamp on a day that every month has. */
const anyMonth = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** True for a timestamp in the form of results. */
function isTimestamp(given: unknown): boolean {
  if (typeof given !== 'string' || given.length !== 24 || given < '0001') return false
  if (anyMonth.test(given)) return true
  const at = Date.parse(given)
  return !Number.isNaN(at) && momentText.timestamp(at) === given
}

/** Returns an encoder of decimals as plain digits, with at least the field's number of digits after the point. */
export function storedDecimal({ scale = 0 }: ValueType): (value: NonNullable<unknown>) => string {
  return (value) => {
    const decimal = value as Decimal // as read by its family
    const text = decimalText(decimal)
    if (decimal.scale >= scale) return text
    return `${text}${decimal.scale === 0 ? '.' : ''}${'0'.repeat(scale - decimal.scale)}`
  }
}

/** An element of a list, in the form of JSON in results. */
export function elementInJson(type: ValueType): (value: unknown) => unknown {
  const { family } = type
  if (isTemporalFamily(family)) return (value) => (value === null ? null : momentText[family](Number(value)))
  const decimal = storedDecimal(type)
  if (family === 'decimal') return (value) => (value === null || value === undefined ? null : decimal(value))
  if (family === 'integer')
    return (value) => (value === null ? null : type.type === 'bigInteger' ? String(value) : Number(value))
  return (value) => value
}
