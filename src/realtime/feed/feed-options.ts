import { anything, callback, checkOptions, type OptionKind, optionNames } from '../../errors/check-options.ts'
import { fault, quote } from '../../errors/errors.ts'
import { milliseconds } from '../../execution/database.ts'
import { isRecord } from '../../values/guards.ts'
import type { Source } from './source.ts'

/** Options of a feed. */
export interface FeedOptions {
  /** The source from which the feed receives changes: `localSource()` for those of this engine in this process, or a source of your own. */
  readonly source: Source
  /** Milliseconds for which changes are gathered before a list is read again. By default 10. */
  readonly settleMs?: number
  /** Milliseconds after which a function that returns an access is called again. By default 60,000. */
  readonly recheckMs?: number
  /** Milliseconds for which a list without readers is kept, so that a subscriber may come back with its token. By default 120,000. */
  readonly graceMs?: number
  /** Maximum number of reads that begin in a second; one reads several lists that differ in their values alone. By default 2,000. */
  readonly relist?: { readonly perSecond?: number }
  /** The collections that a view reads, by the collection that is the view: `{ active_users: ['users'] }`. */
  readonly views?: Readonly<Record<string, readonly string[]>>
  /** Limits of the feed. */
  readonly limits?: FeedLimits
  /** Called with errors of the source and of reads, and with what the feed cannot see. By default that of the engine. */
  readonly onError?: (error: unknown) => unknown
}

/** Limits of a feed. */
export interface FeedLimits {
  /** Changes that a subscriber may be behind. By default 1,000. */
  readonly pending?: number
  /** Subscriptions at a time. By default 100,000. */
  readonly subscriptions?: number
  /** Subscriptions of a user at a time, over sockets and as server-sent events. By default 1,000. */
  readonly perUser?: number
  /** Maximum number of lists without readers that are kept. By default 10,000. */
  readonly idle?: number
  /** Bytes of memory that all lists take, about, including those without readers, and messages on their way. By default 192 MiB. */
  readonly bytes?: number
  /** Bytes of memory that the lists of one user take, or of all callers without one together, and messages on their way to them. A list of which
   *  half as much is read at once is refused. By default 64 MiB. */
  readonly callerBytes?: number
  /** Bytes that all connections together have not taken, however little each: beyond, those are ended first that have taken nothing for the
   *  longest. By default 256 MiB, or as much as `bytes` where that is more. */
  readonly unreadBytes?: number
}

/** The key under which tests leave out shortcuts, so that lists with and without them can be compared. */
export const withoutShortcuts: unique symbol = Symbol('without shortcuts')

export const count: OptionKind = {
  says: 'is a number of 1 or more',
  holds: (input) => typeof input === 'number' && input >= 1,
}
export const record: OptionKind = { says: 'is an object', holds: isRecord }

const feedOptions = optionNames<FeedOptions>({
  source: anything,
  settleMs: milliseconds,
  recheckMs: milliseconds,
  graceMs: milliseconds,
  relist: record,
  views: record,
  limits: record,
  onError: callback,
})
const relistOptions = optionNames<NonNullable<FeedOptions['relist']>>({ perSecond: count })

/** The options with their defaults. */
export interface FeedSettings extends Required<Omit<FeedOptions, 'limits' | 'relist' | 'onError'>> {
  readonly limits: Required<FeedLimits>
  readonly perSecond: number
  /** False if every change of a collection lets every list be read again that depends on it. */
  readonly hasShortcuts: boolean
}

/** So that what is kept, and what is being read, fit into the memory that Node takes on a machine of 2 GB. */
const mebibyte = 2 ** 20

/** Checks limits, and returns them with those that hold where none is given. */
export function limitsOf<Limits extends object>(
  limits: Limits | undefined,
  usual: Required<Limits>,
): Required<Limits> {
  checkOptions(limits ?? {}, new Map(Object.keys(usual).map((name) => [name, count])), ['limits'])
  const found = Object.entries(usual).map(([name, most]) => [name, Reflect.get(limits ?? {}, name) ?? most])
  return Object.fromEntries(found) as Required<Limits> // an entry for each name
}

export function feedSettings(options: FeedOptions): FeedSettings {
  checkOptions(options, feedOptions)
  const limits = limitsOf<FeedLimits>(options.limits, {
    pending: 1_000,
    subscriptions: 100_000,
    perUser: 1_000,
    idle: 10_000,
    bytes: 192 * mebibyte,
    callerBytes: 64 * mebibyte,
    unreadBytes: Math.max(256 * mebibyte, options.limits?.bytes ?? 0),
  })
  checkOptions(options.relist ?? {}, relistOptions, ['relist'])
  if (typeof Reflect.get(Object(options.source), 'read') !== 'function') throw noSource(options.source)
  for (const [view, names] of Object.entries(options.views ?? {}))
    if (!Array.isArray(names)) throw noNames(view, names)
  return {
    source: options.source,
    settleMs: options.settleMs ?? 10,
    recheckMs: options.recheckMs ?? 60_000,
    graceMs: options.graceMs ?? 120_000,
    perSecond: options.relist?.perSecond ?? 2_000,
    views: withAllBehind(options.views ?? {}),
    hasShortcuts: Reflect.get(options, withoutShortcuts) !== true,
    limits,
  }
}

/** Returns the collections behind each view, and those behind the views among them. */
function withAllBehind(views: NonNullable<FeedOptions['views']>): FeedSettings['views'] {
  const behind = (view: string) => {
    const found = new Set(views[view])
    for (const name of found) for (const further of views[name] ?? []) found.add(further)
    return [...found]
  }
  return Object.fromEntries(Object.keys(views).map((view) => [view, behind(view)]))
}

const noNames = (view: string, names: unknown) =>
  fault('INVALID_OPTIONS', `The collections that a view reads are a list of names, not ${quote(names)}.`, {
    path: ['views', view],
  })

const noSource = (source: unknown) =>
  fault('INVALID_OPTIONS', `A feed needs a "source" of changes, not ${quote(source)}.`, {
    path: ['source'],
    hint: 'Give localSource() if this engine alone writes, or a source of your own.',
  })
