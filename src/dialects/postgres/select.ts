// The clauses of a SELECT, and JSON made of its rows, as PostgreSQL writes them.
import type { Dialect } from '../dialect.ts'
import { memberArguments, memberGroups } from '../json-members.ts'
import { type Sql, sql } from '../sql.ts'

type SelectPhrases = Pick<
  Dialect,
  'page' | 'orderAgain' | 'jsonArray' | 'jsonObject' | 'jsonList' | 'toJson' | 'jsonText'
>

export const selectPhrases: SelectPhrases = {
  page: (limit, offset) =>
    sql`${limit ? sql` limit ${limit}` : sql``}${offset ? sql` offset ${offset}` : sql``}`,
  // A hash join may hand rows on in any order.
  orderAgain: (order) => sql` order by ${order}`,
  jsonArray: (elements) => sql`json_build_array(${sql.join(elements, sql`, `)})`,
  jsonObject: (members) => {
    const [first = sql`'{}'::json`, ...others] = memberGroups(members).map(
      (group) => sql`json_build_object(${memberArguments(group)})`,
    )
    return others.length === 0 ? first : sql`(${others.reduce(mergedText, first)})::json`
  },
  jsonList: ({ element, from, order }) => {
    const list = (value: Sql) => sql`coalesce(json_agg(${value}), '[]'::json)`
    if (!order) return sql`(select ${list(element)} from ${from})`
    return sql`(select ${list(sql`v`)} from (select ${element} as v from ${from} order by ${order}) as o)`
  },
  toJson: (value) => sql`to_json(${value})`,
  jsonText: (json) => sql`${json}::text`,
}

const mergedText = (one: Sql, other: Sql) =>
  sql`left((${one})::text, -1) || ',' || substr((${other})::text, 2)`
