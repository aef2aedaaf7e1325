// Introspection of SQLite: pragmas, which can be selected from like tables.

import type { TemporalFamily } from '../../types/families.ts'
import type { CatalogueColumn, CatalogueForeignKey, CataloguePhrases, CatalogueTable } from '../catalogue.ts'
import { identifier, type Sql, sql } from '../sql.ts'
import { constant, guess, holds } from './declared-types.ts'
import { uniqueness } from './keys.ts'
import { forms } from './moments.ts'
import { evidence } from './sample-rows.ts'

export const catalogue: CataloguePhrases = {
  statement,
  // Attached databases. Temporary tables are left out on purpose.
  otherSchemas: sql`select distinct schema as "0" from pragma_table_list where schema not in ('main', 'temp') and type in ('table', 'view')
    and name not glob 'sqlite_*' order by schema`,
  table: (text) => tableFrom(JSON.parse(text) as TableRow), // as the statement below writes it
  // Its list of tables parses views on the way, and stops at the first broken one.
  look: ({ schema, name }) => sql`select * from ${identifier(schema)}.${identifier(name)} limit 0`,
  sameName: (name) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
  partsOf: ({ table, dbSchema }) => {
    const of = sql`(${sql.lit(table)}${dbSchema === undefined ? sql`` : sql`, ${sql.lit(dbSchema)}`})`
    return sql`select name as "0", 'column' as "1" from pragma_table_xinfo${of} union all select name, 'index' from pragma_index_list${of}`
  },
  guess,
  holds,
  evidence,
  constant,
  uniqueness,
}

interface TableRow extends Pick<CatalogueTable, 'schema' | 'name' | 'kind'> {
  /** The texts of its triggers, if it is a view. */
  readonly triggers: readonly string[]
  readonly hasRowNumbers: boolean
  readonly columns: readonly ColumnRow[]
  readonly indexes: readonly IndexRow[]
  readonly foreignKeys: readonly ForeignKeyRow[]
  /** The text that created it, if it is a table of the main database with a CHECK. */
  readonly checked: string | null
}

interface ColumnRow {
  readonly name: string
  readonly declared: string
  readonly isNullable: boolean
  readonly default: string | null
  /** Its position in the primary key, or 0. */
  readonly key: number
  readonly isComputed: boolean
}

/** An index of all rows, without that of the primary key. */
interface IndexRow {
  readonly isUnique: boolean
  /** Null for an expression, and for the row number. */
  readonly columns: readonly (string | null)[]
}

interface ForeignKeyRow {
  readonly id: number
  readonly table: string
  readonly column: string
  /** Null if it refers to the primary key. */
  readonly targetColumn: string | null
  readonly onDelete: string
}

/** A broken view has no columns, and selecting them would fail the whole statement. The result of a CASE or a subselect is JSON in
 *  some versions of SQLite and text in others, so it is converted explicitly. D1 has tables of its own, such as `_cf_METADATA`,
 *  which may not be read. */
function statement(dbSchemas: readonly string[] | undefined): Sql {
  const schemas = sql.val(JSON.stringify(dbSchemas ?? ['main']))
  return sql`select json_object(
    'schema', t.schema, 'name', t.name, 'kind', t.type,
    'triggers', json(case when t.type = 'view' then (
      select json_group_array(s.sql) from sqlite_schema as s where s.type = 'trigger' and s.tbl_name = t.name collate nocase
    ) else '[]' end),
    'checked', case when t.type = 'table' and t.schema = 'main' then (select s.sql from sqlite_schema as s
      where s.type = 'table' and s.name = t.name and s.sql like '%check%strftime%') end,
    'hasRowNumbers', json(case when t.type = 'table' and not t.wr then 'true' else 'false' end),
    'columns', json(case when t.ncol > 0 then (select json_group_array(json_object(
      'name', c.name, 'declared', c.type, 'isNullable', json(case when c."notnull" then 'false' else 'true' end),
      'default', c.dflt_value, 'key', c.pk, 'isComputed', json(case when c.hidden > 1 then 'true' else 'false' end)
    )) from (select * from pragma_table_xinfo(t.name, t.schema) where hidden <> 1 order by cid) as c) else '[]' end),
    'indexes', json((select json_group_array(json_object('isUnique', json(i.truth), 'columns', json(i.names))) from (
      select case when x."unique" then 'true' else 'false' end as truth,
        (select json_group_array(p.name) from (select name from pragma_index_info(x.name, t.schema) order by seqno) as p) as names
      from pragma_index_list(t.name, t.schema) as x
      where not x.partial and x.origin <> 'pk' order by x.seq desc
    ) as i)),
    'foreignKeys', json((select json_group_array(json_object(
      'id', f.id, 'table', f."table", 'column', f."from", 'targetColumn', f."to", 'onDelete', lower(f.on_delete)
    )) from (select * from pragma_foreign_key_list(t.name, t.schema) order by id desc, seq) as f))
  ) as "0" from pragma_table_list as t
  where t.schema in (select value from json_each(${schemas})) and t.type in ('table', 'view', 'virtual')
    and t.name not glob 'sqlite_*' and t.name not glob '_cf_[A-Z]*' order by t.schema, t.name`
}

function tableFrom({
  hasRowNumbers,
  triggers,
  columns,
  foreignKeys,
  checked,
  indexes,
  ...row
}: TableRow): CatalogueTable {
  const key = columns.filter((column) => column.key > 0).sort((one, other) => one.key - other.key)
  const canonical = checked === null ? undefined : canonicalColumns(checked)
  const counted = hasRowNumbers && key.length === 1 && /^integer$/i.test(key[0]?.declared ?? '')
  return {
    ...row,
    isWritable: row.kind !== 'view' || ways.every((way) => triggers.some((text) => way.test(text))),
    keepsKeys: row.kind === 'table',
    note: null,
    columns: columns.map((column) => {
      const family = canonical?.get(column.name.toLowerCase())
      return { ...columnFrom(column, counted), ...(family && { canonical: family }) }
    }),
    primaryKey: key.map(({ name }) => name),
    // An index on expressions has no column names, and does not make columns unique.
    uniqueKeys: indexes
      .filter(({ isUnique }) => isUnique)
      .map(({ columns }) => columns)
      .filter(areNames),
    indexed: [...new Set(indexes.flatMap(({ columns: [first] }) => first ?? []))],
    foreignKeys: foreignKeysFrom(foreignKeys, row.schema),
    rowNumber: hasRowNumbers ? rowNumberBeside(columns) : null,
  }
}

const areNames = (columns: readonly (string | null)[]): columns is readonly string[] =>
  columns.every((name) => name !== null)

/** Ways to write. A view has to have a trigger for each of them: what has none is not refused, but does nothing. */
const ways = ['insert', 'update', 'delete'].map((word) => new RegExp(`\\binstead\\s+of\\s+${word}\\b`, 'i'))

/** The name of the row number; a column of the same name hides it. */
const rowNumberBeside = (columns: readonly ColumnRow[]): string | null =>
  ['rowid', '_rowid_', 'oid'].find((name) => columns.every((column) => column.name.toLowerCase() !== name)) ??
  null

function columnFrom(
  { name, declared, isNullable, default: text, key, isComputed }: ColumnRow,
  isCounted: boolean,
): CatalogueColumn {
  const [, type = '', first, second] = /^([^(]*)(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?/.exec(declared) ?? []
  const isCounter = key > 0 && isCounted
  return {
    name,
    declared,
    type: type.trim().toUpperCase(),
    typeName: declared,
    hasEquality: true,
    isArray: false,
    isNullable: isNullable && !isCounter,
    source: isComputed ? 'database' : isCounter ? 'counter' : text === null ? 'caller' : 'default',
    default: text,
    length: numberOf(first),
    precision: numberOf(first),
    scale: numberOf(second),
    enum: null,
    note: null,
  }
}

const numberOf = (digits: string | undefined) => (digits === undefined ? null : Number(digits))

function foreignKeysFrom(rows: readonly ForeignKeyRow[], schema: string): CatalogueForeignKey[] {
  const ids = [...new Set(rows.map(({ id }) => id))]
  return ids.flatMap((id) => {
    const parts = rows.filter((row) => row.id === id)
    const [first] = parts
    if (!first) return []
    const targetColumns = parts.flatMap(({ targetColumn }) => targetColumn ?? [])
    const columns = parts.map(({ column }) => column)
    return [{ columns, table: { schema, name: first.table }, targetColumns, onDelete: first.onDelete }]
  })
}

// Columns whose CHECK lets in the form of results and no other, in the text of their table.

/** Returns the family of each such column, by its name in small letters. Only a check that is nothing but
 *  `strftime('<form>', <column>) is <column>` counts, because `=` also accepts what is no date. */
export function canonicalColumns(createTable: string): ReadonlyMap<string, TemporalFamily> {
  const tokens = tokensOf(createTable)
  const found = new Map<string, TemporalFamily>()
  for (const at of tokens.keys()) {
    const [word, open, ...inside] = tokens.slice(at, at + 11)
    if (word !== 'check' || open !== '(') continue
    const [call, paren, form, comma, column, end, is, same, close] = inside
    const isCheck = [call, paren, comma, end, is, close].join(' ') === 'strftime ( , ) is )'
    const family = isCheck && column === same ? familyOf.get(form ?? '') : undefined
    if (family && column) found.set(column, family)
  }
  return found
}

const familyOf: ReadonlyMap<string, TemporalFamily> = new Map(
  (Object.keys(forms) as TemporalFamily[]).map((family) => [`'${forms[family]}'`, family]), // the keys of the table
)

/** Words, names without their quotes, and signs; comments are left out. */
function tokensOf(text: string): readonly string[] {
  return [...text.matchAll(token)].flatMap(([whole, string, quoted, bracketed]) => {
    if (string !== undefined) return [string]
    const name = quoted?.slice(1, -1) ?? bracketed?.slice(1, -1)
    if (name !== undefined) return [name.toLowerCase()]
    return isComment.test(whole) ? [] : [whole.toLowerCase()]
  })
}

const token =
  /('(?:[^']|'')*')|("(?:[^"]|"")*"|`(?:[^`]|``)*`)|(\[[^\]]*\])|--.*|\/\*[\s\S]*?\*\/|[\p{L}\p{N}_$]+|[^\s]/gu
const isComment = /^(?:--|\/\*)/
