import type { Engine } from '../engine/engine.ts'
import { checkOptions } from '../errors/check-options.ts'
import { fault, quote, unreachable } from '../errors/errors.ts'
import { callOptions, type Options } from '../execution/database.ts'
import { attemptOr } from '../execution/report-errors.ts'
import { updatedColumns } from '../plan/defaults.ts'
import type { Key } from '../plan/key.ts'
import type { ParsedQuery } from '../query/types.ts'
import type { CollectionName, KeyOf } from '../schema/infer.ts'
import type { Collection, Schema } from '../schema/model.ts'
import type { Intent } from '../writes/create-or-update.ts'
import { inOneUnit, withRetry } from '../writes/retry.ts'
import { existing, missing, namedKey } from '../writes/rows-by-key.ts'
import { isAlone } from '../writes/single-statement.ts'
import { isUpdateFollowed, noteUpdate } from '../writes/triggers.ts'
import { updateSelected } from '../writes/update-selected.ts'
import { writtenCollection } from '../writes/visible-keys.ts'
import { write } from '../writes/write.ts'
import { newWriteContext, type ReturnedRow, type WriteContext } from '../writes/write-context.ts'
import { bulkCollection, namesKeys } from './bulk.ts'
import { withCallerVariables } from './caller-variables.ts'
import { itemGiven } from './create.ts'
import { type BulkOptions, bulkOptions, type ChoosingQuery, checkMost } from './delete.ts'
import { type AnswerShape, answerShape, isReadAgain, itemsWritten, keysOf } from './read-back.ts'
import { readSelector } from './selector.ts'
import type { CheckedQuery } from './types/checked-query.ts'
import type { ItemInput } from './types/item-input.ts'
import type { ItemAnswer, NotVisible, OfWhom } from './types/result.ts'
import { intentFor, severalGiven } from './update-input.ts'

/** Updates an item with everything nested in it, and returns it. An unknown key throws NOT_FOUND, and nothing is changed. Null if the
 *  updated item is not visible to the caller.
 *  @example await updateItem(engine, 'articles', 1, { title: 'Green tea' }, { fields: ['title'] }) // → { title: 'Green tea' } */
export function updateItem<S extends Schema, C extends CollectionName<S>, Whose>(
  engine: Engine<S> & OfWhom<Whose>,
  collection: C,
  key: KeyOf<S, C>,
  data: ItemInput<S, C>,
): Promise<ItemAnswer<S, C, Record<never, never>> | NotVisible<Whose>>
export function updateItem<S extends Schema, C extends CollectionName<S>, const Q, Whose>(
  engine: Engine<S> & OfWhom<Whose>,
  collection: C,
  key: KeyOf<S, C>,
  data: ItemInput<S, C>,
  query: CheckedQuery<S, C, Q>,
  options?: Options,
): Promise<ItemAnswer<S, C, Q> | NotVisible<Whose>>
export async function updateItem(
  engine: Engine,
  collection: string,
  key: unknown,
  data: unknown,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  checkOptions(options, callOptions)
  const intents = (found: Collection) => [intentFor(namedKey(found, key, []), data, [])]
  const [item] = await updateAll(engine, collection, intents, query, options)
  return item
}

/** Updates items, all of them or none: those with some keys alike, or each item of a list by its key. A list of objects is one of items;
 *  any other is one of keys, followed by the data for all of them.
 *  @example await updateItems(engine, 'articles', [1, 2], { views: 0 }, { fields: ['id', 'views'] })
 *  // → [{ id: 1, views: 0 }, { id: 2, views: 0 }] */
export function updateItems<S extends Schema, C extends CollectionName<S>, const Q = Record<never, never>>(
  engine: Engine<S>,
  collection: C,
  keys: readonly KeyOf<S, C>[],
  data: ItemInput<S, C>,
  query?: CheckedQuery<S, C, Q>,
  options?: Options,
): Promise<ItemAnswer<S, C, Q>[]>
export function updateItems<S extends Schema, C extends CollectionName<S>, const Q = Record<never, never>>(
  engine: Engine<S>,
  collection: C,
  partials: readonly ItemInput<S, C>[],
  query?: CheckedQuery<S, C, Q>,
  options?: Options,
): Promise<ItemAnswer<S, C, Q>[]>
export async function updateItems(
  engine: Engine,
  collection: string,
  items: unknown,
  ...rest: readonly unknown[]
): Promise<readonly unknown[]> {
  const seen = bulkCollection(engine, collection)
  if (!Array.isArray(items)) throw fault('INVALID_PAYLOAD', `Items stand in a list, not in ${quote(items)}.`)
  // Empty elements are no items.
  const { intents, query, options } = severalGiven([...items], rest, seen)
  if (options !== undefined) checkOptions(options, callOptions)
  return updateAll(engine, collection, intents, asObject(query), asObject(options) ?? {})
}

/** Result of an update, or of its dry run. */
export interface UpdateResult<Key = string | number> {
  /** Number of updated items. */
  readonly updated: number
  /** Keys of the updated items, unless there are more than 10,000, or they may not be read. */
  readonly keys?: readonly Key[]
}

/** Updates every item that matches a query, all of them or none, and returns their number. An empty filter is refused.
 *  @example await updateByQuery(engine, 'articles', { filter: { views: { _lt: 10 } } }, { status: 'published' })
 *  // → { updated: 1, keys: [2] } */
export async function updateByQuery<S extends Schema, C extends CollectionName<S>>(
  caller: Engine<S>,
  collection: C,
  query: ChoosingQuery<S, C> | ParsedQuery,
  data: ItemInput<S, C>,
  options: BulkOptions = {},
): Promise<UpdateResult<KeyOf<S, C>>> {
  checkOptions(options, bulkOptions)
  const engine = await withCallerVariables(caller, query)
  const { found, seen, list, given } = chosenBy(engine, collection, query, data)
  checkMost(options.maxAffected)
  const { count: updated, keys } = await inOneUnit(engine, options, (inside) =>
    updateSelected(found, list, given, newWriteContext(inside, options), options),
  )
  // The keys of a collection have its key's type.
  return keys && namesKeys(seen) ? { updated, keys: keys as readonly KeyOf<S, C>[] } : { updated }
}

/** `updateByQuery` that returns the updated items; undefined if there are too many to return. `query` shapes the result. */
export async function updateFound(
  caller: Engine,
  collection: string,
  chosen: ParsedQuery,
  data: unknown,
  query: object | undefined,
  options: Options,
): Promise<readonly unknown[] | undefined> {
  const engine = await withCallerVariables(caller, chosen, query)
  const { found, list, given } = chosenBy(engine, collection, chosen, data)
  const shape = answerShape(engine, collection, query)
  return inOneUnit(engine, options, async (inside) => {
    const { keys } = await updateSelected(found, list, given, newWriteContext(inside, options), {})
    const stored = keys?.map((key) => namedKey(found, key, undefined))
    return stored && itemsWritten(shape, stored, inside, options)
  })
}

/** Returns the selection of a query and the update of its items. */
function chosenBy(engine: Engine, collection: string, query: object, data: unknown) {
  const seen = bulkCollection(engine, collection)
  const found = writtenCollection(engine, collection, 'update')
  const selected = readSelector({ query }, undefined, seen, engine)
  if (selected.kind !== 'list') throw unreachable('a query that is none')
  return { found, seen, list: selected.list, given: itemGiven(data, []) }
}

/** Returns an argument as an object; anything else is refused by its reader. */
const asObject = (given: unknown): object | undefined => (given === undefined ? undefined : Object(given))

async function updateAll(
  caller: Engine,
  name: string,
  intents: (collection: Collection, caller: Engine) => readonly Intent[],
  query: object | undefined,
  options: Options,
): Promise<readonly unknown[]> {
  const engine = await withCallerVariables(caller, query)
  const collection = writtenCollection(engine, name, 'update')
  const shape = answerShape(engine, name, query)
  const wanted = intents(collection, engine)
  const [only, ...others] = wanted
  if (only && others.length === 0 && isAlone(engine, 'items.update', collection, only.given))
    return updateAlone(collection, only, shape, engine, options)
  return inOneUnit(engine, options, async (inside) => {
    const items = await write(collection, wanted, newWriteContext(inside, options))
    return itemsWritten(shape, keysOf(items), inside, options)
  })
}

/** Updates an item that is one row, without a transaction where its statement returns all of the result. */
async function updateAlone(
  collection: Collection,
  intent: Intent,
  shape: AnswerShape | undefined,
  engine: Engine,
  options: Options,
): Promise<readonly unknown[]> {
  const writing = newWriteContext(engine, options)
  const answer = async (inside: Engine) => {
    const keys = await updateOne(collection, intent, newWriteContext(inside, options))
    return itemsWritten(shape, keys, inside, options)
  }
  if (!isReadAgain(shape, engine)) return withRetry(engine, options, () => answer(engine))
  const row = shape?.row(engine)
  const columns = updatedColumns(collection, intent.given)
  if (!row || (await isUpdateFollowed(collection, columns, writing)))
    return inOneUnit(engine, options, answer)
  const returned: ReturnedRow = { columns: row.columns.sql, row: undefined }
  const keys = await withRetry(engine, options, () =>
    updateOne(collection, intent, { ...newWriteContext(engine, options), returned }),
  )
  // Nothing had to be written.
  if (!returned.row) return itemsWritten(shape, keys, engine, options)
  const told = row.answer(returned.row)
  if (!row.isFollowed(returned.row)) return told
  noteUpdate(collection, columns, writing, true)
  // The item is updated, even if reading it again fails.
  return attemptOr(() => itemsWritten(shape, keys, engine, options), told, engine.onError)
}

/** Updates one row. Its own statement reports whether it exists, unless there is nothing to change. */
async function updateOne(
  collection: Collection,
  intent: Intent,
  writing: WriteContext,
): Promise<readonly Key[]> {
  const items = await write(collection, [{ ...intent, isToldLater: intent.key !== undefined }], writing)
  const keys = keysOf(items)
  const isUntold = items.some(({ values }) => values.size === 0)
  if (isUntold && (await existing(collection, keys, writing)).size < keys.length) throw missing(intent.path)
  return keys
}
