// Lists that stay true, as their users and a client that keeps them see them.

import type { FeedMessage } from '../realtime/messages.ts'

/** A list that stays true, as it is now. The same object until it changes. */
export interface LiveItems<Item> {
  /** `late`: the connection is lost and tried again, or the server begins anew; the items are those of then. `failed`: it is over, until the next subscription begins anew. */
  readonly state: 'connecting' | 'live' | 'late' | 'failed'
  readonly items: readonly Item[]
  /** The moment since when it is late, as a number of milliseconds. */
  readonly since?: number
  /** Why it is late or has failed. */
  readonly error?: unknown
}

/** A store of a list that stays true, as React, Vue, Svelte and Solid take it. */
export interface LiveList<Item> {
  /** Begins to watch with the first subscriber, and ends with the last. Returns what unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => LiveItems<Item>
}

/** A list to watch, and the token to go on from. */
export interface WatchedList {
  readonly collection: string
  readonly query: object | undefined
  readonly membership: string | undefined
  readonly token: string | undefined
}

/** A socket over which lists are watched. */
export interface LiveSocket {
  /** Yields messages, and undefined where the list is as it was. Returns true when the connection is lost, and false where the list is not served. */
  messages(list: WatchedList, signal: AbortSignal): AsyncGenerator<FeedMessage | undefined, boolean>
}

/** A store that several lists share. */
export interface SharedList extends LiveList<unknown> {
  readonly isWatched: () => boolean
}
