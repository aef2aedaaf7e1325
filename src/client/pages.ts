import type { CheckedQuery } from '../items/types/checked-query.ts'
import type { ItemAnswer, Meta } from '../items/types/result.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import type { Client } from './connect.ts'
import { parametersOf } from './json.ts'
import { listItems } from './reads.ts'
import type { RequestOptions } from './request-options.ts'

/** Yields the pages of a list, one after another, each of `limit` items; with `before`, those before that cursor, backwards. Items that are written meanwhile shift none of them.
 *  @example const sizes: number[] = []
 *  for await (const articles of pages(api, 'articles', { fields: ['id'], sort: '-views', limit: 2 })) sizes.push(articles.length)
 *  sizes // → [2, 1] */
export function pages<S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
): AsyncGenerator<ItemAnswer<S, C, Record<never, never>>[], void, undefined>
export function pages<S extends Schema, C extends CollectionName<S>, const Q>(
  api: Client<S>,
  collection: C,
  query: CheckedQuery<S, C, Q>,
  options?: RequestOptions,
): AsyncGenerator<ItemAnswer<S, C, Q>[], void, undefined>
export async function* pages(
  api: Client,
  collection: string,
  query?: object,
  options?: RequestOptions,
): AsyncGenerator<readonly unknown[], void, undefined> {
  let shape = parametersOf(query)
  for (;;) {
    const list: Listed = await listItems(api, collection, { ...shape, meta: 'cursors' }, options)
    if (list.data.length > 0) yield list.data
    const { first, last, has_more: hasMore }: Partial<Meta['cursors']> = list.meta?.cursors ?? {}
    if (!hasMore || !first) return
    shape = { ...shape, ...('before' in shape ? { before: first } : { after: last }) }
  }
}

interface Listed {
  readonly data: readonly unknown[]
  readonly meta?: Partial<Meta>
}
