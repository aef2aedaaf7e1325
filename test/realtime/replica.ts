// A subscriber that knows nothing but the messages, as the documentation tells them.
import type { FeedMessage } from '../../src/realtime.ts'

export class Replica {
  /** The items by id, in their order; without ids the groups. */
  #items = new Map<string, unknown>()
  #groups: readonly unknown[] | undefined
  isKnown = false
  token: string | undefined

  apply(message: FeedMessage): void {
    if (message.kind === 'reset') {
      this.isKnown = false
      this.#items = new Map()
      this.#groups = undefined
      this.token = undefined
      return
    }
    this.token = message.token
    if (message.kind === 'snapshot') {
      this.isKnown = true
      this.#groups = message.ids ? undefined : message.items
      this.#items = new Map(message.ids?.map((id, index) => [id, message.items[index]]))
      return
    }
    for (const id of message.removed) {
      if (!this.#items.delete(id)) this.strange.push(id)
    }
    for (const { id, item } of message.set) this.#items.set(id, item)
    if (!message.order) return
    const items = this.#items
    this.#items = new Map(message.order.map((id) => [id, items.get(id)]))
    if (this.#items.size !== items.size) throw new Error('The order is not that of the items.')
  }

  /** Ids that were taken away and had not been told. */
  readonly strange: string[] = []

  /** What the subscriber holds, as `data`. */
  get data(): readonly unknown[] {
    return this.#groups ?? [...this.#items.values()]
  }
}
