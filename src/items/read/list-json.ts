import { type Engine, type EngineInternals, internalsOf } from '../../engine/engine.ts'
import { checkOptions } from '../../errors/check-options.ts'
import { callOptions, type Options } from '../../execution/database.ts'
import { learnToWrite } from '../../execution/json-phrases.ts'
import { type PreparedRead, prepare } from '../../prepared/prepare.ts'
import type { ParsedQuery, Query } from '../../query/types.ts'
import type { CollectionName } from '../../schema/infer.ts'
import type { Schema } from '../../schema/model.ts'
import type { TextStatement } from '../../sql/json-statements.ts'
import { metaFrom } from '../meta.ts'
import { itemsIn } from './answer-length.ts'
import { beginRead } from './begin-read.ts'
import { pageOfRows, readList } from './read-list.ts'
import { listRequest } from './read-request.ts'
import { readText } from './read-text.ts'
import type { RowsAndCounts } from './rows-and-counts.ts'

/** Returns the envelope of `listItems` as JSON text. The database writes the items, and they are passed on as they are.
 *  @example await listItemsJson(engine, 'tags', parseQuery('fields=name&limit=1')) // → '{"data":[{"name":"hot"}]}' */
export async function listItemsJson<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  query?: Query<S, C> | ParsedQuery,
  options: Options = {},
): Promise<string> {
  const core = internalsOf(engine)
  checkOptions(options, callOptions)
  const begun = beginRead(core, collection, query)
  const { query: requested, scoped, after } = begun instanceof Promise ? await begun : begun
  const reader = scoped.reading()
  if (!reader.jsonWriter.dialect) await learnToWrite(reader, options)
  const prepared = prepare(listRequest(reader, collection, requested, 'text'), reader)
  const read = readText(reader, prepared, options, {
    isExact: false,
    isChecked: false,
    ofText: (found, text) => envelopeOf(found, text, prepared, reader),
    ofRows: async () => JSON.stringify(await readList(reader, prepared, options)),
  })
  const text = typeof read === 'string' ? read : await read
  if (after) await after(undefined)
  return text
}

function envelopeOf(
  { rows, counts }: RowsAndCounts,
  { isOneRow }: TextStatement,
  prepared: PreparedRead,
  { limits }: EngineInternals,
): string {
  const { found, truncated } = pageOfRows(rows, prepared)
  const data = `{"data":${itemsIn(found, isOneRow, limits)}`
  if (prepared.template.meta.length === 0) return `${data}}`
  return `${data},"meta":${JSON.stringify(metaFrom(prepared, counts, truncated()))}}`
}
