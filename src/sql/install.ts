// The statements that make the engine's own tables.
import type { Dialect } from '../dialects/dialect.ts'
import { render, type Sql, sql } from '../dialects/sql.ts'
import { storedFieldsOf } from '../plan/defaults.ts'
import type { Collection, StoredField } from '../schema/model.ts'
import { tableName } from './frame.ts'
import type { Statement } from './statements.ts'

export interface OwnTable {
  readonly collection: Collection
  /** Fields that together tell one row from all others, in the order of their index; none where the key alone does. */
  readonly unique: readonly string[]
}

/** Creates the tables that are not there yet. To be run in one transaction. */
export function installStatements(tables: readonly OwnTable[], dialect: Dialect): readonly Statement[] {
  const alone = dialect.installAlone ? [dialect.installAlone] : []
  return [...alone, ...tables.map((table) => createTable(table, dialect))].map((text) =>
    render(text, dialect),
  )
}

function createTable({ collection, unique }: OwnTable, dialect: Dialect): Sql {
  const fields = storedFieldsOf(collection)
  // The index of it serves whoever looks for the first of them.
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
  return sql`${dialect.identifier(column)} ${dialect.columnType(value)}${rule}`
}
