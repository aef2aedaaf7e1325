// Order keys as texts that clients keep and hand back, with all of their digits.
import type { Family } from '../types/families.ts'
import type { ValueType } from '../types/field-types.ts'
import { fromHex } from '../values/bytes.ts'
import { isOfBytes } from './bytes.ts'
import { numberingOf } from './numbered-moments.ts'
import type { Bookmark, Column } from './phrase-types.ts'
import { isNative } from './postgres/column-types.ts'
import { isOther, otherCast } from './postgres/other-types.ts'
import { comparable as comparableInPostgres } from './postgres/phrases.ts'
import { type Sql, sql } from './sql.ts'
import { comparable as comparableInSqlite } from './sqlite/phrases.ts'

/** A cursor is shorter. */
const cutOf = (text: Sql): Sql => sql`substr(${text}, 1, 2048)`

/** A value has a type of its own, whatever that of its column is, so it is written as a literal. */
export function sqliteBookmark(column: Column): Bookmark {
  const ordered = comparableInSqlite(column)
  const selected = sql`nullif(quote(${ordered}), 'NULL')`
  return { selected, cut: cutOf(selected), ordered, bound: (value) => value, read: literalValue }
}

function literalValue(literal: string): unknown {
  if (/^'(?:[^']|'')*'$/.test(literal)) return literal.slice(1, -1).replaceAll("''", "'")
  if (/^X'(?:[\da-f]{2})*'$/i.test(literal)) return fromHex(literal.slice(2, -1))
  if (/^-?\d{1,19}$/.test(literal)) return wholeNumber(BigInt(literal))
  return /^-?\d+\.\d+(?:e[+-]?\d+)?$/i.test(literal) ? Number(literal) : undefined
}

function wholeNumber(value: bigint): number | bigint | undefined {
  if (BigInt.asIntN(64, value) !== value) return undefined
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}

/** A text has the type of the column, or is cast where a driver would convert it. */
export function postgresBookmark(column: Column): Bookmark {
  const ordered = comparableInPostgres(column)
  const { form, cast } = formOf(column.type)
  const selected = sql`${ordered}::text`
  return {
    selected,
    cut: cutOf(selected),
    ordered,
    bound: (value) => (cast ? sql`${value}::${cast}` : value),
    read: (text) => (form(text) ? text : undefined),
  }
}

/** The form in which the server writes values, and the cast back. */
interface WrittenForm {
  readonly form: (text: string) => boolean
  readonly cast?: Sql
}

function formOf(type: ValueType): WrittenForm {
  if (isOther(type)) return { ...anyText, cast: otherCast(type) }
  if (isOfBytes(type)) return { form: matches(/^\\x(?:[\da-f]{2})*$/), cast: sql`text::bytea` }
  if (type.isArray || type.enumType !== undefined) return anyText
  if (numberingOf(type)) return integer
  const isRead = isNative(type) || type.family === 'decimal'
  return (isRead && forms[type.family]) || anyText
}

const matches = (pattern: RegExp) => (text: string) => pattern.test(text)
const anyText: WrittenForm = { form: () => true }
const integer: WrittenForm = {
  form: (text) => /^-?\d{1,19}$/.test(text) && wholeNumber(BigInt(text)) !== undefined,
  cast: sql`text::bigint`,
}

const clock = String.raw`(?:(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d{1,6})?|24:00:00)(?:[+-](?:0\d|1[0-5])(?::[0-5]\d){0,2})?`
const momentForm = new RegExp(String.raw`^(?:(\d{4,6})-(\d\d)-(\d\d)(?: ${clock})?(?: BC)?|-?infinity)$`)

/** True for a date, with or without a time, that is in the calendar. */
function isMoment(text: string): boolean {
  const [, year, month, day] = momentForm.exec(text) ?? [undefined, '', '']
  if (year === undefined) return /^-?infinity$/.test(text)
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return date.getUTCMonth() + 1 === Number(month)
}

const forms: Partial<Record<Family, WrittenForm>> = {
  integer,
  // A cast would be to another precision.
  float: { form: matches(/^(?:-?(?:\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?|Infinity)|NaN)$/) },
  decimal: { form: matches(/^(?:-?(?:\d+(?:\.\d+)?|Infinity)|NaN)$/), cast: sql`text::numeric` },
  boolean: { form: matches(/^(?:true|false)$/), cast: sql`text::boolean` },
  uuid: { form: matches(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/), cast: sql`text::uuid` },
  date: { form: isMoment, cast: sql`text::date` },
  time: { form: matches(new RegExp(`^${clock}$`)), cast: sql`text::time` },
  dateTime: { form: isMoment, cast: sql`text::timestamp` },
  timestamp: { form: isMoment, cast: sql`text::timestamptz` },
}
