// A column as a field: a value, or a relation to the item whose key it holds.
import type { CatalogueColumn, CataloguePhrases, CatalogueTable, TypeGuess } from '../dialects/catalogue.ts'
import {
  type FieldDefinition,
  specials as own,
  type ScalarDefinition,
  type Special,
} from '../schema/definition.ts'
import { type Family, type FieldType, isTemporal } from '../types/families.ts'
import type { ConstantDefault } from '../types/family-row.ts'
import { fieldTypes } from '../types/field-types.ts'
import type { FieldFact } from './facts.ts'
import { isSystemSecret } from './system-collections.ts'

export type Lead =
  | { readonly kind: 'one'; readonly to: string }
  | { readonly kind: 'any'; readonly to: readonly string[]; readonly by: string }

interface ServiceColumn {
  readonly table: CatalogueTable
  readonly column: CatalogueColumn
  readonly fact: FieldFact | undefined
  readonly lead: Lead | undefined
  readonly types: TypeReader
  readonly constant: CataloguePhrases['constant']
  /** Callback for differences from the service. */
  readonly remark: (message: string) => void
}

/** Returns the field of a column. Undefined if no field fits. */
export function storedField(place: ServiceColumn): FieldDefinition | undefined {
  const { table, column, fact, lead } = place
  const specials = fact?.specials ?? []
  const isKey = table.primaryKey[0] === column.name
  const nullable = !isKey && column.isNullable
  const note = fact?.note
  if (lead?.kind === 'any')
    return { type: 'any', to: lead.to, by: lead.by, nullable, ...(note !== undefined && { note }) }
  const value = valueOptions(column, specials, place.types)
  const { type } = value
  const isUnique = table.uniqueKeys.some((names) => names.length === 1 && names[0] === column.name)
  const shared = {
    nullable,
    ...(isKey && { key: true }),
    ...(isUnique && { unique: true }),
    ...(note !== undefined && { note }),
    ...filledBy(type, specials, place),
    ...(isKept(place) && { readonly: true }),
  }
  if (lead) return { type: 'm2o', to: lead.to, ...shared }
  return { ...value, ...shared, ...scalarOptions(place, type) }
}

/** Returns the source of a value that is not given. */
function filledBy(
  type: FieldType,
  specials: readonly string[],
  { column, constant }: ServiceColumn,
): { readonly special?: readonly Special[]; readonly default?: unknown; readonly defaulted?: true } {
  const { family } = fieldTypes[type]
  const special = own.filter(
    (name) => specials.includes(name) && (!name.startsWith('date-') || isTemporal(family)),
  )
  if (special.length > 0) return { special }
  if (column.source === 'counter') return { defaulted: true }
  if (column.default === null || /^null(::|$)/i.test(column.default)) return {}
  const value = column.isArray ? undefined : constant(column.default)
  const read = value === undefined ? undefined : defaults[family]?.(value)
  if (read !== undefined) return { default: read }
  return { defaulted: true }
}

/** Specials of the service that are not supported here. */
const foreign: Readonly<Record<string, string>> = {
  'role-created': 'The role of who creates an item is not filled in.',
  'role-updated': 'The role of who updates an item is not filled in.',
  encrypt: 'It is encrypted with a key of the service, so it is neither shown nor written.',
}

/** True if no caller here could write it so that the service still understands it. */
function isKept({ fact, remark }: ServiceColumn): boolean {
  const missing = (fact?.specials ?? []).filter((special) => Object.hasOwn(foreign, special))
  for (const special of missing) remark(foreign[special] ?? '')
  return fact?.isKept === true || missing.length > 0
}

function scalarOptions(
  { table, column, fact }: ServiceColumn,
  type: FieldType,
): Partial<Pick<ScalarDefinition, 'conceal' | 'searchable' | 'indexed' | 'generated'>> {
  const specials = fact?.specials ?? []
  const isSecret =
    specials.includes('conceal') || specials.includes('encrypt') || isSystemSecret(table.name, column.name)
  return {
    ...(isSecret && type !== 'hash' && { conceal: true }),
    ...(fact && !fact.isSearchable && fieldTypes[type].family === 'text' && { searchable: false }),
    ...(table.indexed?.includes(column.name) && { indexed: true }),
    ...(column.source === 'database' && { generated: true }),
  }
}

/** Converters of defaults, as the database writes them, to values of the field. */
const defaults: {
  readonly [Name in Family]?: (input: ConstantDefault) => unknown
} = {
  text: String,
  uuid: String,
  integer: numberFrom,
  float: numberFrom,
  decimal: String,
  boolean: (input) => flags.get(String(input)),
  csv: (input) => (input === '' ? [] : String(input).split(',')),
  json: jsonFrom,
  date: momentFrom,
  time: momentFrom,
  dateTime: momentFrom,
  timestamp: momentFrom,
}

const flags: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['t', true],
  ['false', false],
  ['0', false],
  ['f', false],
])

function numberFrom(input: ConstantDefault): number | undefined {
  const number = Number(input)
  return input !== '' && Number.isFinite(number) ? number : undefined
}

function momentFrom(input: ConstantDefault): string | undefined {
  return typeof input === 'string' ? input : undefined
}

function jsonFrom(input: ConstantDefault): unknown {
  try {
    return JSON.parse(String(input)) ?? undefined
  } catch {
    return undefined
  }
}

type ValueOptions = Pick<
  ScalarDefinition,
  | 'type'
  | 'storage'
  | 'srid'
  | 'array'
  | 'values'
  | 'enumType'
  | 'databaseType'
  | 'length'
  | 'precision'
  | 'scale'
>

export interface TypeReader {
  readonly guess: CataloguePhrases['guess']
  /** True if columns accept any value, so that only the service knows the type. */
  readonly isLoose: boolean
}

/** Returns the type of a column's values: the service's type of the field, if it fits the database's. */
function valueOptions(
  column: CatalogueColumn,
  specials: readonly string[],
  { guess, isLoose }: TypeReader,
): ValueOptions {
  const guessed = guess(column)
  const type = typeOf(column, specials, guessed, isLoose)
  const storage = storageOf(type, guessed, isLoose)
  return {
    type,
    ...(storage && { storage }),
    ...(guessed.srid !== undefined && { srid: guessed.srid }),
    ...(column.isArray && { array: true }),
    ...(guessed.databaseType !== undefined && { databaseType: guessed.databaseType }),
    ...(column.enum && type === 'string' && { values: column.enum.values, enumType: enumName(column.enum) }),
    ...sizesOf(column, type),
  }
}

/** Types of the service's specials, and the types of columns in which it stores such values if the database has types. */
const said: Readonly<Record<string, { readonly type: FieldType; readonly in: readonly FieldType[] }>> = {
  'cast-json': { type: 'json', in: ['json'] },
  hash: { type: 'hash', in: ['string', 'text'] },
  'cast-csv': { type: 'csv', in: ['string', 'text'] },
  uuid: { type: 'uuid', in: ['uuid', 'string', 'text'] },
  file: { type: 'uuid', in: ['uuid', 'string', 'text'] },
  'cast-timestamp': { type: 'timestamp', in: ['timestamp'] },
  'cast-datetime': { type: 'dateTime', in: ['dateTime'] },
  'cast-boolean': { type: 'boolean', in: ['boolean'] },
}

function typeOf(
  column: CatalogueColumn,
  specials: readonly string[],
  guessed: TypeGuess,
  isLoose: boolean,
): FieldType {
  if (isLoose && specials.some((special) => special.startsWith('geometry'))) return geometry(column, specials)
  for (const special of specials) {
    const matching = Object.hasOwn(said, special) ? said[special] : undefined
    if (matching && (isLoose || matching.in.includes(guessed.type))) return matching.type
  }
  // Without a uuid type, the service stores uuids in columns of exactly this width, and nothing else.
  return isLoose && column.length === uuidLength && /^char$/i.test(column.type) ? 'uuid' : guessed.type
}

const uuidLength = 36

/** Returns the type of a geometry. The special may be plain "geometry"; then the column has the type of its shape. */
function geometry({ type }: CatalogueColumn, specials: readonly string[]): FieldType {
  const names = [...specials, `geometry.${type}`].map((name) => name.toLowerCase())
  const shapes = (Object.keys(fieldTypes) as FieldType[]).filter((name) => name.startsWith('geometry.'))
  return shapes.find((name) => names.includes(name.toLowerCase())) ?? 'geometry'
}

function storageOf(
  type: FieldType,
  guessed: TypeGuess,
  isLoose: boolean,
): ScalarDefinition['storage'] | undefined {
  const { family } = fieldTypes[type]
  if (family === 'uuid' && guessed.type !== 'uuid') return 'text'
  if (!isLoose || !isTemporal(family)) return undefined
  // In the form that its driver writes. A time of day is stored as the given text.
  return family === 'time' ? 'text' : 'milliseconds'
}

const enumName = ({ schema, name, isVisible }: NonNullable<CatalogueColumn['enum']>) =>
  isVisible ? name : `${schema}.${name}`

function sizesOf({ length, precision, scale }: CatalogueColumn, type: FieldType): Partial<ValueOptions> {
  if (type === 'string') return length === null ? {} : { length }
  if (type !== 'decimal') return {}
  return { ...(precision !== null && { precision }), ...(scale !== null && { scale }) }
}
