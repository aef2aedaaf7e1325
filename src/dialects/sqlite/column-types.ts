import type { Family } from '../../types/families.ts'
import type { ValueType } from '../../types/field-types.ts'
import { isOfBytes } from '../bytes.ts'
import { numberingOf } from '../numbered-moments.ts'
import { type Sql, sql } from '../sql.ts'

/** The column types; all other families are text. */
const types: Partial<Record<Family, Sql>> = {
  integer: sql`integer`,
  boolean: sql`integer`,
  float: sql`real`,
  decimal: sql`numeric`,
}

export function columnType(type: ValueType): Sql {
  if (isOfBytes(type) && !type.isArray) return sql`blob`
  if (numberingOf(type)) return sql`integer`
  return (type.storage === 'text' || type.isArray ? undefined : types[type.family]) ?? sql`text`
}
