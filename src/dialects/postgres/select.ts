// The clauses of a SELECT, sums and averages, and JSON made of its rows, on PostgreSQL.
import { hasMoreBytes } from '../../values/guards.ts'
import type { Dialect } from '../dialect.ts'
import { jsonObject } from '../json-members.ts'
import type { Column } from '../phrase-types.ts'
import { identifier, type Sql, sql } from '../sql.ts'
import { isNoNumber, mayBeInfinite } from './infinities.ts'

type ClausePhrases = Pick<
  Dialect,
  | 'sum'
  | 'average'
  | 'orderAgain'
  | 'madeFirst'
  | 'joinEach'
  | 'lateral'
  | 'jsonArray'
  | 'jsonTuple'
  | 'textInTuple'
  | 'jsonObject'
  | 'jsonList'
  | 'jsonItems'
  | 'mostRowsAsText'
  | 'toJson'
  | 'jsonText'
  | 'byteLength'
  | 'jsonNumber'
  | 'deleteHeld'
  | 'writeTelling'
>

export const selectPhrases: ClausePhrases = {
  sum: (column, isDistinct) => ({
    ...column,
    sql: sql`sum(${distinct(isDistinct)}${numeric(column)})`,
    type: { ...column.type, storage: undefined, is64Bit: true },
  }),
  average: (column, isDistinct) => sql`avg(${distinct(isDistinct)}${numeric(column)})::float8`,
  // A hash join may return rows in any order.
  orderAgain: (order) => sql` order by ${order}`,
  // Given the final order, the planner would sort all rows to group them instead of hashing them.
  madeFirst: (named) => {
    const made = named.map(([name, select]) => sql`${name} as materialized (${select})`)
    return sql`with ${sql.join(made, sql`, `)} `
  },
  // Otherwise it would hash the whole table, for each row of another if a list is inside one, and lose the
  // order of a page besides; the OFFSET prevents the planner from flattening the subselect.
  joinEach: (table, alias, on) =>
    sql` left join lateral (select * from ${table} where ${on} offset 0) as ${alias} on true`,
  lateral: sql`lateral `,
  jsonArray: (elements) => sql`json_build_array(${sql.join(elements, sql`, `)})`,
  // An array that the server writes has blanks behind its commas.
  jsonTuple: (elements) => {
    const texts = elements.map((element) => sql`to_json(${element})::text`)
    return sql`('[' || ${sql.join(texts, sql` || ',' || `)} || ']')`
  },
  // A cast would take the blanks off the end of a char(n), which its own value has.
  textInTuple: (column) => column,
  jsonObject: (members) =>
    jsonObject(members, {
      of: (group) => sql`json_build_object(${group})`,
      merged: (one, other) => sql`left((${one})::text, -1) || ',' || substr((${other})::text, 2)`,
      parsed: (text) => sql`(${text})::json`,
    }),
  jsonList: ({ element, from, order }) => {
    const list = (value: Sql) => sql`coalesce(json_agg(${value}), '[]'::json)`
    if (!order) return sql`(select ${list(element)} from ${from})`
    return sql`(select ${list(sql`v`)} from (select ${element} as v from ${from} order by ${order}) as o)`
  },
  jsonItems: ({ members, from, order }) => {
    // A name that is too long for an identifier would be cut.
    const isShort = members.length > 0 && !members.some(([name]) => hasMoreBytes(longestIdentifier, name))
    if (!isShort) return selectPhrases.jsonList({ element: selectPhrases.jsonObject(members), from, order })
    const columns = members.map(([name, value]) => sql`${value} as ${identifier(name)}`)
    const rows = sql`select ${sql.join(columns, sql`, `)} from ${from}${order ? sql` order by ${order}` : sql``}`
    // No member can have the name of the rows: none begins with an underscore. A column around them may, so
    // they are no bare name.
    return sql`(select coalesce(json_agg(_rows.*), '[]'::json) from (${rows}) as _rows)`
  },
  mostRowsAsText: 300,
  toJson: (value) => sql`to_json(${value})`,
  jsonText: (json) => sql`${json}::text`,
  byteLength: (value) => sql`octet_length((${value})::text)`,
  jsonNumber: (text) => sql`(${text})::json`,
  // A subselect in a condition would run again for a row that has changed while the statement waited for it, and see that row alone.
  deleteHeld: ({ table, held, condition, key, where }) => {
    const keys = key ? sql`array_agg(${key})` : sql`null`
    const isHeld = key ? sql`${key} = any (quernel_keys)` : where
    return sql`with quernel_held (quernel_is, quernel_keys) as materialized (select ${condition}, ${keys} from ${held}) delete from ${table} using quernel_held where quernel_is and ${isHeld}`
  },
  writeTelling: (write, returned, key, most, types) => {
    const list = sql`(select json_agg(v order by k)::text from gone)`
    return sql`with gone as (${write} returning ${returned} as v, ${key} as k) select t as "0", case when n <= ${sql.lit(most)} then ${list} end as "1"${types} from (select count(*)::text as t, count(*) as n from gone) as c`
  },
}

/** Lists whose order stands inside the aggregate. */
export const listInOrder: Pick<Dialect, 'jsonList' | 'jsonItems'> = {
  jsonList: ({ element, from, order }) =>
    order
      ? sql`(select coalesce(json_agg(${element} order by ${order}), '[]'::json) from ${from})`
      : selectPhrases.jsonList({ element, from, order }),
  jsonItems: ({ members, from, order }) =>
    listInOrder.jsonList({ element: selectPhrases.jsonObject(members), from, order }),
}

const longestIdentifier = 63

const distinct = (isDistinct: boolean) => (isDistinct ? sql`distinct ` : sql``)

/** Infinities and NaN read as null, so they are not counted. */
function numeric(column: Column): Sql {
  const { sql: value, type } = column
  if (type.family === 'decimal' && type.storage === 'text') return sql`${value}::numeric`
  return mayBeInfinite(column) ? sql`case when not ${isNoNumber(column)} then ${value} end` : value
}
