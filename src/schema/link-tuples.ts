// Many-to-one fields to a collection whose key has several parts: fields beside them hold it.
import { quote } from '../errors/errors.ts'
import { storedForm, type ValueType } from '../types/field-types.ts'
import type { CollectionDefinition, ManyToOneDefinition } from './definition.ts'
import { at, type CollectionDraft, type DraftPlace, type Drafts } from './drafts.ts'
import { keyTypeOf } from './link-key.ts'
import { isKeyOf, marked, referencedTogether } from './link-unique.ts'
import type { KeyTuple, LinkTuple, StoredField } from './model.ts'
import { linkTuple } from './stored-fields.ts'

/** Links the many-to-one fields with "by", once all columns and keys are linked. */
export function linkTuples(
  collection: CollectionDraft,
  fields: CollectionDefinition['fields'],
  drafts: Drafts,
): void {
  for (const [name, field] of Object.entries(fields)) {
    if (field.type !== 'm2o' || !field.by) continue
    const linked = linkByParts({ collection, field: name }, { ...field, by: field.by }, fields, drafts)
    if (linked) drafts.tuplesOf(collection).set(name, linked)
  }
}

/** Refuses a relation to a collection whose items nothing identifies. */
export function refuseKeyless(place: DraftPlace, { to }: { readonly to: string }, drafts: Drafts): void {
  drafts.refuse(at(place), 'to', `leads to ${quote(to)}, which has no key`)
}

type DefinitionByParts = ManyToOneDefinition & { readonly by: readonly string[] }

function linkByParts(
  place: DraftPlace,
  field: DefinitionByParts,
  fields: CollectionDefinition['fields'],
  drafts: Drafts,
): LinkTuple | undefined {
  const target = drafts.named(place, 'to', field.to)
  if (!target) return undefined
  const held = heldTogether(place, field, target, drafts)
  const parts = held ? field.by.flatMap((name) => partNamed(place, name, fields, drafts) ?? []) : []
  if (!held || parts.length < field.by.length || !fits(place, parts, held, drafts)) return undefined
  const isOfKey = isKeyOf(target, held.parts)
  if (!isOfKey) for (const part of held.parts) marked(part)
  return linkTuple(place, field, { target, parts, references: isOfKey ? undefined : held })
}

/** The fields of a target that a relation holds together: those that it names, or the key. Undefined, with a problem reported, if there are
 *  none. */
function heldTogether(
  place: DraftPlace,
  field: DefinitionByParts,
  target: CollectionDraft,
  drafts: Drafts,
): KeyTuple | undefined {
  const type = keyTypeOf(field.to, drafts.definition)
  if (type === 'none') refuseKeyless(place, field, drafts)
  else if (Array.isArray(field.references)) return referencedTogether(place, target, field.references, drafts)
  else if (target.key?.kind === 'key') return target.key
  else if (typeof type === 'object')
    drafts.refuse(
      at(place),
      'by',
      `has "by", and the key of ${quote(field.to)} is of one column`,
      'Name the column with "column" in place of "by", or say "references".',
    )
  return undefined
}

function partNamed(
  place: DraftPlace,
  name: string,
  fields: CollectionDefinition['fields'],
  drafts: Drafts,
): StoredField | undefined {
  const stored = drafts.storedOf(place.collection)
  const found = stored.get(name)
  if (found && found.kind !== 'any') return found
  const field = fields[name]
  if (found || (field?.type === 'm2o' && field.by) || !drafts.isRefused(place.collection, name))
    drafts.refuseName(at(place), 'by', {
      name,
      legal: stored,
      what: 'field with a column beside it',
    })
  return undefined
}

/** True if some fields can hold a key or other unique values, part by part. */
function fits(place: DraftPlace, parts: readonly StoredField[], key: KeyTuple, drafts: Drafts): boolean {
  const names = key.parts.map(({ name }) => quote(name)).join(', ')
  if (parts.length !== key.parts.length) {
    const what = key === key.collection.key ? 'part of the key' : 'of the referenced fields'
    const says = `needs "by" to name ${key.parts.length} fields, one for each ${what} of ${quote(key.collection.name)} (${names}), not ${parts.length}`
    drafts.refuse(at(place), 'by', says)
    return false
  }
  for (const [index, wanted] of key.parts.entries()) {
    const held = parts[index]
    const difference = held && differenceOf(held.value, wanted.value)
    if (!held || difference === undefined) continue
    const says = `has ${quote(held.name)} in "by", which ${difference} than ${quote(wanted.name)} of ${quote(key.collection.name)}`
    drafts.refuse(at(place), 'by', says)
    return false
  }
  return true
}

/** The reason that keeps the columns of two fields from being compared as they are. */
function differenceOf(held: ValueType, wanted: ValueType): string | undefined {
  if (held.family !== wanted.family) return 'is of another type'
  const isAlike = storedForm(held.storage) === storedForm(wanted.storage) && held.enumType === wanted.enumType
  return isAlike ? undefined : 'is stored in another form'
}
