import type { CataloguePhrases } from '../catalogue.ts'
import { type Sql, sql } from '../sql.ts'
import { identifier } from './sample-rows.ts'

/** Asks the indexes, and the table where its key is the number of the row, which has no index. */
export const uniqueness: NonNullable<CataloguePhrases['uniqueness']> = ({ table, dbSchema }, columns) => {
  const place = dbSchema === undefined ? sql`` : sql`, ${sql.lit(dbSchema)}`
  const home = dbSchema === undefined ? sql`` : sql`${identifier(dbSchema)}.`
  const list = sql`pragma_index_list(${sql.lit(table)}${place})`
  const names = sql.join(columns.map(sql.lit), sql`, `)
  const count = sql.lit(columns.length)
  const own = sql.join(
    columns.map((column) => {
      const rows = sql`select ${identifier(column)} as v from ${home}${identifier(table)} where 0`
      return sql`select ${sql.lit(column)} as name, ${collationOf(rows)} as collation`
    }),
    sql` union all `,
  )
  const parts = sql`pragma_index_xinfo(l.name${place}) as x left join (${own}) as c on c.name = x.name collate nocase where x.key`
  const has = (isUnfit: Sql, isMore: Sql) =>
    sql`exists (select 1 from ${list} as l where l."unique" and not l.partial and not exists (select 1 from ${parts} and (c.name is null or ${isUnfit}))${isMore})`
  const number = sql`(select max(name) from pragma_table_info(${sql.lit(table)}${place}) where pk > 0 having count(*) = 1)`
  const isNumber = sql`${number} collate nocase in (${names}) and not exists (select 1 from ${list} where origin = 'pk')`
  const isOther = sql`upper(x.coll) <> c.collation`
  return {
    areUnique: sql`(${isNumber} or ${has(sql`${isOther} and c.collation <> 'BINARY'`, sql``)})`,
    areKey: sql`(${count} = 1 and ${isNumber} or ${has(isOther, sql` and (select count(*) from pragma_index_xinfo(l.name${place}) where key) = ${count}`)})`,
  }
}

/** The collation of a column, which no pragma says: a union compares by that of its first part. One of another name is taken for the one of SQLite
 *  that it is most like, and indexes that have it as well count for nothing. */
function collationOf(rows: Sql): Sql {
  const isSame = (one: string, other: string) =>
    sql`(select count(*) from (${rows} union select ${sql.lit(one)} union select ${sql.lit(other)})) = 1`
  return sql`case when ${isSame('a', 'A')} then 'NOCASE' when ${isSame('a', 'a ')} then 'RTRIM' else 'BINARY' end`
}
