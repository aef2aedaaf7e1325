import type { Engine } from '../engine.ts'
import type { ParsedQuery, Query } from '../query/types.ts'
import type { Options } from '../run/execute.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import type { ListAnswer } from './answer.ts'
import { readList } from './read-list.ts'
import { listRequest } from './request.ts'

/** Lists the items of a collection, as far and in the form that the query says.
 *  @example await listItems(engine, 'articles', { fields: ['title', 'author.name'], sort: '-published_at', limit: 5 }) */
export async function listItems<
  S extends Schema,
  C extends CollectionName<S>,
  const Q extends Query<S, C> | ParsedQuery = Record<never, never>,
>(engine: Engine<S>, collection: C, query?: Q, options: Options = {}): Promise<ListAnswer<S, C, Q>> {
  const answer = await readList(engine, listRequest(engine, collection, query, 'list'), options)
  // What the plan was made of is what the type was made of.
  return answer as ListAnswer<S, C, Q>
}
