// Frames that a socket sends: one in each turn of the loop, and nothing while too much is not sent yet.

import { maxBlockedMs, maxAtOnce as maxBuffered, type Unsent } from '../bytes/unsent-bytes.ts'
import { later } from '../timers.ts'
import type { SocketConnection } from './socket-handler.ts'

/** Milliseconds after which a connection is checked again for room, if its library does not report it. */
const lookMs = 250

export interface FrameConditions {
  /** Aborted when the message is no longer wanted. */
  readonly signal?: AbortSignal | undefined
  /** Asked when its turn has come: false leaves it out. `isLate`: the connection took nothing meanwhile. */
  readonly maySend?: ((isLate: boolean) => boolean | Promise<boolean>) | undefined
}

interface Waiting extends FrameConditions {
  readonly text: string
  /** Called with true when it was handed over, with false when it was left out. */
  readonly settle: (isSent: boolean) => void
  isLate: boolean
}

export class Outbox {
  readonly #connection: SocketConnection
  readonly #onFailed: (error: unknown) => void
  /** Bytes that are not sent yet, as they are charged. */
  readonly #unsent: Unsent
  #waiting: Waiting[] = []
  #waitingBytes = 0
  /** True until the next turn: some clients lose frames that come together. */
  #isPaused = false
  #isOver = false
  #stopBlocked: (() => void) | undefined
  /** Ends the wait for the next look at what is not sent yet, though nothing is blocked. */
  #stopLook: (() => void) | undefined

  /** `onFailed`: receives what the connection throws. */
  constructor(connection: SocketConnection, unsent: Unsent, onFailed: (error: unknown) => void) {
    this.#connection = connection
    this.#unsent = unsent
    this.#onFailed = onFailed
  }

  /** True while the connection takes nothing. */
  get isBlocked(): boolean {
    return this.#stopBlocked !== undefined
  }

  /** Resolves when its turn has come: with true if the frame was handed over, with false if it was left out, or nothing is sent any more. */
  send(text: string, conditions: FrameConditions = {}): Promise<boolean> {
    return new Promise((settle) => {
      if (this.#isOver) return settle(false)
      this.#waiting.push({ text, settle, ...conditions, isLate: this.#stopBlocked !== undefined })
      this.#waitingBytes += text.length
      this.#flush()
      this.#charge()
    })
  }

  /** False for a frame that would be too much beside what is on its way. `charged`: bytes of it that are charged already. */
  hasRoom({ length }: string, charged = 0): boolean {
    return length - charged <= maxBuffered || this.#unsent.hasRoom(length - charged)
  }

  /** Called when the connection takes something again. */
  drained(): void {
    this.#charge()
    if (this.#stopBlocked && this.#connection.buffered() <= maxBuffered) this.#unblock()
  }

  end(): void {
    this.#isOver = true
    this.#stopBlocked?.()
    this.#stopLook?.()
    this.#unsent.set(0)
    for (const { settle } of this.#waiting.splice(0)) settle(false)
  }

  /** Charges what is not sent yet, and looks again as long as there is something. */
  #charge(): void {
    if (this.#isOver) return
    this.#unsent.set(this.#waitingBytes + this.#connection.buffered())
    if (this.#unsent.bytes === 0 || this.#stopBlocked) return
    this.#stopLook ??= later(lookMs, () => {
      this.#stopLook = undefined
      this.#charge()
    })
  }

  #next(): Waiting | undefined {
    const next = this.#waiting.shift()
    this.#waitingBytes -= next?.text.length ?? 0
    return next
  }

  #flush(): void {
    if (this.#isPaused || this.#isOver || this.#stopBlocked) return
    while (this.#waiting[0]?.signal?.aborted) this.#next()?.settle(false)
    if (this.#waiting.length === 0) return
    if (this.#connection.buffered() > maxBuffered) {
      this.#block()
      return
    }
    const next = this.#next()
    if (!next) return
    this.#isPaused = true
    const maySend = next.maySend?.(next.isLate) ?? true
    if (typeof maySend === 'boolean') this.#settle(next, maySend)
    else void maySend.then((isAllowed) => this.#settle(next, isAllowed))
  }

  /** Hands a frame over, or leaves it out. The next one has its turn in the next turn of the loop. */
  #settle({ text, settle, signal }: Waiting, isAllowed: boolean): void {
    setImmediate(() => {
      this.#isPaused = false
      this.#flush()
    })
    const isSent = isAllowed && !this.#isOver && !signal?.aborted
    if (isSent)
      try {
        this.#connection.send(text)
        // The time counts from here on, whether anything else is to be sent or not.
        if (!this.#isOver && this.#connection.buffered() > maxBuffered) this.#block()
        this.#charge()
      } catch (error) {
        this.#onFailed(error)
      }
    settle(isSent)
  }

  #block(): void {
    for (const one of this.#waiting) one.isLate = true
    let [since, left] = [performance.now(), this.#connection.buffered()]
    const look = (): void => {
      const now = this.#connection.buffered()
      this.#charge()
      if (now <= maxBuffered) this.#unblock()
      else if (left - now >= maxBuffered) {
        // A large message takes its time: it goes on as long as the reader takes it.
        ;[since, left] = [performance.now(), now]
        this.#stopBlocked = later(lookMs, look)
      } else if (performance.now() - since > maxBlockedMs) this.#unsent.reader.breakOff?.()
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
