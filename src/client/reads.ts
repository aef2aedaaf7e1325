import { failure } from '../errors/errors.ts'
import type { CheckedQuery } from '../items/types/checked-query.ts'
import type { ItemAnswer, ListAnswer, SingletonAnswer } from '../items/types/result.ts'
import type { AnswerOf } from '../items/types/version.ts'
import type { CollectionName, KeyOf } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import { itemPath, itemsPath, listRequest, singletonPath, withQuery } from './addresses.ts'
import type { Client } from './connect.ts'
import { ask, send } from './request.ts'
import type { RequestOptions } from './request-options.ts'

/** Lists the items of a collection, as `listItems` does beside the database.
 *  @example await listItems(api, 'articles', { fields: ['title', 'author.name'], sort: '-views', limit: 1 })
 *  // → { data: [{ title: 'Tea', author: { name: 'Ada' } }] } */
export function listItems<S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
): Promise<ListAnswer<S, C, Record<never, never>>>
export function listItems<S extends Schema, C extends CollectionName<S>, const Q>(
  api: Client<S>,
  collection: C,
  query: CheckedQuery<S, C, Q>,
  options?: RequestOptions,
): Promise<ListAnswer<S, C, Q>>
export async function listItems(
  api: Client,
  collection: string,
  query?: object,
  options?: RequestOptions,
): Promise<unknown> {
  const list = await send<{ readonly data: unknown }>(api, listRequest(itemsPath(collection), query), options)
  if (Array.isArray(list.data)) return list
  throw failure('INVALID_QUERY', `"${collection}" is a singleton: read it by getSingleton.`)
}

/** Returns the item with a key. An unknown key throws NOT_FOUND.
 *  @example await getItem(api, 'articles', 1, { fields: ['title', 'comments.text'] })
 *  // → { title: 'Tea', comments: [{ text: 'Hot!' }] } */
export function getItem<S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
  key: KeyOf<S, C>,
): Promise<ItemAnswer<S, C, Record<never, never>>>
export function getItem<S extends Schema, C extends CollectionName<S>, const Q>(
  api: Client<S>,
  collection: C,
  key: KeyOf<S, C>,
  query: CheckedQuery<S, C, Q>,
  options?: RequestOptions,
): Promise<AnswerOf<Q, ItemAnswer<S, C, Q>>>
export async function getItem(
  api: Client,
  collection: string,
  key: unknown,
  query?: object,
  options?: RequestOptions,
): Promise<unknown> {
  return ask(api, { path: withQuery(itemPath(collection, key), query) }, options)
}

/** Returns the only item of a singleton; while there is none, its defaults with a null key.
 *  @example await getSingleton(api, 'settings') // → { id: null, title: 'Untitled' } */
export function getSingleton<S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
): Promise<SingletonAnswer<S, C, Record<never, never>>>
export function getSingleton<S extends Schema, C extends CollectionName<S>, const Q>(
  api: Client<S>,
  collection: C,
  query: CheckedQuery<S, C, Q>,
  options?: RequestOptions,
): Promise<AnswerOf<Q, SingletonAnswer<S, C, Q>>>
export async function getSingleton(
  api: Client,
  collection: string,
  query?: object,
  options?: RequestOptions,
): Promise<unknown> {
  return ask(api, { path: withQuery(singletonPath(collection), query) }, options)
}
