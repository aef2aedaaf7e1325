// Begins to watch a list for a request. What is refused is refused here, before the stream begins.

import type { Access } from '../../access/access.ts'
import { type Engine, internalsOf } from '../../engine/engine.ts'
import { unreachable } from '../../errors/errors.ts'
import type { MountRequest } from '../../http/mounts/mount.ts'
import { callerOf, coreOf, type Feed } from '../create-feed.ts'
import type { CallerRights } from '../feed/feed-caller.ts'
import type { FeedMessage } from '../messages.ts'
import { within } from '../timers.ts'
import { type WatchedItems, watchItems } from '../watch-items.ts'
import type { LiveRequest } from './live-request.ts'

export type NextMessage = IteratorResult<FeedMessage, undefined>

/** A list that is watched, and its first message. */
export interface Events {
  readonly watched: WatchedItems<unknown>
  readonly rights: CallerRights
  readonly coming: Promise<NextMessage>
  /** Ends the count of the subscription among those of its user. */
  readonly leave: () => void
}

/** Milliseconds that a list which goes on from a token may take to be refused. Where nothing has changed since, no message comes, and the stream
 *  begins without one: its reader has to know that it is connected. */
const refusalMs = 1_000

/** Begins to watch a list, and waits for its first message, unless it may be long in coming. */
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
    const coming = watched.next()
    await (options.token === undefined ? coming : within(refusalMs, coming))
    return { watched, rights, coming, leave }
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
