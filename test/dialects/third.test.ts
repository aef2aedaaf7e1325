// A third database: phrases of MariaDB over the standard ones, and the texts that they make. Nothing but phrases is needed for another database.

import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { describe, expect, it } from 'vitest'
import { type Column, type Dialect, type Operand, type Sql, sql, standard } from '../../src/dialects.ts'
import { compileFilter, createEngine, defineSchema, explainItems, type Filter } from '../../src/index.ts'
import { many, maybeOne, moment, number, string } from '../support/fields.ts'

const schema = defineSchema({
  authors: {
    fields: { id: { type: 'integer', key: true }, name: string, articles: many('articles.author') },
  },
  articles: {
    fields: {
      id: { type: 'integer', key: true },
      title: string,
      views: number,
      published: moment,
      author: maybeOne('authors'),
    },
  },
})

const commas = (parts: readonly Sql[]) => sql.join(parts, sql`, `)
const typeOf = ({ type }: Pick<Column, 'type'>) => (type.family === 'integer' ? sql`bigint` : sql`text`)
/** Two texts are compared by code points. */
const compared = ({ sql: column, type }: Column) =>
  type.family === 'text' ? sql`${column} collate utf8mb4_nopad_bin` : column
const momentText = (column: Sql) => sql`date_format(${column}, '%Y-%m-%dT%H:%i:%s.%fZ')`
const boundValue = ({ at }: Operand) => at
const asIs = (column: Column) => {
  const cell = { sql: column.type.family === 'timestamp' ? momentText(column.sql) : column.sql }
  return { column: cell, element: cell, json: cell.sql }
}

const mariadb: Dialect = {
  ...standard,
  name: 'mariadb',
  compare: (column, sign, slot) =>
    column.type.family === 'timestamp'
      ? sql`${column.sql} ${sql.raw(sign)} cast(${slot(({ at }) => new Date(Number(at)).toISOString().slice(0, -1))} as datetime(6))`
      : sql`${compared(column)} ${sql.raw(sign)} ${slot(boundValue)}`,
  among: (column, list) =>
    sql`${compared(column)} in (select v from json_table(${list((operands) => `[${operands.map(({ at }) => (typeof at === 'string' ? JSON.stringify(at) : at)).join()}]`)}, '$[*]' columns (v ${typeOf(column)} path '$')) as j)`,
  match: (column, place, ignoreCase, text) => {
    const [whole, part] = ignoreCase
      ? [sql`lower(${column.sql})`, sql`lower(${text((needle) => needle)})`]
      : [compared(column), text((needle) => needle)]
    if (place === 'anywhere') return sql`locate(${part}, ${whole}) > 0`
    const side = place === 'start' ? sql`left` : sql`right`
    return sql`${side}(${whole}, char_length(${part})) = ${part}`
  },
  isEmpty: ({ sql: column, type }) =>
    sql`(${column} is null or ${column} = ${type.family === 'integer' ? sql`0` : sql`''`})`,
  datePart: (part, { sql: column }) => sql`extract(${sql.raw(part)} from ${column})`,
  jsonLength: ({ sql: column }) => sql`json_length(${column})`,
  jsonScalar: ({ sql: column }) => column,
  keyFromText: () => undefined,
  keyAsText: (key) => sql`cast(${key} as char)`,
  castText: (value) => sql`cast(${value} as char)`,
  reading: asIs,
  storing: () => ({ encode: (value) => value }),
  columnType: (type) => typeOf({ type }),
  shown: (column) => column,
  sum: (column) => ({ ...column, sql: sql`sum(${column.sql})` }),
  average: ({ sql: column }) => sql`avg(${column})`,
  extreme: (which, column) => ({ ...column, sql: sql`${sql.raw(which)}(${column.sql})` }),
  orderKey: (column, isDescending, isNullable) => {
    const direction = isDescending ? sql` desc` : sql``
    const nulls = isNullable ? sql`${column.sql} is null${direction}, ` : sql``
    return sql`${nulls}${compared(column)}${direction}`
  },
  page: (limit, offset) =>
    sql` limit ${limit ?? sql`18446744073709551615`}${offset ? sql` offset ${offset}` : sql``}`,
  jsonArray: (elements) => sql`json_array(${commas(elements)})`,
  jsonTuple: (elements) => sql`json_compact(json_array(${commas(elements)}))`,
  jsonObject: (members) =>
    sql`json_object(${commas(members.map(([name, value]) => sql`${sql.lit(name)}, ${value}`))})`,
  jsonList: ({ element, from, order }) =>
    sql`(select coalesce(json_arrayagg(${element}${order ? sql` order by ${order}` : sql``}), json_array()) from ${from})`,
  jsonItems: ({ members, ...list }) => mariadb.jsonList({ ...list, element: mariadb.jsonObject(members) }),
  orderInside: true,
  deleteFrom: (table, alias, where) =>
    alias ? sql`delete ${alias} from ${table}${where}` : sql`delete from ${table}${where}`,
  insertNothing: sql` () values ()`,
  returning: { insert: standard.returning.insert, delete: standard.returning.delete },
  numberedKey: sql`bigint auto_increment primary key`,
  lockRows: (select, use) => `${select} ${use === 'reference' ? 'lock in share mode' : 'for update'}`,
  now: () => sql`cast(unix_timestamp(now(3)) * 1000 as integer)`,
  settings: [
    sql`set sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,STRICT_ALL_TABLES'`,
    sql`set time_zone = '+00:00'`,
  ],
  transactionStatus: {
    probe: 'set transaction isolation level read committed',
    isShownBy: (failure) => failure !== undefined,
    isReportedByEach: false,
    isOver: () => false,
  },
  streaming: {
    kind: 'pages',
    bookmark: ({ sql: column }) => ({ selected: column, ordered: column, bound: (value) => value }),
  },
}

const compiled = (filter: Filter<typeof schema, 'articles'>) =>
  compileFilter({ schema, dialect: mariadb }, 'articles', filter).sql.replaceAll('"articles".', '')

describe('a filter on a third database', () => {
  it('is made of its phrases', () => {
    expect(compiled({ title: 'Tea', views: { _gt: 3 } })).toMatchInlineSnapshot(
      `"("title" collate utf8mb4_nopad_bin = ? and "views" > ?)"`,
    )
    expect(compiled({ title: { _nin: ['a', 'b'] } })).toMatchInlineSnapshot(
      `"(not ("title" collate utf8mb4_nopad_bin in (select v from json_table(?, '$[*]' columns (v text path '$')) as j)) and "title" is not null)"`,
    )
    expect(compiled({ title: { _istarts_with: 'te' } })).toMatchInlineSnapshot(
      `"left(lower("title"), char_length(lower(?))) = lower(?)"`,
    )
    expect(compiled({ published: { _lt: '2026-01-01T00:00:00Z' } })).toMatchInlineSnapshot(
      `""published" < cast(? as datetime(6))"`,
    )
    expect(
      compiled({ _or: [{ views: { _null: true } }, { title: { _nempty: true } }] }),
    ).toMatchInlineSnapshot(`"("views" is null or not ("title" is null or "title" = ''))"`)
  })

  it('goes through relations as everywhere', () => {
    expect(compiled({ author: { name: { _contains: 'Ada' } } })).toMatchInlineSnapshot(
      `"exists (select 1 from "authors" as "_q1" where "_q1"."id" = "author" and locate(?, "_q1"."name" collate utf8mb4_nopad_bin) > 0)"`,
    )
    expect(compiled({ author: { articles: { _none: { views: 0 } } } })).toMatchInlineSnapshot(
      `"(exists (select 1 from "authors" as "_q1" where "_q1"."id" = "author" and not exists (select 1 from "articles" as "_q2" where "_q2"."author" = "_q1"."id" and "_q2"."views" = ?)) or not exists (select 1 from "authors" as "_q3" where "_q3"."id" = "author"))"`,
    )
  })
})

describe('a list on a third database', () => {
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (own) => new PostgresIntrospector(own),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  const engine = createEngine({ db, schema, dialect: mariadb })

  it('is one statement, with its orders and pages', async () => {
    const { sql: text, parameters } = await explainItems(engine, 'articles', {
      fields: ['title', 'published', 'author.name'],
      sort: ['-views'],
      limit: 2,
      page: 2,
    })
    expect(text).toMatchInlineSnapshot(
      `"/* quernel */ select "_q2"."title" as "0", date_format("_q2"."published", '%Y-%m-%dT%H:%i:%s.%fZ') as "1", "_q3"."id" as "2", "_q3"."name" as "3" from (select "_q1"."title", "_q1"."published", "_q1"."author" from "articles" as "_q1" order by "_q1"."views" is null desc, "_q1"."views" desc, "_q1"."id" desc limit ? offset ?) as "_q2" left join "authors" as "_q3" on "_q3"."id" = "_q2"."author""`,
    )
    expect(parameters).toEqual([2, 2])
  })

  // MariaDB itself takes no outer name in a table that is derived: there a dialect needs a phrase for the whole list, which none has yet.
  it('has lists inside of items', async () => {
    const { sql: text } = await explainItems(engine, 'authors', {
      fields: ['name', 'articles.title'],
      filter: { articles: { views: { _in: [1, 2] } } },
    })
    expect(text).toMatchInlineSnapshot(
      `"/* quernel */ select "_q3"."name" as "0", (select coalesce(json_arrayagg(json_array("_q5"."title") order by "_q5"."_quernel_order_1"), json_array()) from (select "_q4"."title", "_q4"."id" as "_quernel_order_1" from "articles" as "_q4" where "_q4"."author" = "_q3"."id" order by "_q4"."id" limit ?) as "_q5") as "1" from (select "_q1"."name", "_q1"."id" from "authors" as "_q1" where exists (select 1 from "articles" as "_q2" where "_q2"."author" = "_q1"."id" and "_q2"."views" in (select v from json_table(?, '$[*]' columns (v bigint path '$')) as j)) order by "_q1"."id" limit ?) as "_q3""`,
    )
  })
})
