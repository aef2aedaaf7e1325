// The field types of PostgreSQL's types. Values of a type that is missing here are text, of which only the database knows more.
import type { FieldType } from '../../types/families.ts'
import { elementType, isFieldType, type ValueType } from '../../types/field-types.ts'
import type { CatalogueColumn, CatalogueEnum, TypeGuess } from '../catalogue.ts'
import { columnType } from './column-types.ts'
import { isOther } from './other-types.ts'

export function guess(column: CatalogueColumn): TypeGuess {
  const { type, declared, enum: labels } = column
  if (labels) return isNameable(labels) ? { type: 'string' } : other(column)
  if (type === 'geometry') return geometry(declared)
  const known = types.get(type)
  return known ? { type: known } : other(column)
}

/** A type about which it is only known whether its values can be compared for equality. */
const other = ({ type, typeName, hasEquality }: CatalogueColumn): TypeGuess => ({
  type: hasEquality ? 'other' : 'opaque',
  databaseType: typeName,
  ...(namesObjects.test(type) && { readonly: true }),
})

/** Types whose text names an object of the database: what it means depends on where it is read. */
const namesObjects =
  /^(reg(class|collation|config|dictionary|namespace|oper|operator|proc|procedure|role|type)|aclitem)$/

/** True if an enum can be a field: it is named with a dot between its schema and its name, and needs at least one label. */
const isNameable = ({ schema, name, isVisible, values }: CatalogueEnum) =>
  values.length > 0 && !name.includes('.') && (isVisible || !schema.includes('.'))

/** Compares with the type that a new column would have. */
export function holds(column: CatalogueColumn, type: ValueType): boolean {
  if (column.isArray !== type.isArray) return false
  const element = type.isArray ? elementType(type) : type
  if (isOther(element)) return isNamed(column, type.databaseType)
  // A list of texts is compared as JSON, which has no enums.
  if (column.enum || element.enumType !== undefined)
    return element.family === 'text' && (type.isArray || isLabelled(column.enum, type))
  const held = holders[columnType(element).texts.join('')] ?? []
  return held.includes(column.type) && isWide(column, type)
}

const isNamed = ({ type, typeName }: CatalogueColumn, name = typeName): boolean =>
  name === typeName || name === type || name.endsWith(`.${type}`)

function isLabelled(found: CatalogueEnum | null, { enumType, values = [] }: ValueType): boolean {
  const isIt = found !== null && (enumType === found.name || enumType === `${found.schema}.${found.name}`)
  return isIt && values.every((value) => found.values.includes(value))
}

/** A size that the schema does not say is not compared. */
function isWide(
  column: CatalogueColumn,
  { type, isWide, length = 0, precision = 0, scale = 0 }: ValueType,
): boolean {
  if (column.type === 'int2' || column.type === 'int4') return type !== 'bigInteger' && !isWide
  if (column.length !== null) return length <= column.length
  if (column.precision === null) return true
  const own = column.scale ?? 0
  return scale <= own && precision - scale <= column.precision - own
}

const texts = ['text', 'varchar', 'bpchar', 'citext']
const moments = ['timestamp', 'timestamptz']
/** The types that hold the values of the type of a new column. */
const holders: Readonly<Record<string, readonly string[]>> = {
  bigint: ['int2', 'int4', 'int8', 'numeric'],
  boolean: ['bool'],
  'double precision': ['float4', 'float8', 'numeric'],
  numeric: ['numeric'],
  uuid: ['uuid'],
  date: ['date'],
  time: ['time'],
  timestamp: moments,
  timestamptz: moments,
  jsonb: ['json', 'jsonb'],
  bytea: ['bytea'],
  geometry: ['geometry'],
  text: texts,
}

const types: ReadonlyMap<string, FieldType> = new Map<string, FieldType>([
  ['int2', 'integer'],
  ['int4', 'integer'],
  ['int8', 'bigInteger'],
  ['float4', 'float'],
  ['float8', 'float'],
  ['numeric', 'decimal'],
  ['bool', 'boolean'],
  ['varchar', 'string'],
  ['bpchar', 'string'],
  ['citext', 'string'],
  ['text', 'text'],
  ['uuid', 'uuid'],
  ['date', 'date'],
  ['time', 'time'],
  ['timestamp', 'dateTime'],
  ['timestamptz', 'timestamp'],
  ['json', 'json'],
  ['jsonb', 'json'],
  ['bytea', 'binary'],
])

/** Reads `geometry(Point,4326)`; a shape with a Z or an M is more than a field can express. */
function geometry(declared: string): TypeGuess {
  const [, shape = '', srid] = /\((\w+)(?:,(\d+))?\)/.exec(declared) ?? []
  const type = `geometry.${shape}`
  return { type: isFieldType(type) ? type : 'geometry', ...(srid !== undefined && { srid: Number(srid) }) }
}

/** The value of a default that is a plain constant, such as `'draft'::text`. */
export function constant(text: string): string | number | boolean | undefined {
  const [, quoted, cast = ''] = /^'((?:[^']|'')*)'(?:::([\w ."]+)(?:\(\d+\))?)?$/.exec(text) ?? []
  // A negative number is written as a text with a cast.
  if (quoted !== undefined && !/^(smallint|integer|real|double precision)$/.test(cast))
    return quoted.replaceAll("''", "'")
  if (quoted !== undefined) return Number(quoted)
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  return text === 'true' || text === 'false' ? text === 'true' : undefined
}
