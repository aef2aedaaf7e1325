// Statements that create the engine's own tables.
import type { Dialect } from '../dialects/dialect.ts'
import { render, type Sql, sql } from '../dialects/sql.ts'
import { storedFieldsOf } from '../plan/write/defaults.ts'
import type { Collection, StoredField } from '../schema/model.ts'
import { tableName } from './frame.ts'
import type { Statement } from './statement.ts'

export interface OwnTable {
  readonly collection: Collection
  /** Fields that together are unique, in the order of their index; empty where the key alone is. */
  readonly unique: readonly string[]
}

/** Creates the tables that do not exist yet. To be run in one transaction. */
export function installStatements(tables: readonly OwnTable[], dialect: Dialect): readonly Statement[] {
  const alone = dialect.installAlone ? [dialect.installAlone] : []
  return [...alone, ...tables.map((table) => createTable(table, dialect))].map((text) =>
    render(text, dialect),
  )
}

function createTable({ collection, unique }: OwnTable, dialect: Dialect): Sql {
  const fields = storedFieldsOf(collection)
  // Its index also serves lookups by the first of the fields.
  const named = unique.flatMap((one) => fields.filter(({ name }) => name === one))
  const names = named.map(({ column }) => dialect.identifier(column))
  const parts = [
    ...fields.map((field) => columnOf(field, dialect)),
    ...(names.length > 0 ? [sql`unique (${sql.join(names, sql`, `)})`] : []),
  ]
  return sql`create table if not exists ${tableName(collection, dialect)} (${sql.join(parts, sql`, `)})`
}

function columnOf({ column, value, isKey, isNullable }: StoredField, dialect: Dialect): Sql {
  const rule = isKey ? sql` primary key` : isNullable ? sql`` : sql` not null`
  const name = dialect.identifier(column)
  const check = dialect.columnCheck?.(name, value)
  return sql`${name} ${dialect.columnType(value)}${rule}${check ? sql` check (${check})` : sql``}`
}
