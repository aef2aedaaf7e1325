// Readings of values on SQLite. Its JSON has no booleans, no bytes and at most 15 digits of a number, so each
// is written on its own.
import { type Family, isTemporal, type TemporalFamily } from '../../types/families.ts'
import { mask } from '../../types/hash.ts'
import { fromHex } from '../../values/bytes.ts'
import { memoFor } from '../../values/memo.ts'
import { isOfBytes } from '../bytes.ts'
import { numberingOf } from '../numbered-moments.ts'
import type { Cell, Column, Reading } from '../phrase-types.ts'
import {
  decimalFrom,
  listFrom,
  lowerCase,
  momentFromNumber,
  momentFromText,
  numberFrom,
  type PresentValue,
  parsedJson,
  textFrom,
  textOfBytes,
} from '../read-values.ts'
import { type Sql, sql } from '../sql.ts'
import { isCanonical } from '../text-moments.ts'
import { flagReader } from './booleans.ts'
import { readBytes } from './bytes.ts'
import { momentAsText, numberedMomentAsText } from './moments.ts'
import { jsonPathText } from './text.ts'
import { pair, unlessBytes, unlessText } from './without-bytes.ts'

export function reading(column: Column): Reading {
  const { family } = column.type
  if (column.path) return jsonReading(column, column.path(jsonPathText))
  if (isTemporal(family)) return momentReading(column, family)
  return isOfBytes(column.type) ? readBytes(column) : (readings[family] ?? text)(column)
}

const same = (cell: Cell, json?: Sql): Reading => ({ column: cell, element: cell, ...(json && { json }) })

/** Cells of a column. A column of any type may have bytes, which JSON cannot represent: then bytes and other
 *  values are put in a list of two. */
function cells(
  column: Sql,
  read: (value: PresentValue) => unknown,
  { isRare, json = column }: { readonly isRare?: true; readonly json?: Sql } = {},
): Omit<Reading, 'json'> {
  const readInside = (value: PresentValue) => (Array.isArray(value) ? readPair(value, read) : read(value))
  const more = isRare && { isRare }
  return {
    column: { sql: column, read, ...more },
    element: {
      sql: memoFor(inJson, column, () => sql.either(unlessBytes(column, json), pair(column, json))),
      read: readInside,
      ...more,
    },
  }
}

/** A cache, so that the same piece is selected once. */
const inJson = new WeakMap<Sql, Sql>()

function readPair([digits, value]: readonly unknown[], read: (value: PresentValue) => unknown): unknown {
  if (typeof digits === 'string') return read(fromHex(digits))
  return value === null || value === undefined ? null : read(value)
}

const text = ({ sql: column, onLoss }: Column): Reading => {
  const read = textOfBytes(onLoss)
  return {
    ...cells(column, (value) => (typeof value === 'object' ? read(value) : value), { isRare: true }),
    json: unlessBytes(column),
  }
}

const number = ({ sql: column }: Column): Reading => ({
  ...cells(column, numberFrom),
  json: unlessText(column),
})

const readings: Partial<Record<Family, (column: Column) => Reading>> = {
  integer: (column) => {
    if (column.type.type !== 'bigInteger') return number(column)
    const text = sql`cast(${column.sql} as text)`
    // GraphQL makes a number of this text again.
    return same({ sql: text }, unlessText(column.sql, text))
  },
  float: ({ sql: column }) => {
    const exact = sql`case when abs(${column}) < 9e999 then json(printf('%!.17g', ${column})) end`
    const json = sql`case when ${column} < '' then ${exact} else ${column} end`
    return { ...cells(column, numberFrom, { json }), json: unlessText(column, exact) }
  },
  decimal: ({ sql: column, type }) => cells(column, decimalFrom(type.scale)),
  boolean: ({ sql: column, onLoss }) => {
    // Other numbers are reported where rows are read.
    const json = sql`case ${column} when 1 then json('true') when 0 then json('false') else case when ${column} is not null then x'ff' end end`
    return { ...cells(column, flagReader(onLoss)), json }
  },
  uuid: ({ sql: column }) => ({ ...cells(column, lowerCase), json: sql`lower(${column})` }),
  json: document,
  geometry: document,
  csv: ({ sql: column }) => {
    const quoted = sql`json_quote(cast(${column} as text))`
    const inside = sql`substr(${quoted}, 2, length(${quoted}) - 2)`
    const list = sql`json('["' || replace(${inside}, ',', '","') || '"]')`
    const json = sql`case when ${column} = '' then json('[]') when ${column} is not null then ${list} end`
    return { ...cells(column, listFrom), json }
  },
  hash: ({ sql: column }) => {
    const masked = sql`case when ${column} = '' then '' when ${column} is not null then ${sql.lit(mask)} end`
    return same({ sql: masked }, masked)
  },
}

function document({ sql: column }: Column): Reading {
  const inside = sql.either(unlessBytes(column), sql`cast(${column} as text)`)
  return {
    column: { sql: column, read: parsedJson },
    element: { sql: inside, read: parsedJson },
    json: jsonOrText(column),
  }
}

const jsonOrText = (column: Sql) =>
  unlessBytes(column, sql`case when json_valid(${column}) then json(${column}) else ${column} end`)

function jsonReading({ sql: column }: Column, path: Sql): Reading {
  const found = sql`case when json_valid(${column}) then ${column} -> ${path} end`
  const json = sql`json(${found})`
  return { column: { sql: found, read: parsedJson }, element: { sql: json }, json }
}

function momentReading(column: Column, family: TemporalFamily): Reading {
  if (isCanonical(column.type))
    return { ...cells(column.sql, textFrom, { isRare: true }), json: sql`cast(${column.sql} as text)` }
  const numbering = numberingOf(column.type)
  const fromText = momentFromText(family)
  const asText = momentAsText(column.sql, family)
  if (!numbering) return { ...cells(column.sql, fromText), json: asText }
  // Values that SQLite fills in itself, such as CURRENT_TIMESTAMP, are ISO text, also in a column of numbers.
  const fromNumber = momentFromNumber(family, numbering.unit)
  const read = (value: PresentValue) =>
    isMoment(value) ? fromText(value) : isNoNumber(value) ? null : fromNumber(value)
  const numberIn = (value: Sql) => numberedMomentAsText(value, family, numbering)
  const asNumber = sql`case when ${column.sql} glob '[-0-9]*' and ${column.sql} not glob '?*[^0-9.]*' then ${numberIn(sql`cast(${column.sql} as numeric)`)} end`
  const inText = sql`case when ${column.sql} glob '*[0-9][-:]*' then ${asText} else ${asNumber} end`
  const isText = sql`typeof(${column.sql}) = 'text'`
  return {
    ...cells(column.sql, read),
    json: sql`case when ${isText} then ${inText} else ${numberIn(column.sql)} end`,
  }
}

/** True for text that is no number, though JavaScript takes some of it for one. */
const isNoNumber = (value: PresentValue): boolean => typeof value === 'string' && !/^-?\d[\d.]*$/.test(value)

const isMoment = (value: PresentValue): value is string => typeof value === 'string' && /\d[-:]/.test(value)
