import { plainFault } from '../../errors/code-texts.ts'
import { fault } from '../../errors/errors.ts'
import type { FeedCore } from '../feed/feed.ts'
import type { FeedMessage } from '../messages.ts'
import { quietOf, type WatchedItems, watchItems } from '../watch-items.ts'
import { readingOf } from '../wire/message-rights.ts'
import { frameError, isUnexpected, type Uid } from './frames.ts'
import type { FrameConditions } from './outbox.ts'
import type { SocketMessage } from './read-message.ts'
import { readSubscribe, type Subscribe } from './read-subscribe.ts'
import type { SharedReads } from './shared-reads.ts'
import type { SocketCaller } from './socket-caller.ts'
import { SubscriptionFrames } from './subscription-frames.ts'

interface SubscriptionContext {
  readonly core: FeedCore
  readonly caller: SocketCaller
  readonly reads: SharedReads
  readonly max: number
  /** Resolves with true when a frame was handed over, with false if it was left out. */
  readonly send: (text: string, conditions?: FrameConditions) => Promise<boolean>
  readonly onError: (error: unknown) => void
  /** Checks whether the socket is still authenticated. */
  readonly lookAtName: () => Promise<boolean>
  /** True if it is authenticated, as was last known. */
  readonly isNamed: () => boolean
}

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

/** A subscription of a socket: sends its list, and every change of it, as fast as the socket takes it. */
class SocketSubscription {
  readonly #context: SubscriptionContext
  readonly #list: Subscribe
  readonly #frames: SubscriptionFrames
  readonly #onEnd: () => void
  /** Undefined if it begins anew. */
  #watched: WatchedItems<unknown> | undefined
  /** The token of the last message that was sent. */
  #token: string | undefined
  /** True until it is known whether the token of its client holds. */
  #isResuming: boolean
  #isOver = false
  /** Lets it go on when the socket has said again who it is. */
  #goOn: (() => void) | undefined

  constructor(context: SubscriptionContext, list: Subscribe, onEnd: () => void) {
    this.#context = context
    this.#list = list
    this.#frames = new SubscriptionFrames(list, context.reads)
    this.#onEnd = onEnd
    this.#token = list.token
    this.#isResuming = list.token !== undefined
    this.#watched = this.#watch()
  }

  /** Answers with the list, unless it goes on from a token. A list that is refused is thrown. */
  async begin(): Promise<void> {
    if (this.#isResuming) return
    const { isItem, event } = this.#list
    const message = await this.#next()
    if (!message) return this.end()
    // An item that will be created is waited for.
    const isMissing =
      isItem && event === undefined && message.kind === 'snapshot' && message.items.length === 0
    if (isMissing) throw plainFault('FORBIDDEN')
    await this.#deliver(message)
  }

  /** Sends every change, until it is over. */
  async follow(): Promise<void> {
    while (!this.#isOver)
      try {
        const message = await this.#next()
        if (!message) return this.end()
        await this.#deliver(message)
      } catch (error) {
        if (!this.#isOver) await this.#fail(error)
      }
  }

  /** Goes on where it was, if it waits for the socket to say who it is. */
  resume(): void {
    this.#goOn?.()
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    void this.#watched?.return()
    this.#goOn?.()
    this.#onEnd()
  }

  async #next(): Promise<FeedMessage | undefined> {
    this.#watched ??= this.#watch()
    const { value } = await this.#watched.next()
    return value
  }

  #watch(): WatchedItems<unknown> {
    const { caller } = this.#context
    const { collection, query, membership = 'match' } = this.#list
    const watched = watchItems(caller.mine, collection, query, { membership, token: this.#token })
    if (this.#isResuming) void quietOf(watched).then(() => this.#answer(true))
    return watched
  }

  /** Answers a token that holds, before what has changed since. */
  #answer(isHeld: boolean): void {
    if (this.#isResuming && isHeld) void this.#context.send(this.#frames.subscribed())
    this.#isResuming = false
  }

  /** Sends a message. What was read by rights that the caller no longer has is not sent, and the list starts over. */
  async #deliver(message: FeedMessage): Promise<void> {
    const reading = message.kind === 'reset' ? undefined : readingOf(message)
    const maySend = async () => (await reading?.holds()) !== false && !this.#isOver
    this.#answer(message.kind !== 'reset')
    for (const text of await this.#frames.of(message))
      if (!(await this.#context.send(text, { maySend }))) return reading?.drop()
    this.#token = message.kind === 'reset' ? undefined : message.token
  }

  /** Waits for the socket to say who it is, if that is why it failed. Else it is over, and says so. */
  async #fail(error: unknown): Promise<void> {
    const { send, lookAtName, isNamed, onError } = this.#context
    if (!(await lookAtName())) {
      void this.#watched?.return()
      this.#watched = undefined
      await new Promise<void>((resolve) => {
        if (this.#isOver || isNamed()) resolve()
        else this.#goOn = resolve
      })
      this.#goOn = undefined
      return
    }
    if (isUnexpected(error)) onError(error)
    const shown = frameError(error)
    // A client of the installed base ends all of its lists if it receives an error that answers no message.
    await send(shown.code === 'FORBIDDEN' ? this.#frames.gone() : this.#frames.failed(shown))
    this.end()
  }
}
