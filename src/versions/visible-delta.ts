// The part of a delta that is visible to a caller: the fields of items that are visible to them.

import type { EngineInternals } from '../engine/engine.ts'
import type { Options } from '../execution/database.ts'
import { keyInItem, readKey } from '../plan/key.ts'
import type { ItemData } from '../plan/write/changes.ts'
import { targetIn } from '../plan/write/mask-secrets.ts'
import { type Collection, isToMany } from '../schema/model.ts'
import { isRecord } from '../values/guards.ts'
import { writtenFields } from '../writes/authorize/writable-fields.ts'
import { newWriteContext } from '../writes/context/write-context.ts'
import type { VersionedItem } from './version-rows.ts'
import { type ItemNamed, type VisibleFields, visibleFieldsOf } from './visible-fields.ts'

/** Returns the visible part of a delta. `subject`: the item without rules applied. Rows that are hidden from the caller are left out. */
export async function visibleDelta(
  subject: VersionedItem,
  delta: ItemData,
  engine: EngineInternals,
  options: Options,
): Promise<ItemData> {
  if (!engine.scope?.permissions) return delta
  const root = rootOf(subject, delta)
  return partOf(root, await visibilityOf(root, engine, options))
}

export const rootOf = ({ collection, key }: VersionedItem, payload: ItemData): ItemNamed => ({
  collection,
  key,
  payload,
  mayBeNew: false,
})

/** Determines what is visible to a caller of the items in a delta. */
export async function visibilityOf(
  root: ItemNamed,
  engine: EngineInternals,
  options: Options,
): Promise<DeltaVisibility> {
  const permissions = engine.scope?.permissions
  if (!permissions)
    return { fieldsOf: ({ fields }) => fields, fieldsIn: ({ collection }) => collection.fields }
  const fieldsOf: VisibleFieldsOf = (of) => permissions.seen.reached(of)?.fields
  const named: ItemNamed[] = []
  const requested = (item: ItemNamed) => {
    named.push(item)
    return fieldsOf(item.collection)
  }
  partOf(root, { fieldsOf, fieldsIn: requested })
  return { fieldsOf, fieldsIn: await visibleFieldsOf(named, permissions, newWriteContext(engine, options)) }
}

/** Returns the part of a delta that a caller promotes: visible fields, and hidden ones that they may write. */
export function ownDelta(collection: Collection, delta: ItemData, engine: EngineInternals): ItemData {
  const permissions = engine.scope?.permissions
  if (!permissions) return delta
  const fieldsOf: VisibleFieldsOf = (of) => {
    const written = (['create', 'update'] as const).flatMap((action) => [
      ...writtenFields(engine, of, action).fields,
    ])
    const fields = new Map([...(permissions.seen.of.get(of)?.fields ?? []), ...written])
    return fields.size > 0 && !permissions.seen.apart.has(of) ? fields : undefined
  }
  const root = { collection, key: undefined, payload: delta, mayBeNew: false }
  return partOf(root, { fieldsOf, fieldsIn: ({ collection: of }) => fieldsOf(of) ?? nothing })
}

export const nothing: VisibleFields = new Map()

type VisibleFieldsOf = (collection: Collection) => VisibleFields | undefined

export interface DeltaVisibility {
  readonly fieldsOf: VisibleFieldsOf
  readonly fieldsIn: (item: ItemNamed) => VisibleFields | undefined
}

function partOf(item: ItemNamed, visible: DeltaVisibility): ItemData {
  return withFields(item, visible.fieldsIn(item) ?? nothing, visible)
}

function withFields(
  { collection, key, payload }: ItemNamed,
  fields: VisibleFields,
  visible: DeltaVisibility,
): ItemData {
  return Object.fromEntries(
    Object.entries(payload).flatMap(([name, value]) => {
      const field = collection.fields.get(name)
      if (!field || !fields.has(name)) return []
      if (field.kind === 'scalar') return [[name, value]]
      const target = targetIn(field, payload)
      // Items of a collection that is not visible are left out.
      if (hasItems(value) && !(target && visible.fieldsOf(target))) return []
      if (!target) return [[name, value]]
      const owner = isToMany(field) && { field: field.foreign, collection, key }
      if (owner) return [[name, listOf(value, { target, owner }, visible)]]
      // The key itself belongs to the item.
      return isRecord(value)
        ? itemOf(value, { target }, visible).map((item) => [name, item])
        : [[name, value]]
    }),
  )
}

const hasItems = (value: unknown): boolean =>
  isRecord(value) || (Array.isArray(value) && value.some(isRecord))

interface DeltaPlace extends Pick<ItemNamed, 'owner'> {
  readonly target: Collection
  /** True if the items have to exist. */
  readonly isFixed?: boolean
}

/** Filters children: a list of them, or lists of created, updated and deleted ones. */
function listOf(value: unknown, place: DeltaPlace, visible: DeltaVisibility): unknown {
  if (Array.isArray(value)) return value.flatMap((one: unknown) => itemOf(one, place, visible))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([part, list]) => [
      part,
      listOf(list, { ...place, isFixed: part !== 'create' }, visible),
    ]),
  )
}

/** Returns an item or its key; nothing if it is not visible. */
export function itemOf(value: unknown, place: DeltaPlace, visible: DeltaVisibility): readonly unknown[] {
  const item = itemAt(value, place)
  const fields = visible.fieldsIn(item)
  if (!fields) return []
  return [isRecord(value) ? withFields(item, fields, visible) : value]
}

export function itemAt(value: unknown, { target, owner, isFixed }: DeltaPlace): ItemNamed {
  const isItem = isRecord(value)
  const key = readKey(target, isItem ? keyInItem(target, value) : value)
  return { collection: target, key, payload: isItem ? value : {}, owner, mayBeNew: isItem && !isFixed }
}
