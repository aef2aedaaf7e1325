// Statements that create the engine's own tables. They change no table that is there.

import type { Dialect } from '../dialects/dialect.ts'
import { type ColumnCondition, conditionOn } from '../dialects/own-tables.ts'
import { render, type Sql, sql } from '../dialects/sql.ts'
import { unreachable } from '../errors/errors.ts'
import { storedFieldsOf } from '../plan/write/defaults.ts'
import type { Collection, StoredField } from '../schema/model.ts'
import { createHash } from '../values/from-node.ts'
import { tableName } from './frame.ts'
import type { Statement } from './statement.ts'

export interface OwnTable {
  readonly collection: Collection
  /** Fields that together are unique, in the order of their index; empty where the key alone is. */
  readonly unique: readonly string[]
  readonly indexes?: readonly OwnIndex[]
  /** The field whose values the database counts up. Absent = none. */
  readonly numberedBy?: string
  /** True if JSON is stored as it is written, with its members in their order and every character of its texts. */
  readonly keepsJson?: true
  /** True if a table of its name that lacks one of its columns is not the engine's own. */
  readonly isStrict?: true
}

/** An index, named by its table and its fields: no two have the same. */
export interface OwnIndex {
  readonly fields: readonly string[]
  /** Conditions of the rows that it holds, which a query repeats by `conditionOf`. Absent = all rows. */
  readonly where?: readonly FieldCondition[]
  readonly isUnique?: true
  /** The end of its name, where another index may have the same fields. */
  readonly suffix?: string
  /** Returns the statement that makes room for it in a table that lacks it: what is there may not be unique yet. */
  readonly before?: (table: Sql, columnFor: (field: string) => Sql) => Sql
}

export type FieldCondition = ColumnCondition & { readonly field: string }

export interface TableParts {
  readonly columns: ReadonlySet<string>
  readonly indexes: ReadonlySet<string>
}

/** Creates what does not exist yet of a table and its indexes. To be run in one transaction. */
export function installStatements(
  table: OwnTable,
  parts: TableParts | undefined,
  dialect: Dialect,
): readonly Statement[] {
  const { collection } = table
  const columnFor = (field: string) => dialect.identifier(storedField(field, collection).column)
  const indexes = missingIndexes(table, parts).flatMap((index) => [
    ...(parts && index.before ? [index.before(tableName(collection, dialect), columnFor)] : []),
    createIndex(index, table, dialect),
  ])
  return [...(parts ? [] : [createTable(table, dialect)]), ...indexes].map((text) => render(text, dialect))
}

/** Returns the indexes that a table does not have. */
export const missingIndexes = (table: OwnTable, parts: TableParts | undefined): readonly OwnIndex[] =>
  (table.indexes ?? []).filter((index) => !parts?.indexes.has(nameOf(index, table)))

/** The condition of an index on the columns of an alias, as queries that it shall serve write it. */
export const conditionOf = (
  { field, ...condition }: FieldCondition,
  collection: Collection,
  columnFor: (column: string) => Sql,
): Sql => conditionOn(columnFor(storedField(field, collection).column), condition)

function createTable(table: OwnTable, dialect: Dialect): Sql {
  const { collection, unique } = table
  // Its index also serves lookups by the first of the fields.
  const names = columnsOf(unique, collection, dialect)
  const parts = [
    ...storedFieldsOf(collection).map((field) => columnOf(field, table, dialect)),
    ...(unique.length > 0 ? [sql`unique (${names})`] : []),
  ]
  return sql`create table if not exists ${tableName(collection, dialect)} (${sql.join(parts, sql`, `)})`
}

function columnOf(field: StoredField, { numberedBy, keepsJson }: OwnTable, dialect: Dialect): Sql {
  const { column, value } = field
  const name = dialect.identifier(column)
  if (field.name === numberedBy) return sql`${name} ${dialect.numberedKey}`
  const check = dialect.columnCheck?.(name, value)
  const rule = ruleOf(field, numberedBy !== undefined)
  const type =
    keepsJson && dialect.keptJson && value.family === 'json' ? dialect.keptJson : dialect.columnType(value)
  return sql`${name} ${type}${rule}${check ? sql` check (${check})` : sql``}`
}

function ruleOf({ isKey, isNullable }: StoredField, isNumbered: boolean): Sql {
  if (isKey) return isNumbered ? sql` not null unique` : sql` primary key`
  return isNullable ? sql`` : sql` not null`
}

/** Creates an index. `unless`: where one of its name is none to be created. */
export function createIndex(
  index: OwnIndex,
  { collection }: Pick<OwnTable, 'collection'>,
  dialect: Dialect,
  unless = sql` if not exists`,
): Sql {
  const { fields, where = [], isUnique } = index
  const name = nameOf(index, { collection })
  const place =
    dialect.indexOn?.(name, collection) ??
    sql`${dialect.identifier(name)} on ${tableName(collection, dialect)}`
  const tests = where.map((one) => conditionOf(one, collection, (column) => dialect.identifier(column)))
  const held = tests.length > 0 ? sql` where ${sql.join(tests, sql` and `)}` : sql``
  const kind = isUnique ? sql`unique index` : sql`index`
  return sql`create ${kind}${unless} ${place} (${columnsOf(fields, collection, dialect)})${held}`
}

/** Databases cut longer names, and then take two for one. */
const longestName = 63

export function nameOf(
  { fields, suffix }: OwnIndex,
  { collection: { table } }: Pick<OwnTable, 'collection'>,
): string {
  const name = ['quernel', table.replace(/^quernel_/, ''), ...fields, ...(suffix ? [suffix] : [])].join('_')
  if (Buffer.byteLength(name) <= longestName) return name
  return `quernel_${createHash('sha256').update(name).digest('hex').slice(0, 32)}`
}

const columnsOf = (fields: readonly string[], collection: Collection, { identifier }: Dialect): Sql =>
  sql.join(
    fields.map((field) => identifier(storedField(field, collection).column)),
    sql`, `,
  )

function storedField(name: string, collection: Collection): StoredField {
  const found = storedFieldsOf(collection).find((field) => field.name === name)
  if (found) return found
  throw unreachable(`a field "${name}" of "${collection.name}", which has none`)
}
