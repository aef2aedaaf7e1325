import { sql } from 'kysely'
import type { Schema } from '../../src/index.ts'
import type { ValueType } from '../../src/types/field-types.ts'
import type { OpenDatabase, TestDatabase } from '../support/databases.ts'

type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

const plain = {
  integer: 'integer',
  bigInteger: 'bigint',
  float: 'double precision',
  decimal: 'decimal',
  boolean: 'boolean',
}

/** The types of columns; whatever is not here is text. */
const types: Readonly<Record<TestDatabase['name'], Readonly<Record<string, string>>>> = {
  sqlite: { ...plain, binary: 'blob' },
  postgres: {
    ...plain,
    uuid: 'uuid',
    date: 'date',
    time: 'time',
    dateTime: 'timestamp',
    timestamp: 'timestamptz',
    json: 'jsonb',
    binary: 'bytea',
  },
}

const stored: Readonly<Record<string, string>> = { text: 'text', seconds: 'bigint', milliseconds: 'bigint' }

/** Creates and fills the tables of a schema. No foreign keys, so that some may lead nowhere. */
export async function createTables(
  name: TestDatabase['name'],
  db: OpenDatabase['db'],
  schema: Schema,
  rows: Rows,
): Promise<void> {
  for (const collection of schema.collections.values()) {
    const fields = [...collection.fields.values()].flatMap((field) => ('column' in field ? [field] : []))
    const declared = fields.map(
      ({ column, value }) => sql`${sql.id(column)} ${sql.raw(columnType(value, name))}`,
    )
    await sql`create table ${sql.id(collection.table)} (${sql.join(declared)}, row_number integer)`.execute(
      db,
    )
    const written = (rows[collection.name] ?? []).map((row, index) => ({
      row_number: index,
      ...Object.fromEntries(
        fields.map((field) => [field.column, cell(row[field.name], field.value.type, name)]),
      ),
    }))
    if (written.length > 0) await db.insertInto(collection.table).values(written).execute()
  }
}

const columnType = ({ type, storage }: ValueType, name: TestDatabase['name']): string =>
  stored[storage ?? ''] ?? types[name][type] ?? 'text'

function cell(value: unknown, type: string, name: TestDatabase['name']): unknown {
  if (value === null || value === undefined) return null
  // Where no database knows geometry, its text does for asking whether there is one.
  if (type === 'json' || type.startsWith('geometry')) return JSON.stringify(value)
  if (type === 'binary') return Buffer.from(String(value), 'base64')
  if (Array.isArray(value)) return value.join(',')
  return type === 'boolean' && name === 'sqlite' ? Number(value) : value
}
