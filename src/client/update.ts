import type { CheckedQuery } from '../items/types/checked-query.ts'
import type { UpdateInput } from '../items/types/item-input.ts'
import type { ItemAnswer, NotVisible } from '../items/types/result.ts'
import type { CollectionName, KeyOf } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import { itemPath, itemsPath, singletonPath } from './addresses.ts'
import type { Client } from './connect.ts'
import type { RequestOptions } from './request-options.ts'
import { write, writeList } from './write.ts'

/** Updates an item with everything nested in it, and returns it. An unknown key throws NOT_FOUND. Null if the updated item is not visible to the
 *  caller.
 *  @example await updateItem(api, 'articles', 1, { title: 'Green tea' }, { fields: ['title'] }) // → { title: 'Green tea' } */
export async function updateItem<
  S extends Schema,
  C extends CollectionName<S>,
  const Q = Record<never, never>,
  Whose = unknown,
>(
  api: Client<S, Whose>,
  collection: C,
  key: KeyOf<S, C>,
  data: UpdateInput<S, C>,
  query?: CheckedQuery<S, C, Q>,
  options?: RequestOptions,
): Promise<ItemAnswer<S, C, Q> | NotVisible<Whose>> {
  return write(api, { method: 'PATCH', path: itemPath(collection, key), data, query }, options)
}

/** Updates the items with some keys alike, all of them or none, and returns them in the order of the keys.
 *  @example await updateItems(api, 'articles', [1, 2], { views: 0 }, { fields: ['id', 'views'] })
 *  // → [{ id: 1, views: 0 }, { id: 2, views: 0 }] */
export async function updateItems<
  S extends Schema,
  C extends CollectionName<S>,
  const Q = Record<never, never>,
>(
  api: Client<S>,
  collection: C,
  keys: readonly KeyOf<S, C>[],
  data: UpdateInput<S, C>,
  query?: CheckedQuery<S, C, Q>,
  options?: RequestOptions,
): Promise<ItemAnswer<S, C, Q>[]> {
  const written = { method: 'PATCH', path: itemsPath(collection), keys, data, query }
  return writeList(api, written, options)
}

/** Updates each item of a list by the key that it holds, all of them or none, and returns them in the order of the list.
 *  @example await updateEach(api, 'articles', [{ id: 2, views: 7 }, { id: 1, title: 'Tea' }], { fields: ['id', 'views'] })
 *  // → [{ id: 2, views: 7 }, { id: 1, views: 120 }] */
export async function updateEach<
  S extends Schema,
  C extends CollectionName<S>,
  const Q = Record<never, never>,
>(
  api: Client<S>,
  collection: C,
  partials: readonly UpdateInput<S, C>[],
  query?: CheckedQuery<S, C, Q>,
  options?: RequestOptions,
): Promise<ItemAnswer<S, C, Q>[]> {
  const written = { method: 'PATCH', path: itemsPath(collection), data: partials, query }
  return writeList(api, written, options)
}

/** Updates the only item of a singleton, or creates it while there is none, and returns it.
 *  @example await updateSingleton(api, 'settings', { title: 'The Loom' }) // → { id: 1, title: 'The Loom' } */
export async function updateSingleton<
  S extends Schema,
  C extends CollectionName<S>,
  const Q = Record<never, never>,
>(
  api: Client<S>,
  collection: C,
  data: UpdateInput<S, C>,
  query?: CheckedQuery<S, C, Q>,
  options?: RequestOptions,
): Promise<ItemAnswer<S, C, Q>> {
  return write(api, { method: 'PATCH', path: singletonPath(collection), data, query }, options)
}
