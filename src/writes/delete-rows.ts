// Deletes rows: by their keys, or those of a list.

import type { EngineInternals } from '../engine/engine.ts'
import { affect } from '../execution/execute.ts'
import { type Key, keyIdentities, keyIdentity } from '../plan/key.ts'
import type { ListPlan } from '../plan/read-plan.ts'
import { bindStatement } from '../prepared/template.ts'
import type { Collection } from '../schema/model.ts'
import {
  countListStatement,
  deleteListStatement,
  deleteTellingStatement,
} from '../sql/list-write-statements.ts'
import { type Affected, affectedResult, type Caution, mostKeys, refuseTooMany } from './affected-rows.ts'
import { withConstraintErrors } from './constraint-error.ts'
import { lockVisible, seesAll } from './lock-rows.ts'
import { lockSelectedKeys } from './lock-selected.ts'
import { deleteRows, missing, run, whyNone } from './rows-by-key.ts'
import { selectedKeys, shownKeys } from './select-keys.ts'
import { isHeard, isUnattended } from './single-statement.ts'
import { shared } from './unique-keys.ts'
import { requireRows, requireVisible } from './visible-keys.ts'
import { ask, changeOf, limitsOf, remember, type WriteContext } from './write-context.ts'

export async function deleteByKeys(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
  caution: Caution = {},
): Promise<Affected> {
  refuseTooMany(keys.length, caution)
  const { hooks, dialect } = writing.engine
  const isAsked = hooks.of('before', 'items.delete', collection.name).length > 0
  // Locked rows are checked below.
  if (caution.dryRun || isAsked || !dialect.holdRows || !limitsOf(writing)) {
    await requireVisible(collection, keys, writing)
    await requireRows(collection, 'delete', keys, writing)
  }
  if (caution.dryRun) return affectedResult(collection, keys)
  // Hooks may be slow, and no other transaction should wait for them.
  await asking(collection, writing)(keys)
  await holdToRemove(collection, keys, writing)
  const gone = await removeTold(collection, keys, writing)
  // Another transaction may have deleted one in the meantime.
  if (gone.length < keys.length) throw missing()
  return affectedResult(collection, keys)
}

/** Deletes a row for which there are no hooks. */
export async function deleteOne(collection: Collection, key: Key, writing: WriteContext): Promise<void> {
  const gone = await deleteRows(collection, [key], writing)
  if (gone.length === 0) throw await whyNone(collection, key, writing)
}

/** Deletes the rows of a list. `collection`: that of the list, unlimited and not as it is visible to the caller. */
export async function deleteSelected(
  collection: Collection,
  list: ListPlan,
  writing: WriteContext,
  caution: Caution,
): Promise<Affected> {
  if (writing.caller.narrowing?.limits) return removeSeen(collection, list, writing, caution)
  const { isVersioned } = list.collection
  if (caution.dryRun || isVersioned || isHeard(writing.engine, 'items.delete', list.collection))
    return removeHeard(list, writing, caution)
  return isByKey(list) ? removeTelling(list, writing, caution) : removeLookedAt(list, writing, caution)
}

/** True if a list is deleted by one statement that returns the deleted keys. It is atomic by itself and needs no transaction. */
export function isToldAtOnce(
  list: ListPlan,
  engine: EngineInternals,
  { dryRun, maxAffected }: Caution,
): boolean {
  // It would report too many rows only after they were deleted.
  if (dryRun || maxAffected !== undefined || !engine.dialect.deleteTelling) return false
  return isByKey(list) && isUnattended(engine, 'items.delete', list.collection)
}

/** Deletes rows that are visible to the caller; if one of them may not be deleted, all of them stay. */
async function removeSeen(
  collection: Collection,
  list: ListPlan,
  writing: WriteContext,
  caution: Caution,
): Promise<Affected> {
  const reader = { engine: writing.caller, options: writing.options }
  const holding = { use: 'removal', reader, ask: asking(collection, writing) } as const
  const keys = await (caution.dryRun
    ? selectedKeys(list, reader)
    : lockSelectedKeys(list, collection, writing, holding))
  refuseTooMany(keys.length, caution)
  await requireRows(collection, 'delete', keys, writing)
  return caution.dryRun
    ? affectedResult(collection, keys)
    : affectedResult(collection, await removeAll(collection, keys, writing))
}

async function removeAll(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<readonly Key[]> {
  const gone: Key[] = []
  for (let from = 0; from < keys.length; from += mostKeys)
    for (const key of await removeTold(collection, keys.slice(from, from + mostKeys), writing)) gone.push(key)
  return gone
}

/** True if the list has all rows that meet a condition, in the order of keys that can be sorted here. */
function isByKey({ page, order: [first, ...others], collection: { key } }: ListPlan): boolean {
  if (page.limit !== undefined || page.offset > 0 || first?.kind !== 'value' || others.length > 0)
    return false
  const { family } = key.value
  const { subject, route } = first.value
  const isKey = route.length === 0 && subject.kind === 'field' && subject.field === key
  return isKey && !first.isDescending && (family === 'integer' || family === 'uuid')
}

/** Deletes rows that need not be read before, by a statement that returns the deleted keys. */
async function removeTelling(list: ListPlan, writing: WriteContext, caution: Caution): Promise<Affected> {
  const telling = deleteTellingStatement(list, writing.engine, mostKeys)
  if (!telling) return removeLookedAt(list, writing, caution)
  const [row] = await withConstraintErrors(list.collection, undefined, writing, () =>
    run(writing, filled(telling.statement)),
  )
  const count = Number(row?.[0])
  refuseTooMany(count, caution)
  if (count > mostKeys) return { count }
  // A list without elements is null.
  const keys: readonly (string | number)[] = JSON.parse(String(row?.[1] ?? '[]'))
  const { read } = telling
  return { count, keys: read ? keys.map((key) => read(key) as string | number) : keys }
}

/** Deletes rows after reading their keys. */
async function removeLookedAt(list: ListPlan, writing: WriteContext, caution: Caution): Promise<Affected> {
  // Rows that others write in the meantime must not be deleted unchecked.
  if (writing.engine.dialect.deleteTelling) return removePart(list, writing, caution)
  const keys = await shownKeys(upTo(list, mostKeys + 1), writing)
  refuseTooMany(keys.length, caution)
  // The statement does not count rows that are deleted by a cascade.
  const count = keys.length > mostKeys ? await countAll(list, writing) : keys.length
  refuseTooMany(count, caution)
  const gone = await removeUntold(list, writing, caution)
  if (gone > count) throw shared(list.collection)
  return keys.length > mostKeys ? { count } : { count, keys }
}

async function removePart(list: ListPlan, writing: WriteContext, caution: Caution): Promise<Affected> {
  const first = await lockSelectedKeys(upTo(list, mostKeys + 1), list.collection, writing, { use: 'removal' })
  refuseTooMany(first.length, caution)
  if (first.length > mostKeys) return { count: await removeUntold(list, writing, caution) }
  return affectedResult(list.collection, await removeTold(list.collection, first, writing))
}

/** Deletes rows without returning their keys. */
async function removeUntold(list: ListPlan, writing: WriteContext, caution: Caution): Promise<number> {
  const statement = filled(deleteListStatement(list, writing.engine))
  const count = await withConstraintErrors(list.collection, undefined, writing, () =>
    affect(writing.engine, statement, writing.options),
  )
  refuseTooMany(count, caution)
  if (count > (list.page.limit ?? count)) throw shared(list.collection)
  return count
}

/** Deletes rows with hooks or versions, whose keys have to be known before; in a dry run they stay. */
async function removeHeard(list: ListPlan, writing: WriteContext, caution: Caution): Promise<Affected> {
  const { collection } = list
  const beginning = upTo(list, mostKeys + 1)
  const holding = { use: 'removal', ask: asking(collection, writing) } as const
  const first = await (caution.dryRun
    ? selectedKeys(beginning, writing)
    : lockSelectedKeys(beginning, collection, writing, holding))
  refuseTooMany(first.length, caution)
  const isAll = first.length <= mostKeys
  if (caution.dryRun)
    return isAll ? affectedResult(collection, first) : counted(await countAll(list, writing), caution)
  const keys = isAll ? first : await lockSelectedKeys(list, collection, writing, holding)
  refuseTooMany(keys.length, caution)
  return affectedResult(collection, await removeAll(collection, keys, writing))
}

function counted(count: number, caution: Caution): Affected {
  refuseTooMany(count, caution)
  return { count }
}

/** Returns the list, limited to its first rows. */
function upTo(list: ListPlan, most: number): ListPlan {
  const { limit = most } = list.page
  return { ...list, page: { ...list.page, limit: Math.min(limit, most) } }
}

async function countAll(list: ListPlan, writing: WriteContext): Promise<number> {
  const [row] = await run(writing, filled(countListStatement(list, writing.engine)))
  return Number(row?.[0])
}

const filled = (statement: Parameters<typeof bindStatement>[0]) => bindStatement(statement, new Map())

/** Locks rows and checks them again: they may have changed since they were read. Without rules one statement does all of it. */
async function holdToRemove(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<void> {
  if (!limitsOf(writing) || !writing.engine.dialect.holdRows) return
  const held = await lockVisible(collection, { keys, use: 'removal' }, writing)
  if (held && held.size < keys.length) throw missing()
  if (!seesAll(collection, writing)) await requireVisible(collection, keys, writing)
  await requireRows(collection, 'delete', keys, writing)
}

/** Returns a function that runs the hooks before rows are deleted: once for each row, and for as many at a time as are kept in memory. */
function asking(collection: Collection, writing: WriteContext): (keys: readonly Key[]) => Promise<void> {
  if (writing.engine.hooks.of('before', 'items.delete', collection.name).length === 0) return async () => {}
  const asked = new Set<string>()
  return async (keys) => {
    const unasked = keys.filter((key) => !asked.has(keyIdentity(key)))
    for (const key of unasked) asked.add(keyIdentity(key))
    for (let from = 0; from < unasked.length; from += mostKeys)
      await ask(writing, changeOf(writing, 'items.delete', collection, unasked.slice(from, from + mostKeys)))
  }
}

async function removeTold(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<readonly Key[]> {
  if (keys.length === 0) return []
  const gone = await deleteRows(collection, keys, writing)
  const isGone = keyIdentities(gone)
  const inOrder = keys.filter((key) => isGone.has(keyIdentity(key)))
  remember(writing, changeOf(writing, 'items.delete', collection, inOrder))
  return inOrder
}
