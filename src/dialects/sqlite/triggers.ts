import type { Dialect } from '../dialect.ts'
import { sql } from '../sql.ts'
import { identifier } from './sample-rows.ts'

/** Foreign keys refer to primary keys and unique columns only, so that updates of others never cascade. */
export const isFollowedByUpdate: Dialect['isFollowedByUpdate'] = (table, columns) => {
  if (columns.length === 0) return isFollowed(table)
  const name = sql.lit(table.table)
  const home = table.dbSchema === undefined ? sql`` : sql`, ${sql.lit(table.dbSchema)}`
  const isWritten = sql`collate nocase in (${sql.join(columns.map(sql.lit), sql`, `)})`
  const inKey = sql`select 1 from pragma_table_info(${name}${home}) where pk > 0 and name ${isWritten}`
  const inIndex = sql`select 1 from pragma_index_list(${name}${home}) as l, pragma_index_info(l.name${home}) as i where l."unique" and i.name ${isWritten}`
  return sql`(${isFollowed(table)} or exists (${inKey}) or exists (${inIndex}))`
}

/** Only triggers can write to a view. */
export const isFollowed: Dialect['isFollowed'] = ({ table, dbSchema }) => {
  const home = dbSchema === undefined ? sql`sqlite_master` : sql`${identifier(dbSchema)}.sqlite_master`
  const name = sql.lit(table)
  const own = sql`select 1 from ${home} where type = 'trigger' and tbl_name = ${name} collate nocase`
  // A connection may have temporary triggers of its own.
  return sql`(exists (${own}) or exists (select 1 from sqlite_temp_master where type = 'trigger' and tbl_name = ${name} collate nocase))`
}
