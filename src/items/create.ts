import { type Engine, type EngineInternals, internalsOf } from '../engine/engine.ts'
import { checkOptions } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import { callOptions, type Options } from '../execution/database.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import { isRecord } from '../values/guards.ts'
import { writtenCollection } from '../writes/authorize/writable-fields.ts'
import { inOneUnit } from '../writes/context/retry.ts'
import { isAlone } from '../writes/context/single-statement.ts'
import { newWriteContext } from '../writes/context/write-context.ts'
import { announceItems, runAlone } from '../writes/stored/announce.ts'
import { keyOfItem, keysIn } from '../writes/stored/rows-by-key.ts'
import { write } from '../writes/write.ts'
import { needsCallerVariables, withCallerVariables } from './caller-variables.ts'
import { answerShape, type WriteInput } from './read/answer-shape.ts'
import { isReadAgain, itemsWritten } from './read/read-back.ts'
import type { CheckedQuery } from './types/checked-query.ts'
import type { CreateInput } from './types/new-item.ts'
import type { ItemAnswer, NotVisible, OfWhom } from './types/result.ts'
import { manyOf } from './write/bulk.ts'
import { createAlone } from './write/create-alone.ts'
import { createTogether } from './write/create-together.ts'
import { hasReadHooks, type ItemsToWrite, writeAndRead, writeItems } from './write/write-and-read.ts'

/** Creates an item with everything nested in it, and returns it; null if the caller may not read it.
 *  @example await createItem(engine, 'articles', { title: 'Salt', author: { name: 'Cy' } }, { fields: ['id', 'author.name'] })
 *  // → { id: 4, author: { name: 'Cy' } } */
export function createItem<S extends Schema, C extends CollectionName<S>, Whose>(
  engine: Engine<S> & OfWhom<Whose>,
  collection: C,
  data: CreateInput<S, C, Whose>,
): Promise<ItemAnswer<S, C, Record<never, never>> | NotVisible<Whose>>
export function createItem<S extends Schema, C extends CollectionName<S>, const Q, Whose>(
  engine: Engine<S> & OfWhom<Whose>,
  collection: C,
  data: CreateInput<S, C, Whose>,
  query: CheckedQuery<S, C, Q>,
  options?: Options,
): Promise<ItemAnswer<S, C, Q> | NotVisible<Whose>>
export async function createItem(
  engine: Engine,
  collection: string,
  data: unknown,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  const core = internalsOf(engine)
  checkOptions(options, callOptions)
  const items = createAll(core, collection, { data: [{ payload: data, path: [] }], query }, options)
  return (items instanceof Promise ? await items : items)[0]
}

/** Creates items, all of them or none, and returns them in the order of the input.
 *  @example await createItems(engine, 'tags', [{ name: 'sweet' }, { name: 'sour' }], { fields: ['id'] })
 *  // → [{ id: 3 }, { id: 4 }] */
export function createItems<S extends Schema, C extends CollectionName<S>, Whose>(
  engine: Engine<S> & OfWhom<Whose>,
  collection: C,
  data: readonly CreateInput<S, C, Whose>[],
): Promise<ItemAnswer<S, C, Record<never, never>>[]>
export function createItems<S extends Schema, C extends CollectionName<S>, const Q, Whose>(
  engine: Engine<S> & OfWhom<Whose>,
  collection: C,
  data: readonly CreateInput<S, C, Whose>[],
  query: CheckedQuery<S, C, Q>,
  options?: Options,
): Promise<ItemAnswer<S, C, Q>[]>
export async function createItems(
  engine: Engine,
  collection: string,
  data: unknown,
  query?: object,
  options: Options = {},
): Promise<readonly unknown[]> {
  const core = internalsOf(engine)
  checkOptions(options, callOptions)
  return createMany(core, collection, { data, query }, options)
}

/** `createItems` whose result may be selected by a tree. */
export async function createMany(
  engine: EngineInternals,
  name: string,
  input: WriteInput,
  options: Options,
): Promise<readonly unknown[]> {
  const { data } = input
  manyOf(writtenCollection(engine, name, 'create'))
  return await createAll(engine, name, { ...input, data: itemsOf(data) }, options)
}

export type ListedItems = readonly { readonly payload: unknown; readonly path: readonly number[] }[]

export function itemsOf(data: unknown): ListedItems {
  if (!Array.isArray(data)) throw fault('INVALID_PAYLOAD', `Items stand in a list, not in ${quote(data)}.`)
  // An empty element is no item, and `map` would skip it.
  return [...data].map((payload: unknown, index) => ({ payload, path: [index] }))
}

/** Creates items, without a promise if the database responds synchronously. Their result may be selected by a tree. */
export function createAll(
  engine: EngineInternals,
  name: string,
  input: WriteInput<ListedItems>,
  options: Options,
): readonly unknown[] | Promise<readonly unknown[]> {
  const { query } = input
  if (!needsCallerVariables(engine, query)) return createBy(engine, name, input, options)
  return withCallerVariables(engine, query).then((scoped) => createBy(scoped, name, input, options))
}

function createBy(
  scoped: EngineInternals,
  name: string,
  { data, query, tree }: WriteInput<ListedItems>,
  options: Options,
): readonly unknown[] | Promise<readonly unknown[]> {
  const collection = writtenCollection(scoped, name, 'create')
  const shape = answerShape(scoped, name, { query, tree })
  const intents = data.map(({ payload, path }) => ({
    payload: itemPayload(payload, path),
    path,
    action: 'create' as const,
  }))
  const items: ItemsToWrite = { collection, intents, query, tree, shape }
  return writeItems(items, waysToCreate, scoped, options)
}

/** Creates items in a transaction, in which hooks on reads are asked for what is returned: one that is its row alone without a transaction, too. */
async function createGenerally(
  items: ItemsToWrite,
  engine: EngineInternals,
  options: Options,
): Promise<readonly unknown[]> {
  const { collection, intents, shape } = items
  const [first, ...others] = intents
  const isLone = first && others.length === 0 && !isReadAgain(shape, engine)
  if (!isLone || hasReadHooks(items, engine) || !isAlone(engine, 'items.create', collection, first.payload))
    return inOneUnit(engine, options, (inside) =>
      writeAndRead(items, inside, options, async () =>
        keysIn(await write(collection, intents, newWriteContext(inside, options))),
      ),
    )
  const writing = newWriteContext(engine, options)
  const work = () => write(collection, intents, newWriteContext(engine, options))
  const created = await runAlone('create', { collection }, writing, work)
  const written = created.map((item) => ({ key: keyOfItem(item), payload: item.payload }))
  await announceItems('create', collection, written, writing)
  return itemsWritten(shape, keysIn(created), engine, options)
}

const waysToCreate = { alone: createAlone, together: createTogether, otherwise: createGenerally }

export function itemPayload(input: unknown, path: readonly (string | number)[]): Record<string, unknown> {
  if (isRecord(input)) return input
  throw fault('INVALID_PAYLOAD', `An item is an object of its fields, not ${quote(input)}.`, { path })
}
