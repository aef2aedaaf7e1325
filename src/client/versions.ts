// Versions by their item and their key. Over HTTP they have an id, which is looked up first.

import { failure } from '../errors/errors.ts'
import type { CheckedQuery } from '../items/types/checked-query.ts'
import type { ItemInput } from '../items/types/item-input.ts'
import type { ItemAnswer, NotVisible } from '../items/types/result.ts'
import type {
  NewVersion,
  VersionAnswer,
  VersionKeyNames,
  VersionNames,
  VersionShape,
  VersionsQuery,
} from '../items/types/version-input.ts'
import type { Comparison, Promotion } from '../items/versions/promote.ts'
import type { ParsedQuery } from '../query/types.ts'
import type { CollectionName, Item, KeyOf } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import type { Version } from '../versions/version-rows.ts'
import { itemPath, listRequest } from './addresses.ts'
import type { Client } from './connect.ts'
import { parametersOf } from './json.ts'
import { ask } from './request.ts'
import type { RequestOptions } from './request-options.ts'
import { write } from './write.ts'

/** Lists the versions of an item, the oldest first.
 *  @example const versions = await listVersions(api, 'articles', 1)
 *  versions.map(({ key, delta }) => [key, delta]) // → [['draft', { title: 'Green tea' }]] */
export async function listVersions<
  S extends Schema,
  C extends CollectionName<S>,
  const Fields extends VersionKeyNames = WholeVersion,
>(
  api: Client<S>,
  collection: C,
  key: KeyOf<S, C>,
  query?: VersionsQuery<Fields> | ParsedQuery,
  options?: RequestOptions,
): Promise<VersionAnswer<ItemInput<S, C>, Fields>[]> {
  const { filter, ...shape }: { readonly filter?: unknown } = parametersOf(query)
  const mine = ofItem(collection, key)
  const requested = {
    sort: ['date_created', 'key'],
    limit: -1,
    ...shape,
    filter: filter ? { _and: [filter, mine] } : mine,
  }
  const versions = await ask<VersionAnswer<ItemInput<S, C>, Fields>[]>(
    api,
    listRequest('/versions', requested),
    options,
  )
  // There may be no such item at all.
  if (!versions[0]) await ask(api, { path: itemPath(collection, key) }, options)
  return versions
}

/** Creates a version of an item. It changes nothing until something is saved in it.
 *  @example const { key, delta } = await createVersion(api, 'articles', 1, { key: 'spring', delta: { title: 'Spring tea' } })
 *  key // → 'spring'
 *  delta // → { title: 'Spring tea' } */
export async function createVersion<
  S extends Schema,
  C extends CollectionName<S>,
  const Fields extends VersionKeyNames = WholeVersion,
  Whose = unknown,
>(
  api: Client<S, Whose>,
  collection: C,
  key: KeyOf<S, C>,
  payload: NewVersion<ItemInput<S, C>>,
  query?: VersionShape<Fields> | ParsedQuery,
  options?: RequestOptions,
): Promise<VersionAnswer<ItemInput<S, C>, Fields> | NotVisible<Whose>> {
  const data = { ...payload, collection, item: key }
  return write(api, { method: 'POST', path: '/versions', data, query }, options)
}

/** Saves changes in a version: each field replaces its earlier value in the version.
 *  @example const { delta } = await saveVersion(api, 'articles', 1, 'draft', { tags: { create: [{ tag: 2 }] } })
 *  delta // → { title: 'Green tea', tags: { create: [{ tag: 2 }] } } */
export async function saveVersion<
  S extends Schema,
  C extends CollectionName<S>,
  const Fields extends VersionKeyNames = WholeVersion,
  Whose = unknown,
>(
  api: Client<S, Whose>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  delta: ItemInput<S, C>,
  query?: VersionShape<Fields> | ParsedQuery,
  options?: RequestOptions,
): Promise<VersionAnswer<ItemInput<S, C>, Fields> | NotVisible<Whose>> {
  const path = await pathOf(api, ofItem(collection, key, version), options)
  return write(api, { method: 'POST', path: `${path}/save`, data: delta, query: query ?? whole }, options)
}

/** Renames a version.
 *  @example const { key } = await updateVersion(api, 'articles', 1, 'draft', { key: 'spring' })
 *  key // → 'spring' */
export async function updateVersion<
  S extends Schema,
  C extends CollectionName<S>,
  const Fields extends VersionKeyNames = WholeVersion,
  Whose = unknown,
>(
  api: Client<S, Whose>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  names: VersionNames,
  query?: VersionShape<Fields> | ParsedQuery,
  options?: RequestOptions,
): Promise<VersionAnswer<ItemInput<S, C>, Fields> | NotVisible<Whose>> {
  const path = await pathOf(api, ofItem(collection, key, version), options)
  return write(api, { method: 'PATCH', path, data: names, query }, options)
}

/** Compares a version with the current state of its item.
 *  @example const { outdated, current } = await compareVersion(api, 'articles', 1, 'draft')
 *  outdated // → false
 *  current // → { id: 1, title: 'Green tea' } */
export async function compareVersion<S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  options?: RequestOptions,
): Promise<Comparison<ItemInput<S, C>, Item<S, C>>> {
  const path = await pathOf(api, ofItem(collection, key, version), options)
  return ask(api, { path: `${path}/compare` }, options)
}

/** Applies a version to its item by an update with all its checks, and returns the item. The version stays. An item that has changed since it was
 *  compared throws VERSION_HASH_MISMATCH with its current `mainHash`.
 *  @example const { mainHash } = await compareVersion(api, 'articles', 1, 'draft')
 *  const { title } = await promoteVersion(api, 'articles', 1, 'draft', { mainHash, fields: ['title'] })
 *  title // → 'Green tea' */
export async function promoteVersion<
  S extends Schema,
  C extends CollectionName<S>,
  const Q = Record<never, never>,
  Whose = unknown,
>(
  api: Client<S, Whose>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  promotion: Promotion<keyof ItemInput<S, C> & string>,
  query?: CheckedQuery<S, C, Q>,
  options?: RequestOptions,
): Promise<ItemAnswer<S, C, Q> | NotVisible<Whose>> {
  const shape = { ...whole, ...parametersOf(query) }
  const path = await pathOf(api, ofItem(collection, key, version), options)
  return write(api, { method: 'POST', path: `${path}/promote`, data: promotion, query: shape }, options)
}

/** Deletes a version.
 *  @example await deleteVersion(api, 'articles', 1, 'draft') */
export async function deleteVersion<S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  options?: RequestOptions,
): Promise<void> {
  const path = await pathOf(api, ofItem(collection, key, version), options)
  await ask(api, { method: 'DELETE', path }, options)
}

/** The fields of a version if a query names none: all of them. */
type WholeVersion = readonly (keyof Version)[]

/** Every field of a version, which some requests answer only where they are named. */
const whole = { fields: '*' }

/** Returns the filter of the versions of an item, whose key they hold as a text, or of one of them. */
const ofItem = (collection: string, key: unknown, version?: string) => ({
  collection,
  item: Array.isArray(key) ? JSON.stringify(key) : String(key),
  ...(version !== undefined && { key: { _eq: version } }),
})

async function pathOf(api: Client, filter: object, options?: RequestOptions): Promise<string> {
  const requested = listRequest('/versions', { fields: 'id', filter })
  const [found] = await ask<readonly { readonly id: string }[]>(api, requested, options)
  if (found) return `/versions/${encodeURIComponent(found.id)}`
  throw failure('NOT_FOUND', 'There is no such version, or you may not see it.', {
    status: 404,
    path: ['version'],
  })
}
