import { type Engine, type EngineInternals, internalsOf } from '../engine/engine.ts'
import { checkOptions } from '../errors/check-options.ts'
import { isEngineError } from '../errors/errors.ts'
import { callOptions, type Options } from '../execution/database.ts'
import type { ShownKey } from '../plan/key.ts'
import type { ListPlan } from '../plan/read/read-plan.ts'
import { noBoundValues } from '../prepared/template.ts'
import type { ParsedQuery } from '../query/types.ts'
import type { CollectionName, KeyOf } from '../schema/infer.ts'
import type { Collection, Schema } from '../schema/model.ts'
import { writtenCollection } from '../writes/authorize/writable-fields.ts'
import type { Affected, BulkBounds } from '../writes/delete/affected-rows.ts'
import { deleteByKey } from '../writes/delete/delete-by-key.ts'
import { deleteByKeys } from '../writes/delete/delete-rows.ts'
import { deleteSelected } from '../writes/delete/delete-selected.ts'
import { isDeletedAtOnce, listWrite, tellingBounds } from '../writes/list-write.ts'
import { lockedList } from '../writes/locks/lock-selected.ts'
import { namedKey } from '../writes/named-key.ts'
import { deletionObligations } from '../writes/obligations/deletion-obligations.ts'
import { limitsOf } from '../writes/obligations/row-obligations.ts'
import { judging } from '../writes/program/row-template.ts'
import { inOneUnit } from '../writes/retry.ts'
import { runListWrite, writeAlone } from '../writes/run-list-write.ts'
import { circumstancesOf, newWriteContext, type WriteContext } from '../writes/write-context.ts'
import { needsCallerVariables, withCallerVariables } from './caller-variables.ts'
import {
  type BulkOptions,
  bulkCollection,
  bulkOptions,
  type ChoosingQuery,
  checkMaxAffected,
  type Selector,
  showsKeys,
} from './write/bulk.ts'
import { type ChosenDeletion, chooseDeletion } from './write/choose-deletion.ts'

/** Deletes the item with a key. An unknown key throws NOT_FOUND.
 *  @example await deleteItem(engine, 'articles', 1)
 *  await deleteItem(engine, 'articles', 1) // throws There is no such item, or you may not see it. */
export async function deleteItem<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
  options: Options = {},
): Promise<void> {
  const core = internalsOf(engine)
  checkOptions(options, callOptions)
  const scoped = needsCallerVariables(core, undefined) ? await withCallerVariables(core) : core
  const found = writtenCollection(scoped, collection, 'delete')
  const stored = namedKey(found, key, undefined)
  // Versions are deleted with their item.
  const takesUnit = scoped.unit !== undefined || found.isVersioned
  if (!takesUnit && (await deleteByKey(found, stored, newWriteContext(scoped, options)))) return
  await inOneUnit(scoped, options, async (inside) => {
    if (takesUnit && (await deleteByKey(found, stored, newWriteContext(inside, options)))) return
    await deleteByKeys(found, [stored], newWriteContext(inside, options))
  })
}

/** Result of a deletion, or of its dry run. */
export interface DeleteResult<Key = ShownKey> {
  /** Number of deleted items. */
  readonly deleted: number
  /** Keys of the deleted items, unless there are more than 10,000, they may not be read, or `keys: false` leaves them out. */
  readonly keys?: readonly Key[]
}

/** Deletes items, all of them or none: those with some keys, or exactly those that a list with the same query returns, without a default
 *  limit. An empty filter is refused.
 *  @example await deleteItems(engine, 'articles', [1, 2]) // → { deleted: 2, keys: [1, 2] } */
export async function deleteItems<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  selector: Selector<S, C> | undefined,
  query?: ChoosingQuery<S, C> | ParsedQuery,
  options: BulkOptions = {},
): Promise<DeleteResult<KeyOf<S, C>>> {
  const core = internalsOf(engine)
  checkOptions(options, bulkOptions)
  const scoped = await withCallerVariables(core, selector, query)
  const visible = bulkCollection(scoped, collection)
  const found = writtenCollection(scoped, collection, 'delete')
  const bounds = tellingBounds('delete', found, options, scoped)
  const chosen = chooseDeletion({ selector, query }, visible, scoped, bounds)
  checkMaxAffected(options.maxAffected)
  const { count: deleted, keys } = await deleteChosen(found, chosen, scoped, { options, bounds })
  const isShown = options.keys !== false && (chosen.kind === 'keys' || showsKeys(visible))
  // The keys of a collection have its key's type.
  return keys && isShown ? { deleted, keys: keys as readonly KeyOf<S, C>[] } : { deleted }
}

function deleteChosen(
  collection: Collection,
  chosen: ChosenDeletion,
  engine: EngineInternals,
  { options, bounds }: { readonly options: BulkOptions; readonly bounds: BulkBounds },
): Affected | Promise<Affected> {
  const work = (inside: EngineInternals) => {
    const writing = newWriteContext(inside, options)
    if (chosen.kind === 'keys') return deleteByKeys(collection, chosen.keys, writing, bounds)
    if (chosen.kind === 'list') return deleteSelected(collection, chosen.list, writing, bounds)
    return runListWrite(chosen.deletion, chosen.boundValues, writing, bounds)
  }
  const whole =
    chosen.kind === 'list'
      ? wholeDeletion(collection, chosen.list, newWriteContext(engine, options), bounds)
      : undefined
  if (whole)
    return inOneUnit(engine, options, (inside) => whole(newWriteContext(inside, options))).catch(
      (error: unknown) => {
        // The row that may not be deleted is found by looking at each.
        if (!isEngineError(error) || error.code !== 'FORBIDDEN') throw error
        return inOneUnit(engine, options, work)
      },
    )
  const inside = () => inOneUnit(engine, options, work)
  if (chosen.kind !== 'unlocked') return inside()
  const { deletion, boundValues } = chosen
  const alone = writeAlone(deletion, boundValues, newWriteContext(engine, options), bounds)
  return alone.then((affected) => affected ?? inside())
}

/** Returns the deletion of a list's rows by one statement that judges them; undefined if each row has to be looked at, or if no rules limit the
 *  caller. */
function wholeDeletion(
  collection: Collection,
  list: ListPlan,
  writing: WriteContext,
  bounds: BulkBounds,
): ((inside: WriteContext) => Promise<Affected>) | undefined {
  const { caller, engine } = writing
  if (!judging.isByStatement || !isDeletedAtOnce(collection, engine, bounds)) return undefined
  const rules = deletionObligations(collection, caller, circumstancesOf(writing), list.condition)
  const limits = rules && limitsOf(rules, [], engine)
  const deletionOf = (rows: ListPlan) =>
    limits && listWrite(rows, caller, bounds, { columns: undefined, limits })
  const deletion = deletionOf(list)
  const locking = { use: 'removal', locked: [], values: noBoundValues } as const
  return (
    deletion &&
    (async (inside) => {
      const rows = rules?.needsLock ? await lockedList({ list, collection }, locking, inside) : list
      return runListWrite((rules?.needsLock && deletionOf(rows)) || deletion, noBoundValues, inside, bounds)
    })
  )
}

/** Deletes every item that matches a query, and returns their number. An empty filter is refused.
 *  @example await deleteByQuery(engine, 'articles', { filter: { status: 'draft' } }) // → { deleted: 1, keys: [2] } */
export async function deleteByQuery<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  query: ChoosingQuery<S, C> | ParsedQuery,
  options: BulkOptions = {},
): Promise<DeleteResult<KeyOf<S, C>>> {
  return deleteItems(engine, collection, { query }, undefined, options)
}
