import { familyRow } from '../types/families.ts'
import type { JsonSchema } from '../types/family-row.ts'
import { elementType } from '../types/field-types.ts'
import { masked } from '../types/hash.ts'
import { isStored, type KeyField, type OwnField } from './model.ts'

/** Returns the schema of a value that is not null. */
export function outputSchema(field: OwnField | KeyField): JsonSchema {
  const { value } = field
  if (isConcealed(field)) return masked
  if (!value.isArray) return familyRow(value.family).outputSchema(value)
  const row = familyRow(elementType(value).family)
  const element = row.elementSchema?.(value) ?? row.outputSchema(value)
  return { type: 'array', items: orNull(element) }
}

export const isConcealed = (field: OwnField | KeyField): boolean =>
  field.kind === 'scalar' && field.isConcealed

export function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values, anyOf, ...rest } = schema
  if (Array.isArray(anyOf) && Object.keys(schema).length === 1) return { anyOf: [...anyOf, { type: 'null' }] }
  if (typeof type !== 'string' || 'const' in schema)
    return Object.keys(schema).some((word) => word !== 'description')
      ? { anyOf: [schema, { type: 'null' }] }
      : schema
  const members = Array.isArray(values) && { enum: [...values, null] }
  return { type: [type, 'null'], ...members, ...rest, ...(anyOf !== undefined && { anyOf }) }
}

/** True if only the engine or the database sets the field. */
export const isReadOnly = (field: OwnField): boolean =>
  field.isReadonly || isGenerated(field) || isEngines(field)

export const isGenerated = (field: OwnField): boolean => field.kind === 'scalar' && field.isGenerated

/** True if the engine sets the field, whatever the caller gives. A uuid is set only if none is given. */
export const isEngines = (field: OwnField): boolean =>
  isStored(field) && field.special.some((one) => one !== 'uuid')
