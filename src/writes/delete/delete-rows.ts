// Deletes rows by their keys.

import { type Key, keyIdentities, keyIdentity } from '../../plan/key.ts'
import type { Collection } from '../../schema/model.ts'
import { announceDeleted } from '../announce.ts'
import { requireRows, requireVisible } from '../authorize/visible-keys.ts'
import { lockVisible, seenAlone } from '../locks/lock-rows.ts'
import { missing } from '../named-key.ts'
import { permissionsOf, type WriteContext } from '../write-context.ts'
import { type Affected, affectedResult, type BulkBounds, mostKeys, refuseTooMany } from './affected-rows.ts'
import { DeleteHooks } from './delete-hooks.ts'
import { deleteRows } from './delete-keys.ts'

export async function deleteByKeys(
  collection: Collection,
  named: readonly Key[],
  writing: WriteContext,
  bounds: BulkBounds = {},
): Promise<Affected> {
  refuseTooMany(named.length, bounds)
  const hooks = new DeleteHooks(collection, writing)
  let keys = named
  // Locked rows are checked when they are locked.
  if (bounds.dryRun || hooks.exist || !isLockedForDelete(writing)) {
    keys = await requireVisible(collection, keys, writing)
    await requireRows(collection, { action: 'delete', keys }, writing)
  }
  if (bounds.dryRun) return affectedResult(collection, keys)
  // Hooks may be slow, and no other transaction should wait for them.
  await hooks.run(keys)
  if (isLockedForDelete(writing)) keys = await lockForDelete(collection, keys, writing)
  const deleted = await deleteAndReport(collection, keys, writing)
  // Another transaction may have deleted one in the meantime.
  if (deleted.length < keys.length) throw missing()
  return affectedResult(collection, keys)
}

/** True if rows are locked before they are deleted. Without rules one statement does all of it. */
const isLockedForDelete = (writing: WriteContext): boolean =>
  permissionsOf(writing) !== undefined && writing.engine.dialect.lockRows !== undefined

/** Locks rows and checks them again: they may have changed since they were read. Returns their keys as the rows spell them. */
async function lockForDelete(
  collection: Collection,
  named: readonly Key[],
  writing: WriteContext,
): Promise<readonly Key[]> {
  const locked = await lockVisible(collection, { keys: named, use: 'removal' }, writing)
  const isSure =
    seenAlone(collection, writing) !== undefined && named.every((key) => locked?.has(keyIdentity(key)))
  const keys = isSure ? named : await requireVisible(collection, named, writing)
  // One of them may have become visible since.
  if (locked && !keys.every((key) => locked.has(keyIdentity(key)))) throw missing()
  await requireRows(collection, { action: 'delete', keys }, writing)
  return keys
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
  await announceDeleted(collection, inOrder, writing)
  return inOrder
}
