// Compares the tables of a database with the collections of a schema.
import type { CatalogueColumn, CataloguePhrases, CatalogueTable } from '../dialects/catalogue.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { HostDatabase } from '../dialects/host.ts'
import { render } from '../dialects/sql.ts'
import { quote } from '../errors/errors.ts'
import { execute } from '../execution/execute.ts'
import {
  type Collection,
  isStored,
  type ManyToOne,
  partsOf,
  referencedFields,
  type Schema,
  type StoredField,
} from '../schema/model.ts'
import type { ValueType } from '../types/field-types.ts'
import {
  calledFields,
  columnsOf,
  type Finding,
  finding,
  noColumn,
  noDefault,
  noForeignKey,
  noIndex,
  noTable,
  notGenerated,
  notUnique,
  uniquesOf,
} from './differences.ts'
import { databaseOf, phrasesOf, tablesIn } from './read-catalogue.ts'

/** The tables of a database, by the collections that stand for them. */
export interface FoundTables {
  readonly schema: Schema
  readonly phrases: CataloguePhrases
  readonly tableOf: (collection: Collection) => CatalogueTable | undefined
}

/** Reads the tables of collections, be they views or partitions. */
export async function findTables(schema: Schema, db: HostDatabase, dialect: Dialect): Promise<FoundTables> {
  const phrases = phrasesOf(dialect)
  const collections = [...schema.collections.values()]
  const names = collections.map(({ table }) => table)
  const named = [...new Set(collections.flatMap(({ dbSchema }) => dbSchema ?? []))]
  const isAtHome = collections.some(({ dbSchema }) => dbSchema === undefined)
  const home = isAtHome ? await tablesIn(db, { dialect, dbSchemas: undefined }, names) : []
  const others = named.length > 0 ? await tablesIn(db, { dialect, dbSchemas: named }, names) : []
  const placeOf = (dbSchema: string | undefined, table: string) =>
    JSON.stringify([phrases.sameName(dbSchema ?? ''), phrases.sameName(table)])
  const tables = new Map([
    ...home.map((table) => [placeOf(undefined, table.name), table] as const),
    ...others.map((table) => [placeOf(table.schema, table.name), table] as const),
  ])
  return { schema, phrases, tableOf: ({ dbSchema, table }) => tables.get(placeOf(dbSchema, table)) }
}

export const columnIn = (
  { columns }: CatalogueTable,
  { column }: StoredField,
  { sameName }: CataloguePhrases,
): CatalogueColumn | undefined => {
  const name = sameName(column)
  return columns.find((one) => sameName(one.name) === name)
}

/** Compares the tables of a schema. `isApart`: those that are compared otherwise. */
export function differencesIn(
  found: FoundTables,
  isApart: (collection: Collection) => boolean,
): readonly Finding[] {
  const collections = [...found.schema.collections.values()]
  return collections.flatMap((collection) => {
    const table = found.tableOf(collection)
    if (!table) return isApart(collection) ? [] : [noTable(collection)]
    if (table.columns.length === 0) return [unreadable(collection, [], 'has no columns that can be read')]
    const stored = [...collection.fields.values()].filter(isStored)
    return [
      ...stored.flatMap((field) => differencesOf(field, table, found)),
      ...(table.keepsKeys ? uniquesOf(collection, collections) : []).flatMap((fields) =>
        isKept(fields, table, found) ? [] : [notUnique(fields, collection)],
      ),
      ...stored.flatMap((field) => missingIndex(field, table, found)),
      ...[...collection.fields.values()].flatMap((field) =>
        field.kind === 'm2o' ? missingForeignKey(field, table, found) : [],
      ),
    ]
  })
}

function differencesOf(
  field: StoredField,
  table: CatalogueTable,
  { phrases }: FoundTables,
): readonly Finding[] {
  if (field.kind === 'scalar' && field.isRowNumber && table.rowNumber !== null) return []
  const column = columnIn(table, field, phrases)
  if (!column) return [noColumn(field)]
  const { collection, value } = field
  const called = calledFields([field])
  const type =
    (phrases.holds?.(column, typeToHold(field)) ?? true)
      ? []
      : [
          finding(collection, [field], {
            kind: 'type',
            wished: value.type,
            found: column.declared,
            message: `The column ${quote(column.name)} of ${quote(table.name)} is ${quote(column.declared)}, which cannot hold all values of ${called}, of the type ${quote(value.type)}${sizesOf(value)}.`,
          }),
        ]
  // Views promise nothing of their columns.
  return table.kind === 'table' ? [...type, ...promises(field, column)] : type
}

/** A relation holds what its foreign key lets it, and a number that the database gives is as large as its column. */
function typeToHold(field: StoredField): ValueType {
  const { value, isKey, isDefaulted } = field
  if (field.kind === 'm2o' && value.family === 'integer') return { ...value, type: 'integer', isWide: false }
  return isKey || isDefaulted ? { ...value, isWide: false } : value
}

const sizesOf = ({ length, precision, scale, isWide, values, enumType }: ValueType): string => {
  if (enumType !== undefined)
    return ` with the values ${(values ?? []).map(quote).join(', ')} of ${quote(enumType)}`
  if (length !== undefined) return ` and the length ${length}`
  if (precision !== undefined) return ` with ${precision} digits, ${scale ?? 0} of them behind the point`
  return isWide ? ' with more than 32 bits' : ''
}

/** Compares what the database does with the values of a column. */
function promises(field: StoredField, column: CatalogueColumn): readonly Finding[] {
  const { collection, isNullable, isKey, isDefaulted, isReadonly } = field
  const called = calledFields([field])
  const isGenerated = field.kind === 'scalar' && field.isGenerated
  const isComputed = column.source === 'database'
  const findings: Finding[] = []
  // A key is never null, whatever its column may be.
  if (!isKey && isNullable !== column.isNullable)
    findings.push(
      finding(collection, [field], {
        kind: 'nullable',
        wished: isNullable ? 'nullable' : 'not null',
        found: column.isNullable ? 'nullable' : 'not null',
        message: isNullable
          ? `${called} may be null, which its column refuses.`
          : `${called} is never null, and its column may be.`,
      }),
    )
  if (isDefaulted && column.source === 'caller') findings.push(noDefault(field))
  if (isGenerated && !isComputed) findings.push(notGenerated(field))
  if (isComputed && !isGenerated && !isReadonly)
    findings.push(
      finding(collection, [field], {
        kind: 'generated',
        wished: 'written',
        found: 'generated',
        message: `The database generates ${called}, so that no payload may name it.`,
      }),
    )
  return findings
}

/** True if all columns of a key of the table are among those of some fields. */
function isKept(fields: readonly StoredField[], table: CatalogueTable, { phrases }: FoundTables): boolean {
  const names = new Set(fields.map(({ column }) => phrases.sameName(column)))
  return [table.primaryKey, ...table.uniqueKeys].some(
    (key) => key.length > 0 && key.every((name) => names.has(phrases.sameName(name))),
  )
}

function missingIndex(
  field: StoredField,
  table: CatalogueTable,
  { phrases }: FoundTables,
): readonly Finding[] {
  const { uniqueKeys, primaryKey, indexed } = table
  if (!indexed || field.kind !== 'scalar' || !field.isIndexed || field.isUnique || field.isKey) return []
  const column = phrases.sameName(field.column)
  const starts = [...indexed, ...[primaryKey, ...uniqueKeys].flatMap(([first]) => first ?? [])]
  if (!table.keepsKeys || starts.some((name) => phrases.sameName(name) === column)) return []
  return [noIndex(field)]
}

function missingForeignKey(link: ManyToOne, table: CatalogueTable, found: FoundTables): readonly Finding[] {
  const { phrases, tableOf } = found
  const target = tableOf(link.target)
  const isAway = target && (!target.keepsKeys || (!phrases.hasSchemas && target.schema !== table.schema))
  if (!table.keepsKeys || isAway) return []
  const same = phrases.sameName
  const own = partsOf(link).map(({ column }) => same(column))
  const wished = referencedFields(link).map(({ column }) => same(column))
  const ofColumns = table.foreignKeys.filter(
    ({ columns }) => columns.length === own.length && columns.every((name) => own.includes(same(name))),
  )
  const isThere = ofColumns.some(
    ({ columns, table: place, targetColumns }) =>
      place.schema === target?.schema &&
      same(place.name) === same(target.name) &&
      columns.every((name, at) => same(targetColumns[at] ?? '') === wished[own.indexOf(same(name))]),
  )
  if (isThere) return []
  const [other] = ofColumns
  return [noForeignKey(link, other ? `${other.table.name} (${other.targetColumns.join(', ')})` : null)]
}

const unreadable = (collection: Collection, fields: readonly StoredField[], because: string): Finding => {
  const [wished, place] =
    fields.length > 0
      ? [columnsOf(fields), `The column ${quote(columnsOf(fields))} of ${quote(collection.table)}`]
      : [collection.table, `The table ${quote(collection.table)}`]
  const message = `${place} ${because}, so ${quote(collection.name)} is not checked in full.`
  return finding(collection, fields, { kind: 'unreadable', wished, found: null, message })
}

/** Says of what seems to be missing whether it is only hidden from the role. */
export async function withoutHidden(
  findings: readonly Finding[],
  { phrases, tableOf }: FoundTables,
  db: HostDatabase,
  dialect: Dialect,
): Promise<readonly Finding[]> {
  const isMissing = ({ difference: { kind, found } }: Finding) =>
    found === null && ['table', 'column', 'own table'].includes(kind)
  const tables = findings.filter(isMissing).flatMap(({ collection }) => collection?.table ?? [])
  if (!phrases.hidden || tables.length === 0) return findings
  const rows = await execute(
    databaseOf(db, dialect),
    render(phrases.hidden([...new Set(tables)]), dialect),
    {},
  )
  return findings.map((one) => {
    const { collection, fields } = one
    if (!collection || !isMissing(one)) return one
    const [field] = fields
    const schema = tableOf(collection)?.schema ?? collection.dbSchema
    const isHidden = rows.some(
      (row) =>
        row[1] === collection.table &&
        (schema === undefined ? row[3] === true : row[0] === schema) &&
        (field === undefined || row[2] === field.column),
    )
    return isHidden
      ? unreadable(collection, fields, 'is there, and the role of this connection may not read it')
      : one
  })
}
