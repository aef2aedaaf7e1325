// The subscriptions of a socket.

import { fault } from '../../errors/errors.ts'
import type { Uid } from './frames.ts'
import type { SocketMessage } from './read-message.ts'
import { readSubscribe } from './read-subscribe.ts'
import { SocketSubscription } from './socket-subscription.ts'
import type { SubscriptionContext } from './subscription-context.ts'

export class SocketSubscriptions {
  readonly #context: SubscriptionContext
  /** By what the client calls them. Those without a name are many. */
  readonly #all = new Map<string | symbol, SocketSubscription>()
  #isOver = false

  constructor(context: SubscriptionContext) {
    this.#context = context
  }

  /** Begins a subscription. One with the same name is replaced. */
  async subscribe(message: SocketMessage): Promise<undefined> {
    const { caller, core, max } = this.#context
    const { engine, access } = await caller.rights.fresh(core.recheckMs)
    // A socket that has left meanwhile watches nothing.
    if (this.#isOver) return undefined
    const list = readSubscribe(message, engine)
    const name = list.uid ?? Symbol('without a name')
    this.#all.get(name)?.end()
    if (this.#all.size >= max) throw tooMany(max)
    const leave = core.users.take(access.user)
    const end = () => {
      leave()
      this.#all.delete(name)
    }
    try {
      const subscription = new SocketSubscription(this.#context, list, end)
      this.#all.set(name, subscription)
      await subscription.begin()
      void subscription.follow()
    } catch (error) {
      this.#all.get(name)?.end()
      leave()
      throw error
    }
    return undefined
  }

  /** Ends a subscription, or all of them. */
  unsubscribe(uid: Uid | undefined): void {
    if (uid === undefined) this.#end()
    else this.#all.get(String(uid))?.end()
  }

  /** Lets those go on that waited for the socket to say who it is. */
  resume(): void {
    for (const subscription of [...this.#all.values()]) subscription.resume()
  }

  /** Ends all subscriptions, and takes no more. */
  close(): void {
    this.#isOver = true
    this.#end()
  }

  #end(): void {
    for (const subscription of [...this.#all.values()]) subscription.end()
  }
}

const tooMany = (max: number) =>
  fault('TOO_MANY_REQUESTS', `A socket has at most ${max} subscriptions at a time.`, {
    hint: 'End some with a message "unsubscribe".',
  })
