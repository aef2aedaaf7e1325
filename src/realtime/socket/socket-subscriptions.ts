// The subscriptions of a socket.

import { fault } from '../../errors/errors.ts'
import type { FeedCore } from '../feed.ts'
import type { SocketMessage, Uid } from './read-message.ts'
import { readSubscribe } from './read-subscribe.ts'
import type { SharedReads } from './shared-reads.ts'
import type { SocketCaller } from './socket-caller.ts'
import { SocketSubscription } from './socket-subscription.ts'

/** The socket as its subscriptions know it. */
export interface SubscriptionContext {
  readonly core: FeedCore
  readonly caller: SocketCaller
  readonly reads: SharedReads
  /** Maximum number of subscriptions. */
  readonly most: number
  /** Resolves when a frame was handed over. */
  readonly send: (text: string) => Promise<void>
  readonly onError: (error: unknown) => unknown
  /** Looks whether the socket is still somebody. */
  readonly lookAtName: () => Promise<boolean>
}

export class SocketSubscriptions {
  readonly #context: SubscriptionContext
  /** By what the client calls them. Those without a name are many. */
  readonly #all = new Map<string | symbol, SocketSubscription>()

  constructor(context: SubscriptionContext) {
    this.#context = context
  }

  /** Begins a subscription. One with the same name is replaced. */
  async subscribe(message: SocketMessage): Promise<undefined> {
    const { caller, core, most } = this.#context
    const { engine, access } = await caller.rights.fresh(core.recheckMs)
    const asked = readSubscribe(message, engine)
    const name = asked.uid ?? Symbol('without a name')
    this.#all.get(name)?.end()
    if (this.#all.size >= most) throw tooMany(most)
    const leave = core.users.take(access.user)
    const end = () => {
      leave()
      this.#all.delete(name)
    }
    try {
      const subscription = new SocketSubscription(this.#context, asked, end)
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
    if (uid === undefined) this.end()
    else this.#all.get(String(uid))?.end()
  }

  /** Lets those go on that waited for the socket to say who it is. */
  resume(): void {
    for (const subscription of [...this.#all.values()]) subscription.resume()
  }

  end(): void {
    for (const subscription of [...this.#all.values()]) subscription.end()
  }
}

const tooMany = (most: number) =>
  fault('TOO_MANY_REQUESTS', `A socket has at most ${most} subscriptions at a time.`, {
    hint: 'End some with a message "unsubscribe".',
  })
