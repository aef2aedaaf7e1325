// Deletes rows that are looked at before: for hooks, bytes or old values, by rules that no statement judges, or to find out why a statement has not
// deleted them.

import { type Key, keyIdentity } from '../../plan/key.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import { noBoundValues } from '../../prepared/templates/template.ts'
import type { Collection } from '../../schema/model.ts'
import { countListStatement } from '../../sql/write/list-write-statements.ts'
import { requireRows, requireVisible } from '../authorize/visible-keys.ts'
import { missing } from '../context/named-key.ts'
import { changeOf, permissionsOf, runBeforeHooks, type WriteContext } from '../context/write-context.ts'
import {
  type Affected,
  affectedResult,
  type BulkBounds,
  maxKeys,
  refuseTooMany,
} from '../lists/affected-rows.ts'
import { isDeletedAtOnce, silentWrite, upTo } from '../lists/list-write.ts'
import { countBy, runListWrite } from '../lists/run-list-write.ts'
import { lockVisible, seenAlone } from '../stored/lock-rows.ts'
import { withSelected } from '../stored/lock-selected.ts'
import { selectedKeys } from '../stored/select-keys.ts'
import { deleteAndReport } from './delete-rows.ts'

/** Deletes the rows with some keys: all of them, or none. */
export async function deleteEachNamed(
  collection: Collection,
  named: readonly Key[],
  writing: WriteContext,
  bounds: BulkBounds = {},
): Promise<Affected> {
  refuseTooMany(named.length, bounds)
  const readAllowed = async (locked?: ReadonlySet<string>) => {
    const isSure = seenAlone(collection, writing) && named.every((key) => locked?.has(keyIdentity(key)))
    const keys = isSure ? named : await requireVisible(collection, named, writing)
    // One of them may have become visible since.
    if (locked && !keys.every((key) => locked.has(keyIdentity(key)))) throw missing()
    await requireRows(collection, { action: 'delete', keys }, writing)
    return keys
  }
  const runHooks = hooksBefore(collection, writing)
  const isLocked = permissionsOf(writing) !== undefined && writing.engine.dialect.lockRows !== undefined
  // Locked rows are judged when they are locked.
  let keys = bounds.dryRun || runHooks || !isLocked ? await readAllowed() : named
  if (bounds.dryRun) return affectedResult(collection, keys)
  await runHooks?.(keys)
  // They may have changed since they were read.
  if (isLocked)
    keys = await readAllowed(await lockVisible(collection, { keys: named, use: 'removal' }, writing))
  const deleted = await deleteAndReport(collection, keys, writing)
  // Another transaction may have deleted one in the meantime.
  if (deleted.length < keys.length) throw missing()
  return affectedResult(collection, keys)
}

/** Deletes the rows of a list. If one of them is visible to the caller and may not be deleted, all of them stay. `collection`: that of the list,
 *  unlimited and not as it is visible to the caller. */
export async function deleteEachListed(
  collection: Collection,
  list: ListPlan,
  writing: WriteContext,
  bounds: BulkBounds,
): Promise<Affected> {
  const { engine, caller, options } = writing
  const isLimited = permissionsOf(writing) !== undefined
  const reader = isLimited ? { engine: caller, options } : writing
  const allowed = async (keys: readonly Key[]) => {
    refuseTooMany(keys.length, bounds)
    await requireRows(collection, { action: 'delete', keys }, writing)
    return keys
  }
  // Of more than are returned, the keys need not be known.
  const isAnonymous = !isLimited && (bounds.dryRun || isDeletedAtOnce(collection, engine, bounds))
  const rows = isAnonymous ? upTo(list, maxKeys + 1) : list
  const beforeLock = hooksBefore(collection, writing)
  const locking = {
    ...({ use: 'removal', reader, most: Number.POSITIVE_INFINITY } as const),
    // Hooks may be slow, and no other transaction should wait for them.
    ...(beforeLock && { beforeLock }),
  }
  const keys = bounds.dryRun
    ? await allowed(await selectedKeys(rows, reader))
    : await withSelected({ list: rows, collection }, writing, locking, allowed)
  if (isAnonymous && keys.length > maxKeys) return writeAll(list, writing, bounds)
  if (bounds.dryRun) return affectedResult(collection, keys)
  for (let from = 0; from < keys.length; from += maxKeys)
    await deleteAndReport(collection, keys.slice(from, from + maxKeys), writing)
  return affectedResult(collection, keys)
}

/** Deletes or counts all rows of a list. */
async function writeAll(list: ListPlan, writing: WriteContext, bounds: BulkBounds): Promise<Affected> {
  if (!bounds.dryRun) return runListWrite(silentWrite(list, writing.engine), noBoundValues, writing, bounds)
  const count = await countBy(countListStatement(list, writing.engine), noBoundValues, writing)
  refuseTooMany(count, bounds)
  return { count }
}

/** Returns what runs the hooks before rows are deleted: once for each row, and for as many at a time as keys are kept in memory. Undefined if there are
 *  none. */
function hooksBefore(collection: Collection, writing: WriteContext) {
  if (writing.engine.hooks.of('before', 'items.delete', collection.name).length === 0) return undefined
  const seen = new Set<string>()
  return async (keys: readonly Key[]): Promise<void> => {
    const unseen = keys.filter((key) => !seen.has(keyIdentity(key)))
    for (const key of unseen) seen.add(keyIdentity(key))
    for (let from = 0; from < unseen.length; from += maxKeys) {
      const batch = { collection, keys: unseen.slice(from, from + maxKeys) }
      await runBeforeHooks(writing, changeOf(writing, 'items.delete', batch))
    }
  }
}
