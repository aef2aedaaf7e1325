import { type Engine, type EngineInternals, internalsOf } from '../engine/engine.ts'
import { checkOptions, flag, optionNames } from '../errors/check-options.ts'
import { fault } from '../errors/errors.ts'
import { callKinds, type Options } from '../execution/database.ts'
import { fieldSubject } from '../plan/field-path.ts'
import type { Predicate } from '../plan/filter/predicate.ts'
import { isNamedKey, isNoKey, requireKey, type ShownKey } from '../plan/key.ts'
import type { ReadRequest } from '../prepared/plan-request.ts'
import { prepare } from '../prepared/prepare.ts'
import { keyPath } from '../prepared/templates/bind.ts'
import type { CollectionName, KeyOf } from '../schema/infer.ts'
import { type Collection, keyOf, type Schema } from '../schema/model.ts'
import { familyRow } from '../types/families.ts'
import { writtenCollection } from '../writes/authorize/writable-fields.ts'
import { namedKey, notNamed } from '../writes/context/named-key.ts'
import { inOneUnit } from '../writes/context/retry.ts'
import { newWriteContext } from '../writes/context/write-context.ts'
import { lockItem } from '../writes/locks/lock-item.ts'
import { beginRead } from './read/begin-read.ts'
import { readFirst } from './read/read-first.ts'
import { listRequest } from './read/read-request.ts'
import type { CheckedQuery } from './types/checked-query.ts'
import type { ItemAnswer } from './types/result.ts'
import type { AnswerOf } from './types/version.ts'
import { readVersion, versionIn } from './versions/read-version.ts'

/** Options of `getItem`. */
export interface ItemOptions extends Options {
  /** True to lock the item until the transaction ends, so that no other transaction changes it meanwhile. Requires the permission to update
   *  it. */
  readonly lock?: boolean | undefined
}

const itemOptions = optionNames<ItemOptions>({ ...callKinds, lock: flag })

/** Returns the item with a key. An unknown key throws NOT_FOUND.
 *  @example await getItem(engine, 'articles', 1, { fields: ['title', 'comments.text'] })
 *  // → { title: 'Tea', comments: [{ text: 'Hot!' }] } */
export function getItem<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
): Promise<ItemAnswer<S, C, Record<never, never>>>
export function getItem<S extends Schema, C extends CollectionName<S>, const Q>(
  engine: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
  query: CheckedQuery<S, C, Q>,
  options?: ItemOptions,
): Promise<AnswerOf<Q, ItemAnswer<S, C, Q>>>
export async function getItem(
  engine: Engine,
  collection: string,
  key: ShownKey,
  query?: object,
  options: ItemOptions = {},
): Promise<unknown> {
  const core = internalsOf(engine)
  checkOptions(options, itemOptions)
  const begun = beginRead(core, collection, query)
  const { query: requested, scoped, after } = begun instanceof Promise ? await begun : begun
  const read = options.lock ? readLocked : readItem
  const item = await read(scoped, collection, { key, query: requested }, options)
  if (after) await after([item])
  return item
}

interface KeyedQuery {
  readonly key: ShownKey
  readonly query: object | undefined
}

/** Reads an item and locks it against changes by other transactions. */
async function readLocked(
  engine: EngineInternals,
  name: string,
  keyed: KeyedQuery,
  options: Options,
): Promise<unknown> {
  const { key, query } = keyed
  if (!engine.unit)
    throw fault('INVALID_OPTIONS', 'An item is locked inside a transaction, and this call is in none.', {
      path: ['lock'],
      hint: 'Read it with the engine that engine.transaction gives to its work, or with engine.using(transaction).',
    })
  const collection = writtenCollection(engine, name, 'update')
  const { requested } = versionIn(listRequest(engine, name, query, 'one'), engine)
  if (requested)
    throw fault('INVALID_OPTIONS', 'A version is read without its item, which cannot be locked by it.', {
      path: ['lock'],
    })
  const stored = namedKey(collection, key, undefined)
  return inOneUnit(engine, options, async (inside) => {
    await lockItem(collection, stored, newWriteContext(inside, options))
    return readItem(inside, name, keyed, options)
  })
}

/** Reads an item, without a promise if the database responds synchronously. */
function readItem(
  engine: EngineInternals,
  collection: string,
  { key, query }: KeyedQuery,
  options: Options,
): unknown {
  const { request: list, requested } = versionIn(listRequest(engine, collection, query, 'one'), engine)
  requireKey(list.collection)
  if (!isNamedKey(list.collection, key) || isNoKey(key)) throw notNamed(list.collection, key)
  // Member by member: spreading a request takes longer than recognising its shape.
  const request: ReadRequest = {
    verb: list.verb,
    collection: list.collection,
    query: list.query,
    key,
    circumstances: list.circumstances,
    rules: list.rules,
    condition: () => keyCondition(list.collection, key),
  }
  const prepared = prepare(request, engine)
  const item = requested
    ? readVersion({ ...requested, prepared }, namedKey(request.collection, key, undefined), engine, options)
    : readFirst(engine.reading(), prepared, options)
  return item instanceof Promise ? item.then(found) : found(item)
}

function found(item: unknown): unknown {
  if (item === undefined) throw missing()
  return item
}

/** Returns the condition on the key. A value that cannot be a key of the collection is the key of no item. */
export function keyCondition(collection: Collection, key: unknown): Predicate {
  const field = keyOf(collection)
  const value = familyRow(field.value.family).operand(key, field.value)
  if (!value?.exact) throw missing()
  return {
    kind: 'test',
    subject: fieldSubject(field),
    operator: '_eq',
    operand: { kind: 'value', value },
    path: keyPath,
  }
}

const missing = () => fault('NOT_FOUND', 'There is no such item, or you may not see it.')
