// Dates, times and timestamps that a column stores as a number of seconds or milliseconds.
import type { Family } from '../schema/field-types.ts'
import type { ValueType } from '../schema/model.ts'
import { day, earliest, latest } from '../values/moment.ts'
import { signs } from './comparison-signs.ts'
import { edge } from './integer-range.ts'
import type { Column, Operand, Sign, Slot } from './phrase-types.ts'
import { type Sql, sql } from './sql.ts'

/** The finest step of a family's shown values, in milliseconds. */
export const grains = { date: day, time: 1_000, dateTime: 1_000, timestamp: 1 } as const satisfies Partial<
  Record<Family, number>
>

export type TemporalFamily = keyof typeof grains
export const isTemporalFamily = (family: Family): family is TemporalFamily => Object.hasOwn(grains, family)

export interface Numbering {
  /** Milliseconds in one unit of the column. */
  readonly unit: number
  /** The number of units with the same shown value; 1 where the column is no finer than what is shown. */
  readonly span: number
  readonly grain: number
}

export function numberingOf({ family, storage }: ValueType): Numbering | undefined {
  if (!isTemporalFamily(family) || (storage !== 'seconds' && storage !== 'milliseconds')) return undefined
  const unit = storage === 'seconds' ? 1_000 : 1
  return { unit, grain: grains[family], span: Math.max(1, grains[family] / unit) }
}

/** Compares a numeric column. `bind` writes one number of the column's type. */
export function compareNumbered(
  column: Column,
  sign: Sign,
  slot: Slot<Operand>,
  numbering: Numbering,
  bind: (value: Sql) => Sql,
): Sql {
  const { unit, span, grain } = numbering
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
