// Keys as the texts in which a many-to-any reference stores them.
import { isTemporal } from '../../types/families.ts'
import type { ValueType } from '../../types/field-types.ts'
import { isOfBytes } from '../bytes.ts'
import { numberingOf } from '../numbered-moments.ts'
import { type Sql, sql } from '../sql.ts'
import { bytesAsText } from './bytes.ts'
import { momentAsText, numberedMomentAsText } from './moments.ts'

export function keyFromText(text: Sql, key: ValueType): Sql | undefined {
  // Older versions cannot make bytes of text.
  if (isOfBytes(key)) return undefined
  if (key.family === 'uuid') return sql`case when ${text} glob ${sql.lit(uuidPattern)} then ${text} end`
  if (numberingOf(key) || isOfSql(key)) return undefined
  if (key.family !== 'integer') return text
  return sql`case when cast(cast(${text} as integer) as text) = ${text} then cast(${text} as integer) end`
}

const uuidPattern = [8, 4, 4, 4, 12].map((length) => '[0-9a-fA-F]'.repeat(length)).join('-')

export function keyAsText(key: Sql, type: ValueType): Sql {
  if (isOfBytes(type)) return bytesAsText(key, type)
  const numbering = numberingOf(type)
  if (numbering && isTemporal(type.family)) return numberedMomentAsText(key, type.family, numbering)
  if (isTemporal(type.family) && isOfSql(type)) return momentAsText(key, type.family)
  if (type.family === 'uuid') return sql`lower(${key})`
  return type.family === 'decimal' ? decimalText(key, type.scale) : sql`cast(${key} as text)`
}

/** True for text that is not in the form of results, in which a reference stores it. */
const isOfSql = ({ storage }: ValueType) => storage === 'sql'

/** A decimal with all its digits after the point, and at least as many as the field has: 10 is `10.00`, as in results. */
function decimalText(column: Sql, scale = 0): Sql {
  const zeros = '0'.repeat(scale)
  const digits = sql`select case when ${column} glob '*[eE]*' then printf('%.20f', ${column}) else cast(${column} as text) end as q`
  const short = sql`select case when instr(q, '.') then rtrim(rtrim(q, '0'), '.') else q end as q from (${digits})`
  const padding = sql`case when instr(q, '.') then substr(${sql.lit(zeros)}, length(q) - instr(q, '.') + 1) else ${sql.lit(scale > 0 ? `.${zeros}` : '')} end`
  return sql`(select q || ${padding} from (${short}))`
}
