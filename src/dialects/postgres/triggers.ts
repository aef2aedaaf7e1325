import type { Dialect } from '../dialect.ts'
import { type Sql, sql } from '../sql.ts'
import { tableText } from './identifiers.ts'

/** Views and partitioned tables write elsewhere. Triggers of foreign keys do not change the referencing row, and those of the change log write to the log. */
export const isFollowed: Dialect['isFollowed'] = (table) =>
  sql`(select relkind <> 'r' or relhasrules or relhassubclass or relhastriggers and exists (select 1 from pg_catalog.pg_trigger where tgrelid = pg_class.oid and not tgisinternal and left(tgname, 8) <> 'quernel_') from pg_catalog.pg_class where oid = ${sql.lit(tableText(table))}::regclass)`

/** A foreign key cascades only when the columns that it refers to change. */
export const isFollowedByUpdate: Dialect['isFollowedByUpdate'] = (table, columns) => {
  if (columns.length === 0) return isFollowed(table)
  const names = sql.join(columns.map(sql.lit), sql`, `)
  const cascades = sql`select 1 from pg_catalog.pg_constraint join pg_catalog.pg_attribute on attrelid = confrelid and attnum = any (confkey) where contype = 'f' and confrelid = ${sql.lit(tableText(table))}::regclass and confupdtype in ('c', 'n', 'd') and attname in (${names})`
  return sql`(${isFollowed(table)} or exists (${cascades}))`
}

/** A partial index may look at any column, and so may an expression or a generated column of one. Rows that get the same values are in each other's way in any
 *  order or in none, unless a constraint excludes more than equal ones. */
export const isOrderSeen: NonNullable<Dialect['isOrderSeen']> = (table, columns, isAlike = false) => {
  const names = sql.join(columns.map(sql.lit), sql`, `)
  const part = sql`select 1 from pg_catalog.pg_attribute as a where a.attrelid = i.indrelid and a.attnum = any (i.indkey) and (a.attgenerated <> '' or ${isAlike ? sql`i.indisexclusion` : sql`true`} and a.attname in (${names}))`
  return sql`(${isFollowedByUpdate(table, columns)} or exists (select 1 from pg_catalog.pg_index as i where i.indrelid = ${sql.lit(tableText(table))}::regclass and (i.indisunique or i.indisexclusion) and (i.indpred is not null or i.indexprs is not null or exists (${part}))))`
}

/** Domains are stored as what they are made of. Types beyond these bring a text to a form of their own, or cut it. */
export const isAltered: Dialect['isAltered'] = (table, { texts, numbers, optional }) => {
  const types = sql`pg_catalog.pg_attribute as a join pg_catalog.pg_type as t on t.oid = atttypid left join pg_catalog.pg_type as base on base.oid = t.typbasetype`
  const name = sql`coalesce(base.typname, t.typname)`
  const modifier = sql`greatest(atttypmod, t.typtypmod)`
  // The scale of a numeric column stands in the lowest eleven bits, and is negative from the half of them on.
  const isInteger = sql`${name} = 'numeric' and (${modifier} < 0 or ((${modifier} - 4) & 2047) < 1024)`
  const holdsText = sql`t.typtype = 'e' or ${name} in ('text', 'varchar', 'bpchar', 'citext')`
  const holdsNumber = sql`${name} in ('int2', 'int4', 'int8', 'float8', 'bool', 'text', 'varchar') or ${isInteger}`
  const altering = [
    among(texts, holdsText),
    among(numbers, holdsNumber),
    among(optional, sql`not atthasdef`),
  ].flatMap((part) => part ?? [])
  if (altering.length === 0) return undefined
  return sql`exists (select 1 from ${types} where attrelid = ${sql.lit(tableText(table))}::regclass and (${sql.join(altering, sql` or `)}))`
}

export const isView: NonNullable<Dialect['isView']> = (table) =>
  sql`(select relkind in ('v', 'm') from pg_catalog.pg_class where oid = ${sql.lit(tableText(table))}::regclass)`

export const isCascadedTo: NonNullable<Dialect['isCascadedTo']> = (table) =>
  sql`exists (select 1 from pg_catalog.pg_constraint where contype = 'f' and conrelid = ${sql.lit(tableText(table))}::regclass and (confdeltype in ('c', 'n', 'd') or confupdtype in ('c', 'n', 'd')))`

/** The collations of a database are deterministic, unless they are made otherwise: they take texts for equal that have the same bytes. */
export const comparesBytes: NonNullable<Dialect['comparesBytes']> = (table, column) =>
  sql`exists (select 1 from pg_catalog.pg_attribute as a join pg_catalog.pg_collation as c on c.oid = a.attcollation where a.attrelid = ${sql.lit(tableText(table))}::regclass and a.attname = ${sql.lit(column)} and a.atttypid in ('text'::regtype, 'varchar'::regtype) and c.collisdeterministic)`

const among = (columns: readonly string[], isKept: Sql): Sql | undefined =>
  columns.length === 0
    ? undefined
    : sql`attname in (${sql.join(columns.map(sql.lit), sql`, `)}) and not (${isKept})`
