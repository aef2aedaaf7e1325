// Many-to-one fields that hold unique values of their target in place of its key.
import { quote } from '../errors/errors.ts'
import { canBeKey } from '../types/families.ts'
import type { CollectionDefinition } from './definition.ts'
import { at, type CollectionDraft, type DraftPlace, type Drafts } from './drafts.ts'
import { type KeyTuple, keyFieldsOf, type LinkColumn, type ScalarField, type StoredField } from './model.ts'
import { StoredLink, StoredScalar, tupleTypeOf } from './stored-fields.ts'

/** Links the fields of one column that name a unique field of their target, once all columns and keys are linked. */
export function linkReferenced(
  collection: CollectionDraft,
  fields: CollectionDefinition['fields'],
  drafts: Drafts,
): void {
  for (const [name, field] of Object.entries(fields)) {
    if (field.type !== 'm2o' || typeof field.references !== 'string') continue
    const link = drafts.storedOf(collection).get(name)
    const target = drafts.collections.get(field.to)
    if (!(link instanceof StoredLink) || !target) continue
    const place = { collection, field: name }
    const found = referable(place, target, field.references, drafts)
    if (!found) continue
    if (!found.isUnique) refuseShared(place, target, found, drafts)
    else if (!isKeyOf(target, [found])) link.references = marked(found)
  }
}

/** Links the fields of a target that several fields hold together; undefined, with a problem reported, if it has not all of them. */
export function referencedTogether(
  place: DraftPlace,
  target: CollectionDraft,
  names: readonly string[],
  drafts: Drafts,
): KeyTuple | undefined {
  const found = names.flatMap((name) => referable(place, target, name, drafts) ?? [])
  if (found.length < names.length) return undefined
  const isNullable = found.some((part) => part.isNullable)
  return { kind: 'key', collection: target, parts: found, value: tupleTypeOf(found), isNullable }
}

export function isKeyOf(target: CollectionDraft, fields: readonly StoredField[]): boolean {
  const own = keyFieldsOf(target)
  return own.length === fields.length && own.every((part, index) => part === fields[index])
}

/** Notes of some fields that relations refer to items by them. */
export function marked<Field extends StoredField>(field: Field): Field {
  if (field instanceof StoredScalar || field instanceof StoredLink) field.isReferenced = true
  return field
}

function referable(
  place: DraftPlace,
  target: CollectionDraft,
  name: string,
  drafts: Drafts,
): ScalarField | LinkColumn | undefined {
  const fields = drafts.storedOf(target)
  const found = fields.get(name)
  if (!found) {
    if (!drafts.isRefused(target, name))
      drafts.refuseName(at(place), 'references', {
        name,
        legal: fields,
        what: `stored field of ${quote(target.name)}`,
      })
    return undefined
  }
  const { kind, value } = found
  if (kind !== 'any' && !value.isArray && canBeKey(value.family) && !(kind === 'scalar' && found.isConcealed))
    return found
  drafts.refuse(at(place), 'references', `references ${quote(name)}, which can be no key`)
  return undefined
}

function refuseShared(
  place: DraftPlace,
  target: CollectionDraft,
  { name }: StoredField,
  drafts: Drafts,
): void {
  const says = `references ${quote(name)} of ${quote(target.name)}, which is not "unique: true"`
  drafts.refuse(at(place), 'references', says)
}
