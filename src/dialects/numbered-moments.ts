// Dates, times and timestamps that a column stores as a number of seconds or milliseconds.
import { families, isTemporal } from '../types/families.ts'
import type { Operand } from '../types/family-row.ts'
import type { ValueType } from '../types/field-types.ts'
import { earliest, latest } from '../values/moment.ts'
import { signs } from './comparison-signs.ts'
import { edge } from './integer-range.ts'
import type { Column, Sign, Slot } from './phrase-types.ts'
import { type Sql, sql } from './sql.ts'

export interface Numbering {
  /** Milliseconds in one unit of the column. */
  readonly unit: number
  /** The number of units with the same shown value; 1 where the column is no finer than what is shown. */
  readonly span: number
  readonly grain: number
}

export function numberingOf({ family, storage }: ValueType): Numbering | undefined {
  if (!isTemporal(family) || (storage !== 'seconds' && storage !== 'milliseconds')) return undefined
  const unit = storage === 'seconds' ? 1_000 : 1
  const { grain } = families[family]
  return { unit, grain, span: Math.max(1, grain / unit) }
}

/** A numbering, and the way to write one number of the column's type. Absent = as it is. */
interface WrittenNumbering extends Numbering {
  readonly bind?: (value: Sql) => Sql
}

export function compareNumbered(
  column: Column,
  sign: Sign,
  slot: Slot<Operand>,
  { unit, span, grain, bind = (value) => value }: WrittenNumbering,
): Sql {
  const from = bind(slot((operand) => Number(edge(operand, sign, BigInt(grain))) / unit))
  if (span === 1) return sql`${column.sql} ${signs[sign]} ${from}`
  const until = bind(slot((operand) => Number(edge(operand, sign, BigInt(grain))) / unit + span))
  return compareSpan(column.sql, sign, from, until)
}

/** Compares where many stored values show as one: `from` is the first of them, `until` the first that shows as the next. */
export function compareSpan(column: Sql, sign: Sign, from: Sql, until: Sql): Sql {
  if (sign === '=') return sql`(${column} >= ${from} and ${column} < ${until})`
  if (sign === '<') return sql`${column} < ${from}`
  if (sign === '<=') return sql`${column} < ${until}`
  return sign === '>' ? sql`${column} >= ${until}` : sql`${column} >= ${from}`
}

/** The stored number, rounded down to the grain of its shown values. */
export function cutToGrain(column: Sql, { span }: Numbering): Sql {
  if (span === 1) return column
  const size = sql.lit(span)
  // The remainder of a negative number is negative, so it is taken twice.
  return sql`(${column} - ((${column} % ${size}) + ${size}) % ${size})`
}

/** A value made from a stored number; null if that is outside the calendar: databases have no such timestamp,
 *  or fail on it. */
export function inCalendar(column: Sql, { unit }: Numbering, made = column): Sql {
  const [from, until] = [sql.lit(earliest / unit), sql.lit((latest + 1) / unit)]
  return sql`case when ${column} >= ${from} and ${column} < ${until} then ${made} end`
}
