// Upgrades: which of them may become a socket.

import type { Access } from '../../access/access.ts'
import { plainFault } from '../../errors/code-texts.ts'
import { fault } from '../../errors/errors.ts'
import { bearerOf } from '../../http/authenticate.ts'
import { hostOf, isAt, isHost, schemeOf } from '../../http/origins.ts'
import { memoFor } from '../../values/memo.ts'
import { withinTime } from '../feed/feed-caller.ts'
import type { NamedRequest } from './socket-caller.ts'
import type { SocketSettings } from './socket-settings.ts'
import { toResponse } from './upgrades.ts'

/** A request of an upgrade as it may be shown, and who it is by its token. */
export class Admissions {
  readonly #settings: SocketSettings
  readonly #stopping: AbortSignal
  /** Number of upgrades of which the host is being asked who they are. */
  #asking = 0
  /** Requests without the token in their URL. */
  readonly #shown = new WeakMap<Request, ShownRequest>()
  /** Requests that may go on. */
  readonly #admitted = new WeakSet<Request>()
  /** Access of those that were asked for it. */
  readonly #access = new WeakMap<Request, Access>()

  /** `stopping`: aborted when the feed ends. */
  constructor(settings: SocketSettings, stopping: AbortSignal) {
    this.#settings = settings
    this.#stopping = stopping
  }

  /** Number of upgrades that wait for the host. They count as sockets: else a slow host would hold any number of them. */
  get asking(): number {
    return this.#asking
  }

  /** Returns the response that refuses an upgrade; undefined if it may go on. */
  async admit(received: Request, isFull: boolean): Promise<Response | undefined> {
    if (isFull) return toResponse(plainFault('SERVICE_UNAVAILABLE', { hint: 'Try again later.' }))
    try {
      refuseForeign(received, this.#settings)
      await this.#name(received)
      this.#admitted.add(received)
      return undefined
    } catch (error) {
      const response = toResponse(error)
      // A host that does not answer in time is not the client's mistake either.
      if (response.status >= 500) this.#settings.onError(error)
      return response
    }
  }

  /** Checks a request that was not checked before; undefined for any other. */
  admitLate(received: Request): Promise<Response | undefined> | undefined {
    return this.#admitted.has(received) ? undefined : this.admit(received, false)
  }

  /** Returns a request as it may be shown, with what is known of it. */
  named(received: Request): NamedRequest {
    return { ...this.#shownOf(received), access: this.#access.get(received) }
  }

  /** Asks who it is, unless its first message says it. */
  async #name(received: Request): Promise<void> {
    const { mode, authenticate } = this.#settings
    if (mode === 'handshake') return
    const { request, token } = this.#shownOf(received)
    const showsNothing = token === null && received.headers.get('cookie') === null
    if (mode === 'strict' && showsNothing) throw plainFault('INVALID_CREDENTIALS')
    this.#asking += 1
    try {
      const access = await withinTime(async () => authenticate(token, request), this.#stopping)
      if (!access) throw plainFault('INVALID_CREDENTIALS')
      this.#access.set(received, access)
    } finally {
      this.#asking -= 1
    }
  }

  #shownOf(received: Request): ShownRequest {
    return memoFor(this.#shown, received, () => {
      const { request, token } = withoutToken(received)
      const ofUrl = this.#settings.urlTokens ? token : null
      return { request, token: bearerOf(received.headers.get('authorization')) ?? ofUrl }
    })
  }
}

interface ShownRequest {
  readonly request: Request
  readonly token: string | null
}

/** Takes the token out of the URL of a request, so that no log shows it. */
function withoutToken(request: Request): ShownRequest {
  const url = new URL(request.url)
  const token = url.searchParams.get('access_token')
  if (token === null) return { request, token }
  url.searchParams.delete('access_token')
  return { request: new Request(url, { headers: request.headers }), token }
}

/** Refuses a page of another origin, whose user has cookies here. A client without an origin is not a browser. */
function refuseForeign(
  { headers, url }: Request,
  { origins, trustProxy }: Pick<SocketSettings, 'origins' | 'trustProxy'>,
): void {
  const host = hostOf(headers.get('host'), url)
  if (!isHost(host)) throw fault('INVALID_PAYLOAD', 'The header "Host" of a socket is a host, and its port.')
  const origin = headers.get('origin')
  if (origin === null || origins.includes('*') || origins.includes(origin)) return
  const forwarded = trustProxy
    ? /^\s*(https?)\s*(?:,|$)/i.exec(headers.get('x-forwarded-proto') ?? '')?.[1]
    : undefined
  const scheme =
    forwarded === undefined ? schemeOf(url) : forwarded.toLowerCase() === 'https' ? 'https' : 'http'
  if (isAt(origin, host, scheme)) return
  throw fault('FORBIDDEN', 'A page of another origin opens no socket here.', {
    hint: 'Let the host name the origin in "origins".',
  })
}
