// Type of a column's values: the service's type of the field, if it fits the database's.
import type { CatalogueColumn, CataloguePhrases, TypeGuess } from '../dialects/catalogue.ts'
import type { ScalarDefinition } from '../schema/definition.ts'
import { type FieldType, isTemporal } from '../types/families.ts'
import { fieldTypes } from '../types/field-types.ts'

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

export function valueOptions(
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
