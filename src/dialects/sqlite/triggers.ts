import type { Dialect } from '../dialect.ts'
import type { TableName } from '../phrase-types.ts'
import { identifier, type Sql, sql } from '../sql.ts'

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

/** True if columns belong to the key, or foreign keys follow them. */
function isReferredTo({ table, dbSchema }: TableName, columns: readonly string[]): Sql {
  const [name, place] = [sql.lit(table), dbSchema === undefined ? sql`` : sql`, ${sql.lit(dbSchema)}`]
  const home = dbSchema === undefined ? sql`` : sql`${identifier(dbSchema)}.`
  const isWritten = sql`collate nocase in (${sql.join(columns.map(sql.lit), sql`, `)})`
  return sql`exists (select 1 from pragma_table_info(${name}${place}) where pk > 0 and name ${isWritten}) or exists (select 1 from ${home}sqlite_master as m, pragma_foreign_key_list(m.name${place}) as f where m.type = 'table' and f."table" = ${name} collate nocase and f.on_update not in ('NO ACTION', 'RESTRICT') and f."to" ${isWritten})`
}

/** A partial index may look at any column, and so may an expression or a generated column of one. Rows that get the same values are in each other's way in any
 *  order or in none, unless one takes the place of another. */
export const isOrderSeen: NonNullable<Dialect['isOrderSeen']> = (table, columns, isAlike = false) => {
  const place = sql`${sql.lit(table.table)}${table.dbSchema === undefined ? sql`` : sql`, ${sql.lit(table.dbSchema)}`}`
  const home = table.dbSchema === undefined ? sql`` : sql`, ${sql.lit(table.dbSchema)}`
  const plain = sql`select name from pragma_table_info(${place})`
  const follows = isAlike
    ? sql`${isFollowed(table)} or ${mayReplace(table)} or ${isReferredTo(table, columns)}`
    : isFollowedByUpdate(table, columns)
  return sql`(${follows} or exists (select 1 from pragma_index_list(${place}) as l, pragma_index_info(l.name${home}) as i where l."unique" and (l.partial or i.name is null or i.name not in (${plain}))))`
}

/** An attached file has a number of its own, which no statement can select. Temporary tables and triggers belong to a connection. */
export const catalogState: NonNullable<Dialect['catalogState']> = ({ dbSchema }) =>
  dbSchema === undefined
    ? sql`(select schema_version || (select coalesce(group_concat(sql), '') from sqlite_temp_master) from pragma_schema_version)`
    : undefined

/** Triggers of the change log write to the log alone. */
const isNotOurs = sql`name not glob 'quernel_*'`

/** Only triggers can write to a view. */
export const isFollowed: Dialect['isFollowed'] = ({ table, dbSchema }) => {
  const home = dbSchema === undefined ? sql`sqlite_master` : sql`${identifier(dbSchema)}.sqlite_master`
  const name = sql.lit(table)
  const own = sql`select 1 from ${home} where type = 'trigger' and tbl_name = ${name} collate nocase and ${isNotOurs}`
  // A connection may have temporary triggers of its own.
  return sql`(exists (${own}) or exists (select 1 from sqlite_temp_master where type = 'trigger' and tbl_name = ${name} collate nocase))`
}

/** `on conflict fail` and `raise(fail)` end a statement without undoing it. A cascade reaches the triggers of other tables. */
export const mayFailHalfway: NonNullable<Dialect['mayFailHalfway']> = ({ table, dbSchema }) => {
  const home = dbSchema === undefined ? sql`sqlite_master` : sql`${identifier(dbSchema)}.sqlite_master`
  const fails = sql`(type = 'trigger' or tbl_name = ${sql.lit(table)} collate nocase) and sql like '%fail%' and ${isNotOurs}`
  return sql`(exists (select 1 from ${home} where ${fails}) or exists (select 1 from sqlite_temp_master where ${fails}))`
}

/** `on conflict replace` of a constraint deletes the row that has the value. Its words stand in the text of the table. */
export const mayReplace: NonNullable<Dialect['mayReplace']> = ({ table, dbSchema }) => {
  const home = dbSchema === undefined ? sql`sqlite_master` : sql`${identifier(dbSchema)}.sqlite_master`
  const tables = sql`(select name, sql from ${home} union all select name, sql from sqlite_temp_master)`
  return sql`exists (select 1 from ${tables} where name = ${sql.lit(table)} collate nocase and upper(sql) like '%CONFLICT%')`
}

/** Affinities convert values, and `on conflict replace` puts a default in the place of null, or takes rows away. */
export const isAltered: Dialect['isAltered'] = ({ table, dbSchema }, { texts, numbers, optional }) => {
  const name = sql.lit(table)
  const isText = sql`(${isNamed(['CHAR', 'CLOB', 'TEXT'])} and not ${isNamed(['INT'])})`
  const holdsText = sql`(type = '' or ${isNamed(['BLOB'])} and not ${isNamed(['INT'])} or ${isText})`
  const others = dbSchema === undefined ? sql`` : sql`, ${sql.lit(dbSchema)}`
  const converts = [
    among(texts, sql`not ${holdsText}`),
    among(numbers, isText),
    among(optional, sql`upper(dflt_value) <> 'NULL'`),
  ]
    .flatMap((part) => part ?? [])
    .map((part) => sql`exists (select 1 from pragma_table_info(${name}${others}) where ${part})`)
  return sql`(${sql.join([mayReplace({ table, dbSchema }), ...converts], sql` or `)})`
}

const isNamed = (words: readonly string[]): Sql =>
  sql`(${sql.join(
    words.map((word) => sql`instr(upper(type), ${sql.lit(word)}) > 0`),
    sql` or `,
  )})`

const among = (columns: readonly string[], isConverted: Sql): Sql | undefined =>
  columns.length === 0
    ? undefined
    : sql`name collate nocase in (${sql.join(columns.map(sql.lit), sql`, `)}) and ${isConverted}`

export const isView: NonNullable<Dialect['isView']> = ({ table, dbSchema }) => {
  const home = dbSchema === undefined ? sql`sqlite_master` : sql`${identifier(dbSchema)}.sqlite_master`
  const views = sql`(select name, type from ${home} union all select name, type from sqlite_temp_master)`
  return sql`exists (select 1 from ${views} where type = 'view' and name = ${sql.lit(table)} collate nocase)`
}

export const isCascadedTo: NonNullable<Dialect['isCascadedTo']> = ({ table, dbSchema }) => {
  const home = dbSchema === undefined ? sql`` : sql`, ${sql.lit(dbSchema)}`
  return sql`exists (select 1 from pragma_foreign_key_list(${sql.lit(table)}${home}) where on_delete not in ('NO ACTION', 'RESTRICT') or on_update not in ('NO ACTION', 'RESTRICT'))`
}
