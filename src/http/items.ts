// HTTP requests for items: lists and single ones.
import type { RowUse } from '../dialects/phrase-types.ts'
import { type Engine, type EngineInternals, internalsOf } from '../engine/engine.ts'
import { fault } from '../errors/errors.ts'
import { contentDisposition } from '../export/content-disposition.ts'
import { exportItems } from '../export/export-items.ts'
import { createItem, createItems } from '../items/create.ts'
import { deleteItem, deleteItems } from '../items/delete.ts'
import { answerShape } from '../items/read/answer-shape.ts'
import { listItemsJson } from '../items/read/list-json.ts'
import { updateEach, updateItem, updateItems } from '../items/update.ts'
import { upsertAll, upsertMany, withoutOn } from '../items/upsert.ts'
import { updateByQuery, updateFound } from '../items/write/update-by-query.ts'
import { isNameOfKey, type ShownKey } from '../plan/key.ts'
import { readBrackets } from '../query/brackets.ts'
import { parseQuery } from '../query/parse.ts'
import { readFilter } from '../query/read-filter.ts'
import { readNames } from '../query/read-names.ts'
import { newReader } from '../query/reader.ts'
import type { ParsedQuery } from '../query/types.ts'
import { isRecord } from '../values/guards.ts'
import { refuseLong } from '../writes/authorize/long-lists.ts'
import { refuseFromOutside } from '../writes/authorize/nested-row-numbers.ts'
import { namedKey } from '../writes/context/named-key.ts'
import { counted, dryRunIn, noDryRun, wantsCount } from './bulk-result.ts'
import { type ConditionalTarget, ifMatch, refuseRowNumbers } from './conditional.ts'
import { itemBody, queryOf } from './item-body.ts'
import {
  dataList,
  dataListOrEmpty,
  dataOrEmpty,
  empty,
  type Incoming,
  json,
  type Outgoing,
} from './messages.ts'
import { keysIn, type RequestInput, readInput, readObject, refuseBesideAddress } from './request-input.ts'
import { readSearch } from './search-query.ts'

export async function list(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  return listOrExport(engine, queryOf(incoming, engine), incoming)
}

export async function search(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  return listOrExport(engine, await readSearch(engine, incoming), incoming)
}

export async function create(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const data = await readInput(incoming)
  const query = queryOf(incoming, engine)
  const { collection, options } = incoming
  refuseFromOutside(internalsOf(engine), collection, data)
  return isRecord(data)
    ? dataOrEmpty(await createItem(engine, collection, data, query, options))
    : dataListOrEmpty(await createItems(engine, collection, data, query, options))
}

export async function upsert(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const core = internalsOf(engine)
  const data = await readInput(incoming)
  const { collection, queryString } = incoming
  const query = parseQuery(queryString, { limits: core.limits, allow: ['on', 'where'] })
  const options = { ...incoming.options, ...upsertIn(queryString, core), isCounted: true }
  if (isByKey(options.on, core, collection)) refuseRowNumbers(engine, collection)
  refuseFromOutside(core, collection, data)
  const isOne = isRecord(data)
  const { result, created, updated, unchanged } = isOne
    ? await upsertAll(core, collection, { data: [{ payload: data, path: [] }], query }, options)
    : await upsertMany(core, collection, { data, query }, options)
  const items = result.filter((item) => item !== null)
  if (items.length === 0 && result.length > 0) return empty()
  const meta = { created, updated, ...(options.where && { unchanged }) }
  return json(JSON.stringify({ data: isOne ? items[0] : items, meta }))
}

/** True if an upsert finds items by their key, or by a part of it. */
function isByKey(on: readonly string[] | undefined, core: EngineInternals, name: string): boolean {
  const collection = core.schema.collections.get(name)
  return on === undefined || on.some((field) => collection && isNameOfKey(collection, field))
}

export async function updateSeveral(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const core = internalsOf(engine)
  const { collection } = incoming
  const input = await readInput(incoming)
  const query = queryOf(incoming, engine)
  refuseLong(input, core.limits)
  refuseLong(Object(input).keys, core.limits, ['keys'])
  const bulk = readBulkUpdate(input, core, collection)
  if (bulk.kind !== 'query') refuseRowNumbers(engine, collection)
  if (bulk.kind === 'items') refuseFromOutside(core, collection, bulk.items)
  else refuseFromOutside(core, collection, bulk.data, ['data'])
  if (bulk.kind === 'query' && (bulk.isDry || wantsCount(incoming)))
    return countedUpdate(bulk, query, engine, incoming)
  const items = await runBulkUpdate(bulk, query, engine, incoming)
  // If too many items have changed to return them, the response is empty.
  return items ? dataList(items) : empty()
}

export async function removeSeveral(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const { selector, isDry } = dryRunIn(await incoming.body())
  const { collection, options } = incoming
  const query = queryOf(incoming, engine)
  refuseLong(selector, internalsOf(engine).limits)
  refuseLong(Object(selector).keys, internalsOf(engine).limits, ['keys'])
  if (Array.isArray(selector) || Object(selector).keys !== undefined) refuseRowNumbers(engine, collection)
  const running = isDry ? { ...options, dryRun: true } : options
  // `deleteItems` checks the selector, and how it combines with the query.
  const result = await deleteItems(engine, collection, selector as undefined, query, running)
  return isDry || wantsCount(incoming) ? counted(result, incoming) : empty()
}

export async function read(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  return json(await itemBody(engine, queryOf(incoming, engine), incoming))
}

export async function update(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const data = await readObject(incoming)
  const query = queryOf(incoming, engine)
  const { collection, key, options } = incoming
  if (incoming.header('if-match') === undefined) refuseRowNumbers(engine, collection)
  refuseFromOutside(internalsOf(engine), collection, data)
  return ifMatch(engine, incoming, itemTarget(incoming, 'change'), async (inside) =>
    dataOrEmpty(await updateItem(inside, collection, key, data, query, options)),
  )
}

export async function remove(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const { collection, key, options } = incoming
  await refuseBesideAddress(engine, incoming)
  if (incoming.header('if-match') === undefined) refuseRowNumbers(engine, collection)
  return ifMatch(engine, incoming, itemTarget(incoming, 'removal'), async (inside) => {
    await deleteItem(inside, collection, key, options)
    return empty()
  })
}

const itemTarget = (incoming: Incoming, use: RowUse): ConditionalTarget => ({
  use,
  findKey: async (collection) => namedKey(collection, incoming.key, undefined),
  read: (inside) => itemBody(inside, queryOf(incoming, inside), incoming),
})

/** Returns the names of fields in the parameter `on`, and the filter in `where`; undefined if there are none. */
function upsertIn(queryString: string, { limits }: EngineInternals) {
  const reader = newReader(limits, true)
  const { on, where } = readBrackets(queryString, limits, reader.problems)
  const read = {
    on: on === undefined ? undefined : readNames(on, ['on'], reader),
    where: where === undefined ? undefined : readFilter(where, ['where'], reader),
  }
  if (read.where && !read.on) reader.problems.report(withoutOn('INVALID_QUERY'))
  reader.problems.throwIfAny()
  return read
}

async function listOrExport(engine: Engine, query: ParsedQuery, incoming: Incoming): Promise<Outgoing> {
  if (query.export !== undefined) return exportFile(engine, query, query.export, incoming)
  return json(await listItemsJson(engine, incoming.collection, query, incoming.options))
}

async function exportFile(
  engine: Engine,
  query: ParsedQuery,
  format: NonNullable<ParsedQuery['export']>,
  { method, collection, options }: Incoming,
): Promise<Outgoing> {
  const { body, type, filename, truncated } = await exportItems(engine, collection, query, format, options)
  const headers = {
    'content-type': type,
    'content-disposition': contentDisposition(filename),
    'x-content-type-options': 'nosniff',
    ...(truncated && { 'x-truncated': 'true' }),
  }
  if (method !== 'HEAD') return { status: 200, headers, body }
  await body.cancel()
  return { status: 200, headers }
}

// Update of several items: each by its own key, all with some keys alike, or all that match a query.
type BulkUpdate =
  | { readonly kind: 'items'; readonly items: readonly RequestInput[] }
  | { readonly kind: 'keys'; readonly keys: readonly ShownKey[]; readonly data: unknown }
  | QueriedUpdate

interface QueriedUpdate {
  readonly kind: 'query'
  readonly query: ParsedQuery
  readonly data: unknown
  readonly isDry: boolean
}

/** Reads which items a body updates, and how. */
function readBulkUpdate(
  input: RequestInput | readonly RequestInput[],
  { schema, limits }: EngineInternals,
  collection: string,
): BulkUpdate {
  if (Array.isArray(input)) {
    const at = input.findIndex((item) => !isRecord(item))
    if (at >= 0) throw fault('INVALID_PAYLOAD', 'An item is a JSON object.', { path: [at] })
    return { kind: 'items', items: input }
  }
  const { selector, isDry } = dryRunIn(input)
  const { keys, query, data, ...others } = Object(selector)
  const [other] = Object.keys(others)
  if (other !== undefined || (keys === undefined) === (query === undefined) || data === undefined)
    throw fault(
      'INVALID_PAYLOAD',
      'To change several items, send a list of items, { keys, data } or { query, data }.',
      { ...(other !== undefined && { path: [other] }) },
    )
  if (keys === undefined) return { kind: 'query', query: parseQuery(query, { limits }), data, isDry }
  if (isDry) throw noDryRun('A dry run takes { query, data }, and no keys.')
  return { kind: 'keys', keys: keysIn(keys, schema.collections.get(collection)), data }
}

/** Updates what a query selects, or returns what would be updated: the number of items and their keys. The fields of the URL are checked, without effect. */
async function countedUpdate(
  { query, data, isDry }: QueriedUpdate,
  shape: ParsedQuery,
  engine: Engine,
  incoming: Incoming,
): Promise<Outgoing> {
  const { collection, options } = incoming
  answerShape(internalsOf(engine), collection, { query: shape })
  const running = isDry ? { ...options, dryRun: true } : options
  // `updateByQuery` checks the data.
  return counted(await updateByQuery(engine, collection, query, Object(data), running), incoming)
}

/** Updates items, and returns them; undefined if there are too many to return. `query` shapes the result. */
async function runBulkUpdate(
  update: BulkUpdate,
  query: ParsedQuery,
  engine: Engine,
  { collection, options }: Incoming,
): Promise<readonly unknown[] | undefined> {
  switch (update.kind) {
    case 'items':
      return updateEach(engine, collection, update.items, query, options)
    case 'keys':
      // `updateItems` checks the data.
      return updateItems(engine, collection, update.keys, Object(update.data), query, options)
    case 'query':
      return updateFound(internalsOf(engine), collection, { ...update, shape: query }, options)
  }
}
