// Query of SEARCH, in the body, where it may be of any length.
import { type Engine, internalsOf } from '../engine/engine.ts'
import { fault } from '../errors/errors.ts'
import { itemOfKey, keyFromAddress, readKey, type ShownKey } from '../plan/key.ts'
import type { AnyFilter } from '../query/filter-types.ts'
import { parseQuery } from '../query/parse.ts'
import type { ParsedQuery } from '../query/types.ts'
import { type Collection, keyFieldsOf } from '../schema/model.ts'
import { isRecord } from '../values/guards.ts'
import { queryOf } from './item-body.ts'
import type { Incoming } from './messages.ts'
import { keysIn } from './request-input.ts'

/** Reads a query from the body, which replaces that of the URL; keys are matched within its result. */
export async function readSearch(engine: Engine, incoming: Incoming): Promise<ParsedQuery> {
  const body = await incoming.body()
  if (body === undefined) return queryOf(incoming, engine)
  const { query: input, keys } = searchIn(body)
  // The reference service's client sends the values of a URL, numbers as texts, too.
  const query =
    input === undefined
      ? queryOf(incoming, engine)
      : parseQuery(input, { limits: internalsOf(engine).limits, isText: true })
  return keys === undefined ? query : withKeys(query, keys, incoming.collection, engine)
}

function searchIn(body: unknown): { readonly query?: unknown; readonly keys?: unknown } {
  if (!isRecord(body))
    throw fault('INVALID_PAYLOAD', 'A search has a body: { query }, { keys } or { keys, query }.')
  const { query, keys, ...others } = body
  const [other] = Object.keys(others)
  if (other === undefined && (query !== undefined || keys !== undefined)) return { query, keys }
  throw fault('INVALID_PAYLOAD', 'A search has "query", "keys" or both in its body, and nothing else.', {
    ...(other !== undefined && { path: [other] }),
  })
}

export function withKeys(query: ParsedQuery, keys: unknown, collection: string, engine: Engine): ParsedQuery {
  const { filter, limit = -1, ...rest } = query
  const found = engine.schema.collections.get(collection)
  const listed = keysIn(keys, found)
  const among = found ? amongKeys(found, listed) : { id: { _in: listed } }
  return parseQuery(
    { ...rest, limit, filter: filter ? { _and: [among, filter] } : among },
    { limits: internalsOf(engine).limits },
  )
}

export function amongKeys(collection: Collection, keys: readonly ShownKey[]): AnyFilter {
  const [first, ...others] = keyFieldsOf(collection)
  if (!first) throw fault('INVALID_PAYLOAD', `"${collection.name}" has no key.`, { path: ['keys'] })
  if (others.length === 0 || keys.length === 0) return { [first.name]: { _in: keys } }
  return { _or: keys.map((key) => itemOfKey(collection, key)) }
}

/** Returns the filter of the items with some ids. One that is no key, such as that of a row whose key cannot be read, is the id of none of them. */
export function amongIds(collection: Collection, ids: readonly string[]): AnyFilter {
  const keys = ids.map((id) => keyFromAddress(collection, id))
  return amongKeys(
    collection,
    keys.filter((key) => readKey(collection, key) !== undefined),
  )
}
