import type { Dialect } from '../dialect.ts'
import { sql } from '../sql.ts'
import { identifier } from './sample-rows.ts'

/** Only triggers can write to a view. */
export const isFollowed: Dialect['isFollowed'] = ({ table, dbSchema }) => {
  const home = dbSchema === undefined ? sql`sqlite_master` : sql`${identifier(dbSchema)}.sqlite_master`
  const name = sql.lit(table)
  const own = sql`select 1 from ${home} where type = 'trigger' and tbl_name = ${name} collate nocase`
  // A connection may have temporary triggers of its own.
  return sql`(exists (${own}) or exists (select 1 from sqlite_temp_master where type = 'trigger' and tbl_name = ${name} collate nocase))`
}
