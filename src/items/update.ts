import { type Engine, type EngineInternals, internalsOf } from '../engine/engine.ts'
import { checkOptions } from '../errors/check-options.ts'
import { callOptions, type Options } from '../execution/database.ts'
import type { CollectionName, KeyOf } from '../schema/infer.ts'
import type { Collection, Schema } from '../schema/model.ts'
import { writtenCollection } from '../writes/authorize/writable-fields.ts'
import type { Intent } from '../writes/create-or-update.ts'
import { namedKey } from '../writes/named-key.ts'
import { inOneUnit } from '../writes/retry.ts'
import { keysIn } from '../writes/rows-by-key.ts'
import { isAlone, takesTransaction } from '../writes/update/single-statement.ts'
import { write } from '../writes/write.ts'
import { newWriteContext } from '../writes/write-context.ts'
import { needsCallerVariables, withCallerVariables } from './caller-variables.ts'
import { type AnswerQuery, answerShape } from './read/answer-shape.ts'
import type { CheckedQuery } from './types/checked-query.ts'
import type { UpdateInput } from './types/item-input.ts'
import type { ItemAnswer, NotVisible, OfWhom } from './types/result.ts'
import { bulkCollection } from './write/bulk.ts'
import { updateAlone, updateByStatement, updateWithHooks } from './write/update-alone.ts'
import { intentsOf, listed, readUpdates, type UpdatesInput, updateIntent } from './write/update-input.ts'
import { updateTogether } from './write/update-together.ts'
import { hasReadHooks, type WrittenAnswer, writeAndRead } from './write/write-and-read.ts'

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
  const items = updateOne(core, collection, { key, data }, { query }, options)
  return items instanceof Promise ? (await items)[0] : items[0]
}

interface KeyedData {
  readonly key: unknown
  readonly data: unknown
}

/** `updateItem` whose result may be selected by a tree: a list of it, without a promise if the database responds synchronously. */
export function updateOne(
  engine: EngineInternals,
  name: string,
  update: KeyedData,
  answerQuery: AnswerQuery,
  options: Options,
): readonly unknown[] | Promise<readonly unknown[]> {
  const { query } = answerQuery
  if (!needsCallerVariables(engine, query)) return updateBy(engine, name, update, answerQuery, options)
  return withCallerVariables(engine, query).then((scoped) =>
    updateBy(scoped, name, update, answerQuery, options),
  )
}

function updateBy(
  scoped: EngineInternals,
  name: string,
  { key, data }: KeyedData,
  answerQuery: AnswerQuery,
  options: Options,
): readonly unknown[] | Promise<readonly unknown[]> {
  const found = writtenCollection(scoped, name, 'update')
  const shape = answerShape(scoped, name, answerQuery)
  const intent = updateIntent(namedKey(found, key, []), data, [])
  return updateAll(found, [intent], { ...answerQuery, shape }, scoped, options)
}

/** Updates the items with some keys alike, all of them or none, and returns them in the order of the keys. A list of objects instead of keys is
 *  one of items, as `updateEach` takes it.
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
  return updateMany(core, collection, updates, { query }, options)
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
  return updateMany(core, collection, { kind: 'items', items: listed(partials) }, { query }, options)
}

/** `updateItems` and `updateEach` whose result may be selected by a tree. */
export async function updateMany(
  engine: EngineInternals,
  name: string,
  updates: UpdatesInput,
  answerQuery: AnswerQuery,
  options: Options,
): Promise<readonly unknown[]> {
  bulkCollection(engine, name)
  const { query } = answerQuery
  const scoped = needsCallerVariables(engine, query) ? await withCallerVariables(engine, query) : engine
  const found = writtenCollection(scoped, name, 'update')
  const shape = answerShape(scoped, name, answerQuery)
  return updateAll(found, intentsOf(updates, found, scoped), { ...answerQuery, shape }, scoped, options)
}

function updateAll(
  collection: Collection,
  intents: readonly Intent[],
  answer: WrittenAnswer,
  engine: EngineInternals,
  options: Options,
): readonly unknown[] | Promise<readonly unknown[]> {
  const [only] = intents
  const isBare = intents.length === 1 && !engine.unit && !hasReadHooks(answer, engine)
  const items =
    only && isBare && !takesTransaction(engine, 'items.update', collection)
      ? updateByStatement(collection, only, answer.shape, engine, options)
      : undefined
  const otherwise = () => updateOtherwise(collection, intents, answer, engine, options)
  if (items instanceof Promise) return items.then((known) => known ?? otherwise())
  return items ?? otherwise()
}

/** Updates items that one statement alone does not update. */
async function updateOtherwise(
  collection: Collection,
  intents: readonly Intent[],
  answer: WrittenAnswer,
  engine: EngineInternals,
  options: Options,
): Promise<readonly unknown[]> {
  const [only, ...others] = intents
  const isOne = only && others.length === 0 && !hasReadHooks(answer, engine)
  if (isOne && isAlone(engine, 'items.update', collection, only.payload))
    return updateAlone(collection, only, answer.shape, engine, options)
  if (isOne && answer.shape && takesTransaction(engine, 'items.update', collection))
    return updateWithHooks(collection, only, answer.shape, engine, options)
  const together =
    others.length > 0 && !hasReadHooks(answer, engine)
      ? await updateTogether(collection, intents, answer.shape, engine, options)
      : undefined
  if (together) return together
  return inOneUnit(engine, options, (inside) =>
    writeAndRead(answer, inside, options, async () =>
      keysIn(await write(collection, intents, newWriteContext(inside, options))),
    ),
  )
}
