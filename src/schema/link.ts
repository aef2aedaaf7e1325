// Links a definition: resolves its names, and checks their targets.
import { type EngineError, quote } from '../errors/errors.ts'
import { familyRow } from '../types/families.ts'
import type {
  AnyDefinition,
  CollectionDefinition,
  FieldDefinition,
  ManyToOneDefinition,
  ScalarDefinition,
  SchemaDefinition,
} from './definition.ts'
import { at, type CollectionDraft, type DraftPlace, Drafts } from './drafts.ts'
import { isScalar, keyNamesOf } from './key-names.ts'
import { heldTypeOf, keyTypeOf, linkKey } from './link-key.ts'
import { linkTuples, refuseKeyless } from './link-tuples.ts'
import { linkReferenced } from './link-unique.ts'
import type { AnyReference, Collection, LinkColumn, StoredField } from './model.ts'
import { StoredLink, StoredReference, StoredScalar } from './stored-fields.ts'
import { conditionAt, linkToMany } from './to-many.ts'

/** Links the names of a definition whose shape is known to be valid. */
export function link(definition: SchemaDefinition): {
  readonly collections: ReadonlyMap<string, Collection>
  readonly problems: readonly EngineError[]
} {
  const drafts = new Drafts(definition)
  // In the order of their dependencies.
  drafts.each((collection, own) => linkColumns(collection, own, drafts))
  drafts.each((collection, { fields }) => linkReferences(collection, fields, drafts))
  drafts.each((collection) => refuseSharedColumns(collection, drafts))
  drafts.each((collection, own) => linkKey(collection, own, drafts))
  drafts.each((collection, { fields }) => linkReferenced(collection, fields, drafts))
  drafts.each((collection, { fields }) => linkTuples(collection, fields, drafts))
  drafts.each((collection, { sortField }) => linkSortField(collection, sortField, drafts))
  drafts.each((collection, { fields }) => linkAll(collection, fields, drafts))
  return drafts
}

type LinkedFields = CollectionDefinition['fields']

function linkColumns(collection: CollectionDraft, definition: CollectionDefinition, drafts: Drafts): void {
  const stored = drafts.storedOf(collection)
  const keys = keyNamesOf(definition)
  for (const [name, field] of Object.entries(definition.fields)) {
    const linked = linkColumn({ collection, field: name }, field, keys, drafts)
    if (linked) stored.set(name, linked)
  }
}

function linkColumn(
  place: DraftPlace,
  field: FieldDefinition,
  keys: readonly string[],
  drafts: Drafts,
): StoredField | undefined {
  if (field.type !== 'm2o') return isScalar(field) ? new StoredScalar(place, inKey(field)) : undefined
  return field.by ? undefined : linkManyToOne(place, inKey(field), drafts)

  /** A field that its collection names in its key. A part alone is not unique. */
  function inKey<Definition extends ScalarDefinition | ManyToOneDefinition>(own: Definition): Definition {
    if (!keys.includes(place.field)) return own
    return { ...(keys.length > 1 && { unique: false }), ...own, key: true }
  }
}

function linkManyToOne(
  place: DraftPlace,
  field: ManyToOneDefinition,
  drafts: Drafts,
): LinkColumn | undefined {
  const target = drafts.named(place, 'to', field.to)
  const value = target && heldTypeOf(field, drafts.definition)
  if (value === 'circle' && field.references !== undefined)
    drafts.refuse(at(place), 'references', 'leads into a circle')
  if (value === 'none') refuseKeyless(place, field, drafts)
  if (value === 'several')
    drafts.refuse(
      at(place),
      'by',
      `needs "by" to name the fields that hold the key of ${quote(field.to)}, one for each of its parts`,
    )
  if (!value || typeof value !== 'object') return undefined
  const { default: input = null } = field
  if (input !== null && familyRow(value.family).store(input, value).kind === 'mistake')
    drafts.refuse(at(place), 'default', 'cannot hold its option "default"')
  return new StoredLink(place, field, target, value)
}

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
    if (!target) continue
    targets.set(name, target)
    if (keyTypeOf(name, drafts.definition) === 'none') refuseKeyless(place, { to: name }, drafts)
  }
  const within = new Map(
    Object.entries(field.filter ?? {}).map(([name, filter]) => [
      name,
      conditionAt(place, filter, targets.get(name) ?? place.collection, name),
    ]),
  )
  return isText ? new StoredReference(place, field, { targets, by, within }) : undefined
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

function linkSortField(collection: CollectionDraft, name: string | undefined, drafts: Drafts): void {
  if (name === undefined || drafts.isRefused(collection, name)) return
  const stored = drafts.storedOf(collection)
  collection.sortField = stored.get(name)
  if (collection.sortField) return
  drafts.refuseName({ collection: collection.name }, 'sortField', {
    name,
    legal: stored,
    what: 'stored field',
  })
}

function linkAll(collection: CollectionDraft, fields: LinkedFields, drafts: Drafts): void {
  const stored = drafts.storedOf(collection)
  const tuples = drafts.tuplesOf(collection)
  for (const [name, field] of Object.entries(fields)) {
    const own = stored.get(name) ?? tuples.get(name)
    const linked = own ?? linkToMany({ collection, field: name }, field, drafts)
    if (linked) collection.fields.set(name, linked)
  }
}
