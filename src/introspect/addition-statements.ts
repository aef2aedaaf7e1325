// Statements that add tables, columns, and foreign keys for the fields of a schema.
import type { Dialect } from '../dialects/dialect.ts'
import { defaultOf } from '../dialects/own-tables.ts'
import { type Sql, sql } from '../dialects/sql.ts'
import {
  type Collection,
  keyFieldsOf,
  type ManyToOne,
  partsOf,
  referencedFields,
  type StoredField,
} from '../schema/model.ts'
import { tableName } from '../sql/frame.ts'
import { familyRow } from '../types/families.ts'
import type { ConstantDefault } from '../types/family-row.ts'

interface TableOfFields {
  readonly collection: Collection
  readonly stored: readonly StoredField[]
  readonly uniques: readonly (readonly StoredField[])[]
  /** Relations whose foreign keys stand in the table. */
  readonly links: readonly ManyToOne[]
}

export function createTable({ collection, stored, uniques, links }: TableOfFields, dialect: Dialect): Sql {
  const key = keyFieldsOf(collection)
  const isKey = (fields: readonly StoredField[]) =>
    fields.length === key.length && fields.every((field) => field.isKey)
  const parts = [
    ...stored.map((field) => columnOf(field, dialect)),
    ...uniques
      .filter((fields) => !fields.some(isCounter))
      .map((fields) => sql`${isKey(fields) ? sql`primary key` : sql`unique`} (${namesOf(fields, dialect)})`),
    ...links.map(
      (link) => sql`foreign key (${namesOf(partsOf(link), dialect)}) ${references(link, dialect)}`,
    ),
  ]
  return sql`create table ${tableName(collection, dialect)} (${sql.join(parts, sql`, `)})`
}

/** Adds a column. A field that may be null has no default, as the engine fills it in. */
export function addColumn(field: StoredField, link: ManyToOne | undefined, dialect: Dialect): Sql {
  const start = field.isNullable ? undefined : startOf(field)
  const rest = [
    ...(start === undefined ? [] : [defaultOf(start)]),
    ...(link ? [sql` ${references(link, dialect)}`] : []),
  ]
  return sql`alter table ${tableName(field.collection, dialect)} add column ${columnOf(field, dialect)}${sql.join(rest, sql``)}`
}

export const addForeignKey = (link: ManyToOne, dialect: Dialect): Sql =>
  sql`alter table ${tableName(link.collection, dialect)} add foreign key (${namesOf(partsOf(link), dialect)}) ${references(link, dialect)}`

/** Where tables stand in no schemas of one database, a foreign key cannot leave its file, and names none. */
function references(link: ManyToOne, dialect: Dialect): Sql {
  const { target } = link
  const place = dialect.catalogue?.hasSchemas ? target : { ...target, dbSchema: undefined }
  return sql`references ${tableName(place, dialect)} (${namesOf(referencedFields(link), dialect)})`
}

function columnOf(field: StoredField, dialect: Dialect): Sql {
  const { column, value, isNullable } = field
  const name = dialect.identifier(column)
  if (isCounter(field)) return sql`${name} ${dialect.numberedKey}`
  const check = dialect.columnCheck?.(name, value)
  const rule = isNullable ? sql`` : sql` not null`
  return sql`${name} ${dialect.columnType(value)}${rule}${check ? sql` check (${check})` : sql``}`
}

const namesOf = (fields: readonly StoredField[], { identifier }: Dialect): Sql =>
  sql.join(
    fields.map(({ column }) => identifier(column)),
    sql`, `,
  )

/** True for a key that the database counts up. */
export const isCounter = (field: StoredField): boolean =>
  field.kind === 'scalar' &&
  field.collection.key === field &&
  field.value.family === 'integer' &&
  !field.isRowNumber

/** The default of a field, if it is a constant that a column can have. */
export function startOf({ default: start, value, kind }: StoredField): ConstantDefault | undefined {
  const isConstant = typeof start === 'string' || typeof start === 'number' || typeof start === 'boolean'
  if (!isConstant || kind !== 'scalar' || value.isArray || value.storage !== undefined) return undefined
  return familyRow(value.family).constant?.(start)
}
