import { sql } from 'kysely'
import type { Schema } from '../../src/index.ts'
import type { OpenDatabase, TestDatabase } from '../support/databases.ts'

type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

/** The types of columns; whatever is not here is text. */
const types: Readonly<Record<TestDatabase['name'], Readonly<Record<string, string>>>> = {
  sqlite: {
    integer: 'integer',
    bigInteger: 'bigint',
    float: 'double precision',
    decimal: 'decimal',
    boolean: 'boolean',
  },
  postgres: {
    ...{
      integer: 'integer',
      bigInteger: 'bigint',
      float: 'double precision',
      decimal: 'decimal',
      boolean: 'boolean',
    },
    ...{
      uuid: 'uuid',
      date: 'date',
      time: 'time',
      dateTime: 'timestamp',
      timestamp: 'timestamptz',
      json: 'jsonb',
    },
  },
}

/** Creates and fills the tables of a schema. No foreign keys, so that some may lead nowhere. */
export async function createTables(
  name: TestDatabase['name'],
  db: OpenDatabase['db'],
  schema: Schema,
  rows: Rows,
): Promise<void> {
  for (const collection of schema.collections.values()) {
    const stored = [...collection.fields.values()].flatMap((field) => ('value' in field ? [field] : []))
    const declared = stored.map(
      ({ column, value }) => sql`${sql.id(column)} ${sql.raw(types[name][value.type] ?? 'text')}`,
    )
    await sql`create table ${sql.id(collection.table)} (${sql.join(declared)}, row_number integer)`.execute(
      db,
    )
    const written = (rows[collection.name] ?? []).map((row, index) => ({
      row_number: index,
      ...Object.fromEntries(
        stored.map((field) => [field.column, cell(row[field.name], field.value.type, name)]),
      ),
    }))
    if (written.length > 0) await db.insertInto(collection.table).values(written).execute()
  }
}

function cell(value: unknown, type: string, name: TestDatabase['name']): unknown {
  if (value === null || value === undefined) return null
  // Where no database knows geometry, its text does for asking whether there is one.
  if (type === 'json' || type.startsWith('geometry')) return JSON.stringify(value)
  if (Array.isArray(value)) return value.join(',')
  return type === 'boolean' && name === 'sqlite' ? Number(value) : value
}
