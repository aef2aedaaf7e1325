// What a caller sees of what a version changes: the fields that they see of the items themselves.

import type { Engine } from '../engine/engine.ts'
import type { Options } from '../execution/database.ts'
import type { ItemData } from '../plan/changes.ts'
import { type Collection, isToMany } from '../schema/model.ts'
import { isRecord } from '../values/record.ts'
import { readKey } from '../writes/rows-by-key.ts'
import { writtenFields } from '../writes/visible-keys.ts'
import { newWriteContext } from '../writes/write-context.ts'
import type { VersionedItem } from './version-rows.ts'
import { type ItemNamed, type VisibleFields, visibleFieldsOf } from './visible-fields.ts'

/** `subject`: the item as it is, not as it is seen. Rows that the caller does not see are not there, either. */
export async function visibleDelta(
  subject: VersionedItem,
  delta: ItemData,
  engine: Engine,
  options: Options,
): Promise<ItemData> {
  if (!engine.narrowing?.limits) return delta
  const root = rootOf(subject, delta)
  return partOf(root, await sightOf(root, engine, options))
}

/** The item that a delta changes. */
export const rootOf = ({ collection, key }: VersionedItem, given: ItemData): ItemNamed => ({
  collection,
  key,
  given,
  mayBeNew: false,
})

/** What a caller sees of the items that a delta speaks of. */
export async function sightOf(root: ItemNamed, engine: Engine, options: Options): Promise<DeltaVisibility> {
  const limits = engine.narrowing?.limits
  if (!limits) return { fieldsOf: ({ fields }) => fields, fieldsIn: ({ collection }) => collection.fields }
  const fieldsOf: VisibleFieldsOf = (of) => limits.seen.reached(of)?.fields
  const named: ItemNamed[] = []
  const asked = (item: ItemNamed) => {
    named.push(item)
    return fieldsOf(item.collection)
  }
  partOf(root, { fieldsOf, fieldsIn: asked })
  return { fieldsOf, fieldsIn: await visibleFieldsOf(named, limits, newWriteContext(engine, options)) }
}

/** What a caller promotes: what they see, and what they may write unseen. What is neither is not there. */
export function ownDelta(collection: Collection, delta: ItemData, engine: Engine): ItemData {
  const limits = engine.narrowing?.limits
  if (!limits) return delta
  const fieldsOf: VisibleFieldsOf = (of) => {
    const written = (['create', 'update'] as const).flatMap((action) => [
      ...writtenFields(engine, of, action).fields,
    ])
    const fields = new Map([...(limits.seen.of.get(of)?.fields ?? []), ...written])
    return fields.size > 0 && !limits.seen.apart.has(of) ? fields : undefined
  }
  const root = { collection, key: undefined, given: delta, mayBeNew: false }
  return partOf(root, { fieldsOf, fieldsIn: ({ collection: of }) => fieldsOf(of) ?? nothing })
}

export const nothing: VisibleFields = new Map()

/** The fields that there are of a collection, where there is any such collection. */
type VisibleFieldsOf = (collection: Collection) => VisibleFields | undefined

/** What there is of the items that a delta speaks of. */
export interface DeltaVisibility {
  readonly fieldsOf: VisibleFieldsOf
  /** The fields of an item, where it is there. */
  readonly fieldsIn: (item: ItemNamed) => VisibleFields | undefined
}

function partOf(item: ItemNamed, sight: DeltaVisibility): ItemData {
  return withFields(item, sight.fieldsIn(item) ?? nothing, sight)
}

function withFields(
  { collection, given }: ItemNamed,
  fields: VisibleFields,
  sight: DeltaVisibility,
): ItemData {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const field = collection.fields.get(name)
      if (!field || !fields.has(name)) return []
      if (field.kind === 'scalar') return [[name, value]]
      const target = field.kind === 'any' ? field.targets.get(String(given[field.by.name])) : field.target
      // What belongs to a collection of which nothing is seen is as good as not there.
      if (hasItems(value) && !(target && sight.fieldsOf(target))) return []
      if (!target) return [[name, value]]
      if (isToMany(field)) return [[name, listOf(value, { target, owner: field.foreign.name }, sight)]]
      // The key itself is the item's own.
      return isRecord(value) ? itemOf(value, { target }, sight).map((item) => [name, item]) : [[name, value]]
    }),
  )
}

const hasItems = (value: unknown): boolean =>
  isRecord(value) || (Array.isArray(value) && value.some(isRecord))

/** Where items stand in a delta. */
export interface DeltaPlace extends Pick<ItemNamed, 'owner'> {
  readonly target: Collection
  /** They have to be there. */
  readonly isFixed?: boolean
}

/** Children: a list of them, or lists of what is created, updated and deleted. */
function listOf(value: unknown, place: DeltaPlace, sight: DeltaVisibility): unknown {
  if (Array.isArray(value)) return value.flatMap((one: unknown) => itemOf(one, place, sight))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([part, list]) => [
      part,
      listOf(list, { ...place, isFixed: part !== 'create' }, sight),
    ]),
  )
}

/** An item, or its key; nothing where it is not there. */
export function itemOf(value: unknown, place: DeltaPlace, sight: DeltaVisibility): readonly unknown[] {
  const item = itemAt(value, place)
  const fields = sight.fieldsIn(item)
  if (!fields) return []
  return [isRecord(value) ? withFields(item, fields, sight) : value]
}

/** What is meant by an item, or by its key. */
export function itemAt(value: unknown, { target, owner, isFixed }: DeltaPlace): ItemNamed {
  const isItem = isRecord(value)
  const key = readKey(target, isItem ? value[target.key.name] : value)
  return { collection: target, key, given: isItem ? value : {}, owner, mayBeNew: isItem && !isFixed }
}
