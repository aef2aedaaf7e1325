// Reads lists again without a notification: after doubtful commits, and for what changes with time.

import type { WatchedGroup } from '../group/group.ts'
import { every, later } from '../timers.ts'

/** Seconds after which it is looked again: the answer of a commit was lost, and it may come after the first look. */
const looks = [1, 5, 30, 300]

/** Changes of which it is not known whether they are stored. */
export class Doubts {
  readonly #look: (collection: string) => void
  /** Looks by collection and second: many doubts are one look. */
  readonly #planned = new Map<string, () => void>()

  constructor(look: (collection: string) => void) {
    this.#look = look
  }

  add(collection: string): void {
    const now = Math.floor(performance.now() / 1_000)
    for (const seconds of looks) {
      const name = JSON.stringify([collection, now + seconds])
      if (this.#planned.has(name)) continue
      this.#planned.set(
        name,
        later(seconds * 1_000, () => {
          this.#planned.delete(name)
          this.#look(collection)
        }),
      )
    }
  }

  stop(): void {
    for (const forget of this.#planned.values()) forget()
    this.#planned.clear()
  }
}

/** Milliseconds by which a list may be behind the time. */
const everyMs = 30_000
const tickMs = 1_000
/** Milliseconds by which the clock of the engine may differ from the time that has passed. */
const jump = 1_000

/** Time that passes: lists that depend on it are looked at again every half minute, and when the clock has jumped. */
export class PassingTime {
  readonly #clock: () => Date
  readonly #groups: () => Iterable<WatchedGroup>
  readonly #onJump: () => void
  readonly #onError: (error: unknown) => void
  /** True while the clock of the host throws, which is reported once. */
  #isBroken = false
  readonly stop: () => void
  #clockAt: number
  #passedAt = performance.now()
  #lookedAt = performance.now()

  constructor(
    clock: () => Date,
    groups: () => Iterable<WatchedGroup>,
    { onJump, onError }: { readonly onJump: () => void; readonly onError: (error: unknown) => void },
  ) {
    this.#clock = clock
    this.#groups = groups
    this.#onJump = onJump
    this.#onError = onError
    this.#clockAt = Number(clock())
    this.stop = every(tickMs, () => this.#tick())
  }

  #tick(): void {
    const clock = this.#now()
    if (clock === undefined) return
    const now = performance.now()
    const hasJumped = Math.abs(clock - this.#clockAt - (now - this.#passedAt)) > jump
    this.#clockAt = clock
    this.#passedAt = now
    if (hasJumped) this.#onJump()
    if (!hasJumped && now - this.#lookedAt < everyMs) return
    this.#lookedAt = now
    for (const group of this.#groups()) if (group.isTimed) group.mark()
  }

  #now(): number | undefined {
    try {
      const now = Number(this.#clock())
      this.#isBroken = false
      return now
    } catch (error) {
      if (!this.#isBroken) this.#onError(error)
      this.#isBroken = true
      return undefined
    }
  }
}
