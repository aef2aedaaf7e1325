// Watches a list: its state, and every change of it.

import { onAbort } from '../errors/abort-signal.ts'
import { abortSignal, checkOptions, type OptionKind, optionNames, text } from '../errors/check-options.ts'
import { readHooks } from '../items/read/read-hooks.ts'
import type { CheckedQuery } from '../items/types/checked-query.ts'
import type { ItemAnswer } from '../items/types/result.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import { callerOf, type FeedCaller } from './create-feed.ts'
import type { FeedMessage } from './messages.ts'
import type { Subscription } from './subscription/subscription.ts'
import { checkParameters, planWatched } from './watched-query.ts'

/** Options of `watchItems`. */
export interface WatchOptions {
  /** `page`: the list as `listItems` answers it, in its order and within its limit. `match`: whatever meets the filter; sort, limit and offset
   *  shape the first snapshot alone. By default `page`. */
  readonly membership?: 'page' | 'match' | undefined
  /** Ends the subscription. */
  readonly signal?: AbortSignal | undefined
  /** The token of the last message of a subscription that has ended: what has changed since is sent, if it is still known. */
  readonly token?: string | undefined
}

const membership: OptionKind = {
  says: 'is "page" or "match"',
  holds: (input) => input === 'page' || input === 'match',
}
const watchOptions = optionNames<WatchOptions>({ membership, signal: abortSignal, token: text })

/** Watches a list. The first message is a snapshot; a client that applies the others to it holds what `listItems` returns, whenever nothing changes.
 *  It begins with the first message that is asked for.
 *  @example const feed = createFeed(engine, { source: localSource() })
 *  const watched = watchItems(feed.as({ admin: true }), 'tags', { fields: ['name'] }, { membership: 'match' })
 *  await watched.next() // a snapshot
 *  await createItem(engine, 'tags', { name: 'dry' })
 *  const { value: message } = await watched.next()
 *  message?.kind === 'changes' && message.set // → [{ id: '3', item: { name: 'dry' } }]
 *  await watched.return()
 *  await feed.stop() */
export function watchItems<S extends Schema, C extends CollectionName<S>>(
  mine: FeedCaller<S>,
  collection: C,
): WatchedItems<ItemAnswer<S, C, Record<never, never>>>
export function watchItems<S extends Schema, C extends CollectionName<S>, const Q>(
  mine: FeedCaller<S>,
  collection: C,
  query: CheckedQuery<S, C, Q>,
  options?: WatchOptions,
): WatchedItems<ItemAnswer<S, C, Q>>
export function watchItems(
  mine: FeedCaller,
  collection: string,
  query: object = {},
  options: WatchOptions = {},
): WatchedItems<unknown> {
  const { feed, rights } = callerOf(mine)
  checkOptions(options, watchOptions)
  const copy = checkParameters(query, feed.engine.limits)
  const watched = { collection, query: copy, membership: options.membership ?? 'page' }
  const { engine } = rights.current ?? {}
  // A hook may make another query of it.
  if (engine && !readHooks(engine, collection)) planWatched(watched, engine, feed.settings.limits)
  return new Watching(() => feed.subscribe(rights, watched, options.token), options.signal)
}

/** The messages of a subscription. A reader that stops calls `return`, as `for await` does. */
export interface WatchedItems<Item> extends AsyncIterableIterator<FeedMessage<Item>, undefined> {
  readonly return: () => Promise<IteratorResult<FeedMessage<Item>, undefined>>
}

/** Resolves when all that has changed was sent. A token holds where no reset came before. */
export const quietOf = (watched: WatchedItems<unknown>): Promise<undefined> =>
  new Promise((resolve) => {
    if (watched instanceof Watching) watched.onQuiet = () => resolve(undefined)
  })

const done = { done: true, value: undefined } as const

class Watching implements WatchedItems<unknown> {
  onQuiet: (() => void) | undefined
  readonly #begin: () => Subscription
  readonly #signal: AbortSignal | undefined
  #subscription: Subscription | undefined
  /** Why it could not begin. */
  #failure: { readonly error: unknown } | undefined
  #isOver = false
  #forget: (() => void) | undefined
  /** Messages are sent one after another. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(begin: () => Subscription, signal: AbortSignal | undefined) {
    this.#begin = begin
    this.#signal = signal
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  readonly next = (): Promise<IteratorResult<FeedMessage, undefined>> => {
    const turn = this.#turn.then(() => this.#next())
    // The reader gets the error of its turn; the next turn only waits for it.
    this.#turn = turn.catch(() => undefined)
    this.#open()
    return turn
  }

  readonly return = async (): Promise<IteratorResult<FeedMessage, undefined>> => {
    this.#end()
    return done
  }

  /** Begins with the first message that is asked for. */
  #open(): void {
    if (this.#signal?.aborted) this.#end()
    if (this.#isOver || this.#subscription || this.#failure) return
    try {
      this.#subscription = this.#begin()
      this.#subscription.onQuiet = () => this.onQuiet?.()
      this.#forget = onAbort(this.#signal, () => this.#end())
    } catch (error) {
      this.#failure = { error }
    }
  }

  async #next(): Promise<IteratorResult<FeedMessage, undefined>> {
    if (this.#isOver) return done
    try {
      if (this.#failure) throw this.#failure.error
      const value = await this.#subscription?.next()
      if (value) return { done: false, value }
    } catch (error) {
      this.#end()
      throw error
    }
    this.#end()
    return done
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#forget?.()
    this.#subscription?.end()
  }
}
