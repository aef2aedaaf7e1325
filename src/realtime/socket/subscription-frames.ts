// The frames of a subscription: what the messages of a feed are in the words of the installed base's protocol.

import type { Rights } from '../feed/feed-caller.ts'
import {
  type ChangesMessage,
  causesOf,
  type FeedMessage,
  type ResetReason,
  type SnapshotMessage,
} from '../messages.ts'
import { changesText, itemsText, itemText } from '../wire/item-text.ts'
import { readingOf } from '../wire/message-rights.ts'
import type { SocketEvent, Subscribe } from './read-subscribe.ts'
import type { SharedReads } from './shared-reads.ts'

interface TextEvent {
  readonly event: string
  readonly data?: string | undefined
  /** Members beside the data, as text. */
  readonly more?: string | undefined
}

export class SubscriptionFrames {
  readonly #list: Subscribe
  readonly #reads: SharedReads
  readonly #uid: string
  /** Why the list begins anew. */
  #reset: ResetReason | undefined
  #isBegun = false

  constructor(list: Subscribe, reads: SharedReads) {
    this.#list = list
    this.#reads = reads
    this.#uid = list.uid === undefined ? '' : `,"uid":${JSON.stringify(list.uid)}`
  }

  async of(message: FeedMessage): Promise<readonly string[]> {
    if (this.#list.membership !== undefined) return [this.#text(asItIs(message))]
    if (message.kind === 'reset') {
      this.#reset = message.reason
      return []
    }
    // The socket may have another caller by now, with other rights.
    const { rights } = readingOf(message)
    const events = await this.#eventsOf(message, rights)
    if (events.length === 0) return []
    const isBeginning = events.some(({ event }) => event === 'init')
    const meta = await this.#meta(message.token, rights, isBeginning)
    return events.map((one) => this.#text({ ...one, more: `${one.more ?? ''}${meta}` }))
  }

  /** The frame that says that the list is gone, with what was sent of it. */
  gone(): string {
    return this.#text({ event: 'init', data: '[]', more: ',"reset":"access"' })
  }

  /** The frame that says why a subscription is over. */
  failed(error: object): string {
    return this.#text({ event: 'failed', more: `,"error":${JSON.stringify(error)}` })
  }

  /** The frame that answers where only changes are sent. */
  subscribed(): string {
    return this.#text({ event: 'subscribed' })
  }

  async #eventsOf(message: SnapshotMessage | ChangesMessage, rights: Rights): Promise<readonly TextEvent[]> {
    if (message.kind === 'changes') return this.#changes(message, rights)
    const reset = this.#reset
    const isFirst = !this.#isBegun || reset !== undefined
    this.#isBegun = true
    this.#reset = undefined
    const { event } = this.#list
    // Groups have no keys: each change of them is the whole of them.
    if (!isFirst)
      return event === undefined || event === 'update'
        ? [{ event: 'update', data: this.#items(message.items) }]
        : []
    const data = event === undefined ? this.#items(message.items) : undefined
    return [{ event: 'init', data, more: reset && `,"reset":${JSON.stringify(reset)}` }]
  }

  /** Items that have gone, that have come and that are others now, in this order. */
  async #changes(message: ChangesMessage, rights: Rights): Promise<readonly TextEvent[]> {
    const { set, removed } = message
    const { created } = causesOf(message)
    const items = (isCreated: boolean) =>
      set.filter(({ id }) => created.has(id) === isCreated).map(({ item }) => item)
    const [came, changed] = [items(true), items(false)]
    return [
      ...(removed.length > 0 && this.#wants('delete') ? await this.#removed(message, rights) : []),
      ...(came.length > 0 && this.#wants('create') ? [{ event: 'create', data: this.#items(came) }] : []),
      ...(changed.length > 0 && this.#wants('update')
        ? [{ event: 'update', data: this.#items(changed) }]
        : []),
    ]
  }

  async #removed(message: ChangesMessage, { engine }: Rights): Promise<readonly TextEvent[]> {
    const { removed, token } = message
    const { deleted } = causesOf(message)
    const doubtful = removed.filter((id) => !deleted.has(id))
    const seen =
      doubtful.length > 0 ? await this.#reads.seen({ token, list: this.#list, engine }, doubtful) : deleted
    const left = doubtful.filter((id) => seen.has(id))
    const gone = removed.filter((id) => !left.includes(id))
    return [
      ...(gone.length > 0 ? [{ event: 'delete', data: this.#keys(gone) }] : []),
      ...(left.length > 0 ? [{ event: 'delete', data: this.#keys(left), more: ',"leave":true' }] : []),
    ]
  }

  #wants(event: SocketEvent): boolean {
    return this.#list.event === undefined || this.#list.event === event
  }

  /** Returns the counts: for a new subscriber the current ones, else those of the version that is sent. */
  async #meta(token: string, { engine }: Rights, isBeginning: boolean): Promise<string> {
    if (this.#list.meta.length === 0) return ''
    const state = { token, list: this.#list, engine }
    const counts = isBeginning ? this.#reads.countsNow(state) : this.#reads.counts(state)
    return `,"meta":${JSON.stringify(await counts)}`
  }

  #items(items: readonly unknown[]): string {
    return this.#list.isItem ? itemText(items[0] ?? null) : itemsText(items)
  }

  #keys(ids: readonly string[]): string {
    return JSON.stringify(this.#list.isItem ? ids[0] : ids)
  }

  #text({ event, data, more = '' }: TextEvent): string {
    const members = data === undefined ? '' : `,"data":${data}`
    return `{"type":"subscription","event":"${event}"${members}${more}${this.#uid}}`
  }
}

/** Returns the event of a message where the messages of a feed are sent as they are. */
function asItIs(message: FeedMessage): TextEvent {
  if (message.kind === 'reset') return { event: 'reset', more: `,"reason":${JSON.stringify(message.reason)}` }
  const token = `,"token":${JSON.stringify(message.token)}`
  if (message.kind === 'changes') return { event: 'changes', more: `,${changesText(message)}${token}` }
  const ids = message.ids ? `,"ids":${JSON.stringify(message.ids)}` : ''
  return { event: 'init', data: itemsText(message.items), more: `${ids}${token}` }
}
