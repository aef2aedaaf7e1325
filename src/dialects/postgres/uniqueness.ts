import type { CataloguePhrases } from '../catalogue.ts'
import { type Sql, sql } from '../sql.ts'
import { tableText } from './identifiers.ts'

/** Asks the indexes, which every key has. The rows of a table that others inherit from are not all in them. */
export const uniqueness: NonNullable<CataloguePhrases['uniqueness']> = (table, columns) => {
  const id = sql`${sql.lit(tableText(table))}::regclass`
  const names = sql.join(columns.map(sql.lit), sql`, `)
  const isWhole = sql`i.indisunique and i.indimmediate and i.indisvalid and not i.indisexclusion and i.indpred is null and i.indexprs is null`
  const isInherited = sql`exists (select from pg_catalog.pg_inherits as h join pg_catalog.pg_class as k on k.oid = h.inhrelid where h.inhparent = ${id} and not k.relispartition)`
  const has = (isUnfit: Sql, isMore: Sql) =>
    sql`(not ${isInherited} and exists (select from pg_catalog.pg_index as i where i.indrelid = ${id} and ${isWhole}${isMore} and not exists (select from ${parts} where k.place <= i.indnkeyatts and (a.attname not in (${names}) or ${isUnfit}))))`
  return {
    areUnique: has(isFiner, sql``),
    areKey: has(isOther, sql` and i.indnkeyatts = ${sql.lit(columns.length)}`),
  }
}

/** The columns of an index, with the collations of both. Behind those that it compares there may be others. */
const parts = sql`unnest(i.indkey::int2[]) with ordinality as k (number, place)
    join pg_catalog.pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.number
    left join pg_catalog.pg_collation as c on c.oid = a.attcollation
    left join pg_catalog.pg_collation as x on x.oid = (i.indcollation::oid[])[k.place::int - 1]`

/** All deterministic collations take the same texts for equal: those with the same bytes. */
const isFiner = sql`a.attcollation <> (i.indcollation::oid[])[k.place::int - 1] and not c.collisdeterministic`
const isOther = sql`a.attcollation <> (i.indcollation::oid[])[k.place::int - 1] and not (c.collisdeterministic and x.collisdeterministic)`
