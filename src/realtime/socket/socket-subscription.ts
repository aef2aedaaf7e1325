// A subscription of a socket: sends its list, and every change of it, as fast as the socket takes it.

import { plainFault } from '../../errors/code-texts.ts'
import type { FeedMessage } from '../messages.ts'
import { type WatchedItems, watchItems } from '../watch-items.ts'
import { readingOf } from '../wire/message-rights.ts'
import { frameError, isUnexpected } from './frames.ts'
import type { Subscribe } from './read-subscribe.ts'
import type { SubscriptionContext } from './subscription-context.ts'
import { SubscriptionFrames } from './subscription-frames.ts'

export class SocketSubscription {
  readonly #context: SubscriptionContext
  readonly #list: Subscribe
  readonly #frames: SubscriptionFrames
  readonly #onEnd: () => void
  /** Undefined if it begins anew. */
  #watched: WatchedItems<unknown> | undefined
  /** The token of the last message that was sent. */
  #token: string | undefined
  #isOver = false
  /** Lets it go on when the socket has said again who it is. */
  #goOn: (() => void) | undefined

  constructor(context: SubscriptionContext, list: Subscribe, onEnd: () => void) {
    this.#context = context
    this.#list = list
    this.#frames = new SubscriptionFrames(list, context.reads)
    this.#onEnd = onEnd
    this.#token = list.token
    this.#watched = this.#watch()
  }

  /** Answers with the list. A list that is refused is thrown. */
  async begin(): Promise<void> {
    if (this.#token !== undefined) return void this.#context.send(this.#frames.subscribed())
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
    return watchItems(caller.mine, collection, query, { membership, token: this.#token })
  }

  /** Sends a message. What was read by rights that the caller no longer has is not sent, and the list starts over. */
  async #deliver(message: FeedMessage): Promise<void> {
    const reading = message.kind === 'reset' ? undefined : readingOf(message)
    const maySend = async () => (await reading?.holds()) !== false && !this.#isOver
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
