// The threads that read one file: lent for a statement, and replaced when they end or their statement is abandoned.
import { fault } from '../../../errors/errors.ts'
import type { Done } from '../../../execution/acquire-timeout.ts'
import type { PoolSettings } from './messages.ts'
import { ReaderThread } from './reader-thread.ts'

export class ReaderPool {
  readonly #settings: PoolSettings
  readonly #free: ReaderThread[] = []
  readonly #lent = new Set<ReaderThread>()
  /** Threads whose statement was abandoned and still runs. */
  readonly #abandoned = new Set<ReaderThread>()
  #starting = 0
  #isClosed = false
  #isServing = false
  readonly #waiting = new Set<Done<ReaderThread>>()

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  /** Calls back with a thread: at once if one is free, else when one has begun or is given back. Returns what takes a caller out of the queue,
   *  who is called back with nothing then. */
  take(done: Done<ReaderThread>): () => void {
    if (this.#isClosed) done(closed())
    else this.#waiting.add(done)
    this.#serve()
    return () => {
      if (this.#waiting.delete(done)) done(undefined)
    }
  }

  giveBack(thread: ReaderThread): void {
    this.#lent.delete(thread)
    if (thread.isAlive && thread.isBusy) this.#abandoned.add(thread)
    else this.#keep(thread)
    this.#serve()
  }

  close(): void {
    this.#isClosed = true
    this.#refuse(closed())
    for (const thread of [...this.#free, ...this.#lent, ...this.#abandoned]) thread.close()
    this.#free.length = 0
  }

  /** A caller that has given up meanwhile gives its thread back at once: this loop goes on then, and no call inside of it begins another one. */
  #serve(): void {
    if (this.#isServing) return
    this.#isServing = true
    try {
      for (const done of this.#waiting) {
        let thread = this.#free.pop()
        while (thread?.isAlive === false) thread = this.#free.pop()
        if (thread) {
          this.#waiting.delete(done)
          this.#lent.add(thread)
          done(undefined, thread)
        } else if (this.#mayBegin()) void this.#begin()
        else return
      }
    } finally {
      this.#isServing = false
    }
  }

  /** A thread with an abandoned statement is replaced, and counts only for the upper limit of twice as many. */
  #mayBegin(): boolean {
    const working = this.#lent.size + this.#free.length + this.#starting
    return (
      working < this.#settings.threads &&
      working + this.#abandoned.size < 2 * this.#settings.threads &&
      this.#starting < this.#waiting.size
    )
  }

  async #begin(): Promise<void> {
    this.#starting += 1
    try {
      const thread = await ReaderThread.begin(this.#settings)
      thread.onFree = () => this.#onFree(thread)
      if (this.#isClosed) thread.close()
      else this.#free.push(thread)
    } catch (error) {
      // All wait in vain without a thread: each of them would begin one that fails, too.
      this.#refuse(error, this.#lent.size + this.#abandoned.size === 0 ? undefined : 1)
    } finally {
      this.#starting -= 1
    }
    this.#serve()
  }

  /** Refuses those who wait, or so many of them. */
  #refuse(error: unknown, most?: number): void {
    for (const done of [...this.#waiting].slice(0, most)) {
      this.#waiting.delete(done)
      done(error)
    }
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
    if (this.#isClosed || working >= this.#settings.threads) thread.close()
    else this.#free.push(thread)
  }
}

const closed = () => fault('SERVICE_UNAVAILABLE', 'The readers of this database are closed.')
