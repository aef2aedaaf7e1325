// JSON bodies of items: an envelope with the items, and the requested metadata beside them.

import { type Engine, internalsOf } from '../engine/engine.ts'
import { combine, type EngineError, fault, isEngineError } from '../errors/errors.ts'
import { getItem } from '../items/get.ts'
import { listItems } from '../items/list.ts'
import { getSingleton } from '../items/singleton.ts'
import type { Limits } from '../query/limits.ts'
import { metaNames } from '../query/meta.ts'
import { isParameter } from '../query/parameters.ts'
import { parseQuery } from '../query/parse.ts'
import type { ParsedQuery } from '../query/types.ts'
import type { Collection } from '../schema/model.ts'
import { Cache } from '../values/cache.ts'
import { deepFreeze } from '../values/freeze.ts'
import { memoFor } from '../values/memo.ts'
import type { Incoming } from './messages.ts'

export function queryOf({ queryString, collection }: Incoming, engine: Engine): ParsedQuery {
  try {
    return readQuery(queryString, internalsOf(engine).limits)
  } catch (error) {
    throw isEngineError(error) ? withFilterHints(error, engine.schema.collections.get(collection)) : error
  }
}

/** Shows where a condition belongs, for parameters that are fields which the caller sees: `?title=Tea`. */
function withFilterHints(error: EngineError, collection: Collection | undefined): EngineError {
  const hinted = (one: EngineError) => {
    const { path: [name] = [], code, message } = one
    if (typeof name !== 'string' || isParameter(name) || !collection?.fields.has(name)) return one
    return fault(code, message, {
      path: one.path,
      hint: `A condition on a field is written filter[${name}].`,
    })
  }
  return combine((error.errors ?? [error]).map(hinted))
}

/** Splits a query: the part for a single item, and the metadata, which only a list has. */
export function singleQuery(query: ParsedQuery): {
  readonly query: ParsedQuery
  readonly meta: readonly string[]
} {
  const { meta, ...rest } = { ...query }
  // The rest of a parsed query is parsed, too.
  return { query: rest as ParsedQuery, meta: meta?.includes('*') ? metaNames : (meta ?? []) }
}

export function envelope(data: unknown, count: 0 | 1, meta: readonly string[]): string {
  const counts = { total_count: count, filter_count: count }
  const requested = Object.entries(counts).filter(([name]) => meta.includes(name))
  return JSON.stringify(meta.length === 0 ? { data } : { data, meta: Object.fromEntries(requested) })
}

export async function itemBody(
  engine: Engine,
  requested: ParsedQuery,
  { collection, key, options }: Pick<Incoming, 'collection' | 'key' | 'options'>,
): Promise<string> {
  const { query, meta } = singleQuery(requested)
  return envelope(await getItem(engine, collection, key, query, options), 1, meta)
}

export async function singletonBody(
  engine: Engine,
  requested: ParsedQuery,
  { collection, options }: Incoming,
): Promise<string> {
  const { query, meta } = singleQuery(requested)
  const data = await getSingleton(engine, collection, query, options)
  const isStored = meta.length > 0 && (await hasItem(engine, collection, options))
  return envelope(data, isStored ? 1 : 0, meta)
}

/** True if a singleton has its item. The result itself does not show it: a stored item may equal the defaults. */
async function hasItem(engine: Engine, collection: string, options: Incoming['options']): Promise<boolean> {
  const { meta } = await listItems(engine, collection, { meta: ['total_count'] }, options)
  return (meta?.total_count ?? 0) > 0
}

// Cache of parsed queries. Clients repeat them again and again, and their meaning depends on their text alone.
const queriesKept = 500
/** Maximum length of a cached query. Longer ones are seldom repeated, and would fill the memory. */
const longestKept = 4_096

const kept = new WeakMap<Limits, Cache<ParsedQuery>>()

/** Parses a query string. The result is frozen, because all requests with the same string share it. */
export function readQuery(search: string, limits: Limits): ParsedQuery {
  if (search.length > longestKept) return parseQuery(search, { limits })
  const queries = memoFor(kept, limits, () => new Cache(queriesKept))
  const known = queries.get(search)
  if (known) return known
  const query = deepFreeze(parseQuery(search, { limits }))
  queries.set(search, query)
  return query
}
