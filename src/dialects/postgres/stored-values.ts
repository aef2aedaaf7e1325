// Stored values. The server takes the type of a bound value from its column, so that domains, enums and jsonb
// need no cast here.

import type { Family } from '../../types/families.ts'
import { elementType, type ValueType } from '../../types/field-types.ts'
import { bytesOf, isOfBytes } from '../bytes.ts'
import type { Dialect } from '../dialect.ts'
import { type Sql, sql } from '../sql.ts'
import { boundAsGiven, type Storing, storedDecimal, storedMoment } from '../stored-values.ts'
import { arrayText } from './array-text.ts'
import { isNative } from './column-types.ts'
import { changing } from './documents.ts'
import { tableText } from './identifiers.ts'
import { isOther, otherFromText, othersFromText } from './other-types.ts'
import { addOf } from './sums.ts'

const asJson = (value: unknown) => JSON.stringify(value)

const storings: Partial<Record<Family, Storing['encode']>> = { integer: String }

export function storing(type: ValueType): Storing {
  if (type.isArray) return { encode: listOf(type), ...castList(elementType(type)) }
  if (isOther(type)) return { encode: String, around: (mark) => otherFromText(mark, type) }
  if (type.family === 'geometry') return geometry(type)
  if (type.family === 'json') return json
  if (isOfBytes(type)) return { encode: bytesOf }
  const moment = storedMoment(type)
  // Some drivers read a text without a zone in the process's own; the server ignores the zone if the column has none.
  if (moment && type.family === 'dateTime' && isNative(type))
    return { ...moment, encode: (value) => `${String(moment.encode(value))}Z` }
  if (moment) return moment
  return {
    encode: type.family === 'decimal' ? storedDecimal(type) : (storings[type.family] ?? ((value) => value)),
    isAsGiven: boundAsGiven(type),
    ...addingTo(type),
  }
}

function addingTo(type: ValueType): Pick<Storing, 'add'> {
  const add = addOf(type)
  return add ? { add } : {}
}

/** Some drivers convert every value of a JSON column to JSON, texts too; they leave a text parameter unchanged. */
const json: Storing = { encode: asJson, around: (mark) => sql`${mark}::text::json`, ...changing }

function geometry({ srid }: ValueType): Storing {
  return {
    encode: asJson,
    around: (mark) =>
      srid === undefined
        ? sql`ST_GeomFromGeoJSON(${mark})`
        : sql`ST_SetSRID(ST_GeomFromGeoJSON(${mark}), ${sql.lit(srid)})`,
  }
}

/** The server takes the type of a list from its column, but for texts that depend on settings. */
const castList = (element: ValueType): Pick<Storing, 'around'> =>
  isOther(element) ? { around: (mark) => othersFromText(mark, element) } : {}

function listOf(type: ValueType): Storing['encode'] {
  const { encode } = storing(elementType(type))
  // The value of an array field is a list.
  return (value) =>
    arrayText(
      (value as readonly unknown[]).map((one) => (one === null || one === undefined ? null : encode(one))),
    )
}

/** Advances the sequence, and only if the role may: a role that may not has to assign all keys by itself anyway. */
export const countOn: NonNullable<Dialect['countOn']> = (table, column, key) => {
  const name = tableText(table)
  const sequence = sql`pg_get_serial_sequence(${sql.val(name)}, ${sql.val(column)})::regclass as s`
  // A sequence that counts down, or ends before the key, never generates it. One that has not begun reveals its next value only by generating it: only
  // then it is known whether it begins behind the key.
  return sql`select case when pg_sequence_last_value(s) is not null then setval(s, given) when nextval(s) < given then setval(s, given) end from (select ${sequence}, ${sql.val(String(key))}::bigint as given) as q join pg_sequence on seqrelid = s where seqincrement > 0 and seqmax >= given and has_sequence_privilege(s, 'UPDATE') and has_sequence_privilege(s, 'SELECT') and coalesce(pg_sequence_last_value(s), given - 1) < given`
}

// A server keeps the types of bound values in a prepared statement as they were inferred: one that was a float stays one in a column that has
// become a double, and is stored as that. The server refuses a statement whose result has other types than before, so a statement that
// writes shows the types of its columns.

/** A cell without a value that has the type of a column; undefined if a value stored there has a type of its own. The server computes nothing of it,
 *  and asks for no privilege. */
export function typeCell(table: Sql, column: Sql, type: ValueType): Sql | undefined {
  return storing(type).around ? undefined : sql`case when false then (select ${column} from ${table}) end`
}

/** True if a text changes, or locks, rows that it finds by values whose types are those of columns, and does not show these types. */
export const takesTypesUnseen = (text: string): boolean =>
  choosing.test(text) && uncast.test(text) && !text.includes('case when false then (select ')

const choosing = /\bdelete from | for (?:no key update|update|update skip locked|key share|share)$/
const uncast = /\$\d+(?![\d:])/
