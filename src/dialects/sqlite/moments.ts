// Dates, times and timestamps on SQLite, which has no type for them: ISO text, or numbers.

import { families, isTemporal, type TemporalFamily } from '../../types/families.ts'
import type { Operand } from '../../types/family-row.ts'
import type { ValueType } from '../../types/field-types.ts'
import { day, momentText } from '../../values/moment.ts'
import type { Zone } from '../../values/zone.ts'
import { signs } from '../comparison-signs.ts'
import { edge } from '../integer-range.ts'
import { compareNumbered, cutToGrain, inCalendar, type Numbering, numberingOf } from '../numbered-moments.ts'
import type { Column, DatePart, Sign, Slot } from '../phrase-types.ts'
import { type Sql, sql } from '../sql.ts'
import { boundText, isCanonical } from '../text-moments.ts'
import { jsonList } from './json-lists.ts'

export function compareMoments(column: Column, family: TemporalFamily, sign: Sign, slot: Slot<Operand>): Sql {
  const numbering = numberingOf(column.type)
  if (numbering) return compareNumbered(column, sign, slot, numbering)
  const bound = slot((operand) => boundText(family, at(operand, family, sign)))
  if (isCanonical(column.type)) return sql`${column.sql} ${signs[sign]} ${bound}`
  const exact = sql`${canonical(column.sql, family)} ${signs[sign]} ${bound}`
  return family === 'time' ? exact : nearby(column.sql, sign, slot, exact)
}

export function amongMoments(column: Column, family: TemporalFamily, list: Slot<readonly Operand[]>): Sql {
  const numbering = numberingOf(column.type)
  const value = shownMoment(column.sql, column.type, family)
  const encode = (operand: Operand) =>
    numbering ? Number(operand.at) / numbering.unit : momentText[family](Number(operand.at))
  return sql`${value} in (select value from json_each(${list((operands) => jsonList(operands, encode))}))`
}

const at = (operand: Operand, family: TemporalFamily, sign: Sign) =>
  Number(edge(operand, sign, BigInt(families[family].grain)))

/** Stored text converted to the form of results, from any ISO form: with a blank or a T, with an offset or without. */
function canonical(column: Sql, family: TemporalFamily): Sql {
  return sql`strftime(${sql.lit(forms[family])}, ${cut(column)})`
}

/** A check that a column holds the form of results and no other. It is false, and not null, for what is no date. */
export const canonicalCheck = (column: Sql, family: TemporalFamily): Sql =>
  sql`strftime(${sql.lit(forms[family])}, ${column}) is ${column}`

/** Stored text as a result: text that is in that form already is not converted, and text in none is returned as it is. */
export function momentAsText(column: Sql, family: TemporalFamily): Sql {
  const isCanonical = sql`${column} glob ${sql.lit(patterns[family])}`
  // Bytes may have a form, too, and a part of them equals no text.
  const text = sql`cast(${column} as text)`
  const converted = sql`case when ${isMomentText(text, family)} then coalesce(${canonical(text, family)}, ${text}) else ${text} end`
  return sql`case when ${isCanonical} then ${text} when ${column} is not null then ${converted} end`
}

/** True for text that may be converted. SQLite's date functions take more for dates: numbers for days since 4714 BC, a time for one in 2000,
 *  `now`, the year 0, the hour 24 and the 31st of every month. */
function isMomentText(column: Sql, family: TemporalFamily): Sql {
  const isReal = sql`(substr(${column}, 9, 2) < '29' or strftime('%d', substr(${column}, 1, 10)) = substr(${column}, 9, 2))`
  const isDate = sql`${column} glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*' and ${column} >= '0001' and ${column} not glob '*[T ]24:*' and ${isReal}`
  if (family !== 'time') return isDate
  return sql`case when ${column} glob '[0-9][0-9]:*' then ${column} < '24' else ${isDate} end`
}

/** A pattern of the form of results. Only the last digits are checked: between these signs are either digits,
 *  or no timestamp that could be converted. */
const ending = (form: string, end: string) => `${form}${end.replaceAll('0', '[0-9]')}`
const patterns = {
  date: ending('????-??-', '00'),
  time: ending('??:??:', '00'),
  dateTime: ending('????-??-??T??:??:', '00'),
  timestamp: ending('????-??-??T??:??:??.', '000Z'),
} as const

/** A stored number as the text of a result. */
export function numberedMomentAsText(column: Sql, family: TemporalFamily, numbering: Numbering): Sql {
  return inCalendar(column, numbering, numberAsText(column, family, numbering))
}

function numberAsText(column: Sql, family: TemporalFamily, { unit }: Numbering): Sql {
  if (unit === 1 && family === 'timestamp') {
    // By integers: as a fraction of a second, a millisecond may be rounded away.
    const rest = sql`((${column} % 1000) + 1000) % 1000`
    const second = sql`(${column} - ${rest}) / 1000`
    return sql`strftime('%Y-%m-%dT%H:%M:%S.', ${second}, 'unixepoch') || printf('%03d', ${rest}) || 'Z'`
  }
  return sql`strftime(${sql.lit(forms[family])}, ${column} / ${sql.lit(1_000 / unit)}.0, 'unixepoch')`
}

/** A column in the form in which equal timestamps are equal values. */
export function shownMoment(column: Sql, type: ValueType, family: TemporalFamily): Sql {
  const numbering = numberingOf(type)
  if (numbering) return cutToGrain(column, numbering)
  return isCanonical(type) ? column : canonical(column, family)
}

/** SQLite rounds to milliseconds, which may even change the minute; values are cut. Digits after the third are
 *  dropped, an offset stays. */
function cut(column: Sql): Sql {
  const end = sql`instr(${column}, '.') + 4`
  const kept = sql`substr(${column}, 1, ${end} - 1)`
  const offset = sql`ltrim(substr(${column}, ${end}), '0123456789')`
  return sql`case when ${column} glob '*.[0-9][0-9][0-9][0-9]*' then ${kept} || ${offset} else ${column} end`
}

/** The forms of results, as SQLite's date functions write them. */
export const forms = {
  date: '%Y-%m-%d',
  time: '%H:%M:%S',
  dateTime: '%Y-%m-%dT%H:%M:%S',
  timestamp: '%Y-%m-%dT%H:%M:%fZ',
} as const

/** Adds bounds on the stored text, a day apart from the exact ones: an index can serve them, whatever the form. Offsets are shorter than 15
 *  hours. A date that is more than a day on the right side of the bound is not converted; it only has to exist. */
function nearby(column: Sql, sign: Sign, slot: Slot<Operand>, exact: Sql): Sql {
  const bound = (days: number) => slot((operand) => dayText(Number(operand.at) + days * day))
  if (sign === '=') return sql`(${column} >= ${bound(-1)} and ${column} < ${bound(2)} and ${exact})`
  const isLower = sign === '<' || sign === '<='
  const near = isLower ? sql`${column} < ${bound(2)}` : sql`${column} >= ${bound(-1)}`
  const far = isLower ? sql`${column} < ${bound(-1)}` : sql`${column} >= ${bound(2)}`
  const isDate = sql`${far} and ${column} glob '[0-9]???-??-??*'`
  return sql`(${near} and case when ${isDate} then julianday(${column}) is not null else ${exact} end)`
}

// Beyond the years of four digits, the empty text sorts before and the colon after every date.
const dayText = (moment: number) => {
  const text = momentText.date(moment)
  return /^\d/.test(text) ? text : text.startsWith('-') ? '' : ':'
}

export function datePart(part: DatePart, column: Column, zone: Zone): Sql {
  const clock = clockOf(column, zone)
  if (part !== 'week') {
    const read = sql`cast(strftime(${sql.lit(partForms[part])}, ${clock}) as integer)`
    return written(part, column, zone, read) ?? read
  }
  // Before 3.46 SQLite had no ISO week: it is the number of the Thursday's week.
  return sql`((strftime('%j', date(${clock}, '-3 days', 'weekday 4')) - 1) / 7 + 1)`
}

/** A part that is written in the text itself. Parsing the text as a date would take three times as long. */
function written(part: DatePart, { sql: column, type }: Column, zone: Zone, otherwise: Sql): Sql | undefined {
  const { [part]: slice } = slices
  const ending = isTemporal(type.family) ? endingOf(type, type.family) : undefined
  const isUtc = zone.kind === 'offset' && zone.minutes === 0
  if (!slice || ending === undefined || numberingOf(type)) return undefined
  if (type.family === 'timestamp' && !isUtc) return undefined
  const [from, length, before] = slice
  const number = sql`cast(substr(${column}, ${sql.lit(from)}, ${sql.lit(length)}) as integer)`
  if (isCanonical(type)) return number
  const pattern = sql.lit(`${before}${'[0-9]'.repeat(length)}${ending(from + length)}`)
  return sql`case when ${column} glob ${pattern} then ${number} else ${otherwise} end`
}

/** The position of a part, its length, and the pattern before it. */
const slices: Partial<Record<DatePart, readonly [from: number, length: number, before: string]>> = {
  year: [1, 4, ''],
  month: [6, 2, '????-'],
  day: [9, 2, '????-??-'],
}

/** The rest of a text whose day is the day in UTC: an offset would shift it. */
const endings: Partial<Record<TemporalFamily, (at: number) => string>> = {
  date: (at) => '????-??-??'.slice(at - 1),
  dateTime: (at) => '????-??-??T??:??:??'.slice(at - 1),
  timestamp: (at) => `${'????-??-??'.slice(at - 1)}T*Z`,
}

const endingOf = ({ storage }: ValueType, family: TemporalFamily) =>
  (storage === 'sql' ? endingsOfSql[family] : undefined) ?? endings[family]

const endingOfSql = (at: number) => '????-??-?? ??:??:??'.slice(at - 1)
const endingsOfSql: typeof endings = { dateTime: endingOfSql, timestamp: endingOfSql }

const partForms = {
  year: '%Y',
  month: '%m',
  day: '%d',
  weekday: '%w',
  hour: '%H',
  minute: '%M',
  second: '%S',
} as const satisfies Record<Exclude<DatePart, 'week'>, string>

/** The arguments of SQLite's date functions: the value, and the modifiers that convert it to the zone's clock time. */
function clockOf({ sql: column, type }: Column, zone: Zone): Sql {
  const numbering = numberingOf(type)
  const value = numbering
    ? sql`(${inCalendar(column, numbering)}) / ${sql.lit(1_000 / numbering.unit)}.0, 'unixepoch'`
    : isCanonical(type)
      ? column
      : cut(column)
  const minutes = zone.kind === 'offset' && type.family === 'timestamp' ? zone.minutes : 0
  return minutes === 0 ? value : sql`${value}, ${sql.lit(`${minutes > 0 ? '+' : ''}${minutes} minutes`)}`
}
