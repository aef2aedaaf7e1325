// HTTP requests for items: lists and single ones.

import type { Engine } from '../engine/engine.ts'
import { fault } from '../errors/errors.ts'
import { contentDisposition } from '../export/content-disposition.ts'
import { exportItems } from '../export/export-items.ts'
import { createItem, createItems } from '../items/create.ts'
import { deleteItem, deleteItems } from '../items/delete.ts'
import { listItemsJson } from '../items/list-json.ts'
import { updateFound, updateItem, updateItems } from '../items/update.ts'
import { mayBeKey } from '../plan/key.ts'
import { parseQuery } from '../query/parse.ts'
import type { ParsedQuery } from '../query/types.ts'
import { isRecord } from '../values/record.ts'
import { namedKey, noKey } from '../writes/rows-by-key.ts'
import { type ConditionalTarget, matching } from './conditional.ts'
import { itemBody, queryOf } from './item-body.ts'
import { dataOrEmpty, empty, type Incoming, json, type Outgoing } from './messages.ts'

export const list = (engine: Engine, collection: string, incoming: Incoming): Promise<Outgoing> =>
  answerList(engine, collection, queryOf(incoming, engine), incoming)

/** Lists items with the query in the body, where it may be of any length. */
export async function search(engine: Engine, collection: string, incoming: Incoming): Promise<Outgoing> {
  return answerList(engine, collection, await searchedQuery(engine, collection, incoming), incoming)
}

/** Reads a query from the body, which replaces that of the URL; keys are matched within its result. */
export async function searchedQuery(
  engine: Engine,
  collection: string,
  incoming: Incoming,
): Promise<ParsedQuery> {
  const given = await incoming.body()
  if (given === undefined) return queryOf(incoming, engine)
  if (!isRecord(given))
    throw fault('INVALID_PAYLOAD', 'A search has a body: { query }, { keys } or { keys, query }.')
  const { query, keys, ...others } = given
  const [other] = Object.keys(others)
  if (other !== undefined || (query === undefined && keys === undefined))
    throw fault('INVALID_PAYLOAD', 'A search has "query", "keys" or both in its body, and nothing else.', {
      ...(other !== undefined && { path: [other] }),
    })
  // The reference service's client sends the values of a URL, numbers as texts, too.
  const wanted =
    query === undefined
      ? queryOf(incoming, engine)
      : parseQuery(query, { limits: engine.limits, isText: true })
  if (keys === undefined) return wanted
  const { filter, limit = -1, ...asked } = wanted
  const { key } = engine.schema.collections.get(collection) ?? {}
  const named = { [key?.name ?? 'id']: { _in: listOf(keys) } }
  return parseQuery(
    { ...asked, limit, filter: filter ? { _and: [named, filter] } : named },
    { limits: engine.limits },
  )
}

async function answerList(
  engine: Engine,
  collection: string,
  query: ParsedQuery,
  incoming: Incoming,
): Promise<Outgoing> {
  if (query.export !== undefined) return file(engine, collection, query, query.export, incoming)
  return json(await listItemsJson(engine, collection, query, incoming.options))
}

async function file(
  engine: Engine,
  collection: string,
  query: ParsedQuery,
  format: NonNullable<ParsedQuery['export']>,
  { method, options }: Incoming,
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

export async function create(engine: Engine, collection: string, incoming: Incoming): Promise<Outgoing> {
  const data = await needBody(incoming)
  const query = queryOf(incoming, engine)
  const { options } = incoming
  if (isRecord(data)) return dataOrEmpty(await createItem(engine, collection, data, query, options))
  const made: readonly unknown[] = await createItems(engine, collection, data, query, options)
  const seen = made.filter((item) => item !== null)
  return made.length > 0 && seen.length === 0 ? empty() : json(JSON.stringify({ data: seen }))
}

/** Updates several items: each by its own key, all with some keys alike, or all that match a query. */
export async function updateSeveral(
  engine: Engine,
  collection: string,
  incoming: Incoming,
): Promise<Outgoing> {
  const given = await needBody(incoming)
  const query = queryOf(incoming, engine)
  const { options } = incoming
  const answer = (items: readonly unknown[]) =>
    json(JSON.stringify({ data: items.filter((item) => item !== null) }))
  if (Array.isArray(given)) {
    const stranger = given.findIndex((item) => !isRecord(item))
    if (stranger >= 0) throw fault('INVALID_PAYLOAD', 'An item is a JSON object.', { path: [stranger] })
    // An empty list could be one of keys, so it is passed as one.
    if (given.length === 0) return answer(await updateItems(engine, collection, [], {}, query, options))
    return answer(await updateItems(engine, collection, given, query, options))
  }
  const { keys, query: chosen, data, ...others } = Object(given)
  const [other] = Object.keys(others)
  if (other !== undefined || (keys === undefined) === (chosen === undefined) || data === undefined)
    throw fault(
      'INVALID_PAYLOAD',
      'Several items are changed by a list of items, { keys, data } or { query, data }.',
      {
        ...(other !== undefined && { path: [other] }),
      },
    )
  if (keys !== undefined)
    return answer(await updateItems(engine, collection, listOf(keys), data, query, options))
  const which = parseQuery(chosen, { limits: engine.limits })
  const items = await updateFound(engine, collection, which, data, query, options)
  // If too many items have changed to return them, the response is empty.
  return items ? answer(items) : empty()
}

function listOf(keys: unknown): readonly (string | number)[] {
  if (!Array.isArray(keys)) throw fault('INVALID_PAYLOAD', '"keys" takes a list of keys.', { path: ['keys'] })
  const stranger = keys.findIndex((key) => !mayBeKey(key))
  if (stranger < 0) return keys
  throw noKey(keys[stranger], ['keys', stranger])
}

export async function removeSeveral(
  engine: Engine,
  collection: string,
  incoming: Incoming,
): Promise<Outgoing> {
  const selector = await incoming.body()
  // `deleteItems` checks the selector, and how it combines with the query.
  await deleteItems(engine, collection, selector as undefined, queryOf(incoming, engine), incoming.options)
  return empty()
}

export async function read(
  engine: Engine,
  collection: string,
  incoming: Incoming,
  key: string,
): Promise<Outgoing> {
  return json(await itemBody(engine, collection, key, queryOf(incoming, engine), incoming))
}

export async function update(
  engine: Engine,
  collection: string,
  incoming: Incoming,
  key: string,
): Promise<Outgoing> {
  const data = await needObject(incoming)
  const query = queryOf(incoming, engine)
  return matching(engine, incoming, itemAt(collection, key, incoming), async (inside) =>
    dataOrEmpty(await updateItem(inside, collection, key, data, query, incoming.options)),
  )
}

export async function remove(
  engine: Engine,
  collection: string,
  incoming: Incoming,
  key: string,
): Promise<Outgoing> {
  return matching(engine, incoming, itemAt(collection, key, incoming), async (inside) => {
    await deleteItem(inside, collection, key, incoming.options)
    return empty()
  })
}

const itemAt = (collection: string, key: string, incoming: Incoming): ConditionalTarget => ({
  collection,
  keyIn: async (found) => namedKey(found, key, undefined),
  text: (inside) => itemBody(inside, collection, key, queryOf(incoming, inside), incoming),
})

/** Input of a request, which the called function checks. */
export type RequestInput = Readonly<Record<string, unknown>>

export async function needBody({ body }: Incoming): Promise<RequestInput | readonly RequestInput[]> {
  const given = await body()
  // JSON that is no list is an object.
  if (typeof given === 'object' && given !== null) return given as RequestInput | readonly RequestInput[]
  throw fault('INVALID_PAYLOAD', 'The body is a JSON object, or a list of them.')
}

/** Reads a body that is a single object. */
export async function needObject(incoming: Incoming): Promise<RequestInput> {
  const given = await needBody(incoming)
  if (isRecord(given)) return given
  throw fault('INVALID_PAYLOAD', 'The body is a JSON object.')
}
