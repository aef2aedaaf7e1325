import type { Engine } from '../engine/engine.ts'
import { anything, checkOptions, flag, optionNames } from '../errors/check-options.ts'
import { fault } from '../errors/errors.ts'
import { callKinds, callOptions, type Options } from '../execution/database.ts'
import type { ParsedQuery, Query } from '../query/types.ts'
import type { CollectionName, KeyOf } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import { deleteByKeys, deleteOne, deleteSelected, isToldAtOnce } from '../writes/delete-rows.ts'
import { inOneUnit, withRetry } from '../writes/retry.ts'
import { namedKey } from '../writes/rows-by-key.ts'
import { isUnattended } from '../writes/single-statement.ts'
import { writtenCollection } from '../writes/visible-keys.ts'
import { newWriteContext } from '../writes/write-context.ts'
import { bulkCollection, namesKeys } from './bulk.ts'
import { withCallerVariables } from './caller-variables.ts'
import { readSelector } from './selector.ts'

/** Options of functions on many items. */
export interface BulkOptions extends Options {
  /** True to return what would happen, without doing it. */
  readonly dryRun?: boolean
  /** Maximum number of affected items. If there are more, the call is refused and changes nothing. */
  readonly maxAffected?: number
}

export const bulkOptions = optionNames<BulkOptions>({
  ...callKinds,
  dryRun: flag,
  maxAffected: anything,
})

/** Result of a deletion, or of its dry run. */
export interface DeleteResult<Key = string | number> {
  /** Number of deleted items. */
  readonly deleted: number
  /** Keys of the deleted items, unless there are more than 10,000, or they may not be read. */
  readonly keys?: readonly Key[]
}

/** Selection of items: their keys, or a query. */
export type Selector<S, C extends CollectionName<S>> =
  | readonly KeyOf<S, C>[]
  | { readonly keys: readonly KeyOf<S, C>[] }
  | { readonly query: ChoosingQuery<S, C> | ParsedQuery }

/** Query parameters that select items. */
export type ChoosingQuery<S, C extends CollectionName<S>> = Pick<
  Query<S, C>,
  'filter' | 'search' | 'sort' | 'limit' | 'offset' | 'fields' | 'meta'
>

/** Deletes the item with a key. An unknown key throws NOT_FOUND.
 *  @example await deleteItem(engine, 'articles', 1)
 *  await deleteItem(engine, 'articles', 1) // throws There is no such item, or you may not see it. */
export async function deleteItem<S extends Schema, C extends CollectionName<S>>(
  caller: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
  options: Options = {},
): Promise<void> {
  checkOptions(options, callOptions)
  const engine = await withCallerVariables(caller)
  const found = writtenCollection(engine, collection, 'delete')
  const stored = namedKey(found, key, undefined)
  await (isUnattended(engine, 'items.delete', found)
    ? withRetry(engine, options, () => deleteOne(found, stored, newWriteContext(engine, options)))
    : inOneUnit(engine, options, (inside) => deleteByKeys(found, [stored], newWriteContext(inside, options))))
}

/** Deletes items, all of them or none: those with some keys, or exactly those that a list with the same query returns, without a default
 *  limit. An empty filter is refused.
 *  @example await deleteItems(engine, 'articles', [1, 2]) // → { deleted: 2, keys: [1, 2] } */
export async function deleteItems<S extends Schema, C extends CollectionName<S>>(
  caller: Engine<S>,
  collection: C,
  selector: Selector<S, C> | undefined,
  query?: ChoosingQuery<S, C> | ParsedQuery,
  options: BulkOptions = {},
): Promise<DeleteResult<KeyOf<S, C>>> {
  checkOptions(options, bulkOptions)
  const engine = await withCallerVariables(caller, selector, query)
  const seen = bulkCollection(engine, collection)
  const found = writtenCollection(engine, collection, 'delete')
  const selected = readSelector(selector, query, seen, engine)
  checkMost(options.maxAffected)
  const remove = (inside: Engine) => {
    const writing = newWriteContext(inside, options)
    return selected.kind === 'keys'
      ? deleteByKeys(found, selected.keys, writing, options)
      : deleteSelected(found, selected.list, writing, options)
  }
  const isOneStatement = selected.kind === 'list' && isToldAtOnce(selected.list, engine, options)
  const { count: deleted, keys } = await (isOneStatement
    ? withRetry(engine, options, () => remove(engine))
    : inOneUnit(engine, options, remove))
  // The keys of a collection have its key's type.
  return keys && (selected.kind === 'keys' || namesKeys(seen))
    ? { deleted, keys: keys as readonly KeyOf<S, C>[] }
    : { deleted }
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

export function checkMost(given: number | undefined): void {
  if (given === undefined || (Number.isSafeInteger(given) && given >= 0)) return
  throw fault('INVALID_OPTIONS', '"maxAffected" is a whole number of 0 or more.', { path: ['maxAffected'] })
}
