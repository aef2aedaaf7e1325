import type { Engine } from '../engine.ts'
import { fault } from '../errors.ts'
import { checkOptions, flag, optionNames } from '../options.ts'
import type { Predicate } from '../plan/predicate.ts'
import { isWrittenKey } from '../plan/written-key.ts'
import { keyPath } from '../run/answers.ts'
import { callKinds, executeSoon, type Options } from '../run/execute.ts'
import type { Request } from '../run/planned.ts'
import { filledOf, type Prepared, prepare } from '../run/prepare.ts'
import { next, type Soon } from '../run/soon.ts'
import { unlessTooMany } from '../run/unless-too-many.ts'
import type { CollectionName, KeyOf } from '../schema/infer.ts'
import type { Collection, Schema } from '../schema/model.ts'
import { familyRow } from '../vocabulary/families.ts'
import { atomically } from '../writes/atomically.ts'
import { lockItem } from '../writes/lock-item.ts'
import { writtenCollection } from '../writes/permits.ts'
import { storedKey } from '../writes/rows.ts'
import { newWriting } from '../writes/writing.ts'
import type { ItemAnswer } from './answer.ts'
import type { Asked } from './answer-asked.ts'
import type { AnswerOf } from './answer-version.ts'
import { heard } from './heard.ts'
import { informed } from './informed.ts'
import { listRequest } from './request.ts'
import { readVersion, versionIn } from './versioned.ts'

/** What `getItem` may be told besides its query. */
export interface ItemOptions extends Options {
  /** Holds the item until the transaction ends, so that nobody else changes it meanwhile. It takes a rule to update it. */
  readonly lock?: boolean | undefined
}

const itemOptions = optionNames<ItemOptions>({ ...callKinds, lock: flag })

/** The item with a key. A missing one is an error, here and everywhere.
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
  query: Asked<S, C, Q>,
  options?: ItemOptions,
): Promise<AnswerOf<Q, ItemAnswer<S, C, Q>>>
export async function getItem(
  engine: Engine,
  collection: string,
  key: string | number,
  query?: object,
  options: ItemOptions = {},
): Promise<unknown> {
  checkOptions(options, itemOptions)
  const reader = options.lock ? readLocked : readItem
  const read = (asked: object | undefined) => reader(engine, collection, key, asked, options)
  return heard(engine, collection, query, read, (item) => [item])
}

const readItem = (
  caller: Engine,
  collection: string,
  key: string | number,
  query: object | undefined,
  options: Options,
): Soon<unknown> =>
  next(informed(caller, query), (engine) => itemOrVersion(engine, collection, key, query, options))

/** Reads an item that nobody else changes from now on. */
async function readLocked(
  caller: Engine,
  name: string,
  key: string | number,
  query: object | undefined,
  options: Options,
): Promise<unknown> {
  if (!caller.unit)
    throw fault('INVALID_OPTIONS', 'An item is locked inside a transaction, and this call is in none.', {
      path: ['lock'],
      hint: 'Read it with the engine that engine.transaction gives to its work, or with engine.using(transaction).',
    })
  const engine = await informed(caller, query)
  const collection = writtenCollection(engine, name, 'update')
  const { asked } = versionIn(listRequest(engine, name, query, 'one'), engine)
  if (asked)
    throw fault('INVALID_OPTIONS', 'A version is read without its item, which cannot be locked by it.', {
      path: ['lock'],
    })
  const stored = storedKey(collection, key, undefined)
  return atomically(engine, options, async (inside) => {
    await lockItem(collection, stored, newWriting(inside, options))
    return itemOrVersion(inside, name, key, query, options)
  })
}

function itemOrVersion(
  engine: Engine,
  collection: string,
  key: string | number,
  query: object | undefined,
  options: Options,
): Soon<unknown> {
  const { request: list, asked } = versionIn(listRequest(engine, collection, query, 'one'), engine)
  if (!isWrittenKey(list.collection.key, key)) throw missing()
  // Member by member: spreading a request takes longer than recognising its shape.
  const request: Request = {
    verb: list.verb,
    collection: list.collection,
    query: list.query,
    key,
    circumstances: list.circumstances,
    rules: list.rules,
    condition: () => keyCondition(list.collection, key),
  }
  // A version is looked at beside the item as it is now.
  const reader = asked ? engine : engine.reading()
  const item = () => firstItem(reader, prepare(request, engine), options)
  const found = asked
    ? readVersion(asked, storedKey(request.collection, key, undefined), item, engine, options)
    : item()
  return next(found, required)
}

function required(item: unknown): unknown {
  if (item === undefined) throw missing()
  return item
}

/** The first item that a request finds. */
export function firstItem(engine: Engine, prepared: Prepared, options: Options): Soon<unknown> {
  const { rows } = prepared.template
  return unlessTooMany(engine, prepared, options, () =>
    next(
      executeSoon(engine, filledOf(prepared, rows), options),
      ([row]) => row && rows.mapper()(row, undefined),
    ),
  )
}

/** No item has what cannot be a key of the collection. */
function keyCondition(collection: Collection, key: unknown): Predicate {
  const { key: field } = collection
  const value = familyRow(field.value.family).operand(key, field.value)
  if (!value?.exact) throw missing()
  return {
    kind: 'test',
    subject: { kind: 'field', field, type: field.value },
    operator: '_eq',
    operand: { kind: 'value', value },
    path: keyPath,
  }
}

const missing = () => fault('NOT_FOUND', 'There is no such item, or you may not see it.')
