// The state of a list as it was last read, and what has changed since an earlier state.

import type { WatchedItem, WatchedState } from '../items/read/watched-list.ts'
import type { ShownKey } from '../plan/key.ts'
import { deepFreeze } from '../values/freeze.ts'
import type { WrittenItems } from './dirty-items.ts'
import {
  createdIn,
  digestOf,
  type GoneKey,
  type HeldItem,
  type HeldItems,
  isKeptOrder,
  type Logged,
  membersBefore,
  type News,
  type ToldItem,
  type ToldKey,
  type WatchedMembership,
} from './news.ts'

interface Member {
  readonly key: ToldKey['key']
  /** The text by which a change is seen. */
  readonly text: string
  /** The version that has brought it. */
  readonly version: number
  /** The item, as long as somebody may be told of it. */
  item: unknown
}

export class ListState {
  readonly #membership: WatchedMembership
  /** Maximum number of changes that are kept for those who are behind. */
  readonly #mostKept: number
  #version = 0
  #members = new Map<string, Member>()
  #groups: { readonly text: string; readonly all: readonly unknown[] } | undefined
  /** The last changes, the oldest first. */
  #log: Logged[] = []
  /** The lowest version from which the log tells everything. */
  #from = 0
  #orderVersion = 0
  /** Last versions of a page, each in its order. */
  #orders: { readonly version: number; readonly digest: string }[] = []
  #follower: ((identity: string, isMember: boolean) => void) | undefined
  /** The news that somebody was told last. */
  #last: { readonly from: number; readonly to: number; readonly news: News } | undefined

  constructor(membership: WatchedMembership, mostKept: number) {
    this.#membership = membership
    this.#mostKept = mostKept
  }

  /** Grows with each change that is to be told. */
  get version(): number {
    return this.#version
  }

  /** Number of items. */
  get size(): number {
    return this.#members.size
  }

  /** Tells somebody of each item that is in the list, and of each that comes or goes. Undefined: nobody any more. */
  follow(follower: ((identity: string, isMember: boolean) => void) | undefined): void {
    for (const identity of this.#members.keys()) {
      this.#follower?.(identity, false)
      follower?.(identity, true)
    }
    this.#follower = follower
  }

  /** Takes the list as it was read. `written`: what was done to items. */
  take({ items, groups }: WatchedState, written: WrittenItems): void {
    if (groups) this.#takeGroups(groups)
    else this.#takeItems(items, written)
  }

  /** Takes what was read of some items. Those of them that were not found are no members. */
  takeSome(keys: ReadonlyMap<string, ShownKey>, items: readonly WatchedItem[], written: WrittenItems): void {
    const version = this.#version + 1
    const found = new Map(items.map((item) => [item.identity, item]))
    const changed: Logged[] = []
    for (const [identity, key] of keys) {
      const read = found.get(identity)
      const known = this.#members.get(identity)
      const text = read && JSON.stringify(read.item)
      if (text === known?.text && !(known && written.get(identity)?.isNamed)) continue
      if (read && text !== undefined)
        this.#members.set(identity, { key, text, version, item: deepFreeze(read.item) })
      else this.#members.delete(identity)
      if ((read === undefined) !== (known === undefined)) this.#follower?.(identity, read !== undefined)
      changed.push(loggedOf(identity, known, { key, version, written: written.get(identity) }))
    }
    if (changed.length === 0) return
    this.#version = version
    this.#keep(changed)
  }

  /** Returns what has changed since a version; undefined if that is not known any more. */
  since(version: number): News | undefined {
    if (version < this.#from || version > this.#version) return undefined
    // Most subscribers have been told the same.
    if (this.#last?.from !== version || this.#last.to !== this.#version)
      this.#last = { from: version, to: this.#version, news: this.#newsSince(version) }
    return this.#last.news
  }

  #newsSince(version: number): News {
    const news = this.#log.filter((logged) => logged.version > version)
    const last = new Map(news.map((logged) => [logged.identity, logged]))
    const before = membersBefore(news)
    const created = createdIn(news, before)
    const set: ToldItem[] = []
    const removed: GoneKey[] = []
    const named = new Set(news.flatMap(({ identity, written }) => (written?.isNamed ? [identity] : [])))
    for (const { identity, key, written } of last.values()) {
      const member = this.#members.get(identity)
      // An item that is as it was at that version is no news, even if it changed in between.
      if (member && !named.has(identity) && before.get(identity) === digestOf(member.text)) continue
      if (member) set.push({ identity, key, item: member.item, isCreated: created.has(identity) })
      // An item that came and went since then was never in the list of that version.
      else if (before.has(identity))
        removed.push({ identity, key, isDeleted: written?.operation === 'delete' })
    }
    const isReordered = this.#membership === 'page' && this.#orderVersion > version && !this.#isAsAt(version)
    return {
      set,
      removed,
      order: isReordered ? this.#keys() : undefined,
      groups: this.#groups && version < this.#version ? this.#groups.all : undefined,
    }
  }

  /** True if a page has the items that it had at a version, in the same order. */
  #isAsAt(version: number): boolean {
    const then = this.#orders.find((order) => order.version === version)
    return then !== undefined && then.digest === this.#orders.at(-1)?.digest
  }

  /** Returns the members of a version; undefined if that is not known any more, or there are only groups. */
  membersAt(version: number): HeldItems | undefined {
    if (this.#groups || version < this.#from || version > this.#version) return undefined
    let isInOrder = this.#orderVersion <= version
    const held = new Map<string, HeldItem>()
    for (const [identity, { key, text }] of this.#members) held.set(identity, { identity, key, text })
    // From the last change to the first, which says what was there before.
    for (const logged of this.#log.toReversed()) {
      if (logged.version <= version) break
      const { identity, key, digest } = logged
      const wasMember = digest !== undefined
      // The log does not tell where an item was that has gone.
      if (wasMember && !held.has(identity)) isInOrder = false
      if (wasMember) held.set(identity, { identity, key, text: undefined })
      else held.delete(identity)
    }
    return { items: held, isInOrder }
  }

  #keys(): readonly ToldKey[] {
    return [...this.#members].map(([identity, { key }]) => ({ identity, key }))
  }

  #takeGroups(all: readonly unknown[]): void {
    const text = JSON.stringify(all)
    if (text === this.#groups?.text) return
    this.#groups = { text, all: deepFreeze(all) }
    this.#version += 1
  }

  #takeItems(items: readonly WatchedItem[], written: WrittenItems): void {
    const before = this.#members
    const version = this.#version + 1
    const changed: Logged[] = []
    this.#members = new Map()
    for (const { identity, key, item } of items) {
      const text = JSON.stringify(item)
      const known = before.get(identity)
      if (known?.text === text && !written.get(identity)?.isNamed) {
        this.#members.set(identity, known)
        continue
      }
      this.#members.set(identity, { key, text, version, item: deepFreeze(item) })
      changed.push(loggedOf(identity, known, { key, version, written: written.get(identity) }))
    }
    for (const [identity, known] of before)
      if (!this.#members.has(identity))
        changed.push(loggedOf(identity, known, { key: known.key, version, written: written.get(identity) }))
    if (this.#follower)
      for (const { identity, digest } of changed) {
        const isMember = this.#members.has(identity)
        if (isMember !== (digest !== undefined)) this.#follower(identity, isMember)
      }
    const isReordered = this.#membership === 'page' && !isKeptOrder(before, this.#members)
    // An empty list is a state, too.
    if (version > 1 && changed.length === 0 && !isReordered) return
    if (isReordered) this.#orderVersion = version
    this.#version = version
    if (this.#membership === 'page') this.#noteOrder()
    if (version === 1) this.#begin(changed)
    else this.#keep(changed)
  }

  #noteOrder(): void {
    const digest = digestOf(JSON.stringify([...this.#members.keys()]))
    this.#orders = [...this.#orders.slice(-this.#mostKept), { version: this.#version, digest }]
  }

  /** Begins the log: nobody is behind the first version. */
  #begin(all: readonly Logged[]): void {
    this.#from = 1
    if (this.#membership === 'match') this.#forgetItems(all)
  }

  #keep(changed: readonly Logged[]): void {
    const all = [...this.#log, ...changed]
    const dropped = all.slice(0, Math.max(0, all.length - this.#mostKept))
    this.#log = all.slice(dropped.length)
    this.#from = Math.max(this.#from, ...dropped.map(({ version }) => version).slice(-1))
    if (this.#membership === 'match') this.#forgetItems(dropped)
  }

  /** Forgets the items of which nobody is told any more: a list may have more members than memory should hold. */
  #forgetItems(dropped: readonly Logged[]): void {
    for (const { identity, version } of dropped) {
      const member = this.#members.get(identity)
      if (member?.version === version) member.item = undefined
    }
  }
}

const loggedOf = (
  identity: string,
  before: Member | undefined,
  { key, version, written }: Pick<Logged, 'key' | 'version' | 'written'>,
): Logged => ({
  identity,
  key: before?.key ?? key,
  version,
  written,
  digest: before && digestOf(before.text),
})
