// The messages that a socket may send: many at once, and then so many in a second.

export class MessageBucket {
  readonly #most: number
  readonly #perSecond: number
  #left: number
  #filledAt = performance.now()
  #refused = 0

  constructor(most: number, perSecond: number) {
    this.#most = most
    this.#perSecond = perSecond
    this.#left = most
  }

  /** True if one more message is taken. */
  take(): boolean {
    const now = performance.now()
    this.#left = Math.min(this.#most, this.#left + ((now - this.#filledAt) / 1_000) * this.#perSecond)
    this.#filledAt = now
    if (this.#left < 1) {
      this.#refused += 1
      return false
    }
    this.#left -= 1
    this.#refused = 0
    return true
  }

  /** True once as many were refused in a row as could be sent at once. */
  get isFlooded(): boolean {
    return this.#refused > this.#most
  }
}
