// The name of a socket: whether it has said who it is, and what happens when that is over.

import { isExpired } from '../feed/feed-caller.ts'
import { later } from '../timers.ts'
import {
  authFailed,
  authTimeout,
  errorFrame,
  frame,
  handshakeFailed,
  tokenExpired,
  type Uid,
} from './frames.ts'
import type { SocketMessage } from './read-message.ts'
import { atEnd, maxUnnamedMs, type Named, namedBy, type SocketCaller } from './socket-caller.ts'
import { type Credentials, credentialTexts, tokenIn } from './socket-credentials.ts'
import type { SocketSettings } from './socket-settings.ts'

/** The part of a socket that its name needs: it is called when it has one, and when that is lost. */
interface NameContext {
  readonly send: (text: string) => void
  readonly closeAfter: (text: string, code: number, reason: string) => void
  readonly onNamed: () => void
}

export class SocketName {
  readonly #settings: SocketSettings
  readonly #caller: SocketCaller
  readonly #context: NameContext
  #state: 'unnamed' | 'named' | 'expired' = 'unnamed'
  /** Resolves when it is known who the request is of. */
  #known: Promise<void> | undefined
  #stopTimer: (() => void) | undefined
  #isOver = false

  constructor(settings: SocketSettings, caller: SocketCaller, context: NameContext) {
    this.#settings = settings
    this.#caller = caller
    this.#context = context
  }

  /** State of the name: not said yet, said, or to be said again. */
  get state(): 'unnamed' | 'named' | 'expired' {
    return this.#state
  }

  get known(): Promise<void> | undefined {
    return this.#known
  }

  /** Begins. `admission`: the response that refuses the request, if it was not checked before whether it may be a socket. */
  begin(admission: Promise<Response | undefined> | undefined): void {
    if (this.#settings.mode === 'handshake') {
      this.#stopTimer = later(maxUnnamedMs, () => this.failHandshake(undefined))
      this.#known = admission?.then((refusal) => refusal && this.#fail())
    } else this.#known = this.#nameByRequest(admission)
  }

  end(): void {
    this.#isOver = true
    this.#stopTimer?.()
  }

  failHandshake(uid: Uid | undefined): void {
    this.#context.closeAfter(
      errorFrame('auth', handshakeFailed, uid),
      1008,
      'The socket was not authenticated.',
    )
  }

  /** Answers a message that says who it is. If that cannot be known, the socket is closed. */
  async authenticate({ uid, members }: SocketMessage): Promise<string | undefined> {
    try {
      const { named, refresh_token } = await this.#become(credentialTexts(members))
      if (named !== 'authenticated') return await this.#refuse(named, uid)
      this.#context.send(frame({ type: 'auth', status: 'ok', refresh_token, uid }))
      this.#take()
    } catch (error) {
      this.#failUnknown(error, uid)
    }
    return undefined
  }

  async #become(
    credentials: Credentials,
  ): Promise<{ readonly named: Named; readonly refresh_token?: string | undefined }> {
    try {
      const found = await tokenIn(credentials, this.#settings, this.#caller.request)
      if (!found) return { named: 'refused' }
      return { named: await this.#caller.become(found.token), refresh_token: found.refresh_token }
    } catch (error) {
      if (isExpired(error)) return { named: 'expired' }
      throw error
    }
  }

  /** Checks whether the caller is still authenticated. If that cannot be known, the socket is closed. */
  async look(): Promise<boolean> {
    if (this.#state !== 'named') return false
    try {
      const found = await namedBy(this.#caller.rights)
      // Another has looked meanwhile.
      if (this.#isOver || this.#state !== 'named') return false
      if (typeof found === 'string') this.#lose(found)
      else this.#planEnd()
      return typeof found !== 'string'
    } catch (error) {
      this.#failUnknown(error)
      return false
    }
  }

  async #nameByRequest(admission: Promise<Response | undefined> | undefined): Promise<void> {
    try {
      const found = (await admission) ? 'refused' : await namedBy(this.#caller.rights)
      if (typeof found === 'string') this.#fail()
      else this.#take()
    } catch (error) {
      this.#failUnknown(error)
    }
  }

  /** Refuses a token. One that is over may be replaced by another, until the time for that is over, too. */
  async #refuse(named: Named, uid: Uid | undefined): Promise<string | undefined> {
    const { mode } = this.#settings
    if (named === 'refused' && this.#isUnnamed && mode === 'handshake') {
      this.failHandshake(uid)
      return undefined
    }
    const text = errorFrame('auth', named === 'expired' ? tokenExpired : authFailed, uid)
    // Where no token is needed, the socket continues without one.
    if (mode === 'public' && (await this.#caller.become(null)) === 'authenticated') {
      this.#take()
      return text
    }
    if (named === 'expired') {
      if (this.#isUnnamed) this.#state = 'expired'
      return text
    }
    this.#context.closeAfter(text, 1008, authFailed.message)
    return undefined
  }

  get #isUnnamed(): boolean {
    return this.#state === 'unnamed'
  }

  #take(): void {
    if (this.#isOver) return
    this.#state = 'named'
    this.#planEnd()
    this.#context.onNamed()
  }

  #lose(named: Exclude<Named, 'authenticated'>): void {
    if (named === 'refused') {
      this.#fail()
      return
    }
    this.#state = 'expired'
    this.#context.send(errorFrame('auth', tokenExpired, undefined))
    this.#stopTimer?.()
    if (this.#settings.mode === 'public') return
    const text = errorFrame('auth', authTimeout, undefined)
    this.#stopTimer = later(maxExpiredMs, () => this.#context.closeAfter(text, 1008, authTimeout.message))
  }

  #fail(): void {
    this.#context.closeAfter(errorFrame('auth', authFailed, undefined), 1008, authFailed.message)
  }

  /** Closes a socket whose caller cannot be authenticated now. A feed that stops authenticates no callers, which is no error. */
  #failUnknown(error: unknown, uid?: Uid): void {
    if (!this.#caller.stopping.aborted) this.#settings.onError(error)
    if (!this.#isOver)
      this.#context.closeAfter(errorFrame('auth', unavailable, uid), 1013, unavailable.message)
  }

  /** Looks again when the access ends. */
  #planEnd(): void {
    this.#stopTimer?.()
    this.#stopTimer = atEnd(this.#caller.rights, () => void this.look())
  }
}

/** Milliseconds in which it says so again. */
const maxExpiredMs = 30_000

const unavailable = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'It is not known now what this caller may see.',
}
