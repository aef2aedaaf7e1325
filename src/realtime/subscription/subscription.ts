// A subscription: what one subscriber has received, and what is to be sent next.

import { attempt } from '../../execution/report-errors.ts'
import { beginRead } from '../../items/read/begin-read.ts'
import { Unsent } from '../bytes/unsent-bytes.ts'
import type { CallerRights, OfCaller, Rights, SubscribedFeed } from '../feed/feed-caller.ts'
import type { WatchedGroup } from '../group/group.ts'
import { tokenCaller } from '../group/group-name.ts'
import { type Listed, type ShownItems, shownIn } from '../list/listed.ts'
import { type HeldItems, isNews, type News, newsAfter, sizeOf } from '../list/news.ts'
import { type FeedMessage, newsMessage, type ResetReason } from '../messages.ts'
import { Waits } from '../timers.ts'
import { isSameQuery, type WatchedQuery } from '../watched-query.ts'
import { noteReading } from '../wire/message-rights.ts'
import { HeldList, SubscriberNames } from './subscriber.ts'

export class Subscription implements OfCaller {
  readonly caller: CallerRights
  /** Called whenever all that has changed was sent. */
  onQuiet: (() => void) | undefined
  readonly #feed: SubscribedFeed
  readonly #watched: WatchedQuery
  #group: WatchedGroup | undefined
  /** The last version that was sent; undefined before a snapshot. */
  #version: number | undefined
  readonly #names: SubscriberNames
  #token: string | undefined
  #rights: number | undefined
  #reset: ResetReason | undefined
  readonly #held: HeldList
  /** The message that is made, until the next one is asked for: then its reader has it, or its connection counts it. */
  readonly #unsent: Unsent
  /** Calls the hooks on reads with what was sent. */
  #after: ((items: readonly unknown[]) => Promise<void>) | undefined
  #hooksRunAt = 0
  /** Why it cannot go on. */
  #failure: (() => Error) | undefined
  #isOver = false
  readonly #waits = new Waits()

  constructor(feed: SubscribedFeed, caller: CallerRights, watched: WatchedQuery, token: string | undefined) {
    this.#feed = feed
    this.caller = caller
    this.#watched = watched
    this.#token = token
    this.#names = new SubscriberNames(feed.secret)
    this.#held = new HeldList(feed.unsent, caller)
    this.#unsent = new Unsent(feed.unsent, caller)
    this.#unsent.onRoom = this.wake
    this.#unsent.onNoRoom = (reason) => this.fail(reason)
  }

  readonly wake = this.#waits.wake

  reset(reason: ResetReason): void {
    // No reset is needed before the first snapshot.
    if (this.#version !== undefined || this.#held.items) this.#reset = reason
    this.wake()
  }

  fail(reason: () => Error): void {
    this.#failure = reason
    this.#leave()
    this.#waits.end()
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#leave()
    this.#unsent.set(0)
    this.#held.forget()
    this.#waits.end()
    this.#feed.onEnd(this)
  }

  /** Returns the next message, as soon as there is one; undefined at the end. */
  async next(): Promise<FeedMessage | undefined> {
    this.#unsent.set(0)
    try {
      while (!this.#isOver) {
        if (this.#failure) throw this.#failure()
        const message = await this.#look()
        if (message && !this.#isOver) return message
      }
      return undefined
    } catch (error) {
      if (this.#isOver) return undefined
      this.end()
      throw error
    }
  }

  /** Looks once for a message. Returns undefined if there is none, after something has happened. */
  async #look(): Promise<FeedMessage | undefined> {
    await this.#feed.turns.take()
    const rights = await this.#waits.for(this.caller.fresh(this.#feed.recheckMs))
    const group = rights && (await this.#joined(rights))
    if (this.#isOver || !rights || !group) return undefined
    if (this.#reset !== undefined) return this.#resetMessage(this.#reset)
    if (this.#version === undefined) return this.#snapshot(group)
    if (group.isStale) await this.#waits.for(this.#feed.listed(group, false))
    if (!this.#maySend(group)) return undefined
    const news = group.state.since(this.#version)
    if (!news || sizeOf(news) > this.#feed.maxPending) return this.#resetMessage('behind')
    if (isNews(news)) return this.#newsMessage(group, news, group.state.version)
    // An item that is as it was sent last needs no message.
    this.#version = group.state.version
    if (group.isStale) return undefined
    this.onQuiet?.()
    await this.#woken(rights)
    return undefined
  }

  /** False if the rights have changed or are doubted, or everything has changed, while the list was read. */
  #maySend(group: WatchedGroup): boolean {
    return (
      !this.#isOver &&
      group === this.#group &&
      this.#reset === undefined &&
      this.caller.isCertain &&
      this.caller.current?.number === this.#rights
    )
  }

  /** Returns the group for the rights of the caller, which may have become another. */
  async #joined(rights: Rights): Promise<WatchedGroup | undefined> {
    const runsHooks =
      this.#after !== undefined && performance.now() - this.#hooksRunAt >= this.#feed.recheckMs
    if (this.#group && rights.number === this.#rights && !runsHooks) return this.#group
    const { collection, query } = this.#watched
    // A row that may be seen only from now on is not shown as it was before.
    const ready = Promise.all([beginRead(rights.engine, collection, query), this.#feed.caughtUp()])
    const [begun] = (await this.#waits.for(ready)) ?? []
    // A subscriber that has left meanwhile must not join.
    if (!begun || this.#isOver || this.#failure) return undefined
    const isSame = rights.number === this.#rights
    this.#after = begun.after
    this.#hooksRunAt = performance.now()
    this.#rights = rights.number
    this.#names.caller = tokenCaller(rights.engine)
    const watched = { ...this.#watched, query: begun.query }
    if (this.#group && isSame && isSameQuery(this.#group.watched, watched)) return this.#group
    const group = this.#feed.groupFor(watched, rights)
    if (group !== this.#group) this.#moveTo(group)
    this.#feed.join(group, this, rights)
    return this.#group
  }

  #moveTo(group: WatchedGroup): void {
    this.#hold(group)
    this.#leave()
    this.#group = group
    const token = this.#token
    this.#token = undefined
    if (token === undefined) return
    const knows = (version: number) => group.state.since(version) !== undefined
    this.#version = this.#names.resume(token, group.id, knows)
    if (this.#version === undefined) this.#reset = 'token'
  }

  /** Keeps what was sent under other rights, so that the changes can be sent. */
  #hold(next: WatchedGroup): void {
    if (this.#version === undefined && !this.#held.items) return
    if (!this.#held.keep(this.#group, this.#version, next)) this.#reset = 'access'
    this.#version = undefined
  }

  #leave(): void {
    if (this.#group) this.#feed.leave(this.#group, this)
    this.#group = undefined
  }

  #resetMessage(reason: ResetReason): FeedMessage {
    this.#reset = undefined
    this.#version = undefined
    this.#held.forget()
    return { kind: 'reset', reason }
  }

  async #snapshot(group: WatchedGroup): Promise<FeedMessage | undefined> {
    if (!this.#unsent.take(group.shownBytes ?? 0)) return this.#awaitRoom()
    if (group.isStale || !group.listed) await this.#waits.for(this.#feed.listed(group, true))
    const { listed } = group
    if (!this.#maySend(group) || !listed) return undefined
    if (this.#held.items) return this.#exchanged(this.#held.items, listed, group)
    const { all, items, bytes } = shownIn(listed, group)
    group.shownBytes = bytes
    return this.#deliver(group, listed.version, { items, bytes }, (token) => ({
      kind: 'snapshot',
      items,
      ...(!listed.state.groups && { ids: all.map((item) => this.#names.id(item, group.list)) }),
      token,
    }))
  }

  /** Sends what has changed by other rights. */
  async #exchanged(
    held: HeldItems,
    { state, version }: Listed,
    group: WatchedGroup,
  ): Promise<FeedMessage | undefined> {
    const news = newsAfter(held, state.items, group.watched.membership)
    if (state.groups || sizeOf(news) > this.#feed.maxPending) return this.#resetMessage('access')
    if (isNews(news)) return this.#newsMessage(group, news, version)
    this.#version = version
    this.#held.forget()
    return undefined
  }

  #newsMessage(group: WatchedGroup, news: News, version: number): Promise<FeedMessage | undefined> {
    const shown = { items: news.groups ?? news.set.map(({ item }) => item), bytes: news.bytes }
    return this.#deliver(group, version, shown, (token) =>
      newsMessage(news, (one) => this.#names.id(one, group.list), token),
    )
  }

  /** Returns a message of a version once there is room for it, and the hooks on reads were called; undefined if the list has to be checked again by then. */
  async #deliver(
    group: WatchedGroup,
    version: number,
    { items, bytes }: Pick<ShownItems, 'items' | 'bytes'>,
    messageOf: (token: string) => FeedMessage,
  ): Promise<FeedMessage | undefined> {
    if (!this.#unsent.take(bytes)) return this.#awaitRoom()
    if (this.#after) {
      const hooks = attempt(async () => this.#after?.(items), undefined, this.#feed.onError)
      await this.#waits.for(hooks.then(() => this.caller.fresh(this.#feed.recheckMs)))
      if (!this.#maySend(group)) return undefined
    }
    this.#version = version
    this.#held.forget()
    const message = messageOf(this.#names.token(group.id, version))
    return noteReading(message, this, this.#feed.recheckMs, bytes)
  }

  /** Waits until there is room for a message, or something else happens. Everything has to be looked at again then. */
  async #awaitRoom(): Promise<undefined> {
    if (this.caller.current) await this.#woken(this.caller.current)
  }

  /** Waits until it is woken, or its rights are over. */
  async #woken({ engine }: Rights): Promise<void> {
    if (this.#isOver || this.#reset !== undefined || !this.caller.isCertain) return
    const end = engine.scope?.expiresAt
    await this.#waits.something(end === undefined ? undefined : end - Number(engine.clock()) + 1)
  }
}
