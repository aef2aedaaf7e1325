// The types of values that are computed, not stored.
import type { JsonScalar } from '../../dialects/phrase-types.ts'
import { valueTypeOf } from '../../schema/stored-fields.ts'
import type { ValueType } from '../../types/field-types.ts'

export const integerType = valueTypeOf({ type: 'integer' })
export const jsonType = valueTypeOf({ type: 'json' })
export const scalarTypes: Readonly<Record<JsonScalar, ValueType>> = {
  number: valueTypeOf({ type: 'decimal' }),
  text: valueTypeOf({ type: 'text' }),
  boolean: valueTypeOf({ type: 'boolean' }),
}
