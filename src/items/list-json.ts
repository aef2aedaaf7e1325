import type { Engine } from '../engine.ts'
import { checkOptions } from '../options.ts'
import type { ParsedQuery, Query } from '../query/types.ts'
import { callOptions, type Options, unlessBeyondJson } from '../run/execute.ts'
import { learnToWrite } from '../run/json-writer.ts'
import { filledOf, type Prepared, pageNow, prepare } from '../run/prepare.ts'
import type { Row } from '../run/row.ts'
import { next, type Soon } from '../run/soon.ts'
import { unlessTooMany } from '../run/unless-too-many.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import type { TextStatement } from '../sql/statement.ts'
import { heard } from './heard.ts'
import { informed } from './informed.ts'
import { metaFrom } from './meta.ts'
import { cutRoot, readList, watching } from './read-list.ts'
import { listRequest } from './request.ts'
import { type Counted, rowsAndCounts } from './rows.ts'

/** The same envelope as `listItems` gives, as JSON text. The database writes the items, and they are passed on as they are.
 *  @example await listItemsJson(engine, 'tags', parseQuery('fields=name&limit=1')) // → '{"data":[{"name":"hot"}]}' */
export async function listItemsJson<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  query?: Query<S, C> | ParsedQuery,
  options: Options = {},
): Promise<string> {
  checkOptions(options, callOptions)
  const read = (asked: object | undefined) => textOf(engine, collection, asked, options)
  return heard(engine, collection, query, read, () => undefined)
}

const textOf = (
  caller: Engine,
  collection: string,
  query: object | undefined,
  options: Options,
): Soon<string> =>
  next(informed(caller, query), (known) => {
    const engine = known.reading()
    const learning = engine.jsonWriter.dialect ? undefined : learnToWrite(engine, options)
    return next(learning, () =>
      writtenText(engine, prepare(listRequest(engine, collection, query, 'text'), engine), options),
    )
  })

function writtenText(engine: Engine, prepared: Prepared, options: Options): Soon<string> {
  const { text, list } = prepared.template
  const { limit = Number.POSITIVE_INFINITY } = pageNow(prepared, list.page)
  // Not every database can write every type as it is answered, or as soon as its rows are here: then the items are made here.
  const asRows = () => next(readList(engine, prepared, options), JSON.stringify)
  if (!text || limit > text.mostRows) return asRows()
  const asJson = () =>
    next(rowsAndCounts(engine, prepared, options, filledOf(prepared, text)), ([rows, counts]) =>
      envelopeOf(rows, counts, text, prepared),
    )
  return unlessTooMany(engine, prepared, options, () => unlessBeyondJson(engine, asJson, asRows))
}

function envelopeOf(
  rows: readonly Row[],
  counts: Counted,
  { isWhole }: TextStatement,
  prepared: Prepared,
): string {
  const { meta } = prepared.template
  const cuts = new Set<string>()
  const found = meta.length > 0 ? cutRoot(rows, prepared, watching(prepared, cuts)) : rows
  const items = isWhole ? String(rows[0]?.[0]) : `[${found.map((row) => row[0]).join(',')}]`
  const data = `{"data":${items}`
  return meta.length === 0
    ? `${data}}`
    : `${data},"meta":${JSON.stringify(metaFrom(prepared, counts, [...cuts]))}}`
}
