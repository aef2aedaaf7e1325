import type { Engine } from '../engine.ts'
import type { ParsedQuery, Query } from '../query/types.ts'
import type { Options } from '../run/execute.ts'
import { learnToWrite } from '../run/json-writer.ts'
import { filledOf, pageNow, prepare } from '../run/prepare.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import { heard } from './heard.ts'
import { informed } from './informed.ts'
import { metaFrom } from './meta.ts'
import { cutRoot, readList, watching } from './read-list.ts'
import { listRequest } from './request.ts'
import { rowsAndCounts } from './rows.ts'

/** The same envelope as `listItems` gives, as JSON text. The database writes the items, and they are passed on as they are.
 *  @example await listItemsJson(engine, 'tags', parseQuery('fields=name&limit=1')) // → '{"data":[{"name":"hot"}]}' */
export async function listItemsJson<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  query?: Query<S, C> | ParsedQuery,
  options: Options = {},
): Promise<string> {
  const read = (asked: object | undefined) => textOf(engine, collection, asked, options)
  return await heard(engine, collection, query, read, () => undefined)
}

async function textOf(
  caller: Engine,
  collection: string,
  query: object | undefined,
  options: Options,
): Promise<string> {
  const known = informed(caller, query)
  const engine = (known instanceof Promise ? await known : known).reading()
  if (!engine.jsonWriter.dialect) await learnToWrite(engine, options)
  const prepared = prepare(listRequest(engine, collection, query, 'text'), engine)
  const { text, meta, list } = prepared.template
  const { limit = Number.POSITIVE_INFINITY } = pageNow(prepared, list.page)
  // Not every database can write every type as it is answered, or as soon as its rows are here: then the items are made here.
  if (!text || limit > text.mostRows) return JSON.stringify(await readList(engine, prepared, options))
  const [rows, counts] = await rowsAndCounts(engine, prepared, options, filledOf(prepared, text))
  const cuts = new Set<string>()
  const found = meta.length > 0 ? cutRoot(rows, prepared, watching(prepared, cuts)) : rows
  const items = text.isWhole ? String(rows[0]?.[0]) : `[${found.map((row) => row[0]).join(',')}]`
  const data = `{"data":${items}`
  return meta.length === 0
    ? `${data}}`
    : `${data},"meta":${JSON.stringify(metaFrom(prepared, counts, [...cuts]))}}`
}
