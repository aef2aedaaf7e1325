// Writes the children that updates name in their items: takes away those that leave, creates new ones, and changes those that are there.
import { compareKeys, type Key, keyIdentities, keyIdentity, shownKeyOf } from '../../plan/key.ts'
import type { Collection } from '../../schema/model.ts'
import { lastOf } from '../../writes/children/sort-field.ts'
import { standingChildren } from '../../writes/children/standing-children.ts'
import type { WriteContext } from '../../writes/context/write-context.ts'
import { removeNamed } from '../../writes/delete/delete-named.ts'
import { rowsAlike, UnsureRows } from '../../writes/program/rows-together.ts'
import {
  announceAlike,
  announceDeleted,
  announceItems,
  type WrittenItem,
} from '../../writes/stored/announce.ts'
import { childrenOfItems } from '../../writes/stored/held-values.ts'
import { type ChangedChildren, childTemplate } from './changed-children.ts'
import { createBelow, createChildren } from './create-together.ts'
import { boundUpdates, type KeyedUpdate, runInState, updateAll } from './keyed-updates.ts'
import { type ChildRows, numbered } from './new-rows.ts'

interface UpdatedItems {
  readonly collection: Collection
  readonly keys: readonly Key[]
  readonly children: readonly ChangedChildren[]
}

/** Children that leave their items, those that are linked, by the positions of their items, and those of which more is changed. */
interface PartedChildren {
  readonly gone: readonly Key[]
  readonly linked: ReadonlyMap<number, readonly Key[]>
  readonly updates: readonly KeyedUpdate[]
}

export async function writeChildren(
  { collection, keys, children }: UpdatedItems,
  inside: WriteContext,
): Promise<void> {
  const parted: (PartedChildren & { readonly of: ChangedChildren })[] = []
  for (const of of children) parted.push({ ...(await partChildren(of, collection, keys, inside)), of })
  for (const { of, gone } of parted) await takeAway(of, gone, inside)
  const shownOwner = (at: number) => {
    const owner = keys[at]
    return owner === undefined ? undefined : shownKeyOf(collection, owner)
  }
  for (const { of, linked, updates } of parted) {
    const rows = await behindOthers(of.rows, keys, inside)
    const made = rows.rows.length > 0 ? await createChildren(rows, collection, keys, inside) : []
    for (const [at, some] of linked) await linkAll(of, some, shownOwner(at), inside)
    const changed = await changeChildren(of, updates, inside)
    if (changed.length > 0) await announceItems('update', of.relation.target, changed, inside)
    await createBelow(rows, made, inside)
  }
  for (const { of, gone } of parted)
    if (of.isDeleted && gone.length > 0) await announceDeleted(of.relation.target, gone, inside)
  for (const { of, linked } of parted)
    for (const [at, some] of linked) await announceMoved(of, some, shownOwner(at), inside)
  for (const { of, gone } of parted)
    if (!of.isDeleted && gone.length > 0) await announceMoved(of, gone, null, inside)
}

/** Returns new children with the numbers that follow those of the children that are there. */
async function behindOthers(
  rows: ChildRows,
  owners: readonly Key[],
  inside: WriteContext,
): Promise<ChildRows> {
  const { sort, foreign, parents } = rows
  if (!sort || parents.length === 0) return rows
  const wanted = owners.filter((_, at) => parents.includes(at))
  const there = await childrenOfItems(foreign, wanted, sort, inside)
  const last = owners.map((key) => lastOf((there.get(keyIdentity(key)) ?? []).map(({ other }) => other)))
  return numbered(rows, last)
}

const announceMoved = (
  { relation: { target, foreign } }: ChangedChildren,
  moved: readonly Key[],
  owner: unknown,
  inside: WriteContext,
) => announceAlike(target, moved, { [foreign.name]: owner }, inside)

/** Finds the children that are there, and returns what becomes of them. */
async function partChildren(
  { relation: { foreign }, read, named, removed, complete, isDeleted }: ChangedChildren,
  collection: Collection,
  owners: readonly Key[],
  inside: WriteContext,
): Promise<PartedChildren> {
  if (!read) return { gone: [], linked: new Map(), updates: [] }
  const wanted = [...named, ...removed].map(({ key }) => key)
  const whole = owners.filter((_, at) => complete.has(at))
  const there = await standingChildren(read, wanted, whole, inside)
  const texts = owners.map(keyIdentity)
  const linked = new Map<number, Key[]>()
  const updates: KeyedUpdate[] = []
  for (const { parent, key, payload, values, isLink } of named) {
    const child = there.get(keyIdentity(key))
    const owner = owners[parent]
    if (!child || owner === undefined) throw new UnsureRows()
    const isLinked = child.owner === texts[parent]
    if (!isLink) {
      const moved = isLinked ? values : { ...values, [foreign.name]: shownKeyOf(collection, owner) }
      updates.push({ key, payload, values: moved })
    } else if (!isLinked) {
      const some = linked.get(parent) ?? []
      some.push(key)
      linked.set(parent, some)
    }
  }
  if (removed.some(({ parent, key }) => there.get(keyIdentity(key))?.owner !== texts[parent]))
    throw new UnsureRows()
  const [ofWhole, known] = [keyIdentities(whole), keyIdentities(wanted)]
  const left = [...there].flatMap(([text, { key, owner }]) =>
    owner !== undefined && ofWhole.has(owner) && !known.has(text) ? [key] : [],
  )
  const gone = [...left, ...removed.map(({ key }) => key)].toSorted(compareKeys)
  // An item that has to have another one around it cannot be taken out.
  if (gone.length > 0 && !isDeleted && !foreign.isNullable) throw new UnsureRows()
  return { gone, linked, updates }
}

async function takeAway(of: ChangedChildren, gone: readonly Key[], inside: WriteContext): Promise<void> {
  if (gone.length === 0) return
  if (of.isDeleted) await removeNamed({ collection: of.relation.target, keys: gone }, inside)
  else await linkAll(of, gone, null, inside)
}

/** Links children to an item, or to none. */
async function linkAll(
  of: ChangedChildren,
  keys: readonly Key[],
  owner: unknown,
  inside: WriteContext,
): Promise<void> {
  const { target: collection, foreign } = of.relation
  const payload = { [foreign.name]: owner }
  const template = childTemplate(of, payload, true, inside)
  const row = { collection, payload, returned: of.rows.row.columns }
  const rows = template && rowsAlike(template, row, keys, inside)
  if (!rows) throw new UnsureRows()
  await runInState(collection, rows, inside)
}

async function changeChildren(
  { relation: { target: collection }, rows: { row }, around }: ChangedChildren,
  updates: readonly KeyedUpdate[],
  inside: WriteContext,
): Promise<readonly WrittenItem[]> {
  if (updates.length === 0) return []
  const bound = boundUpdates({ collection, around }, updates, row, inside)
  if (!bound) throw new UnsureRows()
  return (await updateAll(collection, updates, bound, inside)).written
}
