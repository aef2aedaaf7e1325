// Sums and averages on SQLite.
import type { Column } from '../phrase-types.ts'
import { type Sql, sql } from '../sql.ts'

export const sum = (column: Column, isDistinct: boolean): Column => ({
  ...column,
  sql: sql`sum(${distinct(isDistinct)}${numeric(column)})`,
  type: { ...column.type, storage: undefined },
})

export const average = (column: Column, isDistinct: boolean): Sql =>
  sql`avg(${distinct(isDistinct)}${numeric(column)})`

const distinct = (isDistinct: boolean) => (isDistinct ? sql`distinct ` : sql``)

/** An infinite number reads as null, so it is not counted. */
function numeric({ sql: column, type }: Column): Sql {
  if (type.family === 'float') return sql`case when abs(${column}) < 9e999 then ${column} end`
  return type.family === 'decimal' && type.storage === 'text' ? sql`cast(${column} as numeric)` : column
}
