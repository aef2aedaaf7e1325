// JSON that SQLite stores as text. Stored text may be malformed, so it is checked by `json_valid` first.
import type { Column, JsonScalar } from '../phrase-types.ts'
import { type Sql, sql } from '../sql.ts'
import { jsonPathText } from './text.ts'

export function jsonScalar(column: Column, kind: JsonScalar): Sql {
  const value = sql`case when ${typeAt(column)} in ${scalarTypes[kind]} then json_extract(${place(column)}) end`
  return sql`case when json_valid(${column.sql}) then ${value} end`
}

const scalarTypes = {
  number: sql`('integer', 'real')`,
  text: sql`('text')`,
  boolean: sql`('true', 'false')`,
} as const satisfies Record<JsonScalar, Sql>

export function jsonIsNull(column: Column): Sql {
  return whenValid(column, sql`coalesce(${typeAt(column)}, 'null') = 'null'`, sql`${column.sql} is null`)
}

export function jsonIsEmpty(column: Column): Sql {
  const value = sql`json_extract(${place(column)})`
  const constants = sql`when 'null' then 1 when 'false' then 1 when 'true' then 0`
  const containers = sql`when 'array' then json_array_length(${place(column)}) = 0 when 'object' then ${value} = '{}'`
  const scalars = sql`when 'text' then ${value} = '' else ${value} = 0`
  const falsy = sql`case coalesce(${typeAt(column)}, 'null') ${constants} ${containers} ${scalars} end`
  return whenValid(column, falsy, sql`(${column.sql} is null or ${column.sql} = '')`)
}

/** Malformed text counts as that text, in which no path exists. */
function whenValid(column: Column, valid: Sql, otherwise: Sql): Sql {
  return sql`(case when json_valid(${column.sql}) then ${valid} else ${column.path ? sql`1` : otherwise} end)`
}

export function jsonLength({ sql: column }: Column): Sql {
  const count = sql`case json_type(${column}) when 'array' then json_array_length(${column}) when 'null' then null else 0 end`
  return sql`case when ${column} is null then null when json_valid(${column}) then ${count} else 0 end`
}

const typeAt = (column: Column) => sql`json_type(${place(column)})`
// Without a path json_extract returns NULL.
const place = ({ sql: column, path }: Column) => sql`${column}, ${path ? path(jsonPathText) : sql`'$'`}`
