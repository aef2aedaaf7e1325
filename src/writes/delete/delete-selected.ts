// Deletes the rows of a list that have to be looked at before: there are rules, hooks or versions, or others might change them.

import type { Key } from '../../plan/key.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import { noBoundValues } from '../../prepared/template.ts'
import type { Collection } from '../../schema/model.ts'
import { countListStatement } from '../../sql/write/list-write-statements.ts'
import { requireRows } from '../authorize/visible-keys.ts'
import { isUnlocked, silentWrite, upTo } from '../list-write.ts'
import { type LockedRows, lockSelectedKeys, withSelected } from '../locks/lock-selected.ts'
import { selectedKeys } from '../locks/select-keys.ts'
import { countBy, runListWrite } from '../run-list-write.ts'
import type { WriteContext } from '../write-context.ts'
import { type Affected, affectedResult, type BulkBounds, mostKeys, refuseTooMany } from './affected-rows.ts'
import { DeleteHooks } from './delete-hooks.ts'
import { deleteAndReport, deleteInBatches } from './delete-rows.ts'

/** Deletes the rows of a list that are looked at before. `collection`: that of the list, unlimited and not as it is visible to the caller. */
export async function deleteSelected(
  collection: Collection,
  list: ListPlan,
  writing: WriteContext,
  bounds: BulkBounds,
): Promise<Affected> {
  if (writing.caller.scope?.permissions) return deleteAllowed(collection, list, writing, bounds)
  if (!isUnlocked(list.collection, writing.engine, bounds)) return deleteWithHooks(list, writing, bounds)
  return deleteLocked(list, writing, bounds)
}

/** Deletes rows that are visible to the caller; if one of them may not be deleted, all of them stay. */
async function deleteAllowed(
  collection: Collection,
  list: ListPlan,
  writing: WriteContext,
  bounds: BulkBounds,
): Promise<Affected> {
  const reader = { engine: writing.caller, options: writing.options }
  const allowed = async (keys: readonly Key[]) => {
    refuseTooMany(keys.length, bounds)
    await requireRows(collection, { action: 'delete', keys }, writing)
    return keys
  }
  if (bounds.dryRun) return affectedResult(collection, await allowed(await selectedKeys(list, reader)))
  const locking = { ...lockForDelete(collection, writing), reader, most: Number.POSITIVE_INFINITY }
  const keys = await withSelected({ list, collection }, writing, locking, allowed)
  return affectedResult(collection, await deleteInBatches(collection, keys, writing))
}

/** Returns how rows are locked that will be deleted: their hooks run before. */
function lockForDelete(collection: Collection, writing: WriteContext): LockedRows {
  const hooks = new DeleteHooks(collection, writing)
  return { use: 'removal', beforeLock: (keys: readonly Key[]) => hooks.run(keys) }
}

/** Deletes rows with hooks or versions, whose keys have to be known before; in a dry run they stay. */
async function deleteWithHooks(list: ListPlan, writing: WriteContext, bounds: BulkBounds): Promise<Affected> {
  const { collection } = list
  const beginning = upTo(list, mostKeys + 1)
  const locking = lockForDelete(collection, writing)
  const first = await (bounds.dryRun
    ? selectedKeys(beginning, writing)
    : lockSelectedKeys(beginning, collection, writing, locking))
  refuseTooMany(first.length, bounds)
  const isAll = first.length <= mostKeys
  if (bounds.dryRun)
    return isAll ? affectedResult(collection, first) : counted(await countAll(list, writing), bounds)
  const keys = isAll ? first : await lockSelectedKeys(list, collection, writing, locking)
  refuseTooMany(keys.length, bounds)
  return affectedResult(collection, await deleteInBatches(collection, keys, writing))
}

async function deleteLocked(list: ListPlan, writing: WriteContext, bounds: BulkBounds): Promise<Affected> {
  const first = await lockSelectedKeys(upTo(list, mostKeys + 1), list.collection, writing, { use: 'removal' })
  refuseTooMany(first.length, bounds)
  if (first.length > mostKeys)
    return runListWrite(silentWrite(list, writing.engine), noBoundValues, writing, bounds)
  return affectedResult(list.collection, await deleteAndReport(list.collection, first, writing))
}

function counted(count: number, bounds: BulkBounds): Affected {
  refuseTooMany(count, bounds)
  return { count }
}

const countAll = (list: ListPlan, writing: WriteContext): Promise<number> =>
  countBy(countListStatement(list, writing.engine), noBoundValues, writing)
