// Dates, times and timestamps on PostgreSQL: its own types, which may be finer than what is shown, text, or numbers.

import { families, type TemporalFamily } from '../../types/families.ts'
import type { Operand } from '../../types/family-row.ts'
import { momentText } from '../../values/moment.ts'
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
import type { Column, DatePart, Sign, Slot } from '../phrase-types.ts'
import { type Sql, sql } from '../sql.ts'
import { boundText } from '../text-moments.ts'
import { bindingOf, listBindingOf } from './bind-values.ts'
import { andFinite, mayBeInfinite } from './infinities.ts'

export function compareMoments(column: Column, family: TemporalFamily, sign: Sign, slot: Slot<Operand>): Sql {
  const numbering = numberingOf(column.type)
  if (numbering)
    return compareNumbered(column, sign, slot, numbering, (value) => sql`${value}::${numberType(numbering)}`)
  const grain = BigInt(families[family].grain)
  const later = (steps: bigint) => (operand: Operand) => ({
    at: Number(edge(operand, sign, grain) + steps * grain),
    exact: true,
  })
  if (column.type.storage === 'text') {
    const text = slot((operand) => boundText(family, later(0n)(operand).at))
    return sql`${column.sql} collate "C" ${signs[sign]} ${text}`
  }
  const { type, encode } = bindingOf(column.type)
  const bind = (steps: bigint) => sql`${slot((operand) => encode(later(steps)(operand), sign))}::${type}`
  if (family === 'date') return andFinite(column, sign, sql`${column.sql} ${signs[sign]} ${bind(0n)}`)
  const comparison = compareSpan(
    column.sql,
    sign,
    bind(0n),
    sign === '=' || sign === '<=' || sign === '>' ? bind(1n) : sql``,
  )
  return mayBeInfinite(column) ? andFinite(column, sign, comparison) : comparison
}

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
  const { type, encode } = listBindingOf(column.type)
  return sql`${shown(column.sql, family)} = any(${list((operands) => encode(held(operands)))}::${type})`
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
  const numbering = numberingOf(column.type)
  const clock = family === 'timestamp' || numbering ? clockOf(column, utc) : column.sql
  return sql`to_char(${clock}, ${formOf(column, family)})`
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
function clockOf({ sql: column, type }: Column, zone: Zone): Sql {
  const numbering = numberingOf(type)
  const seconds = numbering && sql`(${inCalendar(column, numbering)}) / ${sql.lit(1_000 / numbering.unit)}.0`
  if (type.family === 'time')
    return seconds
      ? sql`(time '00:00' + make_interval(secs => ${seconds}))`
      : storedAs(column, type.storage, sql`time`)
  if (type.family === 'timestamp') {
    const moment = seconds ? sql`to_timestamp(${seconds})` : storedAs(column, type.storage, sql`timestamptz`)
    return sql`(${moment} at time zone ${zoneText(zone)})`
  }
  return seconds
    ? sql`(to_timestamp(${seconds}) at time zone 'UTC')`
    : storedAs(column, type.storage, sql`timestamp`)
}

const storedAs = (column: Sql, storage: string | undefined, type: Sql) =>
  storage === 'text' ? sql`${column}::${type}` : column

function zoneText(zone: Zone): Sql {
  if (zone.kind === 'named') return sql.lit(zone.name)
  return zone.minutes === 0 ? sql`'UTC'` : sql`make_interval(mins => ${sql.lit(zone.minutes)})`
}
