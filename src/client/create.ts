import type { CheckedQuery } from '../items/types/checked-query.ts'
import type { ItemInput, OnNames } from '../items/types/item-input.ts'
import type { CreateInput } from '../items/types/new-item.ts'
import type { ItemAnswer, NotVisible } from '../items/types/result.ts'
import type { Filter } from '../query/filter-types.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import { itemsPath } from './addresses.ts'
import type { Client } from './connect.ts'
import { parametersOf } from './json.ts'
import type { RequestOptions } from './request-options.ts'
import { write, writeList } from './write.ts'

/** Creates an item with everything nested in it, and returns it; null if the caller may not read it.
 *  @example await createItem(api, 'articles', { title: 'Salt', author: { name: 'Cy' } }, { fields: ['id', 'author.name'] })
 *  // → { id: 4, author: { name: 'Cy' } } */
export async function createItem<
  S extends Schema,
  C extends CollectionName<S>,
  const Q = Record<never, never>,
  Whose = unknown,
>(
  api: Client<S, Whose>,
  collection: C,
  data: CreateInput<S, C, Whose>,
  query?: CheckedQuery<S, C, Q>,
  options?: RequestOptions,
): Promise<ItemAnswer<S, C, Q> | NotVisible<Whose>> {
  return write(api, { method: 'POST', path: itemsPath(collection), data, query }, options)
}

/** Creates items, all of them or none, and returns those that the caller may read, in the order of the input.
 *  @example await createItems(api, 'tags', [{ name: 'sweet' }, { name: 'sour' }], { fields: ['id'] })
 *  // → [{ id: 3 }, { id: 4 }] */
export async function createItems<
  S extends Schema,
  C extends CollectionName<S>,
  const Q = Record<never, never>,
  Whose = unknown,
>(
  api: Client<S, Whose>,
  collection: C,
  data: readonly CreateInput<S, C, Whose>[],
  query?: CheckedQuery<S, C, Q>,
  options?: RequestOptions,
): Promise<ItemAnswer<S, C, Q>[]> {
  return writeList(api, { method: 'POST', path: itemsPath(collection), data, query }, options)
}

/** Options of an upsert over HTTP. */
export interface UpsertRequest<On = string | readonly string[], Where = object> extends RequestOptions {
  /** The field by which an item is found, or fields: those of a key or of a unique index. By default the key. */
  readonly on?: On | undefined
  /** Filter that an item has to match to be updated: one that does not is left and returned as it is. Needs `on`. */
  readonly where?: Where | undefined
}

/** Updates the item that has the same values of some unique fields, or creates it, and returns it; null if the caller may not read it.
 *  @example await upsertItem(api, 'tags', { name: 'warm', id: 1 }, { fields: ['id', 'name'] }) // → { id: 1, name: 'warm' } */
export async function upsertItem<
  S extends Schema,
  C extends CollectionName<S>,
  const Q = Record<never, never>,
  Whose = unknown,
>(
  api: Client<S, Whose>,
  collection: C,
  data: ItemInput<S, C>,
  query?: CheckedQuery<S, C, Q>,
  { on, where, ...options }: UpsertRequest<OnNames<S, C>, Filter<S, C>> = {},
): Promise<ItemAnswer<S, C, Q> | NotVisible<Whose>> {
  const matched = { ...parametersOf(query), on, where }
  return write(api, { method: 'PUT', path: itemsPath(collection), data, query: matched }, options)
}

/** Updates items that have the same values of some unique fields, and creates the others, all of them or none. Returns those that the caller may
 *  read, in the order of the input.
 *  @example await upsertItems(api, 'tags', [{ id: 1, name: 'warm' }, { id: 9, name: 'dry' }], { fields: ['name'] })
 *  // → [{ name: 'warm' }, { name: 'dry' }] */
export async function upsertItems<
  S extends Schema,
  C extends CollectionName<S>,
  const Q = Record<never, never>,
>(
  api: Client<S>,
  collection: C,
  data: readonly ItemInput<S, C>[],
  query?: CheckedQuery<S, C, Q>,
  { on, where, ...options }: UpsertRequest<OnNames<S, C>, Filter<S, C>> = {},
): Promise<ItemAnswer<S, C, Q>[]> {
  const matched = { ...parametersOf(query), on, where }
  return writeList(api, { method: 'PUT', path: itemsPath(collection), data, query: matched }, options)
}
