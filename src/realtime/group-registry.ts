// The groups of a feed: by their names, and by the collections on which they depend.

import { fault } from '../errors/errors.ts'
import type { Touches } from '../plan/touches.ts'
import type { Rights } from './feed-caller.ts'
import type { FeedSettings } from './feed-options.ts'
import { type Waiting, WatchedGroup, type WatchedQuery } from './group.ts'
import { groupName } from './group-name.ts'
import { CollectionGroups } from './relevance/affected.ts'
import type { Relevance } from './relevance/relevance-of.ts'
import { later } from './timers.ts'
import { planWatched } from './watched-query.ts'

export class GroupRegistry {
  readonly #settings: FeedSettings
  readonly #all = new Set<WatchedGroup>()
  readonly #byName = new Map<string, WatchedGroup>()
  readonly #byCollection = new Map<string, CollectionGroups>()
  readonly #touched = new Map<WatchedGroup, ReadonlySet<string>>()
  /** Groups without a subscription, the oldest first, and what prevents that they are forgotten. */
  readonly #idle = new Map<WatchedGroup, () => void>()
  readonly #counted = new Map<WatchedGroup, number>()
  #items = 0

  constructor(settings: FeedSettings) {
    this.#settings = settings
  }

  get all(): ReadonlySet<WatchedGroup> {
    return this.#all
  }

  /** Number of items of all groups. */
  get items(): number {
    return this.#items
  }

  /** The groups that depend on a collection. */
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
    const { list, read, engine } = planWatched(watched, caller)
    if (this.items >= this.#settings.limits.items) throw full()
    const group = new WatchedGroup(watched, { name, engine, list, read }, this.#settings.limits.pending)
    this.#all.add(group)
    if (name !== undefined) this.#byName.set(name, group)
    return group
  }

  leave(group: WatchedGroup, subscription: Waiting): void {
    group.subscriptions.delete(subscription)
    if (group.subscriptions.size > 0 || !this.#all.has(group)) return
    // A group without a name is found by nobody.
    if (group.name === undefined) {
      this.#forget(group)
      return
    }
    this.#keep(group)
    this.#idle.set(
      group,
      later(this.#settings.graceMs, () => this.#forget(group)),
    )
    const [oldest] = this.#idle.keys()
    if (oldest && this.#idle.size > this.#settings.limits.idle) this.#forget(oldest)
  }

  /** Notes on which collections a group depends, and on which of their rows, as far as that is known. */
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

  /** Counts the items of a group that was read. */
  count(group: WatchedGroup): void {
    if (!this.#all.has(group)) return
    this.#items += group.state.size - (this.#counted.get(group) ?? 0)
    this.#counted.set(group, group.state.size)
  }

  /** Forgets everything. */
  clear(): void {
    for (const group of [...this.#all]) this.#forget(group)
  }

  #untouch(group: WatchedGroup, name: string): void {
    const groups = this.#byCollection.get(name)
    groups?.delete(group)
    if (groups?.size === 0) this.#byCollection.delete(name)
  }

  #keep(group: WatchedGroup): void {
    this.#idle.get(group)?.()
    this.#idle.delete(group)
  }

  #forget(group: WatchedGroup): void {
    this.#keep(group)
    this.#all.delete(group)
    if (group.name !== undefined) this.#byName.delete(group.name)
    for (const name of this.#touched.get(group) ?? []) this.#untouch(group, name)
    this.#touched.delete(group)
    this.#items -= this.#counted.get(group) ?? 0
    this.#counted.delete(group)
  }
}

const full = () =>
  fault('SERVICE_UNAVAILABLE', 'This feed keeps as many items as it may.', { hint: 'Try again later.' })
