// The items of a list as they are known from the last read, and its last changes for those who are behind.

import { deepFreeze } from '../../values/freeze.ts'
import type { WrittenItems } from './dirty-items.ts'
import { digestOf, isEqualJson, memoryOf } from './memory-of.ts'
import type { Logged, ReportedKey } from './news.ts'

export interface ListMember {
  readonly key: ReportedKey['key']
  /** The version that has brought it. */
  readonly version: number
  /** The item, until all subscribers have it. */
  item: unknown
  /** The digest by which a change is detected; undefined until it is needed. */
  digest: string | undefined
  /** Bytes of memory that it takes. */
  bytes: number
}

/** Bytes that a member takes beside its item, where it is found and in the index of rows. */
const besideItem = 400

export const newMember = (key: ReportedKey['key'], item: object, version: number): ListMember => ({
  ...{ key, version, digest: undefined, item: deepFreeze(item) },
  bytes: besideItem + memoryOf(item),
})

/** Returns the digest of a member, which is made when it is first asked for: few items of a page ever change. */
export function digestIn(member: ListMember): string {
  member.digest ??= digestOf(member.item)
  return member.digest
}

/** True if a member looks like an item that was read. */
export const isSame = (member: ListMember, item: object): boolean =>
  isEqualJson(member.item, item) || digestIn(member) === digestOf(item)

export function loggedOf(
  one: ReportedKey,
  known: ListMember | undefined,
  version: number,
  written: WrittenItems,
): Logged {
  return { ...one, version, digest: known && digestIn(known), written: written.get(one.identity) }
}

/** Forgets an item that all subscribers have. Returns the bytes that it took. */
export function forgetItem(member: ListMember): number {
  digestIn(member)
  const bytes = member.bytes - besideItem
  member.item = undefined
  member.bytes = besideItem
  return bytes
}

export class ListLog {
  /** Maximum number of changes. */
  readonly #max: number
  /** The oldest first. */
  #all: readonly Logged[] = []
  /** The lowest version since which it is complete. */
  #from = 0

  constructor(max: number) {
    this.#max = max
  }

  get size(): number {
    return this.#all.length
  }

  /** Notes that no subscriber is behind a version. */
  beginAt(version: number): void {
    this.#from = version
  }

  /** Adds changes, and returns the oldest ones, which are kept no longer. */
  add(changed: readonly Logged[]): readonly Logged[] {
    const all = [...this.#all, ...changed]
    const dropped = all.slice(0, Math.max(0, all.length - this.#max))
    this.#all = all.slice(dropped.length)
    this.#from = Math.max(this.#from, ...dropped.map(({ version }) => version).slice(-1))
    return dropped
  }

  /** True if it is complete since a version. */
  reaches(version: number): boolean {
    return version >= this.#from
  }

  since(version: number): readonly Logged[] {
    return this.#all.filter((logged) => logged.version > version)
  }
}
