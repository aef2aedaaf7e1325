import type { Engine } from '../engine.ts'
import { checkOptions } from '../options.ts'
import { callOptions, type Options } from '../run/execute.ts'
import { plan } from '../run/planned.ts'
import { chunksOf } from '../run/stream.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import type { ItemAnswer } from './answer.ts'
import type { Asked } from './answer-asked.ts'
import { heard } from './heard.ts'
import { informed } from './informed.ts'
import { listRequest } from './request.ts'

/** The items of a list one by one, in constant memory and without a default limit.
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
  query: Asked<S, C, Q>,
  options?: Options,
): AsyncGenerator<ItemAnswer<S, C, Q>, void, undefined>
export async function* streamItems(
  engine: Engine,
  collection: string,
  query?: object,
  options: Options = {},
): AsyncGenerator<unknown, void, undefined> {
  checkOptions(options, callOptions)
  const read = async (asked: object | undefined) => {
    const reader = (await informed(engine, asked)).reading()
    return { reader, list: plan(listRequest(reader, collection, asked, 'stream'), reader).list }
  }
  const { reader, list } = await heard(engine, collection, query, read, () => undefined)
  for await (const chunk of chunksOf(list, reader, options)) yield* chunk
}
