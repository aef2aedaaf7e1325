// Relations without a column of their own: they follow a column of another collection backwards.
import { quote } from '../errors/errors.ts'
import type { FieldDefinition, OneToManyDefinition, ThroughDefinition } from './definition.ts'
import { at, type CollectionDraft, type DraftPlace, type Drafts } from './drafts.ts'
import type { Collection, ManyToOne, OneToMany, RelationFilter, StoredField, ToMany } from './model.ts'

/** Links a to-many field. Returns undefined for other fields and, with a problem reported, if it leads nowhere. */
export function linkToMany(place: DraftPlace, field: FieldDefinition, drafts: Drafts): ToMany | undefined {
  if (field.type === 'o2m') {
    const way = wayBack(place, field, drafts)
    return way && { ...way, kind: 'o2m' }
  }
  if (field.type !== 'm2m' && field.type !== 'm2a') return undefined
  const way = wayBack(place, field, drafts)
  return way && linkFarSide(place, field, way, drafts)
}

/** The condition of a relation. `arm`: on its items in one collection. */
export const conditionAt = (
  { collection, field }: DraftPlace,
  filter: object,
  of: Collection,
  ...arm: readonly string[]
): RelationFilter => ({ filter, of, path: [collection.name, 'fields', field, 'filter', ...arm] })

type WayBack = Omit<OneToMany, 'kind'>

interface OptionPlace extends DraftPlace {
  readonly option: 'from' | 'through' | 'sort'
}

/** Resolves `collection.field`: a many-to-one field of another collection, which has to point here. */
function wayBack(
  place: DraftPlace,
  field: OneToManyDefinition | ThroughDefinition,
  drafts: Drafts,
): WayBack | undefined {
  const [option, route] =
    field.type === 'o2m' ? (['from', field.from] as const) : (['through', field.through] as const)
  const dot = route.lastIndexOf('.')
  if (dot < 1) {
    drafts.refuse(at(place), option, `needs "${option}" in the form collection.field; ${quote(route)} is not`)
    return undefined
  }
  const target = drafts.named(place, option, route.slice(0, dot))
  const foreign = target && foreignField({ ...place, option }, target, route.slice(dot + 1), drafts)
  if (!foreign) return undefined
  return {
    name: place.field,
    collection: place.collection,
    note: field.note,
    target,
    foreign,
    sort:
      field.sort === undefined
        ? undefined
        : storedNamed({ ...place, option: 'sort' }, target, field.sort, drafts),
    deselect: field.deselect ?? 'nullify',
    within: field.filter && conditionAt(place, field.filter, target),
  }
}

function foreignField(
  place: OptionPlace,
  target: CollectionDraft,
  name: string,
  drafts: Drafts,
): ManyToOne | undefined {
  const foreign = drafts.tuplesOf(target).get(name) ?? storedNamed(place, target, name, drafts)
  if (!foreign) return undefined
  if (foreign.kind === 'm2o' && foreign.target === place.collection) return foreign
  const want = `a many-to-one field that points to ${quote(place.collection.name)}`
  const route = quote(`${target.name}.${name}`)
  drafts.refuse(at(place), place.option, `needs "${place.option}" to name ${want}; ${route} is none`)
  return undefined
}

function storedNamed(
  place: OptionPlace,
  owner: CollectionDraft,
  name: string,
  drafts: Drafts,
): StoredField | undefined {
  const fields = drafts.storedOf(owner)
  const found = fields.get(name)
  if (!found && !drafts.isRefused(owner, name)) {
    const what = `stored field of ${quote(owner.name)}`
    drafts.refuseName(at(place), place.option, { name, legal: fields, what })
  }
  return found
}

function linkFarSide(
  place: DraftPlace,
  field: ThroughDefinition,
  way: WayBack,
  drafts: Drafts,
): ToMany | undefined {
  const junction = drafts.collections.get(way.target.name)
  if (!junction) return undefined
  const far = drafts.tuplesOf(junction).get(field.to) ?? drafts.storedOf(junction).get(field.to)
  if (field.type === 'm2m' && far?.kind === 'm2o' && far !== way.foreign) return { ...way, kind: 'm2m', far }
  if (field.type === 'm2a' && far?.kind === 'any') return { ...way, kind: 'm2a', far }
  if (!far && drafts.isRefused(junction, field.to)) return undefined
  const says =
    far === way.foreign
      ? `needs "to" to name another field of ${quote(junction.name)} than "through" does`
      : `needs "to" to name ${farSides[field.type]} of ${quote(junction.name)}; ${quote(field.to)} is none`
  drafts.refuse(at(place), 'to', says)
  return undefined
}

const farSides = { m2m: 'a many-to-one field', m2a: 'a field of type "any"' } as const
