import type { Dialect } from '../dialect.ts'
import { sql } from '../sql.ts'
import { tableText } from './identifiers.ts'

/** Views and partitioned tables write elsewhere. Triggers of foreign keys do not change the referencing row. */
export const isFollowed: Dialect['isFollowed'] = (table) =>
  sql`(select relkind <> 'r' or relhasrules or relhassubclass or exists (select 1 from pg_catalog.pg_trigger where tgrelid = pg_class.oid and not tgisinternal) from pg_catalog.pg_class where oid = ${sql.lit(tableText(table))}::regclass)`
