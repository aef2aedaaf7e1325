import type { Family } from '../../types/families.ts'
import { elementType, type ValueType } from '../../types/field-types.ts'
import { isOfBytes } from '../bytes.ts'
import { numberingOf } from '../numbered-moments.ts'
import { type Sql, sql } from '../sql.ts'
import { isOther, typeName } from './other-types.ts'

/** True if a column has the database's own type, where it has one. Canonical text, and that of SQL, is of databases that have none. */
export const isNative = ({ storage }: ValueType): boolean =>
  storage === undefined || nativeStorages.has(storage)
const nativeStorages: ReadonlySet<string> = new Set(['native', 'canonical', 'sql'])

/** The column types; all other families are text. */
const types: Partial<Record<Family, Sql>> = {
  integer: sql`bigint`,
  boolean: sql`boolean`,
  float: sql`double precision`,
  decimal: sql`numeric`,
  uuid: sql`uuid`,
  date: sql`date`,
  time: sql`time`,
  dateTime: sql`timestamp`,
  timestamp: sql`timestamptz`,
  json: sql`jsonb`,
  geometry: sql`geometry`,
}

export function columnType(type: ValueType): Sql {
  if (type.isArray) return sql`${columnType(elementType(type))}[]`
  if (isOfBytes(type)) return sql`bytea`
  if (isOther(type)) return typeName(type)
  if (numberingOf(type)) return sql`bigint`
  return (type.storage === 'text' ? undefined : types[type.family]) ?? sql`text`
}
