// Deletes the rows with some keys, and what hangs on them.

import { type Key, keyIdentities, keyIdentity } from '../../plan/key.ts'
import type { Collection } from '../../schema/model.ts'
import { deleteStatement } from '../../sql/write/write-statements.ts'
import { withConstraintErrors } from '../authorize/constraint-error.ts'
import type { WriteContext } from '../context/write-context.ts'
import { runByKeys } from '../insert/keys-by-statement.ts'
import { announceDeleted } from '../stored/announce.ts'
import { readOldValues } from '../stored/old-values.ts'
import { existing, readKeys } from '../stored/rows-by-key.ts'
import { keyed, refuseShared } from '../stored/unique-keys.ts'
import { lossesOf } from './delete-bytes.ts'
import { deleteVersionsOf } from './delete-versions.ts'

/** Deletes rows, and queues the event for the hooks after the commit. Returns the keys of those that are gone. */
export async function deleteAndReport(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<readonly Key[]> {
  if (keys.length === 0) return []
  const isDeleted = keyIdentities(await deleteRows(collection, keys, writing))
  const inOrder = keys.filter((key) => isDeleted.has(keyIdentity(key)))
  await announceDeleted(collection, inOrder, writing)
  return inOrder
}

/** Deletes rows and returns the keys of those that are gone. */
export async function deleteRows(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<readonly Key[]> {
  if (keys.length === 0) return []
  await readOldValues('delete', collection, keys, writing)
  const losses = await lossesOf(collection, keys, writing)
  const statement = deleteStatement(collection, keyed(keys, writing), writing.engine.dialect)
  const rows = await withConstraintErrors({ collection, isDeletion: true }, writing, () =>
    runByKeys('delete', statement, { collection, keys }, writing),
  )
  const returned = readKeys(rows, collection, writing)
  refuseShared(returned, keys, collection)
  const gone = await withOthers(returned, collection, keys, writing)
  await deleteVersionsOf(collection, gone, writing)
  writing.engine.unit?.addConsequences(losses(gone))
  return gone
}

/** Adds the keys of rows that were deleted by a cascade. If the statement does not return them, no other transaction deletes rows in the
 *  meantime. */
async function withOthers(
  returned: readonly Key[],
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<readonly Key[]> {
  if (returned.length === 0 || returned.length >= keys.length || !writing.engine.dialect.writeLock)
    return returned
  const left = await existing(collection, keys, writing)
  return keys.filter((key) => !left.has(keyIdentity(key)))
}
