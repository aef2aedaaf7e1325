// The types of values that are computed, not stored.
import type { JsonScalar } from '../dialects/dialect.ts'
import { type FieldType, fieldTypes } from '../schema/field-types.ts'
import type { ValueType } from '../schema/model.ts'

export const computedType = (type: FieldType): ValueType => ({
  type,
  family: fieldTypes[type].family,
  storage: undefined,
  isArray: false,
  values: undefined,
  enumType: undefined,
  srid: undefined,
  length: undefined,
  precision: undefined,
  scale: undefined,
})

export const integerType = computedType('integer')
export const jsonType = computedType('json')
export const scalarTypes: Readonly<Record<JsonScalar, ValueType>> = {
  number: computedType('decimal'),
  text: computedType('text'),
  boolean: computedType('boolean'),
}
