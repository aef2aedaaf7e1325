// Keeps the hidden part of a relation to many in a delta, beside the part that the caller saves.

import { isNameOfKey, itemOfKey, type Key, keyIdentity, keyInItem, shownKeyOf } from '../plan/key.ts'
import type { ItemData } from '../plan/write/changes.ts'
import { maskSecrets } from '../plan/write/mask-secrets.ts'
import type { ToMany } from '../schema/model.ts'
import { isRecord } from '../values/guards.ts'
import { visibleKeys } from '../writes/authorize/visible-keys.ts'
import type { WriteContext } from '../writes/context/write-context.ts'
import { childrenOfItems } from '../writes/stored/held-values.ts'
import { existing } from '../writes/stored/rows-by-key.ts'
import { canonicalJson } from './main-hash.ts'
import { type DeltaVisibility, itemAt, itemOf, nothing } from './visible-delta.ts'
import type { ItemNamed, VisibleFields } from './visible-fields.ts'

export interface Keeping {
  readonly visible: DeltaVisibility
  readonly writing: WriteContext
  /** Merges the saved data of an item with the hidden part of the delta. */
  readonly item: (item: ItemNamed, payload: ItemData, fields: VisibleFields) => Promise<ItemData>
}

const parts = ['create', 'update', 'delete'] as const
type ChildPart = (typeof parts)[number]

interface ChildEntry {
  readonly part: ChildPart | 'list'
  readonly value: unknown
  readonly item: ItemNamed
}

/** Merges a relation. `value`: its saved part; undefined if there is none. Then only hidden entries stay. */
export async function keepChildren(
  owner: ItemNamed,
  relation: ToMany,
  value: unknown,
  keeping: Keeping,
): Promise<unknown> {
  const before = owner.payload[relation.name]
  const was = entriesOf(before, relation, owner)
  const is = entriesOf(value, relation, owner)
  const pairs = pairsOf(was, is, keeping)
  const merged = new Map<ChildEntry, unknown>()
  for (const one of is) merged.set(one, await mergedOf(one, pairs.get(one), keeping))
  const taken = new Set(pairs.values())
  const named = new Set(is.flatMap(({ item }) => textsOf(item)))
  const isNamed = (one: ChildEntry) => taken.has(one) || textsOf(one.item).some((text) => named.has(text))
  const isComplete = value === null || Array.isArray(value)
  const kept = new Map<ChildEntry, KeptChild>()
  for (const one of was) {
    const left = isNamed(one) ? undefined : await keptOf(one, isComplete, keeping)
    if (left) kept.set(one, left)
  }
  const found = { was, is, merged, pairs, kept }
  if (isComplete) return listed('list', found) ?? value
  const gone = Array.isArray(before) ? await removedUnseen(owner, relation, { was, named }, keeping) : []
  const lists = parts.flatMap((part) => {
    const list = [...(listed(part, found) ?? []), ...(part === 'delete' ? gone : [])]
    return list.length > 0 ? [[part, list] as const] : []
  })
  return value === undefined && lists.length === 0
    ? undefined
    : { ...Object(value), ...Object.fromEntries(lists) }
}

function entriesOf(
  value: unknown,
  { target, foreign }: ToMany,
  { collection, key }: ItemNamed,
): readonly ChildEntry[] {
  const owner = { field: foreign, collection, key }
  const entries = (part: ChildEntry['part'], list: unknown) => {
    const place = { target, owner, isFixed: part === 'update' || part === 'delete' }
    const all: readonly unknown[] = Array.isArray(list) ? list : []
    return all.map((one) => ({ part, value: one, item: itemAt(one, place) }))
  }
  if (isRecord(value)) return parts.flatMap((part) => entries(part, value[part]))
  return entries('list', value)
}

const textsOf = ({ key }: ItemNamed): readonly string[] => (key === undefined ? [] : [keyIdentity(key)])

/** Pairs each entry with the earlier one that it replaces. A new item is recognised by its visible part, else by its position. */
function pairsOf(
  was: readonly ChildEntry[],
  is: readonly ChildEntry[],
  { visible }: Keeping,
): ReadonlyMap<ChildEntry, ChildEntry> {
  const pairs = new Map<ChildEntry, ChildEntry>()
  const isOpen = ({ part }: ChildEntry) => part !== 'delete'
  const byKey = new Map(was.filter(isOpen).flatMap((one) => textsOf(one.item).map((text) => [text, one])))
  for (const one of is.filter(isOpen)) {
    const [old] = textsOf(one.item).flatMap((text) => byKey.get(text) ?? [])
    if (old) pairs.set(one, old)
  }
  const isNew = ({ item }: ChildEntry) => item.key === undefined
  const shown = new Map(
    was.filter(isNew).flatMap((one) => shownOf(one, visible).map((text) => [one, text] as const)),
  )
  const fresh = is.filter(isNew)
  for (const one of fresh) {
    const text = canonicalJson(one.value)
    const old = [...shown].find(([, other]) => other === text)?.[0]
    if (old) pairs.set(one, old)
    if (old) shown.delete(old)
  }
  const rest = [...shown.keys()]
  for (const [at, one] of fresh.filter((one) => !pairs.has(one)).entries()) {
    const old = rest[at]
    if (old) pairs.set(one, old)
  }
  return pairs
}

/** Returns the visible part of an entry as text; nothing if it is not visible. */
const shownOf = ({ value, item }: ChildEntry, visible: DeltaVisibility): readonly string[] =>
  itemOf(value, { ...item, target: item.collection, isFixed: !item.mayBeNew }, visible).map((one) =>
    canonicalJson(isRecord(one) ? maskSecrets(item.collection, one) : one),
  )

async function mergedOf(
  { value, item }: ChildEntry,
  old: ChildEntry | undefined,
  keeping: Keeping,
): Promise<unknown> {
  if (!old) return value
  const fields = keeping.visible.fieldsIn(old.item) ?? nothing
  return withKey(value, old.item, await keeping.item(old.item, item.payload, fields))
}

/** Returns an entry with its key. A bare key stays one if nothing of its item is kept. */
export function withKey(value: unknown, { collection }: ItemNamed, kept: ItemData): unknown {
  if (isRecord(value)) return kept
  const others = Object.entries(kept).filter(([name]) => !isNameOfKey(collection, name))
  return others.length === 0 ? value : { ...itemOfKey(collection, value), ...Object.fromEntries(others) }
}

/** The part of a removed entry that stays. */
interface KeptChild {
  readonly part: ChildEntry['part']
  readonly value: unknown
}

/** Keeps hidden items and, of visible ones, the hidden fields. A complete set removes items that it leaves out in any case. */
async function keptOf(
  one: ChildEntry,
  isComplete: boolean,
  keeping: Keeping,
): Promise<KeptChild | undefined> {
  const { part, value, item } = one
  const fields = keeping.visible.fieldsIn(item)
  if (isComplete) return fields || part === 'delete' ? undefined : { part: 'list', value }
  const own = part === 'list' ? await partOf(item, keeping) : part
  if (!fields) {
    const isBare = own === 'update' && !isRecord(value)
    return { part: own, value: isBare ? itemOfKey(item.collection, value) : value }
  }
  const rest = own === 'update' ? await keeping.item(item, {}, fields) : {}
  if (Object.keys(rest).length === 0) return undefined
  return {
    part: own,
    value: { ...itemOfKey(item.collection, keyInItem(item.collection, item.payload)), ...rest },
  }
}

interface FoundChild {
  readonly was: readonly ChildEntry[]
  readonly is: readonly ChildEntry[]
  readonly merged: ReadonlyMap<ChildEntry, unknown>
  /** Earlier entries, by the entry that replaces each. */
  readonly pairs: ReadonlyMap<ChildEntry, ChildEntry>
  readonly kept: ReadonlyMap<ChildEntry, KeptChild>
}

/** Returns the saved entries, with each kept one behind its earlier predecessor. Undefined if there are none. */
function listed(part: ChildEntry['part'], found: FoundChild): readonly unknown[] | undefined {
  const { was, merged, pairs, kept } = found
  const is = found.is.filter((one) => one.part === part)
  const places = new Map([...pairs].map(([one, old]) => [old, one]))
  const behind = new Map<ChildEntry | undefined, unknown[]>()
  let last: ChildEntry | undefined
  for (const one of was) {
    const place = places.get(one)
    if (place?.part === part) last = place
    const left = kept.get(one)
    if (left?.part !== part) continue
    const at = part === one.part ? last : is.at(-1)
    behind.set(at, [...(behind.get(at) ?? []), left.value])
  }
  const list = is.flatMap((one) => [merged.get(one), ...(behind.get(one) ?? [])])
  const all = [...(behind.get(undefined) ?? []), ...list]
  return all.length === 0 ? undefined : all
}

/** Returns the part of a delta for an item of a complete set, when it is listed separately. */
async function partOf({ collection, key }: ItemNamed, { writing }: Keeping): Promise<ChildPart> {
  if (key === undefined) return 'create'
  const there = await existing(collection, [key], writing)
  return there.size > 0 ? 'update' : 'create'
}

/** Returns children that a complete set leaves out and that are hidden from the reader. */
async function removedUnseen(
  { key }: ItemNamed,
  relation: ToMany,
  { was, named }: { readonly was: readonly ChildEntry[]; readonly named: ReadonlySet<string> },
  { writing }: Keeping,
): Promise<readonly unknown[]> {
  if (key === undefined || !writing.caller.scope?.permissions) return []
  const there = [...(await childrenOfItems(relation.foreign, [key], undefined, writing)).values()].flat()
  const keys = there.map((one): Key => one.key)
  const seen = await visibleKeys(relation.target, keys, writing)
  const stay = new Set(was.flatMap(({ item }) => textsOf(item)))
  const gone = keys.filter((one) => ![seen, stay, named].some((texts) => texts.has(keyIdentity(one))))
  return gone.map((one) => shownKeyOf(relation.target, one))
}
