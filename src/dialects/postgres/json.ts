// JSON on PostgreSQL: jsonb or json, or an array, which is read as JSON.
import { elementType, type ValueType } from '../../types/field-types.ts'
import type { Column, JsonScalar } from '../phrase-types.ts'
import { type Sql, sql } from '../sql.ts'
import { isOther, otherList } from './other-types.ts'
import { jsonPathText } from './text.ts'

export function jsonScalar(column: Column, kind: JsonScalar): Sql {
  const value = document(column)
  return sql`case when jsonb_typeof(${value}) = ${typeNames[kind]} then ${casts[kind](value)} end`
}

const typeNames = {
  number: sql`'number'`,
  text: sql`'string'`,
  boolean: sql`'boolean'`,
} as const satisfies Record<JsonScalar, Sql>
const casts = {
  number: (value) => sql`(${value} #>> '{}')::numeric`,
  text: (value) => sql`${value} #>> '{}'`,
  boolean: (value) => sql`(${value})::boolean`,
} as const satisfies Record<JsonScalar, (value: Sql) => Sql>

export const jsonIsNull = (column: Column): Sql =>
  sql`coalesce(jsonb_typeof(${document(column)}), 'null') = 'null'`

export function jsonIsEmpty(column: Column): Sql {
  // Quoted, because a bare null in an array is SQL's, to which nothing compares.
  return sql`coalesce(${document(column)} = any('{"null",false,0,"\\"\\"","[]","{}"}'::jsonb[]), true)`
}

export function jsonLength(column: Column): Sql {
  const value = document(column)
  const others = sql`when 'null' then null else case when ${value} is not null then 0 end`
  return sql`case jsonb_typeof(${value}) when 'array' then jsonb_array_length(${value}) ${others} end`
}

/** The whole value, or the one at the column's path. */
export function document({ sql: column, type, path }: Column): Sql {
  const whole = type.isArray ? listIn(column, elementType(type)) : sql`${column}::jsonb`
  // The last argument suppresses the errors of strict paths where there is nothing.
  return path ? sql`jsonb_path_query_first(${whole}, ${path(jsonPathText)}::jsonpath, '{}', true)` : whole
}

const listIn = (list: Sql, element: ValueType): Sql =>
  isOther(element) ? otherList(list, element) : sql`to_jsonb(${list})`
