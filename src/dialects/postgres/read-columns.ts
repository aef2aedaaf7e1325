// Readings of values on PostgreSQL. Each is cast to a type that every driver returns alike, whatever its type
// parsers make of dates and JSON.
import { type Family, isTemporal, type TemporalFamily } from '../../types/families.ts'
import { elementType } from '../../types/field-types.ts'
import { mask } from '../../types/hash.ts'
import { isOfBytes } from '../bytes.ts'
import { numberingOf } from '../numbered-moments.ts'
import type { Cell, Column, Reading } from '../phrase-types.ts'
import {
  decimalFrom,
  flagFrom,
  integerFrom,
  listFrom,
  lowerCase,
  momentFromNumber,
  momentFromText,
  numberFrom,
  parsedJson,
  textFrom,
} from '../read-values.ts'
import { type Sql, sql } from '../sql.ts'
import { readBytes } from './bytes.ts'
import { isNoNumber } from './infinities.ts'
import { document } from './json.ts'
import { momentFromJson } from './moment-from-json.ts'
import { momentAsText } from './moments.ts'
import { otherAsText } from './other-types.ts'

export function reading(column: Column): Reading {
  const { family, isArray } = column.type
  if (column.path) return jsonReading(document(column))
  if (isArray) return jsonReading(listOf(column))
  if (isTemporal(family)) return momentReading(column, family)
  return isOfBytes(column.type) ? readBytes(column) : (readings[family] ?? plain)(column)
}

/** An array as JSON. In the server's own JSON, numbers are rounded when read, and timestamps and bytes have other forms. */
function listOf({ sql: list, type, ...column }: Column): Sql {
  const element = { ...column, sql: sql`"_value"`, type: elementType(type) }
  const { family } = element.type
  const { json } = reading(element)
  if (!json || (sameInJson.has(family) && type.type !== 'bigInteger')) return sql`to_json(${list})`
  const elements = sql`select json_agg(${json} order by "_place") from unnest(${list}) with ordinality as "_list"("_value", "_place")`
  return sql`case when ${list} is not null then coalesce((${elements}), '[]') end`
}

const sameInJson: ReadonlySet<Family> = new Set(['integer', 'boolean', 'text', 'uuid', 'json'])

const same = (cell: Cell, json?: Sql): Reading => ({ column: cell, element: cell, ...(json && { json }) })

const plain = ({ sql: column, type }: Column): Reading => {
  const text = type.enumType === undefined ? column : sql`${column}::text`
  return same({ sql: text }, text)
}

function other({ sql: column, type }: Column): Reading {
  const text = otherAsText(column, type)
  return same({ sql: text }, text)
}

const readings: Partial<Record<Family, (column: Column) => Reading>> = {
  integer: ({ sql: column, type }) => {
    if (type.type === 'bigInteger') return same({ sql: sql`${column}::text` }, sql`${column}::text`)
    // A cast of all integers would make lists slower by some hundredths; what the server counts and adds has a type that hosts may parse in ways of their own.
    return same({ sql: type.is64Bit ? sql`${column}::text` : column, read: integerFrom }, column)
  },
  float: (column) =>
    same(
      { sql: column.sql, read: numberFrom },
      sql`case when not ${isNoNumber(column)} then ${column.sql} end`,
    ),
  decimal: ({ sql: column, type }) => {
    const cell = { sql: sql`${column}::text`, read: decimalFrom(type.scale) }
    return type.storage === 'text' ? same(cell) : same(cell, decimalText(column, type.scale))
  },
  boolean: ({ sql: column }) => same({ sql: column, read: flagFrom }, column),
  other,
  opaque: other,
  uuid: ({ sql: column, type }) => {
    if (type.storage === 'text') return same({ sql: column, read: lowerCase }, sql`lower(${column})`)
    return same({ sql: sql`${column}::text` }, sql`${column}`)
  },
  json: ({ sql: column }) => jsonReading(column),
  geometry: ({ sql: column }) => {
    const text = sql`ST_AsGeoJSON(${column}, 15, 0)`
    return same({ sql: text, read: parsedJson }, sql`${text}::json`)
  },
  csv: ({ sql: column }) => {
    const list = sql`case when ${column} = '' then '[]'::json else to_json(string_to_array(${column}, ',')) end`
    return same({ sql: column, read: listFrom }, list)
  },
  hash: ({ sql: column }) => {
    const text = sql`${column}::text`
    const masked = sql`case when ${text} = '' then '' when ${column} is not null then ${sql.lit(mask)} end`
    return same({ sql: masked }, masked)
  },
}

/** As a column it is text, which no type parser of the driver changes; inside JSON it is JSON. */
function jsonReading(json: Sql): Reading {
  return { column: { sql: sql`${json}::text`, read: parsedJson }, element: { sql: json }, json }
}

/** A decimal as text, with all its digits after the point, and at least as many as the field has. */
export function decimalText(column: Sql, scale = 0): Sql {
  const isNumber = sql`${column} not in ('NaN', 'infinity', '-infinity')`
  const trimmed = sql`trim_scale(${column})`
  const text = sql`case when scale(${trimmed}) < ${sql.lit(scale)} then round(${column}, ${sql.lit(scale)}) else ${trimmed} end::text`
  return sql`case when ${isNumber} then ${text} end`
}

function momentReading(column: Column, family: TemporalFamily): Reading {
  const numbering = numberingOf(column.type)
  if (numbering)
    return same(
      { sql: column.sql, read: momentFromNumber(family, numbering.unit) },
      momentAsText(column, family),
    )
  if (column.type.storage === 'text') return same({ sql: column.sql, read: momentFromText(family) })
  // JSON has one form for dates, whatever the session's style is; to_char, which could write ours, takes three
  // times as long.
  const read = momentFromJson(family)
  return {
    column: { sql: sql`to_json(${column.sql})::text`, read: (json) => read(textFrom(json).slice(1, -1)) },
    element: { sql: column.sql, read: (text) => read(textFrom(text)) },
    json: momentAsText(column, family),
  }
}
