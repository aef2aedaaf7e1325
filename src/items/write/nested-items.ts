// Items in others, by their relations: new ones, those that are named by their keys, and those that leave.
import { Problems } from '../../errors/problems.ts'
import { type Key, readKey } from '../../plan/key.ts'
import { type ItemData, nowhere, readChanges } from '../../plan/write/changes.ts'
import { endlessMistake, type Nest } from '../../plan/write/nested-item.ts'
import { type Collection, type Field, isToMany, keyFieldsOf, type ToMany } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { memoFor } from '../../values/memo.ts'
import { isPlain } from '../../writes/context/single-statement.ts'

/** An item, and those around it. */
export interface ItemWithin {
  readonly payload: ItemData
  readonly within?: Nest | undefined
}

/** A new item in another one. */
export interface NestedItem extends ItemWithin {
  /** Position of the other one. */
  readonly parent: number
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
export function partedItems(collection: Collection, items: readonly ItemWithin[]): PartedItems | undefined {
  const nested = new Map<ToMany, ItemsWithin>()
  const rows: ItemData[] = []
  for (const [at, item] of items.entries()) {
    const row = withoutNested(at, item, collection, nested)
    if (!row) return undefined
    rows.push(row)
  }
  return { rows, nested }
}

const isOwnReference = (field: Field): boolean => field.kind === 'm2o' || field.kind === 'any'

function withoutNested(
  parent: number,
  { payload, within }: ItemWithin,
  collection: Collection,
  nested: Map<ToMany, ItemsWithin>,
): ItemData | undefined {
  const names = Object.keys(payload)
  let relations: readonly ToMany[] = none
  // As in JSON, an undefined value is absent.
  let isBare = true
  for (const name of names) {
    const { [name]: value } = payload
    const field = collection.fields.get(name)
    if (value === undefined) isBare = false
    // A new target is written before the item that refers to it.
    else if (!field || (isOwnReference(field) && isRecord(value))) return undefined
    else if (isToMany(field)) relations = [...relations, field]
  }
  if (relations.length === 0 && isBare) return payload
  if (endlessMistake(payload, within, nowhere)) return undefined
  const nest: Nest = { payload, depth: (within?.depth ?? 0) + 1, outer: within }
  for (const relation of relations) {
    const items = nested.get(relation) ?? { made: [], named: [], removed: [], complete: new Set() }
    nested.set(relation, items)
    if (!addNested(items, parent, relation, nest)) return undefined
  }
  return givenOf(payload, names, (name) => relations.some((relation) => relation.name === name))
}

/** Returns the values that an item has, but those of some fields. Each name is one of a field. */
function givenOf(payload: ItemData, names: readonly string[], isLeft: (name: string) => boolean): ItemData {
  const own: Record<string, unknown> = {}
  for (const name of names) {
    const { [name]: value } = payload
    if (value !== undefined && !isLeft(name)) own[name] = value
  }
  return own
}

/** Adds the items of a relation to those of others; false if one of them is more than a row. */
function addNested(
  { made, named, removed, complete }: ItemsWithin,
  parent: number,
  relation: ToMany,
  within: Nest,
): boolean {
  const { name, target, foreign } = relation
  const problems = new Problems('INVALID_PAYLOAD')
  const ofKey = keyFieldsOf(target).map((field) => field.name)
  const changes = readChanges(within.payload[name], relation, nowhere, problems)
  if (!changes || !problems.isEmpty) return false
  if (changes.isComplete) complete.add(parent)
  for (const { key } of changes.removed) removed.push({ parent, key })
  for (const child of changes.children) {
    if (child.kind === 'link') {
      named.push({ parent, key: child.key, payload: nothing, values: nothing, isLink: true })
      continue
    }
    const { payload: data, action } = child
    // The foreign key is decided by the nesting.
    if (data[foreign.name] !== undefined) return false
    // An item with a key may be there already.
    const isNamed = action !== 'create' && hasAll(data, ofKey)
    if (!isNamed && action === 'update') return false
    if (!isNamed) made.push({ parent, payload: data, within })
    else {
      const [only, ...others] = ofKey
      const key = others.length === 0 ? readKey(target, data[only ?? '']) : undefined
      if (key === undefined || !isPlain(target, data)) return false
      const names = Object.keys(data)
      const values = givenOf(data, names, (one) => one === only)
      named.push({ parent, key, payload: data, values, isLink: names.every((one) => one === only) })
    }
  }
  return true
}

const hasAll = (data: ItemData, names: readonly string[]): boolean =>
  names.every((name) => data[name] !== undefined)

const none: readonly never[] = []
const nothing: ItemData = {}
