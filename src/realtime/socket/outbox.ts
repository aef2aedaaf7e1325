// Frames that a socket sends: one in each turn of the loop, and nothing while too much is not sent yet.

import { later } from '../timers.ts'
import type { SocketConnection } from './socket-handler.ts'

/** Bytes that may wait in a connection. */
const mostBuffered = 256 * 1024

/** Milliseconds for which a connection may take nothing. */
const mostBlockedMs = 30_000

/** Milliseconds after which it is looked again whether a connection takes something, if its library does not tell. */
const lookMs = 250

interface Waiting {
  readonly text: string
  readonly sent: () => void
  readonly signal: AbortSignal | undefined
}

export class Outbox {
  readonly #connection: SocketConnection
  readonly #onBlocked: () => void
  readonly #onFailed: (error: unknown) => void
  #waiting: Waiting[] = []
  /** True until the next turn: some clients lose frames that come together. */
  #isPaused = false
  #isOver = false
  #stopBlocked: (() => void) | undefined

  /** `onFailed`: hears what the connection throws. */
  constructor(
    connection: SocketConnection,
    { onBlocked, onFailed }: { readonly onBlocked: () => void; readonly onFailed: (error: unknown) => void },
  ) {
    this.#connection = connection
    this.#onBlocked = onBlocked
    this.#onFailed = onFailed
  }

  /** Resolves when the frame was handed over, or nothing is sent any more. A frame that waits is forgotten when its signal is aborted. */
  send(text: string, signal?: AbortSignal): Promise<void> {
    return new Promise((sent) => {
      if (this.#isOver) return sent()
      this.#waiting.push({ text, sent, signal })
      this.#flush()
    })
  }

  /** Hears that the connection takes something again. */
  drained(): void {
    if (this.#stopBlocked && this.#connection.buffered() <= mostBuffered) this.#unblock()
  }

  end(): void {
    this.#isOver = true
    this.#stopBlocked?.()
    for (const { sent } of this.#waiting.splice(0)) sent()
  }

  #flush(): void {
    if (this.#isPaused || this.#isOver || this.#stopBlocked) return
    while (this.#waiting[0]?.signal?.aborted) this.#waiting.shift()?.sent()
    const [next] = this.#waiting
    if (!next) return
    if (this.#connection.buffered() > mostBuffered) {
      this.#block()
      return
    }
    this.#waiting.shift()
    this.#isPaused = true
    setImmediate(() => {
      this.#isPaused = false
      this.#flush()
    })
    try {
      this.#connection.send(next.text)
    } catch (error) {
      this.#onFailed(error)
    }
    next.sent()
  }

  #block(): void {
    const since = performance.now()
    const look = (): void => {
      if (this.#connection.buffered() <= mostBuffered) this.#unblock()
      else if (performance.now() - since > mostBlockedMs) this.#onBlocked()
      else this.#stopBlocked = later(lookMs, look)
    }
    this.#stopBlocked = later(lookMs, look)
  }

  #unblock(): void {
    this.#stopBlocked?.()
    this.#stopBlocked = undefined
    this.#flush()
  }
}
