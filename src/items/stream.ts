import type { Engine } from '../engine.ts'
import type { ParsedQuery, Query } from '../query/types.ts'
import type { Options } from '../run/execute.ts'
import { plan } from '../run/prepare.ts'
import { chunksOf } from '../run/stream.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import type { ItemAnswer } from './answer.ts'
import { listRequest } from './request.ts'

/** The items of a list one by one, in constant memory and without a default limit.
 *  @example for await (const article of streamItems(engine, 'articles', { fields: ['id', 'title'] })) console.log(article.title) */
export async function* streamItems<
  S extends Schema,
  C extends CollectionName<S>,
  const Q extends Query<S, C> | ParsedQuery = Record<never, never>,
>(
  engine: Engine<S>,
  collection: C,
  query?: Q,
  options: Options = {},
): AsyncGenerator<ItemAnswer<S, C, Q>, void, undefined> {
  const { list } = plan(listRequest(engine, collection, query, 'stream'), engine)
  for await (const chunk of chunksOf(list, engine, options)) {
    // What the plan was made of is what the type was made of.
    for (const item of chunk) yield item as ItemAnswer<S, C, Q>
  }
}
