// Versions by their item and their key. Over HTTP they have an id, which is looked up first.

import { EngineError } from '../errors/errors.ts'
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
import { listRequest } from './addresses.ts'
import type { Client } from './connect.ts'
import { getItem } from './reads.ts'
import { ask, checkOptions } from './request.ts'
import type { RequestOptions } from './request-options.ts'
import { write } from './write.ts'

/** A version of an item. */
interface Named {
  readonly collection: string
  readonly key: unknown
  readonly version: string
}

/** The filter of the versions of an item, whose key they hold as a text. */
const ofItem = ({ collection, key }: Omit<Named, 'version'>) => ({
  collection: { _eq: collection },
  item: { _eq: Array.isArray(key) ? JSON.stringify(key) : String(key) },
})

/** Returns the path of a version. */
async function pathOf(api: Client, named: Named, options: RequestOptions): Promise<string> {
  checkOptions(options)
  const filter = { ...ofItem(named), key: { _eq: String(named.version) } }
  const answer = await ask(api, listRequest('/versions', { fields: ['id'], filter }), options)
  const [found]: readonly unknown[] = Array.isArray(answer?.data) ? answer.data : []
  if (found) return `/versions/${encodeURIComponent(String(Object(found).id))}`
  throw new EngineError('NOT_FOUND', 'There is no such version, or you may not see it.', {
    path: ['version'],
  })
}

/** Every field of a version, which some requests answer only where they are named. */
const whole = { fields: ['*'] }

/** Lists the versions of an item, the oldest first.
 *  @example const versions = await listVersions(api, 'articles', 1)
 *  versions.map(({ key, delta }) => [key, delta]) // → [['draft', { title: 'Green tea' }]] */
export function listVersions<S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
  key: KeyOf<S, C>,
  query?: undefined,
  options?: RequestOptions,
): Promise<Version<ItemInput<S, C>>[]>
export function listVersions<
  S extends Schema,
  C extends CollectionName<S>,
  const Fields extends VersionKeyNames,
>(
  api: Client<S>,
  collection: C,
  key: KeyOf<S, C>,
  query: VersionsQuery<Fields> | ParsedQuery | undefined,
  options?: RequestOptions,
): Promise<VersionAnswer<ItemInput<S, C>, Fields>[]>
export async function listVersions(
  api: Client,
  collection: string,
  key: unknown,
  query: { readonly filter?: unknown } = {},
  options: RequestOptions = {},
): Promise<unknown> {
  checkOptions(options)
  const mine = ofItem({ collection, key })
  const filter = query.filter === undefined ? mine : { _and: [query.filter, mine] }
  const requested = { sort: ['date_created', 'key'], limit: -1, ...query, filter }
  const data = (await ask(api, listRequest('/versions', requested), options))?.data
  // There may be no such item at all.
  // A key of its type.
  if (Array.isArray(data) && data.length === 0) await getItem(api, collection, key as never, {}, options)
  return data
}

/** Creates a version of an item. It changes nothing until something is saved in it.
 *  @example const { key, delta } = await createVersion(api, 'articles', 1, { key: 'spring', delta: { title: 'Spring tea' } })
 *  key // → 'spring'
 *  delta // → { title: 'Spring tea' } */
export function createVersion<S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
  key: KeyOf<S, C>,
  payload: NewVersion<ItemInput<S, C>>,
  query?: undefined,
  options?: RequestOptions,
): Promise<Version<ItemInput<S, C>>>
export function createVersion<
  S extends Schema,
  C extends CollectionName<S>,
  const Fields extends VersionKeyNames,
  Whose,
>(
  api: Client<S, Whose>,
  collection: C,
  key: KeyOf<S, C>,
  payload: NewVersion<ItemInput<S, C>>,
  query: VersionShape<Fields> | ParsedQuery | undefined,
  options?: RequestOptions,
): Promise<VersionAnswer<ItemInput<S, C>, Fields> | NotVisible<Whose>>
export async function createVersion(
  api: Client,
  collection: string,
  key: unknown,
  payload: object,
  query?: object,
  options: RequestOptions = {},
): Promise<unknown> {
  const data = { ...payload, collection, item: key }
  return write(api, { method: 'POST', path: '/versions', data, query }, options)
}

/** Saves changes in a version: each field replaces its earlier value in the version.
 *  @example const { delta } = await saveVersion(api, 'articles', 1, 'draft', { tags: { create: [{ tag: 2 }] } })
 *  delta // → { title: 'Green tea', tags: { create: [{ tag: 2 }] } } */
export function saveVersion<S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  delta: ItemInput<S, C>,
  query?: undefined,
  options?: RequestOptions,
): Promise<Version<ItemInput<S, C>>>
export function saveVersion<
  S extends Schema,
  C extends CollectionName<S>,
  const Fields extends VersionKeyNames,
  Whose,
>(
  api: Client<S, Whose>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  delta: ItemInput<S, C>,
  query: VersionShape<Fields> | ParsedQuery | undefined,
  options?: RequestOptions,
): Promise<VersionAnswer<ItemInput<S, C>, Fields> | NotVisible<Whose>>
export async function saveVersion(
  api: Client,
  collection: string,
  key: unknown,
  version: string,
  delta: unknown,
  query: object = whole,
  options: RequestOptions = {},
): Promise<unknown> {
  const path = `${await pathOf(api, { collection, key, version }, options)}/save`
  return write(api, { method: 'POST', path, data: delta, query }, options)
}

/** Renames a version.
 *  @example const { key } = await updateVersion(api, 'articles', 1, 'draft', { key: 'spring' })
 *  key // → 'spring' */
export function updateVersion<S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  names: VersionNames,
  query?: undefined,
  options?: RequestOptions,
): Promise<Version<ItemInput<S, C>>>
export function updateVersion<
  S extends Schema,
  C extends CollectionName<S>,
  const Fields extends VersionKeyNames,
  Whose,
>(
  api: Client<S, Whose>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  names: VersionNames,
  query: VersionShape<Fields> | ParsedQuery | undefined,
  options?: RequestOptions,
): Promise<VersionAnswer<ItemInput<S, C>, Fields> | NotVisible<Whose>>
export async function updateVersion(
  api: Client,
  collection: string,
  key: unknown,
  version: string,
  names: VersionNames,
  query?: object,
  options: RequestOptions = {},
): Promise<unknown> {
  const path = await pathOf(api, { collection, key, version }, options)
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
  options: RequestOptions = {},
): Promise<Comparison<ItemInput<S, C>, Item<S, C>>> {
  const path = `${await pathOf(api, { collection, key, version }, options)}/compare`
  const data = (await ask(api, { method: 'GET', path, isRead: true }, options))?.data
  return data as Comparison<ItemInput<S, C>, Item<S, C>> // what the function of the server returns
}

/** Applies a version to its item by an update with all its checks, and returns the item. The version stays. An item that has changed since it was
 *  compared throws VERSION_HASH_MISMATCH with its current `mainHash`.
 *  @example const { mainHash } = await compareVersion(api, 'articles', 1, 'draft')
 *  const { title } = await promoteVersion(api, 'articles', 1, 'draft', { mainHash, fields: ['title'] })
 *  title // → 'Green tea' */
export function promoteVersion<S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  promotion: Promotion<keyof ItemInput<S, C> & string>,
  query?: undefined,
  options?: RequestOptions,
): Promise<Item<S, C>>
export function promoteVersion<S extends Schema, C extends CollectionName<S>, const Q, Whose>(
  api: Client<S, Whose>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  promotion: Promotion<keyof ItemInput<S, C> & string>,
  query: CheckedQuery<S, C, Q>,
  options?: RequestOptions,
): Promise<ItemAnswer<S, C, Q> | NotVisible<Whose>>
export async function promoteVersion(
  api: Client,
  collection: string,
  key: unknown,
  version: string,
  promotion: Promotion,
  query: object = {},
  options: RequestOptions = {},
): Promise<unknown> {
  const path = `${await pathOf(api, { collection, key, version }, options)}/promote`
  return write(api, { method: 'POST', path, data: promotion, query: { ...whole, ...query } }, options)
}

/** Deletes a version.
 *  @example await deleteVersion(api, 'articles', 1, 'draft') */
export async function deleteVersion<S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  options: RequestOptions = {},
): Promise<void> {
  const path = await pathOf(api, { collection, key, version }, options)
  await ask(api, { method: 'DELETE', path }, options)
}
