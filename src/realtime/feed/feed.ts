// A feed: receives changes, and keeps the lists that are watched.

import { randomBytes } from 'node:crypto'
import type { Access } from '../../access/access.ts'
import { type Engine, type EngineInternals, internalsOf } from '../../engine/engine.ts'
import { fault, type Path, quote } from '../../errors/errors.ts'
import { reporter } from '../../execution/report-errors.ts'
import type { Schema } from '../../schema/model.ts'
import { KeptBytes } from '../bytes/kept-bytes.ts'
import { UnsentBytes } from '../bytes/unsent-bytes.ts'
import { GroupRegistry } from '../group/group-registry.ts'
import { Listings } from '../listing/list-again.ts'
import { PassingTime } from '../listing/look-again.ts'
import { Relevances } from '../relevance/relevance-of.ts'
import { HeardChanges, resetAll } from '../relevance/source-changes.ts'
import { WrittenRows } from '../relevance/written-rows.ts'
import { Subscription } from '../subscription/subscription.ts'
import { Turns, turn, within } from '../timers.ts'
import type { WatchedQuery } from '../watched-query.ts'
import { CallersOfFeed, UserSubscriptions } from './callers-of-feed.ts'
import { CallerRights, checkGiven, type GivenAccess, type SubscribedFeed } from './feed-caller.ts'
import { type FeedOptions, type FeedSettings, feedSettings } from './feed-options.ts'
import { biggestOf, type FeedStatus } from './feed-status.ts'
import { FollowedSource } from './follow-source.ts'
import { UnseenChanges } from './unseen-changes.ts'

/** A feed of an engine. */
export class FeedCore {
  readonly engine: EngineInternals
  readonly settings: FeedSettings
  /** The engine as the host has given it. */
  readonly host: Engine
  readonly users: UserSubscriptions
  readonly unsent: UnsentBytes
  /** The schema with the engine's own collections. */
  readonly #schema: Schema
  readonly #groups: GroupRegistry
  readonly #listings: Listings
  readonly #written: WrittenRows
  readonly #source: FollowedSource
  readonly #heard: HeardChanges
  readonly #unseen: UnseenChanges
  readonly #time: PassingTime
  readonly #over = new AbortController()
  readonly #callers: CallersOfFeed
  /** Receives errors that are not the caller's. */
  readonly onError: (error: unknown) => void
  readonly #subscribed: SubscribedFeed

  constructor(engine: Engine, options: FeedOptions) {
    this.settings = feedSettings(options)
    this.host = engine
    this.engine = internalsOf(engine)
    this.#schema = this.engine.withOwn().schema
    for (const [view, collections] of Object.entries(this.settings.views))
      for (const name of [view, ...collections]) this.#requireCollection(name, ['views', view])
    const { onError = (error) => this.engine.onError(error, undefined) } = options
    this.onError = reporter(onError)
    const { settleMs, perSecond, source, recheckMs, limits } = this.settings
    this.users = new UserSubscriptions(limits.perUser)
    const kept = new KeptBytes<object>()
    this.unsent = new UnsentBytes(kept, limits)
    this.#groups = new GroupRegistry(this.settings, kept)
    this.#callers = new CallersOfFeed(recheckMs)
    const relevances = new Relevances(this.engine.withOwn(), this.#schema)
    this.#written = new WrittenRows({
      engine: this.engine.withOwn().fresh(),
      gatherMs: settleMs / 2,
      collectionOf: (name) => this.#schema.collections.get(name),
      groupsOf: (name) => this.#groups.of(name),
      reading: () => this.#listings.reading,
      onError: this.onError,
    })
    this.#listings = new Listings({
      settleMs,
      perSecond,
      // A list of which more is read at once is refused: together they fit into what lists may take.
      maxAtOnce: Math.floor(limits.bytes / (limits.callerBytes / 2)),
      onError: this.onError,
      hasShortcuts: this.settings.hasShortcuts,
      onDependence: async (group, dependence) => {
        const { touches, isEntangled } = dependence
        group.isEntangled = isEntangled
        this.#groups.touch(group, touches, await relevances.of(group, dependence))
        await this.#unseen.check(touches.keys())
      },
      onTaken: (group) => this.#groups.count(group),
    })
    this.#unseen = new UnseenChanges(this.engine, this.settings, this.onError)
    this.#heard = new HeardChanges({
      groups: this.#groups,
      written: this.#written,
      unseen: this.#unseen,
      hasShortcuts: this.settings.hasShortcuts,
      knows: (name) => this.#schema.collections.has(name),
      onError: this.onError,
    })
    // Accesses may have ended by the new time, though their timers are still running.
    this.#time = new PassingTime(this.engine.clock, () => this.#groups.all, {
      onJump: () => this.#callers.wakeAll(),
      onError: this.onError,
    })
    const context = {
      engine,
      wants: (_event: unknown, collection: string) => this.#wanted(collection),
      signal: this.#over.signal,
      onError: this.onError,
    }
    this.#source = new FollowedSource(source, context, {
      changed: (batch) => this.#heard.take(batch),
      missed: () => resetAll('source', this.#groups.all),
      onError: this.onError,
    })
    const turns = new Turns(maxInTurn)
    this.#subscribed = {
      recheckMs,
      maxPending: limits.pending,
      secret: randomBytes(32).toString('base64url'),
      caughtUp: async () => {
        // The source has its turn: what was written just now is on its way.
        await turn()
        await this.#written.looked()
      },
      unsent: this.unsent,
      groupFor: (watched, rights) => this.#groups.find(watched, rights),
      join: (group, subscription, rights) => this.#groups.join(group, subscription, rights),
      listed: async (group, isSoon) => {
        await this.#source.heard()
        await this.#listings.listed(group, isSoon)
        await turns.take()
      },
      turns,
      leave: (group, subscription) => this.#groups.leave(group, subscription),
      onEnd: (subscription) => this.#callers.forget(subscription),
      onError: this.onError,
    }
    void this.#source.follow()
  }

  get recheckMs(): number {
    return this.settings.recheckMs
  }

  /** Aborted once the feed is stopped. */
  get stopping(): AbortSignal {
    return this.#over.signal
  }

  callerOf(input: GivenAccess): CallerRights {
    checkGiven(input)
    return new CallerRights(this.host, input, this.#over.signal)
  }

  subscribe(caller: CallerRights, watched: WatchedQuery, token: string | undefined): Subscription {
    if (this.stopping.aborted) throw stopped()
    if (this.#callers.subscriptions >= this.settings.limits.subscriptions) throw tooMany()
    const subscription = new Subscription(this.#subscribed, caller, watched, token)
    this.#callers.add(subscription)
    return subscription
  }

  /** How often it was asked again what callers may see. */
  get rechecks(): number {
    return this.#callers.rechecks
  }

  /** Asks again what callers may see. */
  async recheck(concerns: (access: Access) => boolean): Promise<void> {
    await this.#callers.recheck(concerns)
  }

  /** Lets the subscriptions of a caller look again at what it may see. */
  wake(caller: CallerRights): void {
    this.#callers.wake(caller)
  }

  reset(collection: string | undefined): void {
    if (collection !== undefined) this.#requireCollection(collection)
    resetAll('host', collection === undefined ? this.#groups.all : (this.#groups.of(collection)?.all ?? []))
  }

  status(): FeedStatus {
    const groups = this.#groups.all
    return {
      lag: Math.ceil(this.#source.lag),
      oldest: Math.ceil(Math.max(this.#listings.age, this.#written.age)),
      isReading: !this.#listings.isFailing,
      subscriptions: this.#callers.subscriptions,
      lists: this.#groups.all.size,
      items: this.#groups.items,
      bytes: this.#groups.bytes,
      // Many ask whether it is quiet, and few for more.
      get biggest() {
        return biggestOf(groups)
      },
      blind: this.#unseen.blind,
    }
  }

  async stop(drainMs: number): Promise<void> {
    this.#over.abort()
    this.#callers.end()
    this.#heard.stop()
    this.#time.stop()
    this.#groups.clear()
    await within(drainMs, Promise.all([this.#listings.stop(), this.#written.stop()]))
  }

  /** The fields whose old values show which lists depended on an item; false if no list does. */
  #wanted(collection: string): boolean | readonly string[] {
    const groups = this.#groups.of(collection)
    if (!groups) return false
    const fields = this.settings.hasShortcuts ? groups.oldFields : []
    return fields.length === 0 || fields.map(({ name }) => name)
  }

  #requireCollection(name: string, path?: Path): void {
    if (this.#schema.collections.has(name)) return
    throw fault('INVALID_OPTIONS', `There is no collection ${quote(name)}.`, path && { path })
  }
}

/** Subscriptions that look for news in a turn of the loop. */
const maxInTurn = 100

const stopped = () => fault('SERVICE_UNAVAILABLE', 'This feed was stopped.')
const tooMany = () =>
  fault('SERVICE_UNAVAILABLE', 'This feed has as many subscriptions as it may.', { hint: 'Try again later.' })
