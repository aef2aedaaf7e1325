// Schemas of values in responses.
import { mask } from '../../dialects/read-values.ts'
import { type Family, fieldTypes } from '../../schema/field-types.ts'
import type { StoredField, ValueType } from '../../schema/model.ts'
import { uuid } from '../../vocabulary/families.ts'
import type { JsonSchema } from './document.ts'
import { geometryNamed } from './geometry-schemas.ts'

const text = { type: 'string' }

/** Schema of a family's values in responses. */
const shownBy: Readonly<Record<Family, (type: ValueType) => JsonSchema>> = {
  integer: ({ type }) => (type === 'bigInteger' ? { ...text, pattern: '^-?[0-9]+$' } : { type: 'integer' }),
  float: () => ({ type: 'number' }),
  decimal: ({ scale }) => ({
    ...text,
    pattern: scale ? `^-?[0-9]+\\.[0-9]{${scale},}$` : '^-?[0-9]+(?:\\.[0-9]+)?$',
  }),
  text: ({ values }) => (values ? { ...text, enum: values } : text),
  csv: () => ({ type: 'array', items: text }),
  uuid: () => ({ ...text, format: 'uuid', pattern: uuid.source }),
  boolean: () => ({ type: 'boolean' }),
  date: () => ({ ...text, format: 'date' }),
  // The formats "time" and "date-time" of JSON Schema require an offset.
  time: () => ({ ...text, pattern: '^[0-9]{2}:[0-9]{2}:[0-9]{2}$' }),
  dateTime: () => ({ ...text, pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}$' }),
  timestamp: () => ({ ...text, format: 'date-time', pattern: 'Z$' }),
  json: () => ({ description: 'Any JSON value.' }),
  hash: () => masked,
  binary: () => ({ ...text, contentEncoding: 'base64' }),
  geometry: ({ type }) => geometryNamed(shapeOf(type)),
}

export const masked: JsonSchema = { type: 'string', const: mask, description: 'Concealed.' }

/** Schemas of list elements that a JSON number cannot hold, or that have no form of their own in JSON. */
const looseElements: Partial<Record<Family, JsonSchema>> = {
  decimal: { type: ['string', 'number'] },
  csv: {},
  date: text,
  time: text,
  dateTime: text,
  timestamp: text,
  binary: text,
  geometry: {},
}

export function shapeOf(type: ValueType['type']): string | undefined {
  const row = fieldTypes[type]
  return 'shape' in row ? row.shape : undefined
}

/** Returns the schema of a value that is not null. */
export function outputSchema(field: StoredField): JsonSchema {
  const { value } = field
  if (isConcealed(field)) return masked
  if (!value.isArray) return shownBy[value.family](value)
  const { family } = fieldTypes[value.type]
  const element =
    value.type === 'bigInteger' ? looseElements.decimal : (looseElements[family] ?? shownBy[family](value))
  return { type: 'array', items: orNull(element ?? {}) }
}

export const isConcealed = (field: StoredField): boolean => field.kind === 'scalar' && field.isConcealed

/** Returns a schema that also accepts null. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values, ...rest } = schema
  if (typeof type !== 'string' || 'const' in schema)
    return Object.keys(schema).some((word) => word !== 'description')
      ? { anyOf: [schema, { type: 'null' }] }
      : schema
  return { type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }), ...rest }
}

/** True if only the engine or the database sets the field. */
export const isReadOnly = (field: StoredField): boolean =>
  field.isReadonly || isGenerated(field) || isEngines(field)

export const isGenerated = (field: StoredField): boolean => field.kind === 'scalar' && field.isGenerated

/** True if the engine sets the field, whatever the caller gives. A uuid is set only if none is given. */
export const isEngines = ({ special }: StoredField): boolean => special.some((one) => one !== 'uuid')
