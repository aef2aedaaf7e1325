import { type Engine, internalsOf } from '../engine/engine.ts'
import { checkOptions } from '../errors/check-options.ts'
import { callOptions, type Options } from '../execution/database.ts'
import { planRequest } from '../prepared/plan-request.ts'
import { chunksOf } from '../prepared/streams/stream-rows.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import { beginRead } from './read/begin-read.ts'
import { listRequest } from './read/read-request.ts'
import type { CheckedQuery } from './types/checked-query.ts'
import type { ItemAnswer } from './types/result.ts'

/** Streams the items of a list one by one, in constant memory and without a default limit.
 *  @example const titles: string[] = []
 *  for await (const { title } of streamItems(engine, 'articles', { fields: ['title'] })) titles.push(title)
 *  titles // → ['Tea', 'Bread', 'Looms'] */
export function streamItems<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
): AsyncGenerator<ItemAnswer<S, C, Record<never, never>>, void, undefined>
export function streamItems<S extends Schema, C extends CollectionName<S>, const Q>(
  engine: Engine<S>,
  collection: C,
  query: CheckedQuery<S, C, Q>,
  options?: Options,
): AsyncGenerator<ItemAnswer<S, C, Q>, void, undefined>
export async function* streamItems(
  engine: Engine,
  collection: string,
  query?: object,
  options: Options = {},
): AsyncGenerator<unknown, void, undefined> {
  const core = internalsOf(engine)
  checkOptions(options, callOptions)
  const { query: requested, scoped, after } = await beginRead(core, collection, query)
  const reader = scoped.reading()
  const { list } = planRequest(listRequest(reader, collection, requested, 'stream'), reader)
  if (after) await after(undefined)
  for await (const chunk of chunksOf(list, reader, options))
    for (const item of chunk) {
      options.signal?.throwIfAborted()
      yield item
    }
}
