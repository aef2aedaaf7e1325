import type { Access } from '../access/access.ts'
import { type Engine, internalsOf } from '../engine/engine.ts'
import { checkOptions, optionNames } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import { milliseconds } from '../execution/database.ts'
import type { Schema } from '../schema/model.ts'
import { FeedCore } from './feed/feed.ts'
import type { CallerRights, GivenAccess } from './feed/feed-caller.ts'
import type { FeedOptions } from './feed/feed-options.ts'
import type { FeedStatus } from './feed/feed-status.ts'

/** The key under which a feed holds what only Quernel uses. A copy of the package in another module format finds it, too. */
const feedInternals: unique symbol = Symbol.for('quernel.feed')

/** Keeps lists up to date: sends their subscribers what changes in them. */
export interface Feed<S extends Schema = Schema> {
  /** Narrows the feed to one caller. A function is asked for the access again every `recheckMs`, and at its `expiresAt`; null means that the caller
   *  may see nothing any more.
   *  @example const feed = createFeed(engine, { source: localSource() })
   *  const mine = feed.as({ user: 2, rules: { tags: { read: true } } })
   *  const { value: message } = await watchItems(mine, 'tags', { fields: ['name'], limit: 1 }).next()
   *  message?.kind === 'snapshot' && message.items // → [{ name: 'hot' }]
   *  await feed.stop() */
  as(access: Access<S> | (() => Access<S> | null | Promise<Access<S> | null>)): FeedCaller<S>
  /** Loads the access of callers again at once: of all of them, or of those whose last known access meets a condition. */
  recheck(concerns?: (access: Access<S>) => boolean): Promise<void>
  /** Restarts all subscriptions to lists that depend on a collection, or to any list: for changes that the source cannot report. */
  reset(collection?: string): void
  /** Returns what the feed is doing. */
  status(): FeedStatus
  /** Ends all subscriptions. */
  stop(options?: FeedStopOptions): Promise<void>
  readonly [feedInternals]: FeedCore
}

/** Options of `feed.stop`. */
export interface FeedStopOptions {
  /** Milliseconds in which reads that have begun may end. By default 5,000. */
  readonly drainMs?: number
}

/** A feed narrowed to one caller. */
export interface FeedCaller<S extends Schema = Schema> {
  readonly schema: S
  readonly [feedInternals]: { readonly feed: FeedCore; readonly rights: CallerRights }
}

const stopOptions = optionNames<FeedStopOptions>({ drainMs: milliseconds })

/** Creates a feed over an engine, which receives changes from a source.
 *  @example const feed = createFeed(engine, { source: localSource() })
 *  feed.status().subscriptions // → 0
 *  await feed.stop() */
export function createFeed<S extends Schema>(engine: Engine<S>, options: FeedOptions): Feed<S> {
  if (internalsOf(engine).scope) throw narrowed()
  if (internalsOf(engine).unit) throw inTransaction()
  if (options === undefined)
    throw fault('INVALID_OPTIONS', 'A feed needs a source of changes.', {
      hint: 'Write createFeed(engine, { source: localSource() }).',
    })
  // The type of the schema is for the compiler only.
  const feed = new FeedCore(engine as unknown as Engine, options)
  return Object.freeze<Feed<S>>({
    [feedInternals]: feed,
    as: (access) =>
      Object.freeze({
        schema: engine.schema,
        [feedInternals]: { feed, rights: feed.callerOf(access as GivenAccess) },
      }),
    // Each access is what the host has given, which its own types describe.
    recheck: (concerns = () => true) => feed.recheck((access) => concerns(access as unknown as Access<S>)),
    reset: (collection) => feed.reset(collection),
    status: () => feed.status(),
    stop: (stopping = {}) => {
      checkOptions(stopping, stopOptions)
      return feed.stop(stopping.drainMs ?? 5_000)
    },
  })
}

/** Returns a feed whose schema is known when it runs only: what a host has given is described by its own types. */
export const anyFeed = <S extends Schema>(feed: Feed<S>): Feed => feed as unknown as Feed

/** Returns what Quernel itself uses of a feed. */
export function coreOf(feed: Feed): FeedCore {
  const found = Object(feed)[feedInternals] as FeedCore | ReturnType<typeof callerOf> | undefined // only feeds have this symbol
  if (found && !('rights' in found)) return found
  throw fault('INVALID_OPTIONS', `A feed is made by createFeed, and is not ${quote(feed)}.`, {
    hint: found ? 'Give the feed itself: who asks is known by "authenticate".' : undefined,
  })
}

/** Returns what Quernel itself uses of a feed that is narrowed to a caller. */
export function callerOf(mine: FeedCaller): { readonly feed: FeedCore; readonly rights: CallerRights } {
  const found = Object(mine)[feedInternals] as ReturnType<typeof callerOf> | FeedCore | undefined // only feeds have this symbol
  if (found && 'rights' in found) return found
  throw fault('INVALID_OPTIONS', `A caller of a feed is made by feed.as, and is not ${quote(mine)}.`, {
    hint: found
      ? 'Use feed.as({ admin: true }) for all that there is.'
      : 'Write feed.as(access), with a feed that createFeed(engine, { source: localSource() }) has made.',
  })
}

const narrowed = () =>
  fault('INVALID_OPTIONS', 'A feed is made of the engine itself, and not of one of its callers.', {
    hint: 'Use feed.as(access) for each caller.',
  })

const inTransaction = () =>
  fault('INVALID_OPTIONS', 'A feed outlives a transaction, and is made of an engine outside of it.')
