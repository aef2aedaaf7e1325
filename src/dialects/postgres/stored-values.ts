// The server takes the type of a bound value from the column it goes into, so that domains, enums and jsonb need no word here.

import type { Family } from '../../schema/field-types.ts'
import { fieldTypes } from '../../schema/field-types.ts'
import type { ValueType } from '../../schema/model.ts'
import type { Dialect } from '../dialect.ts'
import { sql } from '../sql.ts'
import { boundAsGiven, type Storing, storedDecimal, storedMoment } from '../stored-values.ts'
import { arrayText } from './array-text.ts'
import { tableText } from './identifiers.ts'

const asJson = (value: unknown) => JSON.stringify(value)

const storings: Partial<Record<Family, Storing['encode']>> = {
  integer: String,
  binary: (value) => Buffer.from(String(value), 'base64'),
}

export function storing(type: ValueType): Storing {
  if (type.isArray) return { encode: listOf(type) }
  if (type.family === 'geometry') return geometry(type)
  if (type.family === 'json') return json
  const moment = storedMoment(type)
  // Some drivers take a text without a zone for one of the process's own; the server looks at no zone where the column has none.
  if (moment && type.family === 'dateTime' && isNative(type))
    return { ...moment, encode: (value) => `${String(moment.encode(value))}Z` }
  if (moment) return moment
  return {
    encode: type.family === 'decimal' ? storedDecimal(type) : (storings[type.family] ?? ((value) => value)),
    isAsGiven: boundAsGiven(type),
  }
}

const isNative = ({ storage }: ValueType) => storage === undefined || storage === 'native'

/** Some drivers write JSON of whatever goes into a column of JSON, texts too; they leave alone what goes into a text. */
const json: Storing = { encode: asJson, around: (mark) => sql`${mark}::text::json` }

function geometry({ srid }: ValueType): Storing {
  return {
    encode: asJson,
    around: (mark) =>
      srid === undefined
        ? sql`ST_GeomFromGeoJSON(${mark})`
        : sql`ST_SetSRID(ST_GeomFromGeoJSON(${mark}), ${sql.lit(srid)})`,
  }
}

function listOf(type: ValueType): Storing['encode'] {
  const { encode } = storing({ ...type, isArray: false, family: fieldTypes[type.type].family })
  // A list is read as one.
  return (value) =>
    arrayText(
      (value as readonly unknown[]).map((one) => (one === null || one === undefined ? null : encode(one))),
    )
}

/** Only forward, and only where the role may: whoever may not has to number the keys alone anyway. */
export const countOn: NonNullable<Dialect['countOn']> = (table, column, key) => {
  const name = tableText(table)
  const sequence = sql`pg_get_serial_sequence(${sql.val(name)}, ${sql.val(column)})::regclass as s`
  // One that counts down, or ends before the key, never makes it.
  return sql`select setval(s, given) from (select ${sequence}, ${sql.val(String(key))}::bigint as given) as q join pg_sequence on seqrelid = s where seqincrement > 0 and seqmax >= given and has_sequence_privilege(s, 'UPDATE') and has_sequence_privilege(s, 'SELECT') and coalesce(pg_sequence_last_value(s), 0) < given`
}
