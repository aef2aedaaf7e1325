// Changes of documents, step by step. jsonb keeps numbers as they are written, and of a name that stands twice the last.
import { type Sql, sql } from '../sql.ts'
import type { DocumentChange, Storing } from '../stored-values.ts'
import { arrayText } from './array-text.ts'

export const changing = {
  encodeAdded: (by) => {
    const { steps } = by as DocumentChange // read by the field
    return JSON.stringify(
      steps.map(({ path, gone, put, isStrict }) => [arrayText(path), arrayText(gone), put, isStrict]),
    )
  },
  add: (column, mark) =>
    sql`(select case jsonb_array_length(g) when 1 then ${first} when 2 then ${second} else (with recursive s(n, d) as (select 1, ${first} union all select n + 1, ${stepped} from (select n, d, g -> n as o, (g -> n ->> 0)::text[] as p from s where n < jsonb_array_length(g)) as t) select d from s order by n desc limit 1) end from (select ${column}::jsonb as doc, ${mark}::text::jsonb as g) as q)`,
} satisfies Partial<Storing>

const isNull = (value: Sql) => sql`coalesce(jsonb_typeof(${value}), 'null') = 'null'`
/** A sum out of range fails. */
const failing = (value: Sql) => sql`to_jsonb(9223372036854775807 + length(jsonb_typeof(${value})))`

/** The members of an object, without those that go, and with those that come. */
const changed = (object: Sql, step: Sql) => sql`((${object}) - (${step} ->> 1)::text[] || (${step} -> 2))`

/** The steps begin with one of the whole document. */
const first = changed(
  sql`case when jsonb_typeof(doc) = 'object' then doc when ${isNull(sql`doc`)} then '{}' else ${failing(sql`doc`)} end`,
  sql`g -> 0`,
)
const there = sql`d #> p`
const object = sql`case when jsonb_typeof(${there}) = 'object' then ${there} when (o -> 3)::boolean and not ${isNull(there)} then ${failing(there)} else '{}' end`
// An empty path leads nowhere.
const stepped = sql`case when o ->> 0 = '{}' then ${changed(sql`d`, sql`o`)} else jsonb_set(d, p, ${changed(object, sql`o`)}) end`
/** Most changes have two steps, of which the server makes a recursion of steps three times as slow. */
const second = sql`(select ${stepped} from (select ${first} as d, g -> 1 as o, (g -> 1 ->> 0)::text[] as p offset 0) as t)`
