// The scalars of values, and the inputs of conditions on them, by the families of the values.
import type { StoredField } from '../../schema/model.ts'
import type { Family, FieldType } from '../../types/families.ts'
import { elementType, type ValueType } from '../../types/field-types.ts'
import type { ScalarName } from './scalars.ts'
import type { SchemaSettings } from './schema-options.ts'

/** Kinds of inputs of operators: `string_filter_operators`. */
export type ConditionKind =
  | 'string'
  | 'id'
  | 'number'
  | 'big_int'
  | 'boolean'
  | 'date'
  | 'json'
  | 'hash'
  | 'geometry'
  | 'binary'
  | 'equality'
  | 'presence'

interface FamilyScalars {
  readonly scalar: ScalarName
  readonly condition: ConditionKind
}

/** Scalars by families. A tuple is no value of its own: a key of several parts is text, and a relation leads to an item. */
const byFamily = {
  integer: { scalar: 'Int', condition: 'number' },
  float: { scalar: 'Float', condition: 'number' },
  decimal: { scalar: 'Float', condition: 'number' },
  text: { scalar: 'String', condition: 'string' },
  uuid: { scalar: 'ID', condition: 'id' },
  boolean: { scalar: 'Boolean', condition: 'boolean' },
  date: { scalar: 'Date', condition: 'date' },
  time: { scalar: 'Date', condition: 'date' },
  dateTime: { scalar: 'Date', condition: 'date' },
  timestamp: { scalar: 'Date', condition: 'date' },
  json: { scalar: 'JSON', condition: 'json' },
  csv: { scalar: 'String', condition: 'string' },
  hash: { scalar: 'Hash', condition: 'hash' },
  binary: { scalar: 'String', condition: 'binary' },
  other: { scalar: 'String', condition: 'equality' },
  opaque: { scalar: 'String', condition: 'presence' },
  geometry: { scalar: 'GraphQLGeoJSON', condition: 'geometry' },
  tuple: { scalar: 'ID', condition: 'id' },
} as const satisfies Readonly<Record<Family, FamilyScalars>>

const byType: { readonly [Type in FieldType]?: FamilyScalars } = {
  bigInteger: { scalar: 'GraphQLBigInt', condition: 'big_int' },
}

export interface ValueForm {
  readonly scalar: ScalarName
  readonly isList: boolean
  readonly condition: ConditionKind
  /** The family as which it is used: a concealed value is used as a hash. */
  readonly family: Family
}

/** Returns the form of a field's own value; of a relation, that of the key in it. */
export function valueForm(field: StoredField, settings: SchemaSettings): ValueForm {
  if (field.kind === 'scalar' && field.isConcealed) return { ...byFamily.hash, isList: false, family: 'hash' }
  const { value } = field
  const { condition } = scalarsOf(value, settings)
  return { ...ownForm(value, settings), condition, family: value.family }
}

/** Returns the form of a value that is written. A concealed one is given as it is. */
export function inputForm(
  field: StoredField,
  settings: SchemaSettings,
): Pick<ValueForm, 'scalar' | 'isList'> {
  const { family } = field.value
  const isHidden = field.kind === 'scalar' && field.isConcealed && (family === 'hash' || family === 'text')
  return isHidden ? { scalar: 'Hash', isList: false } : ownForm(field.value, settings)
}

/** Returns the kind of conditions on a value, by the form in which it is shown. */
export const conditionOf = ({ family, scalar }: Pick<ValueForm, 'family' | 'scalar'>): ConditionKind =>
  scalar === 'GraphQLBigInt' ? 'big_int' : byFamily[family].condition

function ownForm(value: ValueType, settings: SchemaSettings): Pick<ValueForm, 'scalar' | 'isList'> {
  const { scalar } = scalarsOf(value.isArray ? elementType(value) : value, settings)
  return { scalar, isList: value.isArray || value.family === 'csv' }
}

function scalarsOf({ type, family, isArray }: ValueType, { decimal }: SchemaSettings): FamilyScalars {
  // A list is compared as JSON, whatever its elements are.
  const special = isArray || type === 'tuple' ? undefined : byType[type]
  if (special) return special
  return family === 'decimal' ? { ...byFamily.decimal, scalar: decimal } : byFamily[family]
}
