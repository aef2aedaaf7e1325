// The clauses of a SELECT, sums and averages, and JSON made of its rows, on SQLite.
import type { Dialect } from '../dialect.ts'
import { jsonObject } from '../json-members.ts'
import type { Column } from '../phrase-types.ts'
import { type Sql, sql } from '../sql.ts'
import { bytesAsText } from './without-bytes.ts'

type ClausePhrases = Pick<
  Dialect,
  | 'sum'
  | 'average'
  | 'page'
  | 'nameOutside'
  | 'jsonArray'
  | 'jsonTuple'
  | 'numberInTuple'
  | 'jsonObject'
  | 'jsonList'
  | 'jsonItems'
  | 'jsonAgain'
>

// No `orderAgain`: the left side of a LEFT JOIN is always the outer loop, so rows keep the order of their subselect.
export const selectPhrases: ClausePhrases = {
  sum: (column, isDistinct) => ({
    ...column,
    sql: sql`sum(${distinct(isDistinct)}${numeric(column)})`,
    type: { ...column.type, storage: undefined },
  }),
  average: (column, isDistinct) => sql`avg(${distinct(isDistinct)}${numeric(column)})`,
  // Quoted or not, these two are constants in SQLite, so a column of a subselect with such a name gets another one.
  nameOutside: (column) => (/^(true|false)$/i.test(column) ? `_quernel_${column}` : column),
  // OFFSET needs a LIMIT, and an ordered subselect without one may lose its order: SQLite drops what it
  // considers redundant.
  page: (limit, offset) => sql` limit ${limit ?? sql`-1`}${offset ? sql` offset ${offset}` : sql``}`,
  jsonArray: (elements) => sql`json_array(${sql.join(elements, sql`, `)})`,
  jsonTuple: (elements) => sql`json_array(${sql.join(elements, sql`, `)})`,
  numberInTuple: bytesAsText,
  jsonObject: (members) =>
    jsonObject(members, {
      of: (group) => sql`json_object(${group})`,
      merged: (one, other) => sql`${withoutBrace(one)} || ',' || substr(${other}, 2)`,
      parsed: (text) => sql`json(${text})`,
    }),
  // An empty list is '[]' as well: an aggregate always has a row.
  jsonList: ({ element, from }) => sql`(select json_group_array(${element}) from ${from})`,
  jsonItems: ({ members, from, order }) =>
    selectPhrases.jsonList({ element: selectPhrases.jsonObject(members), from, order }),
  // Since 3.54 the result of a subselect is plain text. Parsing it again costs a third of a list of lists.
  jsonAgain: {
    of: (subselect) => sql`json(${subselect})`,
    isIdle: sql`select json_array((select json_group_array(value) from json_each('[1]'))) = '[[1]]' as "0"`,
  },
}

const withoutBrace = (text: Sql) => sql`(select substr(v, 1, length(v) - 1) from (select ${text} as v))`

const distinct = (isDistinct: boolean) => (isDistinct ? sql`distinct ` : sql``)

/** An infinite number reads as null, so it is not counted. */
function numeric({ sql: column, type }: Column): Sql {
  if (type.family === 'float') return sql`case when abs(${column}) < 9e999 then ${column} end`
  return type.family === 'decimal' && type.storage === 'text' ? sql`cast(${column} as numeric)` : column
}
