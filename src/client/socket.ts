// Lists over one socket. It is loaded when it is used, and imports nothing but types, so that bundlers make a file of its own of it.

import type { FeedMessage } from '../realtime/messages.ts'
import type { ApiConnection } from './connect.ts'
import type { LiveSocket, WatchedList } from './live-types.ts'
import type { TokenSource } from './token.ts'

interface WebSocketParts {
  onopen: (() => void) | null
  onmessage: ((event: { readonly data: unknown }) => void) | null
  onclose: (() => void) | null
  onerror: (() => void) | null
  send(text: string): void
  close(): void
}

/** A message of the server. Other members are those of a message of a feed. */
interface ServerFrame {
  readonly type?: string
  readonly status?: string
  readonly uid?: string
  readonly event?: string
  readonly data?: unknown
  readonly token?: string
}

/** Milliseconds between two signs of life that are asked for, and how many of them a socket may fail to give. A tab that sleeps asks less often. */
const pingMs = 15_000
const maxUnanswered = 2

/** Milliseconds within which a token is renewed once, and after which a socket without a list ends. */
const [renewMs, unusedMs] = [5_000, 2_000]

/** Frames of a list that wait for its reader. One that is further behind goes on by its token. */
const maxWaiting = 1_000

/** Returns the open socket of an API, which its lists share; undefined where there is none, or where it refuses the caller. */
export const socketOf = (
  there: ApiConnection,
  url: string,
  signal: AbortSignal,
): Promise<LiveSocket | undefined> => {
  there.opened ??= open(there, `${url.replace(/^http/, 'ws')}/websocket`).then((opened) => {
    if (!opened) there.opened = undefined
    return opened
  })
  // A list that has ended does not wait for it.
  return new Promise((resolve) => {
    const leave = () => resolve(undefined)
    signal.addEventListener('abort', leave)
    void there.opened?.then(resolve).finally(() => signal.removeEventListener('abort', leave))
  })
}

async function open(there: ApiConnection, url: string): Promise<LiveSocket | undefined> {
  const { WebSocket: global } = globalThis as { readonly WebSocket?: new (url: string) => object }
  const Socket = typeof there.socket === 'function' ? there.socket : global
  try {
    let own = there.token()
    for (let tries = 0; Socket && own && tries < 2; tries++) {
      const token = await own
      // The class is said to be one like that of browsers.
      const connected = new SharedSocket(new Socket(url) as WebSocketParts, there, own)
      if (await connected.opens(token)) return connected
      own = connected.isRefused ? there.token(own) : undefined
    }
  } catch {
    // A page may forbid it, and a token that cannot be had is the error of the stream that takes its place.
  }
  return undefined
}

class SharedSocket implements LiveSocket {
  /** True if the server does not take the token. */
  isRefused = false
  #isOpen = false
  #isOver = false
  /** Signs of life that were asked for, and have not come. */
  #unanswered = 0
  #count = 0
  #renewedAt = 0
  #own: ReturnType<TokenSource>
  #opened: (isOpen: boolean) => void = () => undefined
  /** Takes the frames of a list, and undefined for a sign of life, or the end of the socket. */
  readonly #lists = new Map<string, (frame?: ServerFrame) => void>()
  readonly #socket: WebSocketParts
  readonly #there: ApiConnection
  readonly #timer: ReturnType<typeof setInterval>

  constructor(socket: WebSocketParts, there: ApiConnection, own: ReturnType<TokenSource>) {
    this.#socket = socket
    this.#there = there
    this.#own = own
    this.#timer = setInterval(() => this.#ping(), pingMs)
    // Node is not kept running by it.
    this.#timer.unref?.()
  }

  /** Says who the caller is, and resolves with true when the server takes it. */
  opens(token: string | null | undefined): Promise<boolean> {
    // A proxy may neither answer an upgrade nor refuse it.
    const timer = setTimeout(() => this.#end(), 5_000)
    // A caller without a token gets an answer if none is needed.
    this.#socket.onopen = () => this.#send(token ? { type: 'auth', access_token: token } : { type: 'ping' })
    this.#socket.onmessage = ({ data }) => {
      try {
        this.#take(Object(JSON.parse(String(data))))
      } catch {
        // It is no server of ours.
        this.#end()
      }
    }
    this.#socket.onclose = this.#socket.onerror = () => this.#end()
    return new Promise<boolean>((resolve) => {
      this.#opened = resolve
    }).finally(() => {
      clearTimeout(timer)
      // Its list may have ended meanwhile.
      this.#endUnused()
    })
  }

  async *messages(
    { collection, query, membership = 'page', token }: WatchedList,
    signal: AbortSignal,
  ): AsyncGenerator<FeedMessage | undefined, boolean, undefined> {
    this.#count += 1
    const uid = String(this.#count)
    const frames: (ServerFrame | undefined)[] = []
    let wake: () => void = () => undefined
    let isServed = false
    const leave = () => {
      wake()
      if (this.#lists.delete(uid) && !this.#isOver) this.#send({ type: 'unsubscribe', uid })
    }
    this.#lists.set(uid, (frame) => {
      // Before the server has answered, life is no sign that the list is as it was, and nor is the end.
      isServed ||= frame !== undefined
      if (isServed && !this.#isOver) frames.push(frame)
      if (frames.length > maxWaiting) leave()
      wake()
    })
    signal.addEventListener('abort', leave)
    try {
      if (!this.#isOver) this.#send({ type: 'subscribe', uid, collection, query, membership, token })
      while (!signal.aborted) {
        if (frames.length === 0 && (this.#isOver || !this.#lists.has(uid))) return true
        if (frames.length === 0) {
          await new Promise<void>((resolve) => (wake = resolve))
          continue
        }
        const frame = frames.shift()
        const message = frame && messageIn(frame)
        // A list that is gone is gone at once, and the error of the stream in the place of this one says more.
        if (message === null && frame?.event === 'init') yield { kind: 'reset', reason: 'access' }
        if (message === null) return false
        yield message
      }
      return true
    } finally {
      signal.removeEventListener('abort', leave)
      leave()
      this.#endUnused()
    }
  }

  #endUnused(): void {
    // Another list may begin where one has ended.
    setTimeout(() => this.#lists.size === 0 && this.#end(), unusedMs)
  }

  #take(frame: ServerFrame): void {
    this.#unanswered = 0
    const { type, status, uid } = frame
    if (type === 'auth' && status === 'error') void this.#renew()
    else if (type === 'auth' || type === 'pong') {
      this.isRefused = false
      this.#isOpen = true
      this.#opened(true)
    }
    if (type === 'pong') for (const take of this.#lists.values()) take()
    if (uid !== undefined) this.#lists.get(uid)?.(frame)
  }

  /** Sends a newer token once. A socket that was refused before it was open, or again at once, is over. */
  async #renew(): Promise<void> {
    const mayRenew = this.#isOpen && !this.isRefused && Date.now() - this.#renewedAt > renewMs
    this.#renewedAt = Date.now()
    this.isRefused = true
    try {
      this.#own = mayRenew ? this.#there.token(this.#own) : undefined
      const token = await this.#own
      if (token) this.#send({ type: 'auth', access_token: token })
      else this.#end()
    } catch {
      this.#end()
    }
  }

  #ping(): void {
    if (this.#unanswered >= maxUnanswered) this.#end()
    else this.#send({ type: 'ping' })
    this.#unanswered += 1
  }

  #send(message: object): void {
    try {
      this.#socket.send(JSON.stringify(message))
    } catch {
      // It is not open yet, or no longer.
      this.#end()
    }
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    clearInterval(this.#timer)
    this.#opened(false)
    if (this.#isOpen) this.#there.opened = undefined
    this.#socket.close()
    for (const take of [...this.#lists.values()]) take()
  }
}

/** Returns the message of a frame; null for the end of a list, and undefined for a sign of life. */
function messageIn(frame: ServerFrame): FeedMessage | undefined | null {
  const { type, status, uid, event, data, ...members } = frame
  if (event === 'subscribed') return undefined
  // The server sends messages of these kinds.
  if (event === 'init' && frame.token !== undefined)
    return { kind: 'snapshot', items: data, ...members } as FeedMessage
  if (event === 'changes' || event === 'reset') return { kind: event, ...members } as FeedMessage
  return null
}
