import type { WatchedItem } from '../../items/watch/watched-list.ts'
import { deepFreeze } from '../../values/freeze.ts'
import type { HeardWrite } from './dirty-items.ts'
import { digestOf, memoryOf } from './memory-of.ts'

/** The items that a list reports: those of its page, in its order, or its members, in none. */
export type WatchedMembership = 'page' | 'match'

/** An item that is reported. */
export interface ReportedItem extends ReportedKey {
  readonly item: unknown
  /** True if it has come because it was created. */
  readonly isCreated?: boolean
}

/** An item of which only the key is reported. */
export type ReportedKey = Pick<WatchedItem, 'identity' | 'key'>

/** An item that is no longer in the list. */
export interface GoneKey extends ReportedKey {
  /** True if it is known that it was deleted. */
  readonly isDeleted?: boolean
}

/** The changes since a version. */
export interface News {
  readonly set: readonly ReportedItem[]
  readonly removed: readonly GoneKey[]
  /** All items in their order, if it is another. */
  readonly order: readonly ReportedKey[] | undefined
  /** All groups, if it is a list of groups. */
  readonly groups: readonly unknown[] | undefined
  /** Bytes of memory that the items take, about. */
  readonly bytes: number
}

/** Number of the items that are reported. */
export const sizeOf = ({ set, removed }: News): number => set.length + removed.length

/** True if there is something to report. */
export const isNews = (news: News): boolean =>
  sizeOf(news) > 0 || news.order !== undefined || news.groups !== undefined

export interface Logged extends ReportedKey {
  readonly version: number
  readonly written: HeardWrite | undefined
  /** The digest of the item before; undefined if it was no member. */
  readonly digest: string | undefined
}

/** An item as a subscriber holds it. */
export interface HeldItem extends ReportedKey {
  readonly digest: string
}

/** Bytes of memory that an item takes of which its key and its digest are held. */
const ofHeld = 300

/** Returns about how many bytes of memory it takes to know what a subscriber holds. */
export const bytesOfHeld = ({ items }: HeldItems): number => ofHeld * items.size

/** Items that a subscriber holds. */
export interface HeldItems {
  /** By their identities. */
  readonly items: ReadonlyMap<string, HeldItem>
  /** True if they are in the order in which they were reported. */
  readonly isInOrder: boolean
}

/** Returns the items that were members before some changes, and changed by them, with the digests of what they were. */
export function membersBefore(news: readonly Logged[]): ReadonlyMap<string, string> {
  const first = new Map(news.toReversed().map((logged) => [logged.identity, logged]))
  return new Map(
    [...first.values()].flatMap(({ identity, digest }) => (digest === undefined ? [] : [[identity, digest]])),
  )
}

/** Returns the items that were no members before some changes, and were created by one of them. */
export function createdIn(news: readonly Logged[], before: ReadonlyMap<string, string>): ReadonlySet<string> {
  const created = news.filter(
    ({ written, identity }) => written?.operation === 'create' && !before.has(identity),
  )
  return new Set(created.map(({ identity }) => identity))
}

/** True if what is left of an order is still in it, and nothing came to it. */
export function isKeptOrder(
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): boolean {
  const left = [...before.keys()].filter((identity) => after.has(identity))
  if (left.length !== after.size) return false
  let index = 0
  for (const identity of after.keys()) if (left[index++] !== identity) return false
  return true
}

/** Returns the changes from the items that a subscriber holds to those of now. */
export function newsAfter(
  { items: held, isInOrder }: HeldItems,
  items: readonly WatchedItem[],
  membership: WatchedMembership,
): News {
  const now = new Set(items.map(({ identity }) => identity))
  const set = items.filter(({ identity, item }) => held.get(identity)?.digest !== digestOf(item))
  const removed = [...held.values()].filter(({ identity }) => !now.has(identity))
  const isReordered =
    membership === 'page' &&
    !(isInOrder && isKeptOrder(held, new Map(items.map((item) => [item.identity, item]))))
  const bytes = set.reduce((sum, { item }) => sum + memoryOf(item), 0)
  return { set: deepFreeze(set), removed, order: isReordered ? items : undefined, groups: undefined, bytes }
}
