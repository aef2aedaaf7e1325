// Changes of documents, step by step. jsonb keeps numbers as they are written, and of a name that stands twice the last.
import { type Sql, sql } from '../sql.ts'
import type { DocumentChange, Storing } from '../stored-values.ts'

export const changing = {
  encodeAdded: (by) => {
    const { steps } = by as DocumentChange // read by the field
    return JSON.stringify(steps.map(({ path, gone, put, isStrict }) => [path, gone, put, isStrict]))
  },
  add: (column, mark) =>
    sql`(select case when jsonb_array_length(g) = 1 then ${first} else (with recursive s(n, d) as (select 1, ${first} union all select n + 1, ${next} from s where n < jsonb_array_length(g)) select d from s order by n desc limit 1) end from (select ${column}::jsonb as doc, ${mark}::text::jsonb as g) as q)`,
} satisfies Partial<Storing>

/** The steps begin with one of the whole document. */
const first = changed(sql`doc`, sql`g -> 0`)
const place = sql`${names(sql`g -> n -> 0`)}`
// An empty path leads nowhere.
const next = sql`case when g -> n -> 0 = '[]' then ${changed(sql`d`, sql`g -> n`)} else jsonb_set(d, ${place}, ${changed(sql`d #> ${place}`, sql`g -> n`)}) end`

function changed(value: Sql, step: Sql): Sql {
  // A sum out of range fails.
  const fails = sql`to_jsonb(9223372036854775807 + length(jsonb_typeof(${value})))`
  const other = sql`case when (${step} -> 3)::boolean then ${fails} else '{}' end`
  const object = sql`case coalesce(jsonb_typeof(${value}), 'null') when 'object' then ${value} when 'null' then '{}' else ${other} end`
  return sql`((${object}) - ${names(sql`${step} -> 1`)} || (${step} -> 2))`
}

function names(list: Sql): Sql {
  return sql`array(select jsonb_array_elements_text(${list}))`
}
