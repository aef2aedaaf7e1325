// Deletes rows by their keys.

import { type Key, keyIdentities, keyIdentity } from '../plan/key.ts'
import type { Collection } from '../schema/model.ts'
import { type Affected, affectedResult, type BulkBounds, mostKeys, refuseTooMany } from './affected-rows.ts'
import { DeleteHooks } from './delete-hooks.ts'
import { deleteRows } from './delete-keys.ts'
import { lockVisible, seesAll } from './lock-rows.ts'
import { missing } from './named-key.ts'
import { whyNone } from './rows-by-key.ts'
import { requireRows, requireVisible } from './visible-keys.ts'
import { changeOf, permissionsOf, queueEvent, type WriteContext } from './write-context.ts'

export async function deleteByKeys(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
  bounds: BulkBounds = {},
): Promise<Affected> {
  refuseTooMany(keys.length, bounds)
  const hooks = new DeleteHooks(collection, writing)
  // Locked rows are checked when they are locked.
  if (bounds.dryRun || hooks.exist || !isLockedForDelete(writing)) {
    await requireVisible(collection, keys, writing)
    await requireRows(collection, 'delete', keys, writing)
  }
  if (bounds.dryRun) return affectedResult(collection, keys)
  // Hooks may be slow, and no other transaction should wait for them.
  await hooks.run(keys)
  if (isLockedForDelete(writing)) await lockForDelete(collection, keys, writing)
  const deleted = await deleteAndReport(collection, keys, writing)
  // Another transaction may have deleted one in the meantime.
  if (deleted.length < keys.length) throw missing()
  return affectedResult(collection, keys)
}

/** Deletes a row for which there are no hooks. */
export async function deleteOne(collection: Collection, key: Key, writing: WriteContext): Promise<void> {
  const deleted = await deleteRows(collection, [key], writing)
  if (deleted.length === 0) throw await whyNone(collection, key, writing)
}

/** True if rows are locked before they are deleted. Without rules one statement does all of it. */
const isLockedForDelete = (writing: WriteContext): boolean =>
  permissionsOf(writing) !== undefined && writing.engine.dialect.lockRows !== undefined

/** Locks rows and checks them again: they may have changed since they were read. */
async function lockForDelete(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<void> {
  const locked = await lockVisible(collection, { keys, use: 'removal' }, writing)
  if (locked && locked.size < keys.length) throw missing()
  if (!seesAll(collection, writing)) await requireVisible(collection, keys, writing)
  await requireRows(collection, 'delete', keys, writing)
}

/** Deletes rows, as many at a time as keys are kept in memory. */
export async function deleteInBatches(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<readonly Key[]> {
  const deleted: Key[] = []
  for (let from = 0; from < keys.length; from += mostKeys)
    for (const key of await deleteAndReport(collection, keys.slice(from, from + mostKeys), writing))
      deleted.push(key)
  return deleted
}

/** Deletes rows, and queues the event for the hooks after the commit. */
export async function deleteAndReport(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<readonly Key[]> {
  if (keys.length === 0) return []
  const deleted = await deleteRows(collection, keys, writing)
  const isDeleted = keyIdentities(deleted)
  const inOrder = keys.filter((key) => isDeleted.has(keyIdentity(key)))
  queueEvent(writing, changeOf(writing, 'items.delete', collection, inOrder))
  return inOrder
}
