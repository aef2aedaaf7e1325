// Deletes the rows of a list.

import type { EngineInternals } from '../engine/engine.ts'
import { affect } from '../execution/execute.ts'
import type { Key } from '../plan/key.ts'
import type { ListPlan } from '../plan/read-plan.ts'
import { bindStatement } from '../prepared/template.ts'
import type { Collection } from '../schema/model.ts'
import {
  countListStatement,
  deleteListStatement,
  deleteTellingStatement,
} from '../sql/list-write-statements.ts'
import { type Affected, affectedResult, type BulkBounds, mostKeys, refuseTooMany } from './affected-rows.ts'
import { withConstraintErrors } from './constraint-error.ts'
import { DeleteHooks } from './delete-hooks.ts'
import { deleteAndReport, deleteInBatches } from './delete-rows.ts'
import { type LockedRows, lockSelectedKeys } from './lock-selected.ts'
import { run } from './rows-by-key.ts'
import { selectedKeys, shownKeys } from './select-keys.ts'
import { hasHooks, isUnattended } from './single-statement.ts'
import { shared } from './unique-keys.ts'
import { requireRows } from './visible-keys.ts'
import type { WriteContext } from './write-context.ts'

/** Deletes the rows of a list. `collection`: that of the list, unlimited and not as it is visible to the caller. */
export async function deleteSelected(
  collection: Collection,
  list: ListPlan,
  writing: WriteContext,
  bounds: BulkBounds,
): Promise<Affected> {
  if (writing.caller.scope?.permissions) return deleteAllowed(collection, list, writing, bounds)
  const { isVersioned } = list.collection
  if (bounds.dryRun || isVersioned || hasHooks(writing.engine, 'items.delete', list.collection))
    return deleteWithHooks(list, writing, bounds)
  if (bounds.keys === false && isWhole(list)) return { count: await deleteWithoutKeys(list, writing, bounds) }
  return isByKey(list)
    ? deleteReturningKeys(list, writing, bounds)
    : deleteAfterReading(list, writing, bounds)
}

/** True if a list is deleted by one statement that returns the deleted keys, or their number if no keys are wanted. It is atomic by itself and
 *  needs no transaction. */
export function isOneStatement(
  list: ListPlan,
  engine: EngineInternals,
  { dryRun, maxAffected, keys }: BulkBounds,
): boolean {
  // It would report too many rows only after they were deleted.
  if (dryRun || maxAffected !== undefined || !isUnattended(engine, 'items.delete', list.collection))
    return false
  if (keys === false && isWhole(list)) return true
  return engine.dialect.deleteTelling !== undefined && isByKey(list)
}

/** Deletes rows that are visible to the caller; if one of them may not be deleted, all of them stay. */
async function deleteAllowed(
  collection: Collection,
  list: ListPlan,
  writing: WriteContext,
  bounds: BulkBounds,
): Promise<Affected> {
  const reader = { engine: writing.caller, options: writing.options }
  const keys = await (bounds.dryRun
    ? selectedKeys(list, reader)
    : lockSelectedKeys(list, collection, writing, { ...lockForDelete(collection, writing), reader }))
  refuseTooMany(keys.length, bounds)
  await requireRows(collection, 'delete', keys, writing)
  if (bounds.dryRun) return affectedResult(collection, keys)
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

/** True if the list has all rows that meet a condition. */
const isWhole = ({ page }: ListPlan): boolean => page.limit === undefined && page.offset === 0

/** True if the list has all rows that meet a condition, in the order of keys that can be sorted here. */
function isByKey(list: ListPlan): boolean {
  const {
    order: [first, ...others],
    collection: { key },
  } = list
  if (!isWhole(list) || first?.kind !== 'value' || others.length > 0) return false
  const { family } = key?.value ?? {}
  const { subject, route } = first.value
  const isKey = route.length === 0 && subject.kind === 'field' && subject.field === key
  return isKey && !first.isDescending && (family === 'integer' || family === 'uuid')
}

/** Deletes rows that need not be read before, by a statement that returns the deleted keys. */
async function deleteReturningKeys(
  list: ListPlan,
  writing: WriteContext,
  bounds: BulkBounds,
): Promise<Affected> {
  const returning = deleteTellingStatement(list, writing.engine, mostKeys)
  if (!returning) return deleteAfterReading(list, writing, bounds)
  const [row] = await withConstraintErrors(list.collection, undefined, writing, () =>
    run(writing, bound(returning.statement)),
  )
  const count = Number(row?.[0])
  refuseTooMany(count, bounds)
  if (count > mostKeys) return { count }
  // A list without elements is null.
  const keys: readonly (string | number)[] = JSON.parse(String(row?.[1] ?? '[]'))
  const { read } = returning
  return { count, keys: read ? keys.map((key) => read(key) as string | number) : keys }
}

/** Deletes rows after reading their keys. */
async function deleteAfterReading(
  list: ListPlan,
  writing: WriteContext,
  bounds: BulkBounds,
): Promise<Affected> {
  // Rows that others write in the meantime must not be deleted unchecked.
  if (!writing.engine.dialect.writeLock) return deleteLocked(list, writing, bounds)
  const keys = await shownKeys(upTo(list, mostKeys + 1), writing)
  refuseTooMany(keys.length, bounds)
  // The statement does not count rows that are deleted by a cascade.
  const count = keys.length > mostKeys ? await countAll(list, writing) : keys.length
  refuseTooMany(count, bounds)
  const deleted = await deleteWithoutKeys(list, writing, bounds)
  if (deleted > count) throw shared(list.collection)
  return keys.length > mostKeys ? { count } : { count, keys }
}

async function deleteLocked(list: ListPlan, writing: WriteContext, bounds: BulkBounds): Promise<Affected> {
  const first = await lockSelectedKeys(upTo(list, mostKeys + 1), list.collection, writing, { use: 'removal' })
  refuseTooMany(first.length, bounds)
  if (first.length > mostKeys) return { count: await deleteWithoutKeys(list, writing, bounds) }
  return affectedResult(list.collection, await deleteAndReport(list.collection, first, writing))
}

/** Deletes rows without returning their keys. */
async function deleteWithoutKeys(list: ListPlan, writing: WriteContext, bounds: BulkBounds): Promise<number> {
  const statement = bound(deleteListStatement(list, writing.engine))
  const count = await withConstraintErrors(list.collection, undefined, writing, () =>
    affect(writing.engine, statement, writing.options),
  )
  refuseTooMany(count, bounds)
  if (count > (list.page.limit ?? count)) throw shared(list.collection)
  return count
}

function counted(count: number, bounds: BulkBounds): Affected {
  refuseTooMany(count, bounds)
  return { count }
}

/** Returns the list, limited to its first rows. */
function upTo(list: ListPlan, most: number): ListPlan {
  const { limit = most } = list.page
  return { ...list, page: { ...list.page, limit: Math.min(limit, most) } }
}

async function countAll(list: ListPlan, writing: WriteContext): Promise<number> {
  const [row] = await run(writing, bound(countListStatement(list, writing.engine)))
  return Number(row?.[0])
}

const bound = (statement: Parameters<typeof bindStatement>[0]) => bindStatement(statement, new Map())
