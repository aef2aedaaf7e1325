// Finds the children that a call moves to another item, or removes from one. Both are updates of the child: of its foreign key. The current
// parents are looked up once rows are locked; hooks run before, with the state of that time.

import { compareKeys, isSameKey, type Key, keyIdentities, keyIdentity } from '../../plan/key.ts'
import { storedFieldsOf } from '../../plan/write/defaults.ts'
import { isValidated } from '../../plan/write/validate-item.ts'
import type { ChildrenWrite, ItemWrite, RemovedChild } from '../../plan/write/write-plan.ts'
import type { Collection, ToMany } from '../../schema/model.ts'
import { visibleItems } from '../authorize/visible-keys.ts'
import { keysWithin } from '../authorize/within.ts'
import { groupBy } from '../context/group-by.ts'
import { missing } from '../context/named-key.ts'
import { hasHooks } from '../context/single-statement.ts'
import { permissionsOf, type WriteContext } from '../context/write-context.ts'
import { childrenOfItems, heldByWrites } from '../stored/held-values.ts'
import { attachChild } from './attach-child.ts'
import { removedFrom, type Standing } from './removed-children.ts'

/** Children with their new parent. */
export interface MovedChild extends ChildrenWrite {
  readonly of: ItemWrite
}

/** Looks up the current parents of the items' children: notes children that move, and returns those that are removed, of a relation in the order of their
 *  keys. */
export async function movedChildren(
  items: readonly ItemWrite[],
  writing: WriteContext,
): Promise<readonly RemovedChild[]> {
  const owned = items.flatMap((of) => of.children.map((children) => ({ ...children, of })))
  const removedChildren: RemovedChild[] = []
  for (const [relation, group] of groupBy(owned, (one) => one.relation)) {
    const there = await standing(relation, group, writing)
    const times = timesNamed(group)
    const held = await heldByWrites(
      relation.foreign,
      group.map(({ of }) => of),
      writing,
    )
    for (const [index, one] of group.entries()) {
      const { before, after } = held[index] ?? {}
      const isChanged = !isSameHeld(before, after)
      for (const child of one.items) {
        if (after !== undefined && after !== null) attachChild(child, relation.foreign, after)
        if (child.action === 'update')
          child.isAttached = isChanged || isAttachedAnew(child, one, there, times)
      }
    }
    removedChildren.push(...(await removedFromParents(relation, group, there, writing)))
  }
  return removedChildren
}

/** Returns the current children of existing items, by the keys of these, where they matter. */
async function standing(
  relation: ToMany,
  group: readonly MovedChild[],
  writing: WriteContext,
): Promise<Standing> {
  const isMinded = isMindful(relation.target, writing)
  const owners = group.flatMap(({ of: { action, key }, isComplete, removed, items }) => {
    const isRequested =
      isComplete || removed.length > 0 || (isMinded && items.some((child) => child.action === 'update'))
    return isRequested && action === 'update' && key !== undefined ? [key] : []
  })
  return childrenOfItems(relation.foreign, distinct(owners), undefined, writing)
}

/** True if what children hold of an item stays the same. */
function isSameHeld(before: Key | null | undefined, after: Key | null | undefined): boolean {
  if (before === undefined || before === null || after === undefined || after === null)
    return before === after
  return isSameKey(before, after)
}

const distinct = (keys: readonly Key[]) => [...new Map(keys.map((key) => [keyIdentity(key), key])).values()]

/** True if an update of the collection's rows involves rules, hooks, validations, or fields that record the last change. */
function isMindful(collection: Collection, writing: WriteContext): boolean {
  if (permissionsOf(writing) || isValidated(collection)) return true
  return tellsOfChanges(collection) || hasHooks(writing.engine, 'items.update', collection)
}

const tellsOfChanges = (collection: Collection): boolean =>
  storedFieldsOf(collection).some(({ special }) =>
    special.some((one) => one === 'date-updated' || one === 'user-updated'),
  )

/** Counts the items for which each child is named. */
function timesNamed(group: readonly MovedChild[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const { items } of group)
    for (const name of keyIdentities(items.flatMap(({ key }) => (key === undefined ? [] : [key]))))
      times.set(name, (times.get(name) ?? 0) + 1)
  return times
}

function isAttachedAnew(
  { key }: ItemWrite,
  { of }: MovedChild,
  there: Standing,
  times: ReadonlyMap<string, number>,
): boolean {
  // A child that is named for two items is first linked to the one and then to the other.
  if (key === undefined || of.key === undefined || times.get(keyIdentity(key)) !== 1) return true
  return !there.get(keyIdentity(of.key))?.some((child) => keyIdentity(child.key) === keyIdentity(key))
}

async function removedFromParents(
  relation: ToMany,
  group: readonly MovedChild[],
  there: Standing,
  writing: WriteContext,
): Promise<readonly RemovedChild[]> {
  const affected = group.filter(
    ({ isComplete, removed, of }) => (isComplete && of.action === 'update') || removed.length > 0,
  )
  if (affected.length === 0) return []
  const children = [...there.values()].flatMap((some) => some.map(({ key }) => key))
  const seen = await keysWithin(relation, children, writing)
  const spelled = await spelledRemovals(relation, affected, children, writing)
  const current = { there, seen }
  const gone = affected.flatMap((one) => {
    const { key } = one.of
    // An item without a key has no children yet.
    if (key === undefined) throw missing(one.removed[0]?.path)
    const removed = one.removed.map((gone) => ({
      ...gone,
      key: spelled.get(keyIdentity(gone.key)) ?? gone.key,
    }))
    return removedFrom({ ...one, removed }, key, current, writing)
  })
  return gone.toSorted((child, other) => compareKeys(child.key, other.key))
}

/** Returns the keys of removed children as their rows spell them, where that is another way. */
async function spelledRemovals(
  { target }: ToMany,
  affected: readonly MovedChild[],
  children: readonly Key[],
  writing: WriteContext,
): Promise<ReadonlyMap<string, Key>> {
  const known = keyIdentities(children)
  const others = affected.flatMap(({ removed }) => removed.map(({ key }) => key))
  return visibleItems(
    target,
    others.filter((key) => !known.has(keyIdentity(key))),
    writing,
  )
}
