import { fieldTypes } from '../types/field-types.ts'
import type {
  CollectionDefinition,
  FieldDefinition,
  ManyToOneDefinition,
  ScalarDefinition,
} from './definition.ts'

/** The names of the fields that identify an item, in the order of the key; none if it has no key. */
export const keyNamesOf = ({ key, fields }: CollectionDefinition): readonly string[] =>
  key === false ? [] : (key ?? namesOfKeys(fields))

export const namesOfKeys = (fields: CollectionDefinition['fields']): readonly string[] =>
  Object.keys(fields).filter((name) => isKey(fields[name]))

const isKey = (field: FieldDefinition | undefined): field is ScalarDefinition | ManyToOneDefinition =>
  field !== undefined && 'key' in field && field.key === true

export const isScalar = (field: FieldDefinition): field is ScalarDefinition =>
  Object.hasOwn(fieldTypes, field.type)
