// Lists that stay true: their messages, and a store of the list as it is.

import { onAbort } from '../errors/abort-signal.ts'
import { type EngineError, failure } from '../errors/errors.ts'
import type { CheckedQuery } from '../items/types/checked-query.ts'
import type { ItemAnswer } from '../items/types/result.ts'
import type { FeedMessage } from '../realtime/messages.ts'
import type { WatchedItems, WatchOptions } from '../realtime/watch-items.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import type { Client } from './connect.ts'
import { follow } from './follow.ts'
import { jsonOf } from './json.ts'
import type { LiveItems, LiveList, SharedList, WatchedList } from './live-types.ts'
import { connectionOf } from './request.ts'
import { refuseOptions } from './request-options.ts'

/** Watches a list: its items first, and then every change, as `watchItems` of a feed does. When the connection is lost, it goes on from the last
 *  message, or with a reset and a snapshot.
 *  @example const watched = watchItems(api, 'tags', { fields: ['name'] })
 *  const { value: first } = await watched.next()
 *  first?.kind === 'snapshot' && first.items // → [{ name: 'hot' }, { name: 'cold' }]
 *  await watched.return() */
export function watchItems<S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
): WatchedItems<ItemAnswer<S, C, Record<never, never>>>
export function watchItems<S extends Schema, C extends CollectionName<S>, const Q>(
  api: Client<S>,
  collection: C,
  query: CheckedQuery<S, C, Q>,
  options?: WatchOptions,
): WatchedItems<ItemAnswer<S, C, Q>>
export function watchItems(
  api: Client,
  collection: string,
  query?: object,
  options: WatchOptions = {},
): WatchedItems<unknown> {
  const { membership, signal, token, ...others } = options
  refuseOptions(others)
  const controller = new AbortController()
  if (signal?.aborted) controller.abort()
  const forget = onAbort(signal, () => controller.abort())
  const messages = follow(api, { collection, query, membership, token }, controller.signal, () => undefined)
  const watched: WatchedItems<unknown> = {
    [Symbol.asyncIterator]: () => watched,
    next: () => messages.next(),
    // A wait ends, too.
    return: async () => {
      controller.abort()
      forget()
      return messages.return(undefined)
    },
  }
  return watched
}

/** Returns a store of a list that stays true. Equal queries of an API share one stream.
 *  @example const tags = liveList(api, 'tags', { fields: ['name'] })
 *  const leave = tags.subscribe(() => console.log(tags.getSnapshot().items))
 *  tags.getSnapshot() // → { state: 'connecting', items: [] }
 *  leave() */
export function liveList<S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
): LiveList<ItemAnswer<S, C, Record<never, never>>>
export function liveList<S extends Schema, C extends CollectionName<S>, const Q>(
  api: Client<S>,
  collection: C,
  query: CheckedQuery<S, C, Q>,
  options?: Pick<WatchOptions, 'membership'>,
): LiveList<ItemAnswer<S, C, Q>>
export function liveList(
  api: Client,
  collection: string,
  query?: object,
  options: Pick<WatchOptions, 'membership'> = {},
): LiveList<unknown> {
  const { membership, ...others } = options
  refuseOptions(others)
  const there = connectionOf(api)
  there.lists ??= new Map()
  const { lists } = there
  const name = [collection, jsonOf(query, [], 'query'), membership].join()
  const own = lists.get(name) ?? storeOf(api, { collection, query, membership, token: undefined })
  return {
    subscribe: (listener) => {
      // Another may have begun since.
      const shared = lists.get(name) ?? own
      lists.set(name, shared)
      const leave = shared.subscribe(listener)
      return () => {
        leave()
        if (!shared.isWatched()) lists.delete(name)
      }
    },
    getSnapshot: () => (lists.get(name) ?? own).getSnapshot(),
  }
}

function storeOf(api: Client, list: WatchedList): SharedList {
  const listeners = new Set<() => Promise<void>>()
  let now: LiveItems<unknown> = { state: 'connecting', items: [] }
  let held = new Map<string, unknown>()
  let controller: AbortController | undefined
  let aliveAt = Date.now()
  let token: string | undefined
  const set = (next: LiveItems<unknown>) => {
    now = next
    for (const listener of [...listeners]) void listener()
  }
  const notify = (lost?: EngineError) => {
    if (lost) set({ ...now, state: 'late', since: aliveAt, error: lost })
    // Behind a reset there is no list that is as it was.
    else if (token) {
      aliveAt = Date.now()
      if (now.state === 'late') set({ state: 'live', items: now.items })
    }
  }
  const run = async (signal: AbortSignal) => {
    try {
      for await (const message of follow(api, { ...list, token }, signal, notify)) {
        if (signal.aborted) return
        token = message.kind === 'reset' ? undefined : message.token
        // Other resets are followed by a list that is much the same.
        if (message.kind === 'reset' && message.reason !== 'access')
          set({ ...now, state: 'late', since: aliveAt })
        else {
          held = applied(held, message)
          aliveAt = Date.now()
          set({ state: token ? 'live' : 'connecting', items: [...held.values()] })
        }
      }
    } catch (error) {
      if (signal.aborted) return
      controller = undefined
      token = undefined
      // Items that the caller may no longer see are not kept.
      held = new Map()
      set({ state: 'failed', items: [], error })
    }
  }
  return {
    getSnapshot: () => now,
    isWatched: () => listeners.size > 0,
    subscribe: (listener) => {
      // A function may subscribe twice; each leaves by itself. What it throws is an unhandled rejection: the list is others', too.
      const own = async () => listener()
      listeners.add(own)
      if (!controller) {
        controller = new AbortController()
        aliveAt = now.since ?? Date.now()
        if (now.state === 'failed') now = { state: 'connecting', items: now.items }
        void run(controller.signal)
      }
      return () => {
        if (!listeners.delete(own) || listeners.size > 0) return
        controller?.abort()
        controller = undefined
        if (now.state === 'live') now = { ...now, state: 'late', since: aliveAt }
      }
    },
  }
}

/** Returns the items by their ids, in their order, behind a message. Groups have no ids. */
function applied(held: ReadonlyMap<string, unknown>, message: FeedMessage): Map<string, unknown> {
  try {
    return changed(held, message)
  } catch (cause) {
    const says = `This is no answer of Quernel: ${message.kind}.`
    throw failure('INTERNAL_SERVER_ERROR', says, { status: 500, cause })
  }
}

function changed(held: ReadonlyMap<string, unknown>, message: FeedMessage): Map<string, unknown> {
  if (message.kind === 'reset') return new Map()
  if (message.kind === 'snapshot')
    return new Map(message.items.map((item, at) => [message.ids?.[at] ?? String(at), item]))
  const items = new Map(held)
  for (const id of message.removed) items.delete(id)
  for (const { id, item } of message.set) items.set(id, item)
  return message.order ? new Map(message.order.map((id) => [id, items.get(id)])) : items
}
