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
  formOf: (by) => {
    const { steps } = by as DocumentChange // read by the field
    const [, second, third] = steps
    if (!second) return 'one'
    return third || second.isStrict ? 'many' : 'two'
  },
  // PostgreSQL does not compute a WITH again for the row that an update has waited for.
  staleForm: 'many',
  // Most changes have one step or two, of which the server makes a recursion of steps many times as slow.
  add: (column, mark, form) => {
    const [doc, g] = [sql`${column}::jsonb`, sql`(${mark}::text::jsonb)`]
    const once = first(doc, g)
    if (form === 'one') return once
    const [p, o] = [sql`(${g} #>> '{1,0}')::text[]`, sql`(${g} -> 1)`]
    if (form === 'two')
      return sql`jsonb_set(${once}, ${p}, ${changed(object(sql`${doc} #> ${p}`, sql`'{}'`), o)})`
    return sql`(with recursive s(n, d, g) as (select 1, ${once}, ${g} union all select n + 1, ${stepped}, g from (select n, d, g, g -> n as o, (g -> n ->> 0)::text[] as p from s where n < jsonb_array_length(g)) as t) select d from s order by n desc limit 1)`
  },
} satisfies Partial<Storing>

const isNull = (value: Sql) => sql`coalesce(jsonb_typeof(${value}), 'null') = 'null'`
/** A sum out of range fails. */
const failing = (value: Sql) => sql`to_jsonb(9223372036854775807 + length(jsonb_typeof(${value})))`

/** The members of an object, without those that go, and with those that come. */
const changed = (object: Sql, step: Sql) => sql`((${object}) - (${step} ->> 1)::text[] || (${step} -> 2))`

const object = (place: Sql, otherwise: Sql) =>
  sql`case when jsonb_typeof(${place}) = 'object' then ${place} else ${otherwise} end`

/** The steps begin with one of the whole document. */
const first = (doc: Sql, steps: Sql) =>
  changed(object(doc, sql`case when ${isNull(doc)} then '{}' else ${failing(doc)} end`), sql`(${steps} -> 0)`)

const there = sql`d #> p`
const inside = object(
  there,
  sql`case when (o -> 3)::boolean and not ${isNull(there)} then ${failing(there)} else '{}' end`,
)
// An empty path leads nowhere.
const stepped = sql`case when o ->> 0 = '{}' then ${changed(sql`d`, sql`o`)} else jsonb_set(d, p, ${changed(inside, sql`o`)}) end`
