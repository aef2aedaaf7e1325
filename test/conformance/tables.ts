import { sql } from 'kysely'
import type { OpenDatabase, TestDatabase } from '../support/databases.ts'
import { rows } from './rows.ts'
import { schema } from './schema.ts'

const types: Readonly<Record<string, string>> = {
  integer: 'integer',
  bigInteger: 'bigint',
  float: 'double precision',
  string: 'text',
  boolean: 'boolean',
}
/** What PostgreSQL has types for, and SQLite holds as text. */
const native: Readonly<Record<string, string>> = {
  uuid: 'uuid',
  date: 'date',
  timestamp: 'timestamptz',
  json: 'jsonb',
}

/** Creates and fills the tables of the cases. No foreign keys, so that some may lead nowhere. */
export async function createTables(name: TestDatabase['name'], db: OpenDatabase['db']): Promise<void> {
  const isNative = name === 'postgres'
  for (const collection of schema.collections.values()) {
    const stored = [...collection.fields.values()].flatMap((field) => ('value' in field ? [field] : []))
    const declared = stored.map(
      ({ column, value }) =>
        sql`${sql.id(column)} ${sql.raw(types[value.type] ?? (isNative ? (native[value.type] ?? 'text') : 'text'))}`,
    )
    await sql`create table ${sql.id(collection.table)} (${sql.join(declared)}, row_number integer)`.execute(
      db,
    )
    const written = (rows[collection.name] ?? []).map((row, index) => ({
      row_number: index,
      ...Object.fromEntries(stored.map(({ name, value }) => [name, cell(row[name], value.type, isNative)])),
    }))
    if (written.length > 0) await db.insertInto(collection.table).values(written).execute()
  }
}

function cell(value: unknown, type: string, isNative: boolean): unknown {
  if (value === null || value === undefined) return null
  if (type === 'json') return JSON.stringify(value)
  return type === 'boolean' && !isNative ? Number(value) : value
}
