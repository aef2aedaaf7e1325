// Infinities and NaN, which numbers and timestamps may be on PostgreSQL, and which read as null; and values that compare in memory as they do
// there.
import { type Family, isTemporal } from '../../types/families.ts'
import type { Dialect } from '../dialect.ts'
import type { Column, Sign } from '../phrase-types.ts'
import { type Sql, sql } from '../sql.ts'
import { isNative } from './column-types.ts'

export const isNoNumber = ({ sql: column }: Column): Sql =>
  sql`(${column} is null or ${column} in ('NaN', 'infinity', '-infinity'))`

export const isNoMoment = ({ sql: column }: Column): Sql =>
  sql`(${column} is null or ${column} in ('infinity', '-infinity'))`

/** True if the column's type has infinities. Text and integers have none. */
export const mayBeInfinite = ({ type }: Column): boolean => knowInfinity.has(type.family) && isNative(type)

const knowInfinity: ReadonlySet<Family> = new Set(['float', 'decimal', 'date', 'dateTime', 'timestamp'])

/** The comparison, without infinite values: they are neither more nor less than anything. An index serves both bounds. */
export function andFinite({ sql: column }: Column, sign: Sign, comparison: Sql): Sql {
  return sign === '=' ? comparison : sql`(${comparison} and ${column} ${otherEnd[sign]})`
}

// NaN sorts above infinity.
const otherEnd = {
  '<': sql`> '-infinity'`,
  '<=': sql`> '-infinity'`,
  '>': sql`< 'infinity'`,
  '>=': sql`< 'infinity'`,
} as const satisfies Record<Exclude<Sign, '='>, Sql>

/** Texts that are read as a UUID or a moment may be in several forms. */
export const isOrdinary: NonNullable<Dialect['isOrdinary']> = (column) => {
  const { sql: value, type } = column
  const isRead = isTemporal(type.family) || type.family === 'uuid'
  if (type.isArray || (isRead && !isNative(type))) return sql`${value} is null`
  return mayBeInfinite(column) ? sql`(${value} is null or not ${isNoMoment(column)})` : undefined
}

/** Types of the database's own sort as they are shown, or finer. */
export const sortsAsShown: NonNullable<Dialect['sortsAsShown']> = () => undefined
