// The binding of stored values. By default they are text in the form of results; databases override the rest.
import { familyRow, isTemporal } from '../types/families.ts'
import type { ValueType } from '../types/field-types.ts'
import { type Decimal, paddedDecimal } from '../values/decimal.ts'
import { momentText } from '../values/moment.ts'
import { numberingOf } from './numbered-moments.ts'
import type { Sql } from './sql.ts'

/** The way values are written into a column: their binding, and the SQL around the placeholder. */
export interface Storing {
  readonly encode: (value: NonNullable<unknown>) => unknown
  readonly around?: (mark: Sql) => Sql
  /** True if an unread value is bound unchanged. Most are, and need not be read at all. */
  readonly isAsGiven?: ((input: unknown) => boolean) | undefined
  /** The SQL of an update for a column that may show the same value in another form already: then it keeps that. Absent = there is one form. */
  readonly unlessShown?: (column: Sql, mark: Sql) => Sql
  /** The stored number with a bound one added, or a stored document with a bound change made. Null stays null, or becomes an object, and the
   *  statement fails where the type does not have the sum. Absent = the database has no such values. */
  readonly add?: (column: Sql, mark: Sql, form?: string) => Sql
  /** The form of the SQL that a change takes, where not all take the same. */
  readonly formOf?: (by: NonNullable<unknown>) => string
  /** The form whose SQL goes on from a row as it was before the statement waited for it: the row is locked by a statement before. */
  readonly staleForm?: string
  /** The binding of what is added. Absent = it is bound as a value is. */
  readonly encodeAdded?: (by: NonNullable<unknown>) => unknown
}

/** A step of a change of a document: members are taken out of the object at a path, and others put in. Null, and what is missing, becomes an object
 *  first; anything else only where it is not in the way. */
export interface DocumentStep {
  readonly path: readonly string[]
  readonly gone: readonly string[]
  readonly put: Readonly<Record<string, unknown>>
  readonly isStrict: boolean
}

/** A change of a document, as steps from the outside in. `patch`: the same by RFC 7396, where it is that. */
export interface DocumentChange {
  readonly steps: readonly DocumentStep[]
  readonly patch?: Readonly<Record<string, unknown>>
}

/** The test for values that are bound unchanged on all databases. */
export const boundAsGiven = (type: ValueType): Storing['isAsGiven'] =>
  type.isArray || type.values || type.length !== undefined
    ? undefined
    : familyRow(type.family).boundAsGiven?.(type)

/** The binding of dates, times and timestamps. Undefined for other families. */
export function storedMoment(type: ValueType): Storing | undefined {
  const { family } = type
  if (!isTemporal(family)) return undefined
  const numbering = numberingOf(type)
  if (numbering) return { encode: (value) => Math.floor(Number(value) / numbering.unit) }
  const encode = (value: unknown) => momentText[family](Number(value))
  return family === 'timestamp' ? { encode, isAsGiven: isTimestamp } : { encode }
}

/** A timestamp on a day that every month has. */
const anyMonth = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** True for a timestamp in the form of results. */
function isTimestamp(input: unknown): boolean {
  if (typeof input !== 'string' || input.length !== 24 || input < '0001') return false
  if (anyMonth.test(input)) return true
  const at = Date.parse(input)
  return !Number.isNaN(at) && momentText.timestamp(at) === input
}

/** Returns an encoder of decimals as plain digits. */
export const storedDecimal =
  ({ scale }: ValueType): Storing['encode'] =>
  (value) =>
    paddedDecimal(value as Decimal, scale) // as read by its family
