// Cache of parsed queries. Clients repeat them again and again, and their meaning depends on their text alone.
import type { Limits } from '../query/limits.ts'
import { parseQuery } from '../query/parse.ts'
import type { ParsedQuery } from '../query/types.ts'
import { Cache } from '../values/cache.ts'
import { deepFreeze } from '../values/freeze.ts'
import { memoFor } from '../values/memo.ts'

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
