// Subscribers of a feed, who read all that they are told.
import { createFeed, type Feed, type FeedMessage, localSource, type WatchedItems } from 'quernel/realtime'
import type { Watched } from './ground.ts'

export type WatchedFeed = Feed<Watched['schema']>

/** Opens a feed as hosts do, with its defaults. */
export const openFeed = (engine: Watched): WatchedFeed =>
  createFeed(engine, {
    source: localSource(),
    onError: (error) => {
      throw error
    },
  })

/** Milliseconds after which something is wrong. */
const patience = 600_000

export class Audience {
  readonly #feed: WatchedFeed
  readonly #lists: readonly WatchedItems<unknown>[]
  readonly #over: Promise<unknown>
  readonly #hears: (message: FeedMessage, index: number) => void
  #heard = 0
  #expected = Number.POSITIVE_INFINITY
  #wake: (() => void) | undefined
  /** How often the feed was asked whether it is quiet. */
  asked = 0
  #failure: unknown

  private constructor(
    feed: WatchedFeed,
    lists: readonly WatchedItems<unknown>[],
    hears: (message: FeedMessage, index: number) => void,
  ) {
    this.#feed = feed
    this.#lists = lists
    this.#hears = hears
    this.#over = Promise.all(lists.map((list, index) => this.#read(list, index))).catch((error: unknown) => {
      this.#failure = error
    })
  }

  /** Lets everybody subscribe, and waits until all have their snapshot. */
  static async of(
    feed: WatchedFeed,
    lists: readonly WatchedItems<unknown>[],
    hears: (message: FeedMessage, index: number) => void = () => undefined,
  ): Promise<Audience> {
    const audience = new Audience(feed, lists, hears)
    await audience.told(lists.length)
    await audience.quiet()
    return audience
  }

  /** Number of messages since the last call, of which there have to be so many. They are waited for. */
  async told(expected: number): Promise<void> {
    this.#expected = expected
    if (this.#heard < expected)
      await within(
        new Promise<void>((resolve) => {
          this.#wake = resolve
        }),
        () => `There were ${this.#heard} of ${expected} messages. ${String(this.#failure ?? '')}`,
      )
    if (this.#heard !== expected)
      throw new Error(`There were ${this.#heard} messages instead of ${expected}.`)
    this.#heard = 0
    this.#expected = Number.POSITIVE_INFINITY
  }

  /** Takes all messages that were told since the last call. */
  takeHeard(): number {
    const heard = this.#heard
    this.#heard = 0
    return heard
  }

  /** Waits until no list has to be read any more. */
  async quiet(): Promise<void> {
    const end = performance.now() + patience
    for (;;) {
      this.asked += 1
      if (this.#feed.status().oldest === 0) return
      if (performance.now() > end) throw new Error('The feed does not become quiet.')
      await pause(20)
    }
  }

  async leave(): Promise<void> {
    for (const list of this.#lists) await list.return()
    await this.#over
    if (this.#failure !== undefined) throw this.#failure
  }

  async #read(list: WatchedItems<unknown>, index: number): Promise<void> {
    for await (const message of list) {
      if (message.kind === 'reset') throw new Error(`A reset: ${message.reason}.`)
      this.#hears(message, index)
      this.#heard += 1
      if (this.#heard >= this.#expected) this.#wake?.()
    }
  }
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

async function within(work: Promise<void>, says: () => string): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(says())), patience)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
