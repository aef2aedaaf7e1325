// The threads that read one file: lent for a statement, and replaced when they end or their statement is abandoned.
import { fault } from '../../../errors/errors.ts'
import type { ReaderSettings } from './messages.ts'
import { ReaderThread } from './reader-thread.ts'

export class ReaderPool {
  readonly #settings: ReaderSettings
  readonly #threads: number
  readonly #free: ReaderThread[] = []
  readonly #lent = new Set<ReaderThread>()
  /** Threads whose statement was abandoned and still runs. */
  readonly #abandoned = new Set<ReaderThread>()
  #starting = 0
  #isClosed = false
  #waiting: Waiting[] = []

  constructor(settings: ReaderSettings, threads: number) {
    this.#settings = settings
    this.#threads = threads
  }

  /** Returns a thread that is free, begins one, or waits for one. */
  take(): Promise<ReaderThread> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#serve()
    })
  }

  giveBack(thread: ReaderThread): void {
    this.#lent.delete(thread)
    if (thread.isAlive && thread.isBusy) this.#abandoned.add(thread)
    else this.#keep(thread)
    this.#serve()
  }

  close(): void {
    this.#isClosed = true
    for (const thread of [...this.#free, ...this.#lent, ...this.#abandoned]) thread.end()
    this.#free.length = 0
    for (const { reject } of this.#waiting.splice(0)) reject(closed())
  }

  #serve(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#free.pop()
      if (thread && !thread.isAlive) continue
      if (thread) this.#assign(thread)
      else if (this.#mayBegin()) void this.#begin()
      else return
    }
  }

  #assign(thread: ReaderThread): void {
    const waiting = this.#waiting.shift()
    if (!waiting) {
      this.#keep(thread)
      return
    }
    this.#lent.add(thread)
    waiting.resolve(thread)
  }

  /** A thread with an abandoned statement is replaced, and counts only for the upper limit of twice as many. */
  #mayBegin(): boolean {
    const working = this.#lent.size + this.#free.length + this.#starting
    return (
      working < this.#threads &&
      working + this.#abandoned.size < 2 * this.#threads &&
      this.#starting < this.#waiting.length
    )
  }

  async #begin(): Promise<void> {
    this.#starting += 1
    try {
      const thread = await ReaderThread.begin(this.#settings)
      thread.onFree = () => this.#onFree(thread)
      if (this.#isClosed) thread.end()
      else this.#free.push(thread)
    } catch (error) {
      this.#waiting.shift()?.reject(error)
    } finally {
      this.#starting -= 1
    }
    this.#serve()
  }

  #onFree(thread: ReaderThread): void {
    if (!this.#abandoned.delete(thread)) return
    this.#keep(thread)
    this.#serve()
  }

  /** Keeps a thread for the next statement, unless others have taken its place. */
  #keep(thread: ReaderThread): void {
    const working = this.#lent.size + this.#free.length + this.#starting
    if (!thread.isAlive) return
    if (this.#isClosed || working >= this.#threads) thread.end()
    else this.#free.push(thread)
  }
}

interface Waiting {
  readonly resolve: (thread: ReaderThread) => void
  readonly reject: (reason: unknown) => void
}

const closed = () => fault('SERVICE_UNAVAILABLE', 'The readers of this database are closed.')
