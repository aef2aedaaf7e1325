// Dates, times and timestamps on PostgreSQL: its own types, which may be finer than what is shown, text, or numbers.

import { families, type TemporalFamily } from '../../types/families.ts'
import type { Operand } from '../../types/family-row.ts'
import type { ValueType } from '../../types/field-types.ts'
import { latest, momentText } from '../../values/moment.ts'
import { utc, type Zone } from '../../values/zone.ts'
import { signs } from '../comparison-signs.ts'
import { edge } from '../integer-range.ts'
import {
  compareNumbered,
  compareSpan,
  cutToGrain,
  inCalendar,
  type Numbering,
  numberingOf,
} from '../numbered-moments.ts'
import type { Column, DatePart, Reach, Sign, Slot } from '../phrase-types.ts'
import { type Sql, sql } from '../sql.ts'
import { boundText } from '../text-moments.ts'
import { bindingOf, listBindingOf } from './bind-values.ts'
import { isNative } from './column-types.ts'
import { andFinite, mayBeInfinite } from './infinities.ts'

interface Comparison {
  readonly sign: Sign
  readonly slot: Slot<Operand>
  readonly reach: Reach | undefined
}

export function compareMoments(
  column: Column,
  family: TemporalFamily,
  { sign, slot, reach }: Comparison,
): Sql {
  const numbering = numberingOf(column.type)
  if (numbering)
    return compareNumbered(column, sign, slot, {
      ...numbering,
      bind: (value) => sql`${value}::${numberType(numbering)}`,
    })
  const grain = BigInt(families[family].grain)
  const later = (steps: bigint) => (operand: Operand) => ({
    at: Number(edge(operand, sign, grain) + steps * grain),
    exact: true,
  })
  if (column.type.storage === 'text') {
    const text = slot((operand) => boundText(family, later(0n)(operand).at))
    return sql`${column.sql} collate "C" ${signs[sign]} ${text}`
  }
  const { cast, encode } = bindingOf(column.type)
  const bind = (steps: bigint) => sql`${slot((operand) => encode(later(steps)(operand), sign))}${cast}`
  if (family === 'date') return andFinite(column, sign, sql`${column.sql} ${signs[sign]} ${bind(0n)}`)
  // Not every driver can bind the infinity that follows the last timestamp.
  const from = reach === 'afterLast' ? infinity : bind(0n)
  const end = () => (reach === 'last' || reach === 'afterLast' ? infinity : bind(1n))
  const until = sign === '=' || sign === '<=' || sign === '>' ? end() : sql``
  const comparison = compareSpan(column.sql, sign, from, until)
  return mayBeInfinite(column) ? andFinite(column, sign, comparison) : comparison
}

const infinity = sql`'infinity'`

/** True for the last timestamp of the calendar, or one between that and its end, after which nothing but infinity is. */
export const isAtLastMoment = (type: ValueType, { at }: Operand): boolean =>
  (type.family === 'timestamp' || type.family === 'dateTime') &&
  isNative(type) &&
  Number(at) + families[type.family].grain > latest

export function amongMoments(column: Column, family: TemporalFamily, list: Slot<readonly Operand[]>): Sql {
  const numbering = numberingOf(column.type)
  if (numbering) {
    const numbers = list((operands) => held(operands).map(({ at }) => Number(at) / numbering.unit))
    return sql`${cutToGrain(column.sql, numbering)} = any(${numbers}::${numberType(numbering)}[])`
  }
  if (column.type.storage === 'text') {
    const texts = list((operands) => held(operands).map(({ at }) => momentText[family](Number(at))))
    return sql`${column.sql} = any(${texts}::text[])`
  }
  const { cast, encode } = listBindingOf(column.type)
  return sql`${shown(column.sql, family)} = any(${list((operands) => encode(held(operands)))}${cast})`
}

// A column of integers compares with a numeric only after a cast, and then without its index.
const numberType = ({ unit, grain }: Numbering) => (grain % unit === 0 ? sql`bigint` : sql`numeric`)

const held = (operands: readonly Operand[]) => operands.filter(({ exact }) => exact)

/** The column cut to the precision of its shown values. */
function shown(column: Sql, family: TemporalFamily): Sql {
  if (family === 'date') return column
  if (family === 'time') return sql`date_trunc('second', ${column})::time`
  return family === 'dateTime'
    ? sql`date_trunc('second', ${column})`
    : sql`date_trunc('milliseconds', ${column})`
}

/** A column as the text of a result. Infinities have no text, so they are null. */
export function momentAsText(column: Column, family: TemporalFamily): Sql {
  const isCalendar = family === 'timestamp' || family === 'dateTime' || numberingOf(column.type)
  const clock = isCalendar ? clockOf(column, utc) : column.sql
  const finite =
    isCalendar && mayBeInfinite(column) ? sql`case when isfinite(${column.sql}) then ${clock} end` : clock
  return sql`to_char(${finite}, ${formOf(column, family)})`
}

/** The format of a column; years before the first get their era. */
function formOf(column: Column, family: TemporalFamily): Sql {
  const { [family]: form } = forms
  if (!mayBeInfinite(column)) return sql.lit(form)
  return sql`case when ${column.sql} < '0001-01-01 00:00:00+00' then ${sql.lit(`${form} BC`)} else ${sql.lit(form)} end`
}

const forms = {
  date: 'YYYY-MM-DD',
  time: 'HH24:MI:SS',
  dateTime: 'YYYY-MM-DD"T"HH24:MI:SS',
  timestamp: 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"',
} as const satisfies Record<TemporalFamily, string>

/** A column in the form in which equal timestamps are equal values. */
export function shownMoment(column: Column, family: TemporalFamily): Column {
  const numbering = numberingOf(column.type)
  if (numbering) return { ...column, sql: cutToGrain(column.sql, numbering) }
  if (column.type.storage === 'text') return column
  const cut = shown(column.sql, family)
  return {
    ...column,
    sql: mayBeInfinite(column) ? sql`case when isfinite(${column.sql}) then ${cut} end` : cut,
  }
}

export function datePart(part: DatePart, column: Column, zone: Zone): Sql {
  const value = sql`date_part(${fields[part]}, ${clockOf(column, zone)})`
  // Seconds have a fraction, and a cast would round it up.
  const number = part === 'second' ? sql`floor(${value})::integer` : sql`${value}::integer`
  return mayBeInfinite(column) ? sql`case when isfinite(${column.sql}) then ${number} end` : number
}

const fields = {
  year: sql`'year'`,
  month: sql`'month'`,
  week: sql`'week'`,
  day: sql`'day'`,
  weekday: sql`'dow'`,
  hour: sql`'hour'`,
  minute: sql`'minute'`,
  second: sql`'second'`,
} as const satisfies Record<DatePart, Sql>

/** A value without a zone that has the clock time of the zone; the session's own zone is not used. */
function clockOf(column: Column, zone: Zone): Sql {
  const { type } = column
  const numbering = numberingOf(type)
  const seconds =
    numbering && sql`(${inCalendar(column.sql, numbering)}) / ${sql.lit(1_000 / numbering.unit)}.0`
  if (type.family === 'time')
    return seconds ? sql`(time '00:00' + make_interval(secs => ${seconds}))` : storedAs(column, sql`time`)
  const atUtc = seconds ? sql`(to_timestamp(${seconds}) at time zone 'UTC')` : clockAtUtc(column)
  return type.family === 'timestamp' && !isUtc(zone)
    ? sql`(${atUtc} at time zone 'UTC' at time zone ${zoneText(zone)})`
    : atUtc
}

function clockAtUtc(column: Column): Sql {
  const { family, storage } = column.type
  if (storage === 'text' && family === 'timestamp')
    return sql`(${storedAs(column, sql`timestamptz`)} at time zone 'UTC')`
  if (storage === 'text' || family === 'date') return storedAs(column, sql`timestamp`)
  // The column may have a zone or not, and "at time zone" would turn the one into the other. The zone of the text counts
  // only where the column has one.
  return sql`(timestamp '2000-01-01' + (${column.sql} - '2000-01-01 00:00:00+00'))`
}

const storedAs = ({ sql: column, type: { storage } }: Column, type: Sql) =>
  storage === 'text' ? sql`${column}::${type}` : column

const isUtc = (zone: Zone): boolean => zone.kind !== 'named' && zone.minutes === 0

function zoneText(zone: Zone): Sql {
  return zone.kind === 'named' ? sql.lit(zone.name) : sql`make_interval(mins => ${sql.lit(zone.minutes)})`
}
