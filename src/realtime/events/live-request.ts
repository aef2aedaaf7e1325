// Requests of a list that stays true, by a URL or by a body. What is refused is refused here, before the stream begins.

import type { Access } from '../../access/access.ts'
import { type Engine, internalsOf } from '../../engine/engine.ts'
import { fault, quote, unreachable } from '../../errors/errors.ts'
import type { MountRequest } from '../../http/mounts/mount.ts'
import { readBrackets } from '../../query/brackets.ts'
import { parseQuery } from '../../query/parse.ts'
import { newReader } from '../../query/reader.ts'
import type { ParsedQuery } from '../../query/types.ts'
import { isRecord } from '../../values/guards.ts'
import { callerOf, coreOf, type Feed } from '../create-feed.ts'
import type { CallerRights } from '../feed/feed-caller.ts'
import type { FeedMessage } from '../messages.ts'
import { quietOf, type WatchedItems, type WatchOptions, watchItems } from '../watch-items.ts'

export interface LiveRequest {
  readonly collection: string
  readonly query: ParsedQuery
  readonly options: Pick<WatchOptions, 'membership' | 'token'>
}

export function readQueryString(request: MountRequest, engine: Engine): LiveRequest {
  const { queryString } = request
  const { limits } = internalsOf(engine)
  const reader = newReader(limits, true)
  const { membership } = readBrackets(queryString, limits, reader.problems)
  reader.problems.throwIfAny()
  const query = parseQuery(queryString, { limits, allow: ['membership'] })
  return watchedRequest(request, query, membership)
}

/** Reads what a SEARCH asks for: `{ query, membership }`. */
export async function readBody(request: MountRequest, engine: Engine): Promise<LiveRequest> {
  const body = (await request.body()) ?? {}
  if (!isRecord(body)) throw noBody()
  const { query, membership, ...others } = body
  const [other] = Object.keys(others)
  if (other !== undefined) throw noBody([other])
  const { limits } = internalsOf(engine)
  return watchedRequest(request, parseQuery(query, { limits, isText: true }), membership)
}

function watchedRequest(
  { parameters, header }: MountRequest,
  query: ParsedQuery,
  membership: unknown,
): LiveRequest {
  // An empty one is what a browser sends after a reset.
  const token = header('last-event-id') || undefined
  const options = { token, membership: readMembership(membership) }
  return { collection: parameters.collection ?? '', query, options }
}

/** Reads which items are reported; undefined if it is not set. */
export function readMembership(input: unknown): WatchOptions['membership'] {
  if (input === undefined || input === 'page' || input === 'match') return input
  throw fault('INVALID_QUERY', `"membership" is "page" or "match", not ${quote(input)}.`, {
    path: ['membership'],
  })
}

const noBody = (path?: readonly string[]) =>
  fault(
    'INVALID_PAYLOAD',
    'A list is watched by a body { query, membership }, and nothing else.',
    path && { path },
  )

export type NextMessage = IteratorResult<FeedMessage, undefined>

/** A list that is watched, and its first message. */
export interface Events {
  readonly watched: WatchedItems<unknown>
  readonly rights: CallerRights
  readonly coming: Promise<NextMessage>
  /** True if it goes on from a token, and nothing has changed since. */
  readonly isSame: boolean
  /** Ends the count of the subscription among those of its user. */
  readonly leave: () => void
}

/** Begins to watch a list, and waits for its first message. Where a token holds, and nothing has changed since, none comes, and the stream begins
 *  without one: its reader has to know that the list is as it was. */
export async function openEvents(
  feed: Feed,
  engine: Engine,
  { signal, authenticate }: MountRequest,
  { collection, query, options }: LiveRequest,
): Promise<Events> {
  let known: Engine | undefined = engine
  const mine = feed.as(async () => {
    // The handler has just asked who it is.
    const caller = known ?? (await authenticate())
    known = undefined
    return caller && accessOf(caller)
  })
  const leave = coreOf(feed).users.take(accessOf(engine).user)
  try {
    const watched: WatchedItems<unknown> = watchItems(mine, collection, query, { ...options, signal })
    const { rights } = callerOf(mine)
    rights.breakOff = () => void watched.return()
    const same = options.token === undefined ? [] : [quietOf(watched)]
    const coming = watched.next()
    const first = await Promise.race([coming, ...same])
    return { watched, rights, coming, isSame: first === undefined, leave }
  } catch (error) {
    leave()
    throw error
  }
}

/** Refuses what would be refused, without watching anything. */
export function refuseEvents(feed: Feed, engine: Engine, { collection, query, options }: LiveRequest): void {
  watchItems(feed.as(accessOf(engine)), collection, query, options)
}

function accessOf(caller: Engine): Access {
  const { scope } = internalsOf(caller)
  if (scope) return scope.access
  throw unreachable('a request has a caller')
}
