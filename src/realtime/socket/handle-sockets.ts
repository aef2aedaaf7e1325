// The sockets of a handler, whatever they speak.

import type { Access } from '../../access/access.ts'
import { onAbort } from '../../errors/abort-signal.ts'
import { plainFault } from '../../errors/code-texts.ts'
import { fault } from '../../errors/errors.ts'
import { bearerOf } from '../../http/authenticate.ts'
import { hostOf, isAt, isHost, schemeOf } from '../../http/origins.ts'
import { memoFor } from '../../values/memo.ts'
import { Unsent } from '../bytes/unsent-bytes.ts'
import { coreOf, type Feed } from '../create-feed.ts'
import { withinTime } from '../feed/feed-caller.ts'
import { Outbox } from './outbox.ts'
import { MessageBucket } from './read-message.ts'
import { type NamedRequest, SocketCaller } from './socket-caller.ts'
import type { OpenSocket, SocketConnection, SocketHandler } from './socket-handler.ts'
import type { SocketSettings } from './socket-settings.ts'
import { toResponse } from './upgrades.ts'

export interface Session extends OpenSocket {
  /** Begins: waits until it is said who it is, or asks by the request. */
  begin(): void
  close(code: number, reason: string): void
}

export interface SocketRoom {
  readonly feed: Feed
  readonly settings: SocketSettings
  readonly admissions: Admissions
  /** Called when a socket has said who it is. */
  readonly onNamed: (session: Session) => void
  readonly onClosed: (session: Session) => void
}

/** Opens the parts that a socket has in any protocol. `close`: ends it, with a code and a reason. */
export function openParts(
  { settings, feed, admissions }: SocketRoom,
  connection: SocketConnection,
  close: Session['close'],
) {
  const { limits, onError } = settings
  const caller = new SocketCaller(feed, settings, admissions.named(connection.request))
  const { rights } = caller
  rights.breakOff = (isAtOnce) => {
    close(1013, 'This socket takes nothing.')
    if (isAtOnce) connection.terminate?.()
  }
  const outbox = new Outbox(connection, new Unsent(coreOf(feed).unsent, rights), (error) => {
    onError(error)
    close(1011, 'This socket has failed.')
  })
  return { caller, outbox, bucket: new MessageBucket(limits.messages, limits.messagesPerSecond) }
}

/** Words in which sockets speak. */
interface SocketProtocol {
  /** Name that clients ask for. Absent = they ask for none. */
  readonly name?: string
  readonly sessionOf: (room: SocketRoom, connection: SocketConnection) => Session
}

export function handleSockets(
  feed: Feed,
  settings: SocketSettings,
  { name, sessionOf }: SocketProtocol,
): SocketHandler {
  const { stopping } = coreOf(feed)
  const { limits } = settings
  const admissions = new Admissions(settings, stopping)
  const sessions = new Set<Session>()
  const unnamed = new Set<Session>()
  const room: SocketRoom = {
    ...{ feed, settings, admissions },
    onNamed: (session) => void unnamed.delete(session),
    onClosed: (session) => {
      sessions.delete(session)
      unnamed.delete(session)
    },
  }
  const isFull = (asking: number): boolean =>
    stopping.aborted || sessions.size + asking >= limits.sockets || unnamed.size + asking >= limits.unnamed
  onAbort(stopping, () => {
    for (const session of [...sessions]) session.close(1001, 'The service is shutting down.')
  })
  const open = (connection: SocketConnection): OpenSocket => {
    const session = sessionOf(room, connection)
    if (isFull(0)) {
      session.close(1013, 'There are as many sockets as may be.')
      return session
    }
    sessions.add(session)
    unnamed.add(session)
    session.begin()
    return session
  }
  return Object.freeze<SocketHandler>({
    admit: (request) => admissions.admit(request, isFull(admissions.asking)),
    open,
    messageBytes: limits.messageBytes,
    ...(name !== undefined && { protocol: name }),
    onError: settings.onError,
    status: () => ({ sockets: sessions.size, unnamed: unnamed.size }),
  })
}

/** A request of an upgrade as it may be shown, and who it is by its token. */
class Admissions {
  readonly #settings: SocketSettings
  readonly #stopping: AbortSignal
  /** Number of upgrades of which the host is being asked who they are. */
  #asking = 0
  /** Requests without the token in their URL. */
  readonly #shown = new WeakMap<Request, ShownRequest>()
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
