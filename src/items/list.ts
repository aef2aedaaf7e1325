import { type Engine, internalsOf } from '../engine/engine.ts'
import { checkOptions } from '../errors/check-options.ts'
import { callOptions, type Options } from '../execution/database.ts'
import { prepare } from '../prepared/prepare.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import { beginRead } from './read/begin-read.ts'
import { readList } from './read/read-list.ts'
import { listRequest } from './read/read-request.ts'
import type { CheckedQuery } from './types/checked-query.ts'
import type { ListAnswer } from './types/result.ts'

/** Lists the items of a collection, selected and shaped by a query.
 *  @example await listItems(engine, 'articles', { fields: ['title', 'author.name'], sort: '-views', limit: 1 })
 *  // → { data: [{ title: 'Tea', author: { name: 'Ada' } }] } */
export function listItems<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
): Promise<ListAnswer<S, C, Record<never, never>>>
export function listItems<S extends Schema, C extends CollectionName<S>, const Q>(
  engine: Engine<S>,
  collection: C,
  query: CheckedQuery<S, C, Q>,
  options?: Options,
): Promise<ListAnswer<S, C, Q>>
export async function listItems(
  engine: Engine,
  collection: string,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  const core = internalsOf(engine)
  checkOptions(options, callOptions)
  const begun = beginRead(core, collection, query)
  const { query: requested, scoped, after } = begun instanceof Promise ? await begun : begun
  const reader = scoped.reading()
  const prepared = prepare(listRequest(reader, collection, requested, 'list'), reader)
  const list = await readList(reader, prepared, options)
  if (after) await after(list.data)
  return list
}
