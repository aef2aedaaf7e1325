// Writes the children that updates name in their items: takes away those that leave, creates new ones, and changes those that are there.
import { type Key, keyIdentities, keyIdentity, shownKeyOf } from '../../plan/key.ts'
import type { Collection } from '../../schema/model.ts'
import { announceAlike, announceDeleted, announceItems, type WrittenItem } from '../../writes/announce.ts'
import { standingChildren } from '../../writes/children/standing-children.ts'
import { removeNamed } from '../../writes/delete/delete-named.ts'
import { groupBy } from '../../writes/group-by.ts'
import { UnsureRows } from '../../writes/program/rows-together.ts'
import type { WriteContext } from '../../writes/write-context.ts'
import type { ChangedChildren } from './changed-children.ts'
import { createBelow, createChildren } from './create-together.ts'
import { boundUpdates, type KeyedUpdate, updateAll } from './keyed-updates.ts'

/** Items that are updated, with their children. */
interface UpdatedItems {
  readonly collection: Collection
  readonly keys: readonly Key[]
  readonly children: readonly ChangedChildren[]
}

interface ChildUpdate extends KeyedUpdate {
  /** Position of the item to which the child is linked. Absent = more of it is changed. */
  readonly movedTo?: number
}

/** Children that leave their items, and those that are changed or linked anew. */
interface PartedChildren {
  readonly gone: readonly Key[]
  readonly updates: readonly ChildUpdate[]
}

/** Writes the children of items, and reports them. */
export async function writeChildren(
  { collection, keys, children }: UpdatedItems,
  inside: WriteContext,
): Promise<void> {
  const parted: (PartedChildren & { readonly of: ChangedChildren })[] = []
  for (const of of children) parted.push({ ...(await partChildren(of, collection, keys, inside)), of })
  for (const { of, gone } of parted) await takeAway(of, gone, inside)
  for (const { of, updates } of parted) {
    const { rows } = of
    const made = rows.rows.length > 0 ? await createChildren(rows, collection, keys, inside) : []
    const written = await changeChildren(of, updates, inside)
    const changed = written.filter((_, at) => updates[at]?.movedTo === undefined)
    if (changed.length > 0) await announceItems('update', of.relation.target, changed, inside)
    await createBelow(rows, made, inside)
  }
  for (const { of, gone } of parted)
    if (of.isDeleted && gone.length > 0) await announceDeleted(of.relation.target, gone, inside)
  for (const { of, updates } of parted)
    for (const [to, group] of groupBy(updates, ({ movedTo }) => movedTo)) {
      const owner = to === undefined ? undefined : keys[to]
      if (owner !== undefined) await announceMoved(of, group, shownKeyOf(collection, owner), inside)
    }
  for (const { of, gone } of parted)
    if (!of.isDeleted && gone.length > 0)
      await announceMoved(
        of,
        gone.map((key) => ({ key })),
        null,
        inside,
      )
}

const announceMoved = (
  { relation: { target, foreign } }: ChangedChildren,
  moved: readonly Pick<ChildUpdate, 'key'>[],
  owner: unknown,
  inside: WriteContext,
) =>
  announceAlike(
    target,
    moved.map(({ key }) => key),
    { [foreign.name]: owner },
    inside,
  )

/** Finds the children that are there, and returns what becomes of them. */
async function partChildren(
  { relation: { foreign }, read, named, removed, complete, isDeleted }: ChangedChildren,
  collection: Collection,
  owners: readonly Key[],
  inside: WriteContext,
): Promise<PartedChildren> {
  if (!read) return { gone: [], updates: [] }
  const wanted = [...named, ...removed].map(({ key }) => key)
  const whole = owners.filter((_, at) => complete.has(at))
  const there = await standingChildren(read, wanted, whole, inside)
  const texts = owners.map(keyIdentity)
  const updates = named.flatMap(({ parent, key, payload, values, isLink }): readonly ChildUpdate[] => {
    const child = there.get(keyIdentity(key))
    const owner = owners[parent]
    if (!child || owner === undefined) throw new UnsureRows()
    if (child.owner === texts[parent]) return isLink ? [] : [{ key, payload, values }]
    const linked = { key, payload, values: { ...values, [foreign.name]: shownKeyOf(collection, owner) } }
    return [isLink ? { ...linked, movedTo: parent } : linked]
  })
  if (removed.some(({ parent, key }) => there.get(keyIdentity(key))?.owner !== texts[parent]))
    throw new UnsureRows()
  const [ofWhole, known] = [keyIdentities(whole), keyIdentities(wanted)]
  const left = [...there].flatMap(([text, { key, owner }]) =>
    owner !== undefined && ofWhole.has(owner) && !known.has(text) ? [key] : [],
  )
  const gone = [...left, ...removed.map(({ key }) => key)]
  // An item that has to have another one around it cannot be taken out.
  if (gone.length > 0 && !isDeleted && !foreign.isNullable) throw new UnsureRows()
  return { gone, updates }
}

async function takeAway(of: ChangedChildren, gone: readonly Key[], inside: WriteContext): Promise<void> {
  if (gone.length === 0) return
  const { target, foreign } = of.relation
  const values = { [foreign.name]: null }
  if (of.isDeleted) await removeNamed({ collection: target, keys: gone }, inside)
  else
    await changeChildren(
      of,
      gone.map((key) => ({ key, values, payload: values })),
      inside,
    )
}

/** Changes children by statements, and returns them. */
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
