// The groups of a feed: by their names, and by the collections on which they depend.

import { fault } from '../../errors/errors.ts'
import type { Touches } from '../../plan/touches.ts'
import { type KeptBytes, payerOf } from '../bytes/kept-bytes.ts'
import type { Rights } from '../feed/feed-caller.ts'
import type { FeedSettings } from '../feed/feed-options.ts'
import { CollectionGroups } from '../relevance/affected.ts'
import type { Relevance } from '../relevance/relevance-of.ts'
import { later } from '../timers.ts'
import { planWatched, type WatchedQuery } from '../watched-query.ts'
import { type Waiting, WatchedGroup } from './group.ts'
import { groupName } from './group-name.ts'

export class GroupRegistry {
  readonly #settings: FeedSettings
  readonly #all = new Set<WatchedGroup>()
  readonly #byName = new Map<string, WatchedGroup>()
  readonly #byCollection = new Map<string, CollectionGroups>()
  readonly #touched = new Map<WatchedGroup, ReadonlySet<string>>()
  /** Groups without a subscription, the oldest first, and what prevents that they are forgotten. */
  readonly #idle = new Map<WatchedGroup, () => void>()
  readonly #counted = new Map<WatchedGroup, number>()
  readonly #bytes: KeptBytes<object>
  /** The callers who pay for subscriptions. */
  readonly #payers = new WeakMap<Waiting, string>()
  #items = 0

  constructor(settings: FeedSettings, bytes: KeptBytes<object>) {
    this.#settings = settings
    this.#bytes = bytes
  }

  get all(): ReadonlySet<WatchedGroup> {
    return this.#all
  }

  get items(): number {
    return this.#items
  }

  /** Bytes of memory that all groups take, and what is on its way, about. */
  get bytes(): number {
    return this.#bytes.all + this.#bytes.sent
  }

  of(collection: string): CollectionGroups | undefined {
    return this.#byCollection.get(collection)
  }

  /** Returns the group of a query and a caller, which is made if there is none. */
  find(watched: WatchedQuery, { engine: caller }: Rights): WatchedGroup {
    const name = groupName(watched, caller)
    const known = name === undefined ? undefined : this.#byName.get(name)
    if (known) {
      this.#keep(known)
      return known
    }
    const { limits } = this.#settings
    const { list, read, engine } = planWatched(watched, caller, limits)
    const group = new WatchedGroup(watched, { name, engine, list, read }, limits.pending)
    this.#all.add(group)
    if (name !== undefined) this.#byName.set(name, group)
    this.#bytes.set(group, group.bytes)
    return group
  }

  /** Adds a subscription of a caller, or lets another one pay for it. */
  join(group: WatchedGroup, subscription: Waiting, { access }: Rights): void {
    const payer = payerOf(access)
    const before = group.subscriptions.has(subscription) ? this.#payers.get(subscription) : undefined
    if (before === payer || !this.#all.has(group)) return
    this.#keep(group)
    group.subscriptions.add(subscription)
    this.#noteReaders(group)
    this.#bytes.join(group, payer)
    if (before !== undefined) this.#bytes.leave(group, before)
    this.#payers.set(subscription, payer)
    this.#makeRoom(group, [subscription])
  }

  leave(group: WatchedGroup, subscription: Waiting): void {
    if (!group.subscriptions.delete(subscription)) return
    this.#bytes.leave(group, this.#payers.get(subscription) ?? '')
    if (group.subscriptions.size > 0 || !this.#all.has(group)) return
    this.#noteReaders(group)
    // A group without a name cannot be found.
    if (group.name === undefined) {
      this.#forget(group)
      return
    }
    this.#idle.set(
      group,
      later(this.#settings.graceMs, () => this.#forget(group)),
    )
    if (this.#idle.size > this.#settings.limits.idle) this.#forgetOldest()
  }

  /** Notes on which collections a group depends, and on which of their rows, where that is known. */
  touch(group: WatchedGroup, touches: Touches, relevance: Relevance): void {
    if (!this.#all.has(group)) return
    const { views } = this.#settings
    const inViews = new Set([...touches.keys()].flatMap((name) => views[name] ?? []))
    const names = new Set([...touches.keys(), ...inViews])
    // Of what is behind a view it is not known on which fields the view depends.
    group.touches = new Map([...touches].filter(([name]) => !inViews.has(name)))
    for (const name of this.#touched.get(group) ?? []) if (!names.has(name)) this.#untouch(group, name)
    for (const name of names) {
      const groups = this.#byCollection.get(name) ?? new CollectionGroups()
      this.#byCollection.set(name, groups)
      groups.set(group, inViews.has(name) ? undefined : relevance.get(name))
    }
    this.#touched.set(group, names)
  }

  /** Notes a change of a collection. After some changes, lists that all have no readers do not follow it: they are read as a whole when a reader comes. */
  noteChange(collection: string): void {
    const groups = this.of(collection)
    groups?.noteChange()
    if (!groups || groups.areRead) return
    for (const group of [...groups.all]) {
      group.mark()
      this.#untouchAll(group)
    }
  }

  /** Counts the items of a group that was read, and what they take. */
  count(group: WatchedGroup): void {
    if (!this.#all.has(group)) return
    this.#bytes.set(group, group.bytes)
    this.#items += group.state.size - (this.#counted.get(group) ?? 0)
    this.#counted.set(group, group.state.size)
    // A group that is refused is forgotten here, with all that was counted of it.
    this.#makeRoom(group, group.subscriptions)
  }

  /** Forgets everything. */
  clear(): void {
    for (const group of [...this.#all]) this.#forget(group)
  }

  /** Forgets lists without readers, the oldest first, while they take too much memory. If that is not enough, it ends subscriptions of a group. */
  #makeRoom(group: WatchedGroup, ended: Iterable<Waiting>): void {
    const { bytes, callerBytes } = this.#settings.limits
    while (this.#bytes.all > bytes && this.#idle.size > 0) this.#forgetOldest()
    for (const subscription of [...ended]) {
      const payer = this.#payers.get(subscription) ?? ''
      const isFull = () => this.#bytes.of(payer) > callerBytes
      for (const idle of isFull() ? [...this.#idle.keys()] : [])
        if (isFull() && this.#bytes.leftBy(idle) === payer) this.#forget(idle)
      if (this.#bytes.all > bytes) subscription.fail(() => full(bytes))
      else if (isFull()) subscription.fail(() => ofCaller(callerBytes))
    }
    const left = this.#bytes.leftBy(group)
    if (left !== undefined && Math.max(this.#bytes.all - bytes, this.#bytes.of(left) - callerBytes) > 0)
      this.#forget(group)
  }

  #forgetOldest(): void {
    const [oldest] = this.#idle.keys()
    if (oldest) this.#forget(oldest)
  }

  #untouch(group: WatchedGroup, name: string): void {
    const groups = this.#byCollection.get(name)
    groups?.delete(group)
    if (groups?.size === 0) this.#byCollection.delete(name)
  }

  #untouchAll(group: WatchedGroup): void {
    for (const name of this.#touched.get(group) ?? []) this.#untouch(group, name)
    this.#touched.delete(group)
  }

  #noteReaders(group: WatchedGroup): void {
    for (const name of this.#touched.get(group) ?? []) this.of(name)?.noteReaders(group)
  }

  #keep(group: WatchedGroup): void {
    this.#idle.get(group)?.()
    this.#idle.delete(group)
  }

  #forget(group: WatchedGroup): void {
    this.#keep(group)
    this.#all.delete(group)
    if (group.name !== undefined) this.#byName.delete(group.name)
    this.#untouchAll(group)
    this.#items -= this.#counted.get(group) ?? 0
    this.#counted.delete(group)
    this.#bytes.delete(group)
  }
}

const full = (bytes: number) =>
  fault('SERVICE_UNAVAILABLE', `The lists of this feed take more than the ${bytes} bytes that they may.`, {
    hint: 'Try again later. The host raises "limits.bytes" of its feed.',
  })

const ofCaller = (bytes: number) =>
  fault('TOO_MANY_REQUESTS', `The lists of one caller take more than the ${bytes} bytes that they may.`, {
    hint: 'Watch fewer lists, or narrow them: by "fields", "filter" and "limit". The host raises "limits.callerBytes" of its feed.',
  })
