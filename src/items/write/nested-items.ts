// Items in others, by their relations: new ones, those that are named by their keys, and those that leave.
import { Problems } from '../../errors/problems.ts'
import { type Key, readKey } from '../../plan/key.ts'
import { type ItemData, readChanges } from '../../plan/write/changes.ts'
import { endlessMistake, type Nest } from '../../plan/write/nested-item.ts'
import { type Collection, type Field, isToMany, keyFieldsOf, type ToMany } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { memoFor } from '../../values/memo.ts'
import type { Intent } from '../../writes/create-or-update.ts'
import { isPlain } from '../../writes/update/single-statement.ts'

/** A new item in another one. */
export interface NestedItem {
  /** Position of the other one. */
  readonly parent: number
  readonly intent: Intent
}

interface NamedItem {
  readonly parent: number
  readonly key: Key
  /** As it is given, and without its key. */
  readonly payload: ItemData
  readonly values: ItemData
  /** True if nothing but its key is given. */
  readonly isLink: boolean
}

export interface ItemsWithin {
  readonly made: NestedItem[]
  readonly named: NamedItem[]
  readonly removed: Pick<NamedItem, 'parent' | 'key'>[]
  /** Positions of the items that name all of their children. */
  readonly complete: Set<number>
}

interface PartedItems {
  /** The items without those in them. */
  readonly rows: readonly ItemData[]
  readonly nested: ReadonlyMap<ToMany, ItemsWithin>
}

const relations = new WeakMap<Collection, readonly string[]>()

export const hasChildren = (collection: Collection, payload: ItemData): boolean =>
  memoFor(relations, collection, () =>
    [...collection.fields.values()].filter(isToMany).map(({ name }) => name),
  ).some((name) => payload[name] !== undefined)

/** Parts items from those in them; undefined if these are more than rows. */
export function partedItems(collection: Collection, intents: readonly Intent[]): PartedItems | undefined {
  const nested = new Map<ToMany, ItemsWithin>()
  const rows: ItemData[] = []
  for (const [at, intent] of intents.entries()) {
    const row = withoutNested(at, intent, collection, nested)
    if (!row) return undefined
    rows.push(row)
  }
  return { rows, nested }
}

const isOwnReference = (field: Field): boolean => field.kind === 'm2o' || field.kind === 'any'

function withoutNested(
  parent: number,
  intent: Intent,
  collection: Collection,
  nested: Map<ToMany, ItemsWithin>,
): ItemData | undefined {
  const { payload, path, within } = intent
  let relations: readonly ToMany[] = none
  // As in JSON, an undefined value is absent.
  let isBare = true
  for (const name of Object.keys(payload)) {
    const { [name]: value } = payload
    const field = collection.fields.get(name)
    if (value === undefined) isBare = false
    // A new target is written before the item that refers to it.
    if (field && isOwnReference(field) && isRecord(value)) return undefined
    if (field && isToMany(field) && value !== undefined) relations = [...relations, field]
  }
  if (relations.length === 0 && isBare) return payload
  if (endlessMistake(payload, within, path)) return undefined
  const nest: Nest = { payload, depth: (within?.depth ?? 0) + 1, outer: within }
  for (const relation of relations) {
    const items = nested.get(relation) ?? { made: [], named: [], removed: [], complete: new Set() }
    nested.set(relation, items)
    if (!addNested(items, parent, relation, { intent, nest })) return undefined
  }
  const names = new Set(relations.map(({ name }) => name))
  const own = Object.entries(payload).filter(([name, value]) => value !== undefined && !names.has(name))
  return Object.fromEntries(own)
}

/** Adds the items of a relation to those of others; false if one of them is more than a row. */
function addNested(
  { made, named, removed, complete }: ItemsWithin,
  parent: number,
  relation: ToMany,
  { intent: { payload, path }, nest: within }: { readonly intent: Intent; readonly nest: Nest },
): boolean {
  const { name, target, foreign } = relation
  const problems = new Problems('INVALID_PAYLOAD')
  const ofKey = keyFieldsOf(target).map((field) => field.name)
  const changes = readChanges(payload[name], relation, [...path, name], problems)
  if (!changes || !problems.isEmpty) return false
  if (changes.isComplete) complete.add(parent)
  for (const { key } of changes.removed) removed.push({ parent, key })
  for (const child of changes.children) {
    if (child.kind === 'link') {
      named.push({ parent, key: child.key, payload: nothing, values: nothing, isLink: true })
      continue
    }
    const { payload: data, path: at, action } = child
    // The foreign key is decided by the nesting.
    if (data[foreign.name] !== undefined) return false
    // An item with a key may be there already.
    const isNamed = action !== 'create' && hasAll(data, ofKey)
    if (!isNamed && action === 'update') return false
    if (!isNamed) made.push({ parent, intent: { payload: data, path: at, action: 'create', within } })
    else {
      const [only, ...others] = ofKey
      const key = others.length === 0 ? readKey(target, data[only ?? '']) : undefined
      if (key === undefined || !isPlain(target, data)) return false
      const own = Object.entries(data).filter(([one, value]) => value !== undefined && one !== only)
      const isLink = Object.keys(data).every((one) => one === only)
      named.push({ parent, key, payload: data, values: Object.fromEntries(own), isLink })
    }
  }
  return true
}

const hasAll = (data: ItemData, names: readonly string[]): boolean =>
  names.every((name) => data[name] !== undefined)

const none: readonly never[] = []
const nothing: ItemData = {}
