import { type Engine, type EngineInternals, internalsOf } from '../engine/engine.ts'
import { checkOptions } from '../errors/check-options.ts'
import { callOptions, type Options } from '../execution/database.ts'
import type { CollectionName, KeyOf } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import { writtenCollection } from '../writes/authorize/writable-fields.ts'
import { namedKey } from '../writes/context/named-key.ts'
import { inOneUnit } from '../writes/context/retry.ts'
import { isAlone } from '../writes/context/single-statement.ts'
import { newWriteContext } from '../writes/context/write-context.ts'
import { keysIn } from '../writes/stored/rows-by-key.ts'
import { write } from '../writes/write.ts'
import { needsCallerVariables, withCallerVariables } from './caller-variables.ts'
import { answerShape, type WriteInput } from './read/answer-shape.ts'
import type { CheckedQuery } from './types/checked-query.ts'
import type { UpdateInput } from './types/item-input.ts'
import type { ItemAnswer, NotVisible, OfWhom } from './types/result.ts'
import { bulkCollection } from './write/bulk.ts'
import { updateAlone, updateLone } from './write/update-alone.ts'
import { intentsOf, listed, readUpdates, type UpdatesInput, updateIntent } from './write/update-input.ts'
import { updateTogether } from './write/update-together.ts'
import { hasReadHooks, type ItemsToWrite, writeAndRead, writeItems } from './write/write-and-read.ts'

/** Updates an item with everything nested in it, and returns it. An unknown key throws NOT_FOUND, and nothing is changed. Null if the
 *  updated item is not visible to the caller.
 *  @example await updateItem(engine, 'articles', 1, { title: 'Green tea' }, { fields: ['title'] }) // → { title: 'Green tea' } */
export function updateItem<S extends Schema, C extends CollectionName<S>, Whose>(
  engine: Engine<S> & OfWhom<Whose>,
  collection: C,
  key: KeyOf<S, C>,
  data: UpdateInput<S, C>,
): Promise<ItemAnswer<S, C, Record<never, never>> | NotVisible<Whose>>
export function updateItem<S extends Schema, C extends CollectionName<S>, const Q, Whose>(
  engine: Engine<S> & OfWhom<Whose>,
  collection: C,
  key: KeyOf<S, C>,
  data: UpdateInput<S, C>,
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
  const core = internalsOf(engine)
  checkOptions(options, callOptions)
  const items = updateOne(core, collection, { key, data, query }, options)
  return items instanceof Promise ? (await items)[0] : items[0]
}

interface KeyedInput extends WriteInput {
  readonly key: unknown
}

/** `updateItem` whose result may be selected by a tree: a list of it, without a promise if the database responds synchronously. */
export function updateOne(
  engine: EngineInternals,
  name: string,
  input: KeyedInput,
  options: Options,
): readonly unknown[] | Promise<readonly unknown[]> {
  const { query } = input
  if (!needsCallerVariables(engine, query)) return updateBy(engine, name, input, options)
  return withCallerVariables(engine, query).then((scoped) => updateBy(scoped, name, input, options))
}

function updateBy(
  scoped: EngineInternals,
  name: string,
  { key, data, query, tree }: KeyedInput,
  options: Options,
): readonly unknown[] | Promise<readonly unknown[]> {
  const collection = writtenCollection(scoped, name, 'update')
  const shape = answerShape(scoped, name, { query, tree })
  const intent = updateIntent(namedKey(collection, key, []), data, [])
  return writeItems({ collection, intents: [intent], query, tree, shape }, waysToUpdate, scoped, options)
}

/** Updates the items with some keys alike, all of them or none, and returns them in the order of the keys.
 *  @example await updateItems(engine, 'articles', [1, 2], { views: 0 }, { fields: ['id', 'views'] })
 *  // → [{ id: 1, views: 0 }, { id: 2, views: 0 }] */
export function updateItems<S extends Schema, C extends CollectionName<S>, const Q = Record<never, never>>(
  engine: Engine<S>,
  collection: C,
  keys: readonly KeyOf<S, C>[],
  data: UpdateInput<S, C>,
  query?: CheckedQuery<S, C, Q>,
  options?: Options,
): Promise<ItemAnswer<S, C, Q>[]>
/** @deprecated `updateEach` takes a list of items. */
export function updateItems<S extends Schema, C extends CollectionName<S>, const Q = Record<never, never>>(
  engine: Engine<S>,
  collection: C,
  partials: readonly UpdateInput<S, C>[],
  query?: CheckedQuery<S, C, Q>,
  options?: Options,
): Promise<ItemAnswer<S, C, Q>[]>
export async function updateItems(
  engine: Engine,
  collection: string,
  items: unknown,
  ...rest: readonly unknown[]
): Promise<readonly unknown[]> {
  const core = internalsOf(engine)
  const { updates, query, options } = readUpdates(items, rest, bulkCollection(core, collection))
  return updateMany(core, collection, { data: updates, query }, options)
}

/** Updates each item of a list by the key that it holds, all of them or none, and returns them in the order of the list.
 *  @example await updateEach(engine, 'articles', [{ id: 2, views: 7 }, { id: 1, title: 'Tea' }], { fields: ['id', 'views'] })
 *  // → [{ id: 2, views: 7 }, { id: 1, views: 120 }] */
export function updateEach<S extends Schema, C extends CollectionName<S>, const Q = Record<never, never>>(
  engine: Engine<S>,
  collection: C,
  partials: readonly UpdateInput<S, C>[],
  query?: CheckedQuery<S, C, Q>,
  options?: Options,
): Promise<ItemAnswer<S, C, Q>[]>
export async function updateEach(
  engine: Engine,
  collection: string,
  partials: unknown,
  query?: object,
  options: Options = {},
): Promise<readonly unknown[]> {
  const core = internalsOf(engine)
  checkOptions(options, callOptions)
  bulkCollection(core, collection)
  return updateMany(core, collection, { data: { kind: 'items', items: listed(partials) }, query }, options)
}

/** `updateItems` and `updateEach` whose result may be selected by a tree. */
export async function updateMany(
  engine: EngineInternals,
  name: string,
  { data, query, tree }: WriteInput<UpdatesInput>,
  options: Options,
): Promise<readonly unknown[]> {
  bulkCollection(engine, name)
  const scoped = needsCallerVariables(engine, query) ? await withCallerVariables(engine, query) : engine
  const collection = writtenCollection(scoped, name, 'update')
  const shape = answerShape(scoped, name, { query, tree })
  const intents = intentsOf(data, collection, scoped)
  return writeItems({ collection, intents, query, tree, shape }, waysToUpdate, scoped, options)
}

/** Updates items in a transaction, in which hooks on reads are asked for what is returned: one that is its row alone without a transaction, too. */
async function updateGenerally(
  items: ItemsToWrite,
  engine: EngineInternals,
  options: Options,
): Promise<readonly unknown[]> {
  const { collection, intents, shape } = items
  const [first, ...others] = intents
  const isOne = first && others.length === 0 && !hasReadHooks(items, engine)
  if (isOne && isAlone(engine, 'items.update', collection, first.payload))
    return updateLone({ collection, intent: first, shape }, engine, options)
  return inOneUnit(engine, options, (inside) =>
    writeAndRead(items, inside, options, async () =>
      keysIn(await write(collection, intents, newWriteContext(inside, options))),
    ),
  )
}

const waysToUpdate = { alone: updateAlone, together: updateTogether, otherwise: updateGenerally }
