// Schemas of values in payloads: the forms that the types of values accept, where a schema can express them.

import { familyRow } from '../types/families.ts'
import type { JsonSchema } from '../types/family-row.ts'
import { elementType, type ValueType } from '../types/field-types.ts'
import { tupleSchema } from '../types/tuple.ts'
import { orNull } from './output-schema.ts'

/** Returns the schema of a value of a type that is neither a list nor one of a few words. */
type SchemaOfType = (value: ValueType) => JsonSchema

export const inputSchemaBy = (value: ValueType, schemaOfType: SchemaOfType): JsonSchema =>
  value.isArray
    ? { type: 'array', items: orNull(single(elementType(value), schemaOfType)) }
    : single(value, schemaOfType)

function single(value: ValueType, schemaOfType: SchemaOfType): JsonSchema {
  if (value.parts) return tupleSchema(value.parts.map(({ type }) => single(type, schemaOfType)))
  const { family, values, length } = value
  if (values) return { enum: values.flatMap(formsOf) }
  const known = schemaOfType(value)
  // Bytes have no characters to count.
  return length === undefined || family === 'binary' ? { ...known } : { ...known, maxLength: length }
}

/** Returns the name of the schema that a column accepts. */
export const inputNameOf = (value: ValueType): string =>
  familyRow(value.family).inputSchemaOf?.(value) ?? value.family

/** Returns a text, and other values that are read as that text. */
const formsOf = (text: string): readonly unknown[] => [
  text,
  ...[Number(text), true, false].filter((form) => String(form) === text),
]
