// Keys as the texts in which a many-to-any reference stores them.
import { type Family, isTemporal } from '../../types/families.ts'
import type { ValueType } from '../../types/field-types.ts'
import { isOfBytes } from '../bytes.ts'
import { type Sql, sql } from '../sql.ts'
import { bytesAsText, bytesFromText } from './bytes.ts'
import { enumName } from './identifiers.ts'
import { momentAsText } from './moments.ts'
import { isOther, otherAsText } from './other-types.ts'
import { decimalText } from './read-columns.ts'

export function keyFromText(text: Sql, key: ValueType): Sql | undefined {
  const { family, storage, enumType, values = [] } = key
  if (enumType !== undefined) {
    const labels = sql.join(
      values.map((label) => sql.lit(label)),
      sql`, `,
    )
    return sql`case when ${text} in (${labels}) then ${text}::${enumName(enumType)} end`
  }
  if (storage === 'text') return text
  if (isOfBytes(key)) return bytesFromText(text, key)
  // Only a cast can tell whether a date exists, and it fails if not.
  if (isTemporal(family) || isOther(key)) return undefined
  return keyForms[family]?.(text) ?? text
}

/** Guards: a cast of any other text would fail the statement, and a join on `id::text` could use no index. */
const keyForms: Partial<Record<Family, (text: Sql) => Sql>> = {
  integer: (text) => sql`case when ${text} ~ '^(0|-?[1-9][0-9]{0,18})$' then
    case when ${text}::numeric between -9223372036854775808 and 9223372036854775807 then ${text}::bigint end end`,
  decimal: (text) => sql`case when ${text} ~ ${plainNumber} then ${text}::numeric end`,
  float: (text) => sql`case when ${text} ~ ${plainNumber} then ${text}::float8 end`,
  uuid: (text) =>
    sql`case when ${text} ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then ${text}::uuid end`,
}

const plainNumber = sql`'^-?[0-9]{1,255}([.][0-9]{1,255})?$'`

export function keyAsText(key: Sql, type: ValueType): Sql {
  const { family, storage, scale } = type
  if (storage === 'text') return family === 'uuid' ? sql`lower(${key}::text)` : sql`${key}::text`
  if (isOfBytes(type)) return bytesAsText(key, type)
  if (isOther(type)) return otherAsText(key, type)
  if (isTemporal(family))
    return momentAsText({ sql: key, type, byCodePoint: false, negationMatchesNull: false }, family)
  return family === 'decimal' ? decimalText(key, scale) : sql`${key}::text`
}
