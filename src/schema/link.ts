// Links a definition: resolves its names, and checks their targets.
import { type EngineError, quote } from '../errors/errors.ts'
import { fieldTypes, type ValueType } from '../types/field-types.ts'
import type {
  AnyDefinition,
  CollectionDefinition,
  FieldDefinition,
  ManyToOneDefinition,
  ScalarDefinition,
  SchemaDefinition,
} from './definition.ts'
import { at, type CollectionDraft, type DraftPlace, Drafts } from './drafts.ts'
import type { AnyReference, Collection, ManyToOne, StoredField } from './model.ts'
import { StoredLink, StoredReference, StoredScalar, valueTypeOf } from './stored-fields.ts'
import { linkToMany } from './to-many.ts'

/** Links the names of a definition whose shape is known to be valid. */
export function link(definition: SchemaDefinition): {
  readonly collections: ReadonlyMap<string, Collection>
  readonly problems: readonly EngineError[]
} {
  const drafts = new Drafts(definition)
  // In the order of their dependencies.
  drafts.each((collection, { fields }) => linkColumns(collection, fields, drafts))
  drafts.each((collection, { fields }) => linkReferences(collection, fields, drafts))
  drafts.each((collection) => refuseSharedColumns(collection, drafts))
  drafts.each((collection, { fields }) => linkKey(collection, fields, drafts))
  drafts.each((collection, { sortField }) => linkSortField(collection, sortField, drafts))
  drafts.each((collection, { fields }) => linkAll(collection, fields, drafts))
  return drafts
}

type LinkedFields = CollectionDefinition['fields']

function linkColumns(collection: CollectionDraft, fields: LinkedFields, drafts: Drafts): void {
  const stored = drafts.storedOf(collection)
  for (const [name, field] of Object.entries(fields)) {
    const linked = linkColumn({ collection, field: name }, field, drafts)
    if (linked) stored.set(name, linked)
  }
}

function linkColumn(place: DraftPlace, field: FieldDefinition, drafts: Drafts): StoredField | undefined {
  if (field.type === 'm2o') return linkManyToOne(place, field, drafts)
  return isScalar(field) ? new StoredScalar(place, field) : undefined
}

const isScalar = (field: FieldDefinition): field is ScalarDefinition => Object.hasOwn(fieldTypes, field.type)

function linkManyToOne(place: DraftPlace, field: ManyToOneDefinition, drafts: Drafts): ManyToOne | undefined {
  const target = drafts.named(place, 'to', field.to)
  const value = target && keyValue(target.name, drafts.definition)
  return value && value !== 'circle' ? new StoredLink(place, field, target, value) : undefined
}

/** The type of a collection's key; a key that is itself a relation takes its target's. Undefined if there is no key. */
function keyValue(
  collection: string,
  definition: SchemaDefinition,
  seen: readonly string[] = [],
): ValueType | 'circle' | undefined {
  if (seen.includes(collection)) return 'circle'
  const key = Object.values(definition[collection]?.fields ?? {}).find(isKey)
  if (key?.type !== 'm2o') return key && valueTypeOf(key)
  return keyValue(key.to, definition, [...seen, collection])
}

const isKey = (field: FieldDefinition): field is ScalarDefinition | ManyToOneDefinition =>
  'key' in field && field.key === true

/** Links references to any collection. They need the text field beside them, so they are linked after it. */
function linkReferences(collection: CollectionDraft, fields: LinkedFields, drafts: Drafts): void {
  const stored = drafts.storedOf(collection)
  for (const [name, field] of Object.entries(fields)) {
    const linked =
      field.type === 'any' ? linkReference({ collection, field: name }, field, drafts) : undefined
    if (linked) stored.set(name, linked)
  }
}

function linkReference(place: DraftPlace, field: AnyDefinition, drafts: Drafts): AnyReference | undefined {
  const by = drafts.storedOf(place.collection).get(field.by)
  const isText = by?.kind === 'scalar' && by.value.family === 'text'
  if (!isText) {
    const says = `needs "by" to name a string field beside it; ${quote(field.by)} is none`
    drafts.refuse(at(place), 'by', says)
  }
  const targets = new Map<string, Collection>()
  for (const name of field.to) {
    const target = drafts.named(place, 'to', name)
    if (target) targets.set(name, target)
  }
  return isText ? new StoredReference(place, field, targets, by) : undefined
}

function refuseSharedColumns(collection: CollectionDraft, drafts: Drafts): void {
  const owners = new Map<string, string>()
  for (const { name, column } of drafts.storedOf(collection).values()) {
    const owner = owners.get(column)
    if (owner === undefined) owners.set(column, name)
    else {
      const says = `stands for the column ${quote(column)}, and so does ${quote(owner)}`
      drafts.refuse({ collection: collection.name, field: name }, 'column', says)
    }
  }
}

function linkKey(collection: CollectionDraft, fields: LinkedFields, drafts: Drafts): void {
  const place = { collection: collection.name }
  const names = Object.keys(fields).filter((name) => fields[name] && isKey(fields[name]))
  const [first] = names
  if (first === undefined) {
    drafts.refuse(place, undefined, 'has no key; mark one field with "key: true"')
    return
  }
  if (names.length > 1) {
    const all = names.map(quote).join(', ')
    drafts.refuse(place, undefined, `has ${names.length} keys (${all}); it may have one`)
  }
  const key = drafts.storedOf(collection).get(first)
  if (key && key.kind !== 'any') collection.key = key
  else if (keyValue(collection.name, drafts.definition) === 'circle') {
    drafts.refuse({ ...place, field: first }, 'to', 'is a key that leads into a circle of keys')
  }
}

function linkSortField(collection: CollectionDraft, name: string | undefined, drafts: Drafts): void {
  if (name === undefined || drafts.isRefused(collection, name)) return
  const stored = drafts.storedOf(collection)
  collection.sortField = stored.get(name)
  if (collection.sortField) return
  drafts.refuseName({ collection: collection.name }, 'sortField', name, stored.keys(), 'stored field')
}

/** Links all fields in the order of their definition. */
function linkAll(collection: CollectionDraft, fields: LinkedFields, drafts: Drafts): void {
  const stored = drafts.storedOf(collection)
  for (const [name, field] of Object.entries(fields)) {
    const linked = stored.get(name) ?? linkToMany({ collection, field: name }, field, drafts)
    if (linked) collection.fields.set(name, linked)
  }
}
