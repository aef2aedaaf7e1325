// The key of a collection: one field, several together, or none.
import { quote } from '../errors/errors.ts'
import { canBeKey } from '../types/families.ts'
import type { ValueType } from '../types/field-types.ts'
import type {
  CollectionDefinition,
  FieldDefinition,
  ManyToOneDefinition,
  SchemaDefinition,
} from './definition.ts'
import type { CollectionDraft, Drafts } from './drafts.ts'
import { isScalar, keyNamesOf, namesOfKeys } from './key-names.ts'
import type { KeyField } from './model.ts'
import { textValue, tupleTypeOf, valueTypeOf } from './stored-fields.ts'

/** Links the key of a collection. Without one, its items can be listed and nothing else. */
export function linkKey(collection: CollectionDraft, definition: CollectionDefinition, drafts: Drafts): void {
  const place = { collection: collection.name }
  const marked = namesOfKeys(definition.fields)
  const all = marked.map(quote).join(', ')
  if (definition.key === false && marked.length > 0)
    drafts.refuse(place, 'key', `says that it has no key, and has "key: true" of ${all}`)
  else if (definition.key && marked.length > 0)
    drafts.refuse(place, 'key', `says twice what its key is: in "key", and by "key: true" of ${all}`)
  else if (marked.length > 1)
    drafts.refuse(
      place,
      undefined,
      `has ${marked.length} keys (${all}); it may have one`,
      `Write key: [${all}] beside "fields" if they identify an item together.`,
    )
  const names = keyNamesOf(definition)
  if (names.length === 0 && definition.versioned)
    drafts.refuse(place, 'versioned', 'has versions and no key to identify its items')
  if (definition.versioned && names.some((name) => isRowNumber(definition.fields[name])))
    drafts.refuse(
      place,
      'versioned',
      'has versions, and for its key the numbers of rows, which the database may change',
    )
  const fields = definition.key ? names : names.slice(0, 1)
  const parts = fields.flatMap((name) => keyPart(collection, name, definition, drafts) ?? [])
  const [first] = parts
  if (first && parts.length === fields.length)
    collection.key =
      parts.length === 1
        ? first
        : { kind: 'key', collection, parts, value: tupleTypeOf(parts), isNullable: false }
}

const isRowNumber = (field: FieldDefinition | undefined): boolean =>
  field !== undefined && 'rowNumber' in field && field.rowNumber === true

type KeyPart = Exclude<KeyField, { kind: 'key' }>

function keyPart(
  collection: CollectionDraft,
  name: string,
  { key, fields }: CollectionDefinition,
  drafts: Drafts,
): KeyPart | undefined {
  const place = { collection: collection.name }
  const found = drafts.storedOf(collection).get(name)
  if (found) {
    const mistake = key && mistakeOf(found)
    if (mistake) drafts.refuse(place, 'key', `has ${quote(name)} in its key, ${mistake}`)
    return found.kind === 'any' || mistake ? undefined : found
  }
  const field = fields[name]
  if (keyTypeOf(collection.name, drafts.definition) === 'circle')
    drafts.refuse({ ...place, field: name }, 'to', 'is a key that leads into a circle of keys')
  else if (!drafts.isRefused(collection, name) || (field?.type === 'm2o' && field.by))
    drafts.refuseName(place, 'key', {
      name,
      legal: drafts.storedOf(collection),
      what: 'field with a column',
    })
  return undefined
}

/** The reason why a field that is named in a key cannot be in one. */
function mistakeOf({ kind, isNullable, value }: { kind: string; isNullable: boolean; value: ValueType }) {
  if (isNullable) return 'which is nullable'
  return kind === 'any' || value.isArray || !canBeKey(value.family)
    ? 'whose type cannot be in one'
    : undefined
}

type HeldType = ValueType | 'circle' | 'several' | 'none' | undefined

/** The type of what a many-to-one field of one column holds: that of its target's key, or of the field that it names there. */
export function heldTypeOf(
  { to, references }: Pick<ManyToOneDefinition, 'to' | 'references'>,
  definition: SchemaDefinition,
  seen: readonly string[] = [],
): HeldType {
  const key = keyTypeOf(to, definition, seen)
  // Nothing leads to an item that has no key.
  return typeof references === 'string' && key !== 'none'
    ? fieldTypeOf(to, references, definition, seen)
    : key
}

function fieldTypeOf(
  collection: string,
  name: string,
  definition: SchemaDefinition,
  seen: readonly string[],
): HeldType {
  const place = `${collection}\n${name}`
  if (seen.includes(place)) return 'circle'
  const own = definition[collection]
  const field = own && Object.hasOwn(own.fields, name) ? own.fields[name] : undefined
  if (field?.type === 'm2o') return field.by ? undefined : heldTypeOf(field, definition, [...seen, place])
  if (!own || !field || !isScalar(field)) return textValue
  return valueTypeOf({ ...field, key: keyNamesOf(own).includes(name) })
}

/** The type of a collection's key, if it is of one column; a key that is itself a relation takes its target's.
 *  Undefined for a key that is refused. */
export function keyTypeOf(
  collection: string,
  definition: SchemaDefinition,
  seen: readonly string[] = [],
): HeldType {
  if (seen.includes(collection)) return 'circle'
  const own = definition[collection]
  const names = own ? keyNamesOf(own) : []
  const [first] = names
  if (!own || first === undefined) return 'none'
  if (own.key && names.length > 1) return 'several'
  const key = own.fields[first]
  if (key?.type === 'm2o') return heldTypeOf(key, definition, [...seen, collection])
  return key && isScalar(key) ? valueTypeOf({ ...key, key: true }) : undefined
}
