// Changes of documents that SQLite stores as text. What is untouched keeps its text, numbers without end included.
import { type Sql, sql } from '../sql.ts'
import type { DocumentChange, Storing } from '../stored-values.ts'
import { jsonPathText } from './text.ts'

/** A patch is bound as an object, and other steps as a list: the path of a member with its value, or the path of what has to be an object. */
export const changing = {
  encodeAdded: (by) => {
    const { steps, patch } = by as DocumentChange // read by the field
    return JSON.stringify(
      patch ?? steps.flatMap(({ path, put }) => [[jsonPathText(path)], ...settings(path, put)]),
    )
  },
  add: (column, mark) =>
    sql`(select case when json_type(g) = 'object' then json_patch(doc, g) else ${stepped} end from (select ${object(column)} as doc, ${mark} as g))`,
} satisfies Partial<Storing>

const settings = (path: readonly string[], put: Readonly<Record<string, unknown>>) =>
  Object.entries(put).map(([name, value]) => [jsonPathText([...path, name]), value])

/** Nothing has the opposite of the least integer, so that the statement fails as for a sum out of range. */
const fails = sql`abs(-9223372036854775807 - 1)`

/** A stored document that is an object. Malformed text is none. */
const object = (column: Sql): Sql =>
  sql`case when ${column} is null then '{}' when not json_valid(${column}) then ${fails} else case json_type(${column}) when 'object' then ${column} when 'null' then '{}' else ${fails} end end`

const place = sql`json_extract(g, '$[' || n || '][0]')`
const isSet = sql`json_array_length(g, '$[' || n || ']') = 2`
const set = sql`json_set(d, ${place}, json(g -> ('$[' || n || '][1]')))`
const made = sql`case coalesce(json_type(d, ${place}), 'null') when 'object' then d when 'null' then json_set(d, ${place}, json('{}')) else ${fails} end`
const stepped = sql`(with recursive s(n, d) as (select 0, doc union all select n + 1, case when ${isSet} then ${set} else ${made} end from s where n < json_array_length(g)) select d from s order by n desc limit 1)`
