// Queries that were read before. Clients ask the same ones again and again, and what they mean depends on nothing but their text.
import type { Limits } from '../query/limits.ts'
import { parseQuery } from '../query/parse.ts'
import type { ParsedQuery } from '../query/types.ts'
import { Cache } from '../values/cache.ts'
import { deepFreeze } from '../values/freeze.ts'
import { memoFor } from '../values/memo.ts'

const queriesKept = 500
/** Longer ones are seldom asked twice, and would fill the memory. */
const longestKept = 4_096

const kept = new WeakMap<Limits, Cache<ParsedQuery>>()

/** The query of a query string. It is shared by all who ask so, and cannot be changed. */
export function readQuery(search: string, limits: Limits): ParsedQuery {
  if (search.length > longestKept) return parseQuery(search, { limits })
  const queries = memoFor(kept, limits, () => new Cache(queriesKept))
  const known = queries.get(search)
  if (known) return known
  const query = deepFreeze(parseQuery(search, { limits }))
  queries.set(search, query)
  return query
}
