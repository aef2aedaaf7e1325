// A world as real tables. There are no foreign keys, so that some rows may point nowhere.
import { sql } from 'kysely'
import type { FieldDefinition } from '../../src/schema/definition.ts'
import { insert, type OpenDatabase, type TestDatabase } from '../support/databases.ts'
import { fieldOf, keyOf, keyParts, type Row, typeOf, type World } from './dataset.ts'
import { readMoment } from './moments.ts'

type Dialect = TestDatabase['name']

/** The types of columns; whatever is not here is text. */
const types: Readonly<Record<Dialect, Readonly<Record<string, string>>>> = {
  sqlite: {
    integer: 'integer',
    bigInteger: 'integer',
    float: 'real',
    decimal: 'numeric',
    boolean: 'integer',
    binary: 'blob',
  },
  postgres: {
    integer: 'integer',
    bigInteger: 'bigint',
    float: 'double precision',
    decimal: 'numeric',
    boolean: 'boolean',
    uuid: 'uuid',
    date: 'date',
    time: 'time',
    dateTime: 'timestamp',
    timestamp: 'timestamptz',
    json: 'jsonb',
    binary: 'bytea',
  },
}

export function createStatements(world: World, dialect: Dialect): string[] {
  return Object.entries(world.definition).map(([name, collection]) => {
    const parts = keyParts(world, name)
    const fields = storedFields(world, name)
    const columns = fields.map(
      ([fieldName, field]) =>
        `${quote(columnOf(fieldName, field))} ${columnType(world, name, fieldName, field, dialect)}`,
    )
    const keys = fields.filter(([fieldName]) => parts.includes(fieldName))
    if (keys.length > 0)
      columns.push(`primary key (${keys.map(([part, field]) => quote(columnOf(part, field))).join()})`)
    return `create table ${quote(collection.table ?? name)} (${columns.join(', ')})`
  })
}

export async function build(db: OpenDatabase['db'], world: World, dialect: Dialect): Promise<void> {
  for (const statement of createStatements(world, dialect)) await sql.raw(statement).execute(db)
  for (const [name, rows] of Object.entries(world.rows)) {
    if (rows.length === 0) continue
    const fields = storedFields(world, name)
    const written = rows.map((row) =>
      Object.fromEntries(
        fields.map(([field, one]) => [columnOf(field, one), cell(row, field, keyField(world, one), dialect)]),
      ),
    )
    await insert(db, world.definition[name]?.table ?? name, written)
  }
}

export async function demolish(db: OpenDatabase['db'], world: World): Promise<void> {
  for (const [name, { table = name }] of Object.entries(world.definition)) {
    await sql.raw(`drop table if exists ${quote(table)}`).execute(db)
  }
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

function storedFields(world: World, collection: string): readonly (readonly [string, FieldDefinition])[] {
  return Object.entries(world.definition[collection]?.fields ?? {}).filter(
    ([, field]) => !['o2m', 'm2m', 'm2a'].includes(field.type) && !(field.type === 'm2o' && field.by),
  )
}

export const columnOf = (name: string, field: FieldDefinition): string =>
  'column' in field && field.column !== undefined ? field.column : name

const storageOf = (field: FieldDefinition) => ('storage' in field ? field.storage : undefined)

function columnType(
  world: World,
  collection: string,
  name: string,
  field: FieldDefinition,
  dialect: Dialect,
): string {
  const storage = storageOf(keyField(world, field))
  if (storage === 'seconds' || storage === 'milliseconds') return 'bigint'
  if (storage === 'text') return 'text'
  if (storage === 'binary') return types[dialect].binary ?? 'text'
  return types[dialect][typeOf(world, collection, name)] ?? 'text'
}

/** The field whose values a field has: of a relation to one, that of the other's key. */
export function keyField(world: World, field: FieldDefinition): FieldDefinition {
  return field.type === 'm2o' ? keyField(world, fieldOf(world, field.to, keyOf(world, field.to))) : field
}

export const isOfBytes = (field: FieldDefinition): boolean =>
  field.type === 'binary' || storageOf(field) === 'binary'

/** A stored key as results show it. */
export function shownCell(value: unknown, field: FieldDefinition): string {
  const { type } = field
  if ('scale' in field) return Number(value).toFixed(field.scale) // decimals of few digits
  const digits = Buffer.isBuffer(value) ? value.toString('hex') : String(value)
  return type === 'uuid' && Buffer.isBuffer(value)
    ? digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    : digits
}

function cell(row: Row, name: string, field: FieldDefinition, dialect: Dialect): unknown {
  const value = row[name] ?? null
  if (value === null) return null
  const storage = storageOf(field)
  if (storage === 'seconds') return readMoment(field.type, value) / 1_000
  if (storage === 'milliseconds') return readMoment(field.type, value)
  if (field.type === 'binary') return Buffer.from(String(value), 'hex')
  if (storage === 'binary') return Buffer.from(String(value).replaceAll('-', ''), 'hex')
  if (field.type === 'json') return JSON.stringify(value)
  if (Array.isArray(value)) return value.join(',')
  return field.type === 'boolean' && dialect === 'sqlite' ? Number(value) : value
}
