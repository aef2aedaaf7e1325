import type { CheckedQuery } from '../items/types/checked-query.ts'
import type { ItemAnswer } from '../items/types/result.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import { itemsPath, listRequest } from './addresses.ts'
import type { Client } from './connect.ts'
import { parsed, unreached } from './failures.ts'
import { parametersOf } from './json.ts'
import { linesOf } from './lines.ts'
import { send } from './request.ts'
import type { RequestOptions } from './request-options.ts'

/** Streams the items of a list one by one as they arrive, without a default limit. A stream that breaks off throws; it never ends early.
 *  @example const titles: string[] = []
 *  for await (const { title } of streamItems(api, 'articles', { fields: ['title'] })) titles.push(title)
 *  titles // → ['Tea', 'Bread', 'Looms'] */
export function streamItems<S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
): AsyncGenerator<ItemAnswer<S, C, Record<never, never>>, void, undefined>
export function streamItems<S extends Schema, C extends CollectionName<S>, const Q>(
  api: Client<S>,
  collection: C,
  query: CheckedQuery<S, C, Q>,
  options?: RequestOptions,
): AsyncGenerator<ItemAnswer<S, C, Q>, void, undefined>
export async function* streamItems(
  api: Client,
  collection: string,
  query?: object,
  options?: RequestOptions,
): AsyncGenerator<unknown, void, undefined> {
  const shape = { limit: -1, ...parametersOf(query), export: 'ndjson' }
  const response = await send<Response>(api, listRequest(itemsPath(collection), shape), options, /ndjson/)
  for await (const line of linesOf(api, response, options)) {
    const item = parsed(line)
    // A stream may break off within an item.
    if (Object(item) !== item) throw unreached(line.slice(0, 1_000))
    yield item
  }
}
