// The caller behind a socket: authenticated by its last token, again and again.

import type { Access } from '../../access/access.ts'
import { isEngineError } from '../../errors/errors.ts'
import { callerOf, coreOf, type Feed, type FeedCaller } from '../create-feed.ts'
import { type CallerRights, isExpired, isOver, type Rights } from '../feed/feed-caller.ts'
import { later } from '../timers.ts'
import type { SocketSettings } from './socket-settings.ts'

export type Named = 'authenticated' | 'refused' | 'expired'

export class SocketCaller {
  readonly mine: FeedCaller
  readonly rights: CallerRights
  readonly #feed: Feed
  readonly #authenticate: SocketSettings['authenticate']
  /** The request of the upgrade, as it may be shown. */
  readonly request: Request
  /** Undefined until the socket has said who it is, where it has to. */
  #token: string | null | undefined
  /** The access that was just returned. */
  #known: Access | undefined

  constructor(
    feed: Feed,
    { authenticate, mode }: Pick<SocketSettings, 'authenticate' | 'mode'>,
    { request, token, access }: NamedRequest,
  ) {
    this.#feed = feed
    this.#authenticate = authenticate
    this.request = request
    // A cookie or header of the upgrade authenticates nothing in the mode "handshake".
    this.#token = mode === 'handshake' ? undefined : token
    this.#known = access
    this.mine = feed.as(() => this.#ask())
    this.rights = callerOf(this.mine).rights
  }

  /** Aborted once the feed is stopped. */
  get stopping(): AbortSignal {
    return coreOf(this.#feed).stopping
  }

  /** Authenticates by a token; an invalid one changes nothing. */
  async become(token: string | null): Promise<Named> {
    const core = coreOf(this.#feed)
    const other = core.callerOf(() => this.#authenticate(token, this.request))
    const found = await namedBy(other)
    if (typeof found === 'string') return found
    this.#token = token
    this.#known = found.access
    this.rights.doubt()
    const own = await namedBy(this.rights)
    core.wake(this.rights)
    return typeof own === 'string' ? own : 'authenticated'
  }

  async #ask(): Promise<Access | null> {
    const known = this.#known
    this.#known = undefined
    if (known || this.#token === undefined) return known ?? null
    return this.#authenticate(this.#token, this.request)
  }
}

/** A request of an upgrade, its token, and its access if it was asked for already. */
export interface NamedRequest {
  readonly request: Request
  readonly token: string | null
  readonly access: Access | undefined
}

/** Calls back when the access of a caller ends. Returns a function that prevents it; undefined if it has no end. */
export function atEnd({ current }: CallerRights, work: () => void): (() => void) | undefined {
  const end = current?.engine.scope?.expiresAt
  if (!current || end === undefined) return undefined
  return later(Math.max(1, end - Number(current.engine.clock()) + 1), work)
}

/** Milliseconds in which a socket says who it is. */
export const maxUnnamedMs = 10_000

export async function namedBy(rights: CallerRights): Promise<Rights | Exclude<Named, 'authenticated'>> {
  try {
    return await rights.fresh(0)
  } catch (error) {
    if (isExpired(error)) return 'expired'
    // After its end it is no wonder that there is no access any more.
    if (isEngineError(error) && error.code === 'FORBIDDEN')
      return rights.current && isOver(rights.current) ? 'expired' : 'refused'
    throw error
  }
}
