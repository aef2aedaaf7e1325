// A subscription: what one subscriber has been told, and what is to be told next.

import { randomBytes } from 'node:crypto'
import { attempt } from '../execution/report-errors.ts'
import { beginRead } from '../items/read/begin-read.ts'
import { showsKey } from '../items/read/watched-list.ts'
import type { CallerRights, Rights } from './feed-caller.ts'
import { isListOf, type WatchedGroup, type WatchedQuery } from './group.ts'
import { tokenCaller } from './group-name.ts'
import { type Listed, shownIn } from './list/listed.ts'
import { type HeldItems, isNews, type News, newsAfter, sizeOf, type ToldKey } from './list/news.ts'
import {
  type FeedMessage,
  hiddenId,
  newsMessage,
  type ResetReason,
  readToken,
  rowId,
  shownId,
  type TokenSigner,
  writeToken,
} from './messages.ts'
import type { OfCaller, SubscribedFeed } from './subscribed-feed.ts'
import { later } from './timers.ts'
import { noteReading } from './wire/message-rights.ts'

export class Subscription implements OfCaller {
  readonly caller: CallerRights
  readonly #feed: SubscribedFeed
  readonly #watched: WatchedQuery
  #group: WatchedGroup | undefined
  /** The version that was told last; undefined before a snapshot. */
  #version: number | undefined
  #seed = randomBytes(9).toString('base64url')
  #token: string | undefined
  #rights: number | undefined
  /** The text of the caller, for whom tokens are signed. */
  #signedFor: string | undefined
  #reset: ResetReason | undefined
  /** The items that were told under other rights, as long as nothing was told under those of now. */
  #held: HeldItems | undefined
  /** Tells the hooks on reads what was told. */
  #after: ((items: readonly unknown[]) => Promise<void>) | undefined
  #hooksRunAt = 0
  /** Why it cannot go on. */
  #failure: (() => Error) | undefined
  #isOver = false
  #wake: (() => void) | undefined
  /** Ends the wait for what takes long. */
  #giveUp: (() => void) | undefined

  constructor(feed: SubscribedFeed, caller: CallerRights, watched: WatchedQuery, token: string | undefined) {
    this.#feed = feed
    this.caller = caller
    this.#watched = watched
    this.#token = token
  }

  readonly wake = (): void => this.#wake?.()

  reset(reason: ResetReason): void {
    // A subscriber that was told nothing has nothing to forget.
    if (this.#version !== undefined || this.#held) this.#reset = reason
    this.wake()
  }

  fail(reason: () => Error): void {
    this.#failure = reason
    this.#leave()
    this.#giveUp?.()
    this.wake()
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#leave()
    this.#giveUp?.()
    this.wake()
    this.#feed.onEnd(this)
  }

  /** Returns the next message, as soon as there is one; undefined at the end. */
  async next(): Promise<FeedMessage | undefined> {
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
    const rights = await this.#unlessOver(this.caller.fresh(this.#feed.recheckMs))
    const group = rights && (await this.#joined(rights))
    if (this.#isOver || !rights || !group) return undefined
    if (this.#reset !== undefined) return this.#toldReset(this.#reset)
    if (this.#version === undefined) return this.#snapshot(group)
    if (group.isStale) await this.#unlessOver(this.#feed.listed(group, false))
    if (!this.#mayTell(group)) return undefined
    const news = group.state.since(this.#version)
    if (!news || sizeOf(news) > this.#feed.mostPending) return this.#toldReset('behind')
    if (isNews(news)) return this.#newsMessage(group, news, group.state.version)
    // An item that is as it was told last is no message.
    this.#version = group.state.version
    await this.#somethingHappens(rights)
    return undefined
  }

  /** False if the rights have changed or are doubted, or everything has changed, while the list was read. */
  #mayTell(group: WatchedGroup): boolean {
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
    const [begun] = (await this.#unlessOver(ready)) ?? []
    // A subscriber that has left meanwhile must not join.
    if (!begun || this.#isOver || this.#failure) return undefined
    const isSame = rights.number === this.#rights
    this.#after = begun.after
    this.#hooksRunAt = performance.now()
    this.#rights = rights.number
    this.#signedFor = tokenCaller(rights.engine)
    const watched = { ...this.#watched, query: begun.query }
    if (this.#group && isSame && isListOf(this.#group, watched)) return this.#group
    const group = this.#feed.groupFor(watched, rights)
    if (group !== this.#group) this.#moveTo(group)
    this.#feed.join(group, this, rights)
    return this.#group
  }

  #moveTo(group: WatchedGroup): void {
    this.#hold(group)
    this.#leave()
    this.#group = group
    if (this.#token !== undefined) this.#resume(this.#token, group)
    this.#token = undefined
  }

  /** Keeps in mind what was told under other rights, so that what has changed can be told. */
  #hold(next: WatchedGroup): void {
    const [before, version] = [this.#group, this.#version]
    const held = version === undefined ? this.#held : before?.state.membersAt(version)
    if (version === undefined && !held) return
    // Ids of another kind would name nothing that was told.
    const isAlike = before && showsKey(before.list) === showsKey(next.list)
    this.#held = isAlike ? held : undefined
    this.#version = undefined
    if (!this.#held) this.#reset = 'access'
  }

  #resume(text: string, group: WatchedGroup): void {
    const token = readToken(text, this.#signer)
    if (token?.group === group.id && group.state.since(token.version)) {
      this.#version = token.version
      this.#seed = token.seed
    } else this.#reset = 'token'
  }

  #leave(): void {
    if (this.#group) this.#feed.leave(this.#group, this)
    this.#group = undefined
  }

  #toldReset(reason: ResetReason): FeedMessage {
    this.#reset = undefined
    this.#version = undefined
    this.#held = undefined
    return { kind: 'reset', reason }
  }

  async #snapshot(group: WatchedGroup): Promise<FeedMessage | undefined> {
    if (group.isStale || !group.listed) await this.#unlessOver(this.#feed.listed(group, true))
    const { listed } = group
    if (!this.#mayTell(group) || !listed) return undefined
    if (this.#held) return this.#exchanged(this.#held, listed, group)
    const { all, items } = shownIn(listed, group)
    return this.#tell(group, listed.version, items, (token) => ({
      kind: 'snapshot',
      items,
      ...(!listed.state.groups && { ids: all.map((item) => this.#id(item, group)) }),
      token,
    }))
  }

  /** Tells what has changed by other rights. */
  async #exchanged(
    held: HeldItems,
    { state, version }: Listed,
    group: WatchedGroup,
  ): Promise<FeedMessage | undefined> {
    const news = newsAfter(held, state.items, group.watched.membership)
    if (state.groups || sizeOf(news) > this.#feed.mostPending) return this.#toldReset('access')
    if (isNews(news)) return this.#newsMessage(group, news, version)
    this.#version = version
    this.#held = undefined
    return undefined
  }

  #newsMessage(group: WatchedGroup, news: News, version: number): Promise<FeedMessage | undefined> {
    return this.#tell(group, version, news.groups ?? news.set.map(({ item }) => item), (token) =>
      newsMessage(news, (one) => this.#id(one, group), token),
    )
  }

  /** Returns a message of a version once the hooks on reads were told; undefined if the rights have changed by then. */
  async #tell(
    group: WatchedGroup,
    version: number,
    items: readonly unknown[],
    messageOf: (token: string) => FeedMessage,
  ): Promise<FeedMessage | undefined> {
    if (this.#after) {
      const hooks = attempt(async () => this.#after?.(items), undefined, this.#feed.onError)
      await this.#unlessOver(hooks.then(() => this.caller.fresh(this.#feed.recheckMs)))
      if (!this.#mayTell(group)) return undefined
    }
    this.#version = version
    this.#held = undefined
    const token = writeToken({ group: group.id, version, seed: this.#seed }, this.#signer)
    return noteReading(messageOf(token), this, this.#feed.recheckMs)
  }

  get #signer(): TokenSigner {
    return { secret: this.#feed.secret, caller: this.#signedFor }
  }

  #id({ identity, key }: ToldKey, { list }: WatchedGroup): string {
    const { secret } = this.#feed
    if (key === undefined) return rowId(secret, this.#seed, identity)
    return showsKey(list) ? shownId(key) : hiddenId(secret, this.#seed, identity)
  }

  /** Waits until it is woken, or its rights are over. */
  async #somethingHappens({ engine }: Rights): Promise<void> {
    if (this.#isOver || this.#group?.isStale || this.#reset !== undefined || !this.caller.isCertain) return
    const end = engine.scope?.expiresAt
    const forget = end === undefined ? undefined : later(end - Number(engine.clock()) + 1, () => this.wake())
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    forget?.()
  }

  /** Returns what is waited for; undefined if the subscription is over before. It waits for one thing at a time. */
  #unlessOver<Result>(work: Promise<Result>): Promise<Result | undefined> {
    return new Promise((resolve, reject) => {
      this.#giveUp = () => resolve(undefined)
      work.then(resolve, reject)
    })
  }
}
