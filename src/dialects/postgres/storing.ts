// The server takes the type of a bound value from the column it goes into, so that domains, enums and jsonb need no word here.

import type { Family } from '../../schema/field-types.ts'
import { fieldTypes } from '../../schema/field-types.ts'
import type { ValueType } from '../../schema/model.ts'
import { isBytes } from '../../values/natives.ts'
import type { Dialect } from '../dialect.ts'
import { sql } from '../sql.ts'
import { boundAsGiven, type Storing, storedDecimal, storedMoment } from '../storing.ts'

const asJson = (value: unknown) => JSON.stringify(value)

const storings: Partial<Record<Family, Storing['encode']>> = {
  integer: String,
  json: asJson,
  binary: (value) => Buffer.from(String(value), 'base64'),
}

export function storing(type: ValueType): Storing {
  if (type.isArray) return { encode: listOf(type) }
  if (type.family === 'geometry') return geometry(type)
  const moment = storedMoment(type)
  if (moment) return moment
  return {
    encode: type.family === 'decimal' ? storedDecimal(type) : (storings[type.family] ?? ((value) => value)),
    isAsGiven: boundAsGiven(type),
  }
}

function geometry({ srid }: ValueType): Storing {
  return {
    encode: asJson,
    around: (mark) =>
      srid === undefined
        ? sql`ST_GeomFromGeoJSON(${mark})`
        : sql`ST_SetSRID(ST_GeomFromGeoJSON(${mark}), ${sql.lit(srid)})`,
  }
}

/** A list in the server's own writing: `{"a","b",NULL}`. */
function listOf(type: ValueType): Storing['encode'] {
  const { encode } = storing({ ...type, isArray: false, family: fieldTypes[type.type].family })
  const element = (value: unknown) => {
    if (value === null || value === undefined) return 'NULL'
    const bound = encode(value)
    const text = isBytes(bound) ? `\\x${Buffer.from(bound).toString('hex')}` : String(bound)
    return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  }
  // A list is read as one.
  return (value) => `{${(value as readonly unknown[]).map(element).join(',')}}`
}

/** Only forward, and only where the role may: whoever may not has to number the keys alone anyway. */
export const countOn: NonNullable<Dialect['countOn']> = ({ table, dbSchema }, column, key) => {
  const name = [...(dbSchema === undefined ? [] : [dbSchema]), table].map(quoted).join('.')
  const sequence = sql`pg_get_serial_sequence(${sql.val(name)}, ${sql.val(column)})::regclass as s`
  // One that counts down, or ends before the key, never makes it.
  return sql`select setval(s, given) from (select ${sequence}, ${sql.val(String(key))}::bigint as given) as q join pg_sequence on seqrelid = s where seqincrement > 0 and seqmax >= given and has_sequence_privilege(s, 'UPDATE') and has_sequence_privilege(s, 'SELECT') and coalesce(pg_sequence_last_value(s), 0) < given`
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
