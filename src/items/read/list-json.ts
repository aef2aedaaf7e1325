import { type Engine, type EngineInternals, internalsOf } from '../../engine/engine.ts'
import { checkOptions } from '../../errors/check-options.ts'
import { callOptions, type Options } from '../../execution/database.ts'
import { executeSoon, isBeyondJson } from '../../execution/execute.ts'
import { learnToWrite } from '../../execution/json-phrases.ts'
import { checkAnswer, needsCheck } from '../../prepared/check-answer.ts'
import { filledOf, type PreparedRead, pageNow, prepare } from '../../prepared/prepare.ts'
import { areCut } from '../../prepared/watched-rows.ts'
import type { ParsedQuery, Query } from '../../query/types.ts'
import type { Row } from '../../rows/row.ts'
import type { CollectionName } from '../../schema/infer.ts'
import type { Schema } from '../../schema/model.ts'
import type { TextStatement } from '../../sql/json-statements.ts'
import { needsCallerVariables, withCallerVariables } from '../caller-variables.ts'
import { metaFrom } from '../meta.ts'
import { itemsIn } from './answer-length.ts'
import { readHooks } from './read-hooks.ts'
import { cutRoot, readList, watching } from './read-list.ts'
import { listRequest } from './read-request.ts'
import { type Counted, readRowsAndCounts } from './rows-and-counts.ts'

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
  const hooks = readHooks(core, collection)
  const requested = hooks ? await hooks.before(query) : query
  const scoped = needsCallerVariables(core, requested) ? await withCallerVariables(core, requested) : core
  const reader = scoped.reading()
  if (!reader.jsonWriter.dialect) await learnToWrite(reader, options)
  const prepared = prepare(listRequest(reader, collection, requested, 'text'), reader)
  const told = readText(reader, prepared, options)
  const text = typeof told === 'string' ? told : await told
  if (hooks) await hooks.after(requested, undefined)
  return text
}

/** Reads the envelope, without a promise if the database responds synchronously. */
function readText(
  engine: EngineInternals,
  prepared: PreparedRead,
  options: Options,
): string | Promise<string> {
  const { text, list, counts } = prepared.template
  const { limit = Number.POSITIVE_INFINITY } = pageNow(prepared, list.page)
  // Some databases cannot write every type in the form of results, or not as fast as its rows are read: then the JSON is written here.
  if (!text || limit > text.mostRows) return readAsRows(engine, prepared, options)
  if (counts || needsCheck(prepared, engine)) return readCheckedText(text, engine, prepared, options)
  const carefully = (error: unknown): Promise<string> => {
    if (!isBeyondJson(engine, error)) throw error
    return readAsRows(engine, prepared, options)
  }
  const written = (rows: readonly Row[]) =>
    areCut(rows, text) ? readAsRows(engine, prepared, options) : envelopeOf(rows, {}, text, prepared, engine)
  try {
    const rows = executeSoon(engine, filledOf(prepared, text), options)
    return rows instanceof Promise ? rows.then(written).catch(carefully) : written(rows)
  } catch (error) {
    return carefully(error)
  }
}

async function readCheckedText(
  text: TextStatement,
  engine: EngineInternals,
  prepared: PreparedRead,
  options: Options,
): Promise<string> {
  await checkAnswer(engine, prepared, options)
  try {
    const { rows, counts } = await readRowsAndCounts(engine, prepared, options, filledOf(prepared, text))
    if (areCut(rows, text)) return await readAsRows(engine, prepared, options)
    return envelopeOf(rows, counts, text, prepared, engine)
  } catch (error) {
    if (!isBeyondJson(engine, error)) throw error
    return readAsRows(engine, prepared, options)
  }
}

const readAsRows = async (
  engine: EngineInternals,
  prepared: PreparedRead,
  options: Options,
): Promise<string> => JSON.stringify(await readList(engine, prepared, options))

function envelopeOf(
  rows: readonly Row[],
  counts: Counted,
  { isWhole }: TextStatement,
  prepared: PreparedRead,
  { limits }: EngineInternals,
): string {
  const { meta } = prepared.template
  const cuts = new Set<string>()
  const found = meta.length > 0 ? cutRoot(rows, prepared, watching(prepared, cuts)) : rows
  const items = itemsIn(found, isWhole, limits)
  const data = `{"data":${items}`
  return meta.length === 0
    ? `${data}}`
    : `${data},"meta":${JSON.stringify(metaFrom(prepared, counts, [...cuts]))}}`
}
