// The callers who watch something, who are asked for again and again, and their subscriptions.

import type { Access } from '../../access/access.ts'
import { fault } from '../../errors/errors.ts'
import { later } from '../timers.ts'
import type { CallerRights, OfCaller } from './feed-caller.ts'

/** The subscriptions of a caller, and what prevents that it is asked again. */
interface CallerSubscriptions {
  readonly all: Set<OfCaller>
  stopRecheck: () => void
}

export class CallersOfFeed {
  readonly #recheckMs: number
  readonly #callers = new Map<CallerRights, CallerSubscriptions>()
  #subscriptions = 0
  /** How often it was asked again what callers may see. */
  rechecks = 0

  constructor(recheckMs: number) {
    this.#recheckMs = recheckMs
  }

  get subscriptions(): number {
    return this.#subscriptions
  }

  add(subscription: OfCaller): void {
    const { caller } = subscription
    const of = this.#callers.get(caller) ?? { all: new Set(), stopRecheck: this.#planRecheck(caller) }
    of.all.add(subscription)
    this.#callers.set(caller, of)
    this.#subscriptions += 1
  }

  forget(subscription: OfCaller): void {
    const { caller } = subscription
    const of = this.#callers.get(caller)
    if (!of?.all.delete(subscription)) return
    this.#subscriptions -= 1
    if (of.all.size > 0) return
    of.stopRecheck()
    this.#callers.delete(caller)
    // Its rights are not asked for again meanwhile.
    caller.doubt()
  }

  /** Asks at once what some callers may see. */
  async recheck(concerns: (access: Access) => boolean): Promise<void> {
    this.rechecks += 1
    const callers = [...this.#callers.keys()].filter(({ current }) => !current || concerns(current.access))
    for (const caller of callers) caller.doubt()
    await Promise.allSettled(callers.map((caller) => caller.fresh(0)))
    for (const caller of callers) this.wake(caller)
  }

  end(): void {
    for (const { all } of [...this.#callers.values()]) for (const subscription of [...all]) subscription.end()
  }

  /** Asks a caller again after some time, not all callers at once. */
  #planRecheck(caller: CallerRights): () => void {
    const pause = Math.max(1, this.#recheckMs * (0.9 + 0.2 * Math.random()))
    return later(pause, () => {
      const of = this.#callers.get(caller)
      if (of) of.stopRecheck = this.#planRecheck(caller)
      caller.doubt()
      this.wake(caller)
    })
  }

  /** Lets the subscriptions of a caller look again. */
  wake(caller: CallerRights): void {
    for (const subscription of this.#callers.get(caller)?.all ?? []) subscription.wake()
  }

  wakeAll(): void {
    for (const caller of this.#callers.keys()) this.wake(caller)
  }
}

/** The subscriptions of each user: one may not take what is there for all. */
export class UserSubscriptions {
  readonly #max: number
  readonly #counts = new Map<string | number, number>()

  constructor(max: number) {
    this.#max = max
  }

  /** Counts a subscription of a user, and refuses one too many. Returns the function that ends the count. */
  take(user: string | number | null | undefined): () => void {
    if (user === null || user === undefined) return () => undefined
    const count = (this.#counts.get(user) ?? 0) + 1
    if (count > this.#max) throw tooMany(this.#max)
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

const tooMany = (max: number) =>
  fault('TOO_MANY_REQUESTS', `A user has at most ${max} subscriptions at a time.`, {
    hint: 'End some that are no longer needed.',
  })
