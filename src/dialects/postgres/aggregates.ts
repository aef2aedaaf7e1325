// Sums and averages on PostgreSQL, which adds integers and decimals without rounding.
import type { Column } from '../phrase-types.ts'
import { type Sql, sql } from '../sql.ts'
import { isNoNumber, mayBeInfinite } from './infinities.ts'

export const sum = (column: Column, isDistinct: boolean): Column => ({
  ...column,
  sql: sql`sum(${distinct(isDistinct)}${numeric(column)})`,
  type: { ...column.type, storage: undefined, is64Bit: true },
})

export const average = (column: Column, isDistinct: boolean): Sql =>
  sql`avg(${distinct(isDistinct)}${numeric(column)})::float8`

const distinct = (isDistinct: boolean) => (isDistinct ? sql`distinct ` : sql``)

/** Infinities and NaN read as null, so they are not counted. */
function numeric(column: Column): Sql {
  const { sql: value, type } = column
  if (type.family === 'decimal' && type.storage === 'text') return sql`${value}::numeric`
  return mayBeInfinite(column) ? sql`case when not ${isNoNumber(column)} then ${value} end` : value
}
