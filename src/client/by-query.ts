// Writes to many items, whose result is their number and their keys.

import { failure } from '../errors/errors.ts'
import type { DeleteResult } from '../items/delete.ts'
import type { UpdateInput } from '../items/types/item-input.ts'
import type { Selector } from '../items/write/bulk.ts'
import type { UpdateResult } from '../items/write/update-by-query.ts'
import type { CollectionName, KeyOf } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import { itemPath, itemsPath, type Requested, withQuery } from './addresses.ts'
import type { Client } from './connect.ts'
import { jsonOf } from './json.ts'
import { ask } from './request.ts'
import type { RequestOptions } from './request-options.ts'
import { bodyOf } from './write.ts'

/** Options of a write to many items over HTTP. */
export interface BulkRequest extends RequestOptions {
  /** True to return what would happen, without doing it. */
  readonly dryRun?: boolean | undefined
}

/** Deletes the item with a key. An unknown key throws NOT_FOUND.
 *  @example await deleteItem(api, 'articles', 1)
 *  await deleteItem(api, 'articles', 1) // throws There is no such item, or you may not see it. */
export async function deleteItem<S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
  key: KeyOf<S, C>,
  options?: RequestOptions,
): Promise<void> {
  await ask(api, { method: 'DELETE', path: itemPath(collection, key) }, options)
}

/** Deletes items, all of them or none: those with some keys, or exactly those that a list with the same query returns, without a default limit. An
 *  empty filter is refused.
 *  @example await deleteItems(api, 'articles', [1, 2]) // → { deleted: 2, keys: [1, 2] } */
export async function deleteItems<S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
  selector: Selector<S, C> | undefined,
  query?: Selector<S, C, 'query'>,
  { dryRun, ...options }: BulkRequest = {},
): Promise<DeleteResult<KeyOf<S, C>>> {
  const path = withQuery(itemsPath(collection), query, 'selector')
  const isList = Array.isArray(selector) && dryRun === undefined
  const body = isList ? jsonOf(selector) : bodyOf({ ...selectorIn(selector), dryRun: jsonOf(dryRun) })
  return count(api, { method: 'DELETE', path, ...(body !== '{}' && { body }) }, options)
}

/** Returns the JSON of the keys or of the query that a selector is. The server would take one that is neither for none. */
function selectorIn(selector: unknown): { readonly keys?: string; readonly query?: string } {
  const isList = Array.isArray(selector)
  const members = isList ? { keys: selector } : Object(selector)
  const [name, other] = Object.keys(members).filter((one) => members[one] !== undefined)
  if (!name && !selector) return {}
  if (name === 'keys' && !other) return { keys: jsonOf(members.keys, isList ? [] : ['keys']) }
  if (name === 'query' && !other) return { query: choosing(members.query) }
  throw failure('INVALID_PAYLOAD', 'Select by keys or a query.')
}

/** Deletes every item that matches a query, and returns their number. An empty filter is refused.
 *  @example await deleteByQuery(api, 'articles', { filter: { status: 'draft' } }) // → { deleted: 1, keys: [2] } */
export const deleteByQuery = <S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
  query: Selector<S, C, 'query'>,
  options?: BulkRequest,
): Promise<DeleteResult<KeyOf<S, C>>> => deleteItems(api, collection, { query }, undefined, options)

/** Updates every item that matches a query, all of them or none, and returns their number. An empty filter is refused.
 *  @example await updateByQuery(api, 'articles', { filter: { views: { _lt: 10 } } }, { status: 'published' })
 *  // → { updated: 1, keys: [2] } */
export async function updateByQuery<S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
  query: Selector<S, C, 'query'>,
  data: UpdateInput<S, C>,
  { dryRun, ...options }: BulkRequest = {},
): Promise<UpdateResult<KeyOf<S, C>>> {
  const body = bodyOf({ query: choosing(query), data: jsonOf(data), dryRun: jsonOf(dryRun) })
  return count(api, { method: 'PATCH', path: itemsPath(collection), body }, options)
}

/** Sends a write whose result is wanted as a number with keys. */
const count = <Result>(api: Client, requested: Requested, options: RequestOptions): Promise<Result> =>
  ask(api, { ...requested, headers: { prefer: 'return=representation' } }, options)

const choosing = (query: unknown): string => jsonOf(Object(query), [], 'selector')
