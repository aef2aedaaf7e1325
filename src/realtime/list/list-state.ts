// The state of a list as it was last read, and what has changed since an earlier state.

import type { WatchedItem, WatchedState } from '../../items/watch/watched-list.ts'
import type { ShownKey } from '../../plan/key.ts'
import { deepFreeze } from '../../values/freeze.ts'
import type { WrittenItems } from './dirty-items.ts'
import { digestIn, forgetItem, isSame, ListLog, type ListMember, loggedOf, newMember } from './list-member.ts'
import { digestOf, memoryOf } from './memory-of.ts'
import {
  createdIn,
  type GoneKey,
  type HeldItem,
  type HeldItems,
  isKeptOrder,
  type Logged,
  membersBefore,
  type News,
  type ReportedItem,
  type ReportedKey,
  type WatchedMembership,
} from './news.ts'

/** Bytes that a change takes. */
const ofChange = 200

export class ListState {
  readonly #membership: WatchedMembership
  readonly #log: ListLog
  /** Maximum number of changes that are kept for those who are behind. */
  readonly #maxKept: number
  #version = 0
  #members = new Map<string, ListMember>()
  /** Bytes of the members and the groups. */
  #bytes = 0
  #groups: { readonly digest: string; readonly all: readonly unknown[] } | undefined
  #orderVersion = 0
  /** Last versions of a page, each in its order. */
  #orders: { readonly version: number; readonly digest: string }[] = []
  #follower: ((identity: string, isMember: boolean) => void) | undefined
  /** The last news that a subscriber received. */
  #last: { readonly from: number; readonly news: News } | undefined

  constructor(membership: WatchedMembership, maxKept: number) {
    this.#membership = membership
    this.#maxKept = maxKept
    this.#log = new ListLog(maxKept)
  }

  /** Grows with each change that has to be reported. */
  get version(): number {
    return this.#version
  }

  /** Number of items. */
  get size(): number {
    return this.#members.size
  }

  /** Bytes of memory that it takes, about. */
  get bytes(): number {
    return this.#bytes + ofChange * (this.#log.size + this.#orders.length)
  }

  /** Notifies a follower of each item that is in the list, and of each that comes or goes. Undefined: there is no follower any more. */
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
      if (!read && !known) continue
      if (read && known && !written.get(identity)?.isNamed && isSame(known, read.item)) continue
      changed.push(loggedOf({ identity, key: known?.key ?? key }, known, version, written))
      if (known) this.#drop(identity, known)
      if (read) this.#add(identity, newMember(key, read.item, version))
      if ((read === undefined) !== (known === undefined)) this.#follower?.(identity, read !== undefined)
    }
    if (changed.length === 0) return
    this.#become(version)
    this.#keep(changed)
  }

  /** Returns what has changed since a version; undefined if that is not known any more. */
  since(version: number): News | undefined {
    if (!this.#log.reaches(version) || version > this.#version) return undefined
    // Most subscribers are at the same version.
    if (this.#last?.from !== version) this.#last = { from: version, news: this.#newsSince(version) }
    return this.#last.news
  }

  #newsSince(version: number): News {
    const news = this.#log.since(version)
    const last = new Map(news.map((logged) => [logged.identity, logged]))
    const before = membersBefore(news)
    const created = createdIn(news, before)
    const set: ReportedItem[] = []
    const removed: GoneKey[] = []
    let bytes = this.#groups ? this.#bytes : 0
    const named = new Set(news.flatMap(({ identity, written }) => (written?.isNamed ? [identity] : [])))
    for (const { identity, key, written } of last.values()) {
      const member = this.#members.get(identity)
      // An item that is as it was at that version is no news, even if it changed in between.
      if (member && !named.has(identity) && before.get(identity) === digestIn(member)) continue
      if (member) {
        set.push({ identity, key, item: member.item, isCreated: created.has(identity) })
        bytes += member.bytes
      }
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
      bytes,
    }
  }

  /** True if a page has the items that it had at a version, in the same order. */
  #isAsAt(version: number): boolean {
    const then = this.#orders.find((order) => order.version === version)
    return then !== undefined && then.digest === this.#orders.at(-1)?.digest
  }

  /** Returns the members of a version; undefined if that is not known any more, or there are only groups. */
  membersAt(version: number): HeldItems | undefined {
    if (this.#groups || !this.#log.reaches(version) || version > this.#version) return undefined
    let isInOrder = this.#orderVersion <= version
    const held = new Map<string, HeldItem>()
    for (const [identity, member] of this.#members)
      held.set(identity, { identity, key: member.key, digest: digestIn(member) })
    // From the last change to the first, which says what was there before.
    for (const { identity, key, digest } of this.#log.since(version).toReversed()) {
      // The log does not hold where a removed item was.
      if (digest !== undefined && !held.has(identity)) isInOrder = false
      if (digest === undefined) held.delete(identity)
      else held.set(identity, { identity, key, digest })
    }
    return { items: held, isInOrder }
  }

  #keys(): readonly ReportedKey[] {
    return [...this.#members].map(([identity, { key }]) => ({ identity, key }))
  }

  #takeGroups(all: readonly unknown[]): void {
    const digest = digestOf(all)
    if (digest === this.#groups?.digest) return
    this.#groups = { digest, all: deepFreeze(all) }
    this.#bytes = memoryOf(all)
    this.#become(this.#version + 1)
  }

  #takeItems(items: readonly WatchedItem[], written: WrittenItems): void {
    const before = this.#members
    const version = this.#version + 1
    const changed: Logged[] = []
    this.#members = new Map()
    this.#bytes = 0
    for (const { identity, key, item } of items) {
      const known = before.get(identity)
      if (known && !written.get(identity)?.isNamed && isSame(known, item)) {
        this.#add(identity, known)
        continue
      }
      this.#add(identity, newMember(key, item, version))
      changed.push(loggedOf({ identity, key }, known, version, written))
    }
    for (const [identity, known] of before)
      if (!this.#members.has(identity))
        changed.push(loggedOf({ identity, key: known.key }, known, version, written))
    if (this.#follower)
      for (const { identity, digest } of changed) {
        const isMember = this.#members.has(identity)
        if (isMember !== (digest !== undefined)) this.#follower(identity, isMember)
      }
    const isReordered = this.#membership === 'page' && !isKeptOrder(before, this.#members)
    // An empty list is a state, too.
    if (version > 1 && changed.length === 0 && !isReordered) return
    if (isReordered) this.#orderVersion = version
    this.#become(version)
    if (this.#membership === 'page') this.#noteOrder()
    if (version > 1) this.#keep(changed)
    else {
      this.#log.beginAt(version)
      this.#forgetItems(changed)
    }
  }

  #noteOrder(): void {
    const digest = digestOf([...this.#members.keys()])
    this.#orders = [...this.#orders.slice(-this.#maxKept), { version: this.#version, digest }]
  }

  #add(identity: string, member: ListMember): void {
    this.#members.set(identity, member)
    this.#bytes += member.bytes
  }

  #drop(identity: string, { bytes }: ListMember): void {
    this.#members.delete(identity)
    this.#bytes -= bytes
  }

  #become(version: number): void {
    this.#version = version
    this.#last = undefined
  }

  #keep(changed: readonly Logged[]): void {
    this.#forgetItems(this.#log.add(changed))
  }

  /** Forgets items of a list of members that all subscribers have: it may have more of them than memory should hold. */
  #forgetItems(dropped: readonly Logged[]): void {
    if (this.#membership === 'page') return
    for (const { identity, version } of dropped) {
      const member = this.#members.get(identity)
      if (member?.version === version) this.#bytes -= forgetItem(member)
    }
  }
}
