// Start and stop of a handler, which waits for the answers that are not given or not written yet.
import type { Engine } from '../engine/engine.ts'
import { checkOptions, optionNames } from '../errors/check-options.ts'
import { fault } from '../errors/errors.ts'
import { milliseconds } from '../execution/database.ts'
import type { OutgoingChunks, Portion } from '../storage/outgoing-bytes.ts'
import type { ChunkedReply } from './messages.ts'
import type { HandlerMounts } from './mounts/handler-mounts.ts'

/** Start and stop of a handler. */
export interface HandlerLife {
  /** Starts the mounts, once. It rejects with what one of them throws; then none runs, and it may be tried again. */
  readonly start: () => Promise<void>
  /** Ends the handler, once: waits for answers that are being written, ends streams, and stops the mounts. From now on requests get status 503. */
  readonly stop: (options?: StopOptions) => Promise<void>
}

/** Options of `handler.stop`. */
export interface StopOptions {
  /** Milliseconds in which answers may be written to their end; what is left then breaks off. By default 5,000. */
  readonly drainMs?: number | undefined
}

const stopOptions = optionNames<StopOptions>({ drainMs: milliseconds })

/** Returns the start and stop of a handler. `single`: its engine, if it has one alone. */
export function lifeOf(mounts: HandlerMounts, single: Engine | undefined, replies: OpenReplies): HandlerLife {
  let starting: Promise<void> | undefined
  let stopping: Promise<void> | undefined
  const stopAll = async (drainMs: number): Promise<void> => {
    await replies.drain(drainMs)
    await mounts.stop()
  }
  return {
    start: () => {
      if (stopping !== undefined) return Promise.reject(stopsForGood())
      starting ??= mounts.start(single).catch((error: unknown) => {
        starting = undefined
        throw error
      })
      return starting
    },
    stop: (options = {}) => {
      if (stopping !== undefined) return stopping
      checkOptions(options, stopOptions)
      const { drainMs = 5_000 } = options
      stopping = stopAll(drainMs)
      return stopping
    },
  }
}

const stopsForGood = () =>
  fault('INVALID_OPTIONS', 'A handler cannot be started again after it was stopped.', {
    hint: 'Create another handler.',
  })

export class OpenReplies {
  /** Requests without an answer, and bodies that are being written. */
  #open = 0
  #isStopping = false
  readonly #bodies = new Set<OpenBody>()
  #whenNone: (() => void) | undefined

  /** Counts a request, until `leave` is called for it. */
  enter(): void {
    this.#open += 1
  }

  leave(): void {
    this.#open -= 1
    if (this.#open === 0) this.#whenNone?.()
  }

  /** Returns an answer whose body is counted until it is written. */
  withOpenBody(reply: ChunkedReply): ChunkedReply {
    if (typeof reply.body !== 'object') return reply
    this.enter()
    const body = new OpenBody(reply.body, isEndless(reply), () => {
      if (this.#bodies.delete(body)) this.leave()
    })
    this.#bodies.add(body)
    if (this.#isStopping && body.isEndless) body.stop()
    return { ...reply, body }
  }

  refuseIfStopping(): void {
    if (this.#isStopping) throw stopped()
  }

  /** Waits until all answers are written, at most for some milliseconds. What has no end of its own is ended at once, and the rest then. */
  async drain(milliseconds: number): Promise<void> {
    this.#isStopping = true
    for (const body of [...this.#bodies]) if (body.isEndless) body.stop()
    if (this.#open > 0) await this.#noneWithin(milliseconds)
    for (const body of [...this.#bodies]) body.stop()
  }

  async #noneWithin(milliseconds: number): Promise<void> {
    let clock: ReturnType<typeof setTimeout> | undefined
    await new Promise<void>((resolve) => {
      this.#whenNone = resolve
      clock = setTimeout(resolve, Math.min(milliseconds, longestTimeout))
    })
    clearTimeout(clock)
    this.#whenNone = undefined
  }
}

/** The longest time that a timer takes. */
const longestTimeout = 2 ** 31 - 1

const stopped = () => fault('SERVICE_UNAVAILABLE', 'The service is shutting down.', { hint: 'Try again.' })

/** True for events, which a client expects to break off, and asks for again. */
const isEndless = ({ headers }: ChunkedReply): boolean =>
  /^\s*text\/event-stream\b/i.test(headers['content-type'] ?? '')

/** A body that is being written. */
class OpenBody implements OutgoingChunks {
  readonly isEndless: boolean
  readonly whole: OutgoingChunks['whole']
  readonly #source: OutgoingChunks
  readonly #leave: () => void
  #isStopped = false
  #isCancelled = false
  /** Ends a read that waits for its chunk. */
  #endRead: (() => void) | undefined

  constructor(source: OutgoingChunks, isEndless: boolean, leave: () => void) {
    this.#source = source
    this.whole = source.whole
    this.isEndless = isEndless
    this.#leave = leave
  }

  readonly next: OutgoingChunks['next'] = (into) =>
    new Promise<Portion>((resolve, reject) => {
      // An answer that is not whole must not look as if it were.
      const end = () => (this.isEndless ? resolve({ chunk: undefined, isLast: true }) : reject(stopped()))
      if (this.#isStopped) return end()
      this.#endRead = end
      this.#source.next(into).then(
        (portion) => {
          if (portion.isLast) this.#end()
          resolve(portion)
        },
        (error: unknown) => {
          this.#end()
          reject(error)
        },
      )
    })

  readonly cancel: OutgoingChunks['cancel'] = (reason) => {
    this.#isCancelled = true
    return this.#source.cancel(reason).finally(this.#leave)
  }

  /** Leaves at the end of the source. One that is cancelled ends for its reader before it has ended. */
  #end(): void {
    if (!this.#isCancelled) this.#leave()
  }

  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    // An error has gone to `onError` already: the body reports it.
    this.cancel(stopped()).catch(() => undefined)
    this.#endRead?.()
  }
}
