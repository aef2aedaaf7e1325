// The subscriptions of each user: one may not take what is there for all.

import { fault } from '../../errors/errors.ts'

export class UserSubscriptions {
  readonly #most: number
  readonly #counts = new Map<string | number, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Counts a subscription of a user, and refuses one too many. Returns the function that ends the count. */
  take(user: string | number | null | undefined): () => void {
    if (user === null || user === undefined) return () => undefined
    const count = (this.#counts.get(user) ?? 0) + 1
    if (count > this.#most) throw tooMany(this.#most)
    this.#counts.set(user, count)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      const left = (this.#counts.get(user) ?? 0) - 1
      if (left > 0) this.#counts.set(user, left)
      else this.#counts.delete(user)
    }
  }
}

const tooMany = (most: number) =>
  fault('TOO_MANY_REQUESTS', `A user has at most ${most} subscriptions at a time.`, {
    hint: 'End some that nobody looks at.',
  })
