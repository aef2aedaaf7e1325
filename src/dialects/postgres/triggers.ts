import type { Dialect } from '../dialect.ts'
import { sql } from '../sql.ts'
import { tableText } from './identifiers.ts'

/** Views and partitioned tables write elsewhere. Triggers of foreign keys do not change the referencing row. */
export const isFollowed: Dialect['isFollowed'] = (table) =>
  sql`(select relkind <> 'r' or relhasrules or relhassubclass or relhastriggers and exists (select 1 from pg_catalog.pg_trigger where tgrelid = pg_class.oid and not tgisinternal) from pg_catalog.pg_class where oid = ${sql.lit(tableText(table))}::regclass)`

/** A foreign key cascades only when the columns that it refers to change. */
export const isFollowedByUpdate: Dialect['isFollowedByUpdate'] = (table, columns) => {
  if (columns.length === 0) return isFollowed(table)
  const names = sql.join(columns.map(sql.lit), sql`, `)
  const cascades = sql`select 1 from pg_catalog.pg_constraint join pg_catalog.pg_attribute on attrelid = confrelid and attnum = any (confkey) where contype = 'f' and confrelid = ${sql.lit(tableText(table))}::regclass and confupdtype in ('c', 'n', 'd') and attname in (${names})`
  return sql`(${isFollowed(table)} or exists (${cascades}))`
}
