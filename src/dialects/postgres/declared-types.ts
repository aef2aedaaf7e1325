// The field types of PostgreSQL's types. Values of a type that is missing here are text, of which only the database knows more.
import type { FieldType } from '../../types/families.ts'
import { isFieldType } from '../../types/field-types.ts'
import type { CatalogueColumn, CatalogueEnum, TypeGuess } from '../catalogue.ts'

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
