// Tables that an engine has created for itself: the purpose of their columns is known, although the columns do not declare it.
import type { CatalogueColumn, CataloguePhrases, CatalogueTable } from '../dialects/catalogue.ts'
import type { ScalarDefinition } from '../schema/definition.ts'
import { filesDefinition } from '../schema/own-files.ts'
import { versionFields } from '../schema/own-versions.ts'
import { fieldTypes } from '../types/field-types.ts'
import type { FieldOverride } from './introspect-options.ts'

type OwnFields = Readonly<Record<string, ScalarDefinition>>

const purposes: readonly OwnFields[] = [versionFields, filesDefinition.fields]

/** Returns the fields of a table that holds versions or files; a host may have added columns to it. */
export function ownFieldsOf(table: CatalogueTable, phrases: CataloguePhrases): OwnFields | undefined {
  if (table.kind !== 'table') return undefined
  const columns = new Map(table.columns.map((column) => [column.name, column]))
  return purposes.find((fields) =>
    Object.entries(fields).every(([name, field]) => holds(columns.get(name), field, phrases)),
  )
}

/** True if a column is like one created for a field: of its type, or text if the database has no such type. */
function holds(
  column: CatalogueColumn | undefined,
  { type }: ScalarDefinition,
  phrases: CataloguePhrases,
): boolean {
  if (!column) return false
  const guess = phrases.guess(column)
  return guess.type === 'text' || fieldTypes[guess.type].family === fieldTypes[type].family
}

/** Returns the override of a column, completed with the engine's own options. The column may have been made a foreign key since. */
export function withOwn(
  said: FieldOverride | undefined,
  { name }: CatalogueColumn,
  table: CatalogueTable,
  own: OwnFields | undefined,
): FieldOverride | undefined {
  const field = own && Object.hasOwn(own, name) ? own[name] : undefined
  if (!field || said === false) return said
  const { key: _key, nullable: _nullable, type, ...options } = field
  const isLink = table.foreignKeys.some(({ columns }) => columns.includes(name))
  if (said?.type !== undefined && said.type !== type) return said
  return { ...(!isLink && { type }), ...options, ...said } as FieldOverride // the options are those of its type
}
