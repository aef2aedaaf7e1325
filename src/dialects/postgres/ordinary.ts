// Values that compare in memory as they do in the database.

import { isTemporal } from '../../types/families.ts'
import type { Dialect } from '../dialect.ts'
import { sql } from '../sql.ts'
import { isNative } from './column-types.ts'
import { tableText } from './identifiers.ts'
import { isNoMoment, mayBeInfinite } from './infinities.ts'

/** Texts that are read as a UUID or a moment may be in several forms. */
export const isOrdinary: NonNullable<Dialect['isOrdinary']> = (column) => {
  const { sql: value, type } = column
  const isRead = isTemporal(type.family) || type.family === 'uuid'
  if (type.isArray || (isRead && !isNative(type))) return sql`${value} is null`
  return mayBeInfinite(column) ? sql`(${value} is null or not ${isNoMoment(column)})` : undefined
}

/** The collations of a database are deterministic, unless they are made otherwise: they take texts for equal that have the same bytes. */
export const comparesBytes: NonNullable<Dialect['comparesBytes']> = (table, column) =>
  sql`exists (select 1 from pg_catalog.pg_attribute as a join pg_catalog.pg_collation as c on c.oid = a.attcollation where a.attrelid = ${sql.lit(tableText(table))}::regclass and a.attname = ${sql.lit(column)} and a.atttypid in ('text'::regtype, 'varchar'::regtype) and c.collisdeterministic)`
