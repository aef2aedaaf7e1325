// Bytes on PostgreSQL: bytea.
import type { ValueType } from '../../types/field-types.ts'
import { canonicalKeys } from '../bytes.ts'
import type { Column, Reading } from '../phrase-types.ts'
import { textFrom } from '../read-values.ts'
import { type Sql, sql } from '../sql.ts'

export function readBytes({ sql: column, type }: Column): Reading {
  const text = bytesAsText(column, type)
  // The server breaks lines of base64, and removing them there takes longer.
  if (type.family === 'binary' && type.encoding === 'base64') {
    const cell = { sql: sql`encode(${column}, 'base64')`, read: onOneLine }
    return { column: cell, element: cell, json: text }
  }
  return { column: { sql: text }, element: { sql: text }, json: text }
}

const onOneLine = (base64: NonNullable<unknown>) => textFrom(base64).replaceAll('\n', '')

/** Bytes in the form of results. */
export function bytesAsText(column: Sql, { family, encoding }: ValueType): Sql {
  const digits = sql`encode(${column}, 'hex')`
  if (family === 'uuid')
    return sql`case when length(${column}) = 16 then ${digits}::uuid::text else ${digits} end`
  return encoding === 'hex' ? digits : sql`translate(encode(${column}, 'base64'), chr(10), '')`
}

/** The bytes that a text shows; null if it is not in the form of results. */
export function bytesFromText(text: Sql, { family, encoding }: ValueType): Sql {
  const form = family === 'uuid' ? 'uuid' : encoding
  const read =
    form === 'uuid' ? sql`decode(replace(${text}, '-', ''), 'hex')` : sql`decode(${text}, ${sql.lit(form)})`
  return sql`case when ${text} ~ ${sql.lit(canonicalKeys[form])} then ${read} end`
}
