// The types of PostgreSQL among those of fields. What is not here compares, sorts or is written as no field does.
import type { FieldType } from '../../schema/field-types.ts'
import { fieldTypes } from '../../schema/field-types.ts'
import type { CatalogueColumn, CatalogueEnum, TypeGuess } from '../catalogue.ts'

export function guess({ type, declared, enum: labels }: CatalogueColumn): TypeGuess | undefined {
  if (labels) return isNameable(labels) ? { type: 'string' } : undefined
  if (type === 'geometry') return geometry(declared)
  const known = types.get(type)
  return known && { type: known }
}

/** A field names the type of an enum with a point between its schema and its name, and says at least one label. */
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

/** `geometry(Point,4326)`; with a Z or an M the shape says more than a field can. */
function geometry(declared: string): TypeGuess {
  const [, shape = '', srid] = /\((\w+)(?:,(\d+))?\)/.exec(declared) ?? []
  const type = `geometry.${shape}`
  return { type: isFieldType(type) ? type : 'geometry', ...(srid !== undefined && { srid: Number(srid) }) }
}

const isFieldType = (name: string): name is FieldType => Object.hasOwn(fieldTypes, name)

/** The value of a default that is a plain constant, such as `'draft'::text`. */
export function constant(text: string): string | number | boolean | undefined {
  const [, quoted, cast = ''] = /^'((?:[^']|'')*)'(?:::([\w ."]+)(?:\(\d+\))?)?$/.exec(text) ?? []
  // A number below zero is written as a text that is cast.
  if (quoted !== undefined && !/^(smallint|integer|real|double precision)$/.test(cast))
    return quoted.replaceAll("''", "'")
  if (quoted !== undefined) return Number(quoted)
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  return text === 'true' || text === 'false' ? text === 'true' : undefined
}
