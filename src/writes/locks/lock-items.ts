// Locks all rows that a call is about to change, before they are checked: the items that it names, their parents, and children that are
// removed from them.
import { keyIdentity } from '../../plan/key.ts'
import type { ItemWrite, RemovedChild } from '../../plan/write/write-plan.ts'
import type { Collection } from '../../schema/model.ts'
import { visibleKeys } from '../authorize/visible-keys.ts'
import { requireWithin } from '../authorize/within.ts'
import { type Answered, applyHookResults, askOfMoves, runsOnMoves } from '../children/move-hooks.ts'
import { movedChildren } from '../children/moved-children.ts'
import { unlinking } from '../children/removed-children.ts'
import { groupBy, valuesText } from '../context/group-by.ts'
import { missing } from '../context/named-key.ts'
import { permissionsOf, type WriteContext } from '../context/write-context.ts'
import { lockAll, seenAlone, touch, type WantedRows } from '../stored/lock-rows.ts'
import { keysIn } from '../stored/rows-by-key.ts'

/** Locks the rows to change, and finds out which children move. Hooks run before anything is locked, with the moves that are known then. */
export async function lockItems(items: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  const answered: Answered = new Map()
  const isRelated = items.some(({ children }) => children.length > 0)
  // Hooks may be slow, and no other transaction should wait for them.
  const expected =
    isRelated && runsOnMoves(items, writing) ? await expectedRemovals(items, answered, writing) : []
  if (isNeeded(items, writing)) await lockNamed(items, expected, writing)
  if (!isRelated) return
  if (writing.engine.dialect.lockRows && writing.problems.isEmpty)
    await requireWithin(writing.linked, writing)
  const removedChildren = await lockedRemovals(items, expected, answered, writing)
  noteRemoved(removedChildren, writing)
  applyHookResults(items, writing.unlinked, answered, writing)
  await touchOwners(items, writing)
}

/** Locks the rows that some writes name, before the first of them is stored. Each locks the children that it moves by itself. */
export async function lockTogether(items: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  if (isNeeded(items, writing)) await lockNamed(items, [], writing)
}

/** Notes the children that are removed, and the updates that unlink them. */
export function noteRemoved(removedChildren: readonly RemovedChild[], writing: WriteContext): void {
  writing.removedChildren = removedChildren
  writing.unlinked = unlinkedOf(removedChildren)
}

const unlinkedOf = (removedChildren: readonly RemovedChild[]): ReadonlyMap<RemovedChild, ItemWrite> =>
  new Map(removedChildren.flatMap((one) => (one.isDeleted ? [] : [[one, unlinking(one)] as const])))

async function expectedRemovals(
  items: readonly ItemWrite[],
  answered: Answered,
  writing: WriteContext,
): Promise<readonly RemovedChild[]> {
  const removedChildren = await movedChildren(items, writing)
  await askOfMoves(items, { removedChildren, unlinked: unlinkedOf(removedChildren) }, answered, writing)
  return removedChildren
}

/** Returns the removed children, once all of them are locked: until then other transactions may move them. */
async function lockedRemovals(
  items: readonly ItemWrite[],
  expected: readonly RemovedChild[],
  answered: Answered,
  writing: WriteContext,
): Promise<readonly RemovedChild[]> {
  const isLocked = new Set(expected.map(nameOf))
  for (;;) {
    const removedChildren = await movedChildren(items, writing)
    if (runsOnMoves(items, writing))
      await askOfMoves(items, { removedChildren, unlinked: unlinkedOf(removedChildren) }, answered, writing)
    const more = removedChildren.filter((one) => !isLocked.has(nameOf(one)))
    if (more.length === 0 || !writing.engine.dialect.lockRows) return removedChildren
    await lockAll(wantedOf([], more), writing)
    for (const one of more) isLocked.add(nameOf(one))
  }
}

const nameOf = ({ relation: { target, foreign }, key }: RemovedChild): string =>
  `${target.name}\n${foreign.name}\n${keyIdentity(key)}`

/** True if rows have to be locked. Without rules, one statement locks what it changes by itself. */
function isNeeded(items: readonly ItemWrite[], writing: WriteContext): boolean {
  if (!writing.engine.dialect.lockRows) return false
  const changed = changedAmong(items)
  if (permissionsOf(writing) || writing.verify || writing.linked.length > 0) return changed.length > 0
  // A sum is judged before it is written.
  if (changed.some(({ children, increments }) => children.length > 0 || increments.size > 0)) return true
  return (
    new Set(changed.map(({ collection, values }) => `${collection.name}\n${valuesText(values)}`)).size > 1
  )
}

/** Returns items that exist before the call. A key that occurs twice may be that of an item that the call itself creates. */
function changedAmong(items: readonly ItemWrite[]): readonly ItemWrite[] {
  const name = ({ collection, key }: ItemWrite) =>
    `${collection.name}\n${key === undefined ? '' : keyIdentity(key)}`
  const made = new Set(items.filter(({ action }) => action === 'create').map(name))
  return items.filter((item) => isChanged(item) && !made.has(name(item)))
}

/** An item that is only linked to does not change. */
const isChanged = ({ action, key, isLink, owner, children }: ItemWrite): boolean =>
  action === 'update' && key !== undefined && (!isLink || owner !== undefined || children.length > 0)

async function lockNamed(
  items: readonly ItemWrite[],
  removedChildren: readonly RemovedChild[],
  writing: WriteContext,
): Promise<void> {
  const changed = changedAmong(items)
  const locked = await lockAll(wantedOf(changed, removedChildren), writing)
  for (const [collection, group] of groupBy(changed, (item) => item.collection)) {
    const rows = locked.get(collection)
    if (!rows) continue
    // The visibility of rows may have changed through relations while this waited for locks.
    const seen = seenAlone(collection, writing) ? rows : await visibleKeys(collection, keysIn(group), writing)
    for (const { key, path } of group)
      if (key !== undefined && !(rows.has(keyIdentity(key)) && seen.has(keyIdentity(key))))
        writing.problems.report(missing(path))
  }
}

function wantedOf(
  changed: readonly ItemWrite[],
  removedChildren: readonly RemovedChild[],
): ReadonlyMap<Collection, WantedRows> {
  const wanted = new Map<Collection, WantedRows>()
  for (const [collection, group] of groupBy(changed, (item) => item.collection))
    wanted.set(collection, { keys: keysIn(group) })
  for (const [collection, group] of groupBy(removedChildren, ({ relation }) => relation.target)) {
    const { keys = [] } = wanted.get(collection) ?? {}
    const use = group.some((one) => one.isDeleted) ? 'removal' : 'change'
    wanted.set(collection, { keys: [...keys, ...group.map(({ key }) => key)], use })
  }
  return wanted
}

/** Touches items whose sets of children change, and that are not written themselves. */
async function touchOwners(items: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  const owners = items.filter(
    ({ action, values, children }) =>
      action === 'update' && values.size === 0 && children.some(({ isComplete }) => isComplete),
  )
  for (const [collection, group] of groupBy(owners, (item) => item.collection))
    await touch(collection, keysIn(group), writing)
}
