// Queries of lists that are watched, checked before anything is read.

import type { EngineInternals } from '../engine/engine.ts'
import { fault } from '../errors/errors.ts'
import { Problems } from '../errors/problems.ts'
import { requireQuery } from '../items/read/read-request.ts'
import { checkWatched, type WatchedRequest } from '../items/watch/watched-list.ts'
import type { ListPlan } from '../plan/read/read-plan.ts'
import { copyOfRecord } from '../prepared/templates/copy-query.ts'
import type { Limits } from '../query/limits.ts'
import { parseTyped } from '../query/parse.ts'
import { isRowNumber } from '../schema/model.ts'
import type { FeedLimits } from './feed/feed-options.ts'
import type { WatchedMembership } from './list/news.ts'

/** Maximum number of items of a page. */
const maxItems = 10_000

/** The list of a group. */
export interface WatchedQuery {
  readonly collection: string
  readonly query: Readonly<Record<string, unknown>>
  readonly membership: WatchedMembership
}

/** How the list of a group is read. */
export interface GroupRead extends WatchedRequest {
  /** Maximum number of items. */
  readonly max: number
}

interface WatchedPlan {
  readonly list: ListPlan
  readonly read: GroupRead
  /** The engine that knows the collection, which may be one of its own. */
  readonly engine: EngineInternals
}

/** Refuses parameters without a meaning for a list that is watched. Returns a copy of the query, which is read again and again. */
export function checkParameters(input: unknown, limits: Limits): Readonly<Record<string, unknown>> {
  requireQuery(input)
  const query = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
  const problems = new Problems('INVALID_QUERY')
  for (const [name, says] of Object.entries(refused))
    if (query[name] !== undefined) problems.add([name], says)
  problems.throwIfAny()
  // A query without end is refused before it is copied.
  parseTyped(query, limits)
  return copyOfRecord(query)
}

const refused = {
  page: 'A list that is watched has a "limit" and an "offset", and no pages.',
  after: 'A list that is watched has a "limit" and an "offset", and no cursors.',
  before: 'A list that is watched has a "limit" and an "offset", and no cursors.',
  meta: 'A list that is watched has no metadata, which would be out of date at once.',
  export: 'A list that becomes a file is no list that is watched.',
  version: 'A version of an item cannot be watched.',
  versionRaw: 'A version of an item cannot be watched.',
} as const

/** Plans a list. It refuses what `listItems` refuses, and what has no key. */
export function planWatched(
  watched: WatchedQuery,
  caller: EngineInternals,
  { callerBytes }: Pick<Required<FeedLimits>, 'callerBytes'>,
): WatchedPlan {
  const { collection, membership } = watched
  const knowing = caller.schema.collections.has(collection) ? caller : caller.withOwn()
  const answerBytes = Math.min(knowing.limits.answerBytes, Math.floor(callerBytes / 2))
  const engine = { ...knowing, limits: { ...knowing.limits, answerBytes } }
  if (engine.scope?.permissions && collection === engine.versions().name) throw ofVersions(collection)
  const whole = engine.schema.collections.get(collection)
  const query = whole?.isSingleton ? { ...watched.query, limit: 1 } : watched.query
  // The default limit is one of pages: by it a list of members would lose some whenever it begins anew.
  const isUnlimited = membership === 'match' && query.limit === undefined
  const shown = isUnlimited && !isOfGroups(query) ? { ...query, limit: -1 } : query
  const list = checkWatched(engine, { collection, query: shown, part: 'watched' })
  if (list.rows.kind === 'items' && isRowNumber(list.collection.key)) throw numbered(collection)
  if (membership === 'match' && !whole?.isSingleton && list.rows.kind === 'items')
    return {
      list,
      engine,
      read: { collection, query, part: 'members', max: maxMembers(list, isUnlimited) },
    }
  const { limit = Number.POSITIVE_INFINITY } = list.page
  if (Number.isFinite(limit) && limit > maxItems && list.rows.kind === 'items') throw tooLong(limit)
  // One more is read, to see that there are too many.
  const bounded = limit > maxItems ? { ...query, limit: maxItems + 1 } : query
  return { list, engine, read: { collection, query: bounded, part: 'watched', max: maxItems } }
}

const isOfGroups = (query: WatchedQuery['query']): boolean =>
  query.aggregate !== undefined || query.groupBy !== undefined

/** Returns the maximum number of members of a list. With a limit, those beyond it are not in a snapshot. */
const maxMembers = ({ page }: ListPlan, isUnlimited: boolean): number =>
  isUnlimited ? Math.min(maxItems, page.limit ?? maxItems) : Number.POSITIVE_INFINITY

/** True if two queries of one collection and membership ask for the same. */
export const isSameQuery = (one: WatchedQuery, other: WatchedQuery): boolean =>
  JSON.stringify(one.query) === JSON.stringify(other.query)

export const tooManyItems = ({ max, part }: GroupRead) =>
  fault(
    'INVALID_QUERY',
    `A ${part === 'members' ? 'list without a limit' : 'page'} that is watched has at most ${max} items.`,
    {
      hint:
        part === 'members'
          ? 'Narrow the filter, or set a limit, which shapes the first snapshot alone.'
          : 'Set a limit, narrow the filter, or watch it with the membership "match".',
    },
  )

const ofVersions = (collection: string) =>
  fault('INVALID_QUERY', `"${collection}" can only be watched by callers who may see everything.`, {
    hint: 'What a version shows depends on the item that it belongs to.',
  })

const numbered = (collection: string) =>
  fault('INVALID_PAYLOAD', `"${collection}" has no key.`, {
    hint: 'The number of a row may become that of another. Its groups and aggregates can be watched.',
  })

const tooLong = (limit: number) =>
  fault('INVALID_QUERY', `A page that is watched has at most ${maxItems} items, and not ${limit}.`, {
    path: ['limit'],
  })
