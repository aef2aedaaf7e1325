import type { Engine } from '../engine.ts'
import { checkOptions } from '../options.ts'
import { callOptions, type Options } from '../run/execute.ts'
import { prepare } from '../run/prepare.ts'
import { next } from '../run/soon.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import type { ListAnswer } from './answer.ts'
import type { Asked } from './answer-asked.ts'
import { heard } from './heard.ts'
import { informed } from './informed.ts'
import { readList } from './read-list.ts'
import { listRequest } from './request.ts'

/** Lists the items of a collection, as far and in the form that the query says.
 *  @example await listItems(engine, 'articles', { fields: ['title', 'author.name'], sort: '-views', limit: 1 })
 *  // → { data: [{ title: 'Tea', author: { name: 'Ada' } }] } */
export function listItems<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
): Promise<ListAnswer<S, C, Record<never, never>>>
export function listItems<S extends Schema, C extends CollectionName<S>, const Q>(
  engine: Engine<S>,
  collection: C,
  query: Asked<S, C, Q>,
  options?: Options,
): Promise<ListAnswer<S, C, Q>>
export async function listItems(
  engine: Engine,
  collection: string,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  checkOptions(options, callOptions)
  const read = (asked: object | undefined) =>
    next(informed(engine, asked), (known) => {
      const reader = known.reading()
      return readList(reader, prepare(listRequest(reader, collection, asked, 'list'), reader), options)
    })
  return heard(engine, collection, query, read, ({ data }) => data)
}
