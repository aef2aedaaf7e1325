// The last items of full pages: what comes after one of them does not matter to its page.

import type { EngineInternals } from '../../engine/engine.ts'
import { readComparableRows } from '../../items/watch/matching-rows.ts'
import type { KnownValues } from '../../plan/filter/may-hold.ts'
import { type Key, keyIdentity, readKey } from '../../plan/key.ts'
import type { Collection } from '../../schema/model.ts'
import type { WatchedGroup } from '../group/group.ts'
import type { Listed } from '../list/listed.ts'
import type { CollectionGroups, WrittenRow } from './affected.ts'

export class LastItems {
  /** Their values, as long as a page is not read again. */
  readonly #known = new WeakMap<Listed, KnownValues>()

  /** Reads the last items of groups that are full pages, where they are not known. */
  async read(
    shown: Iterable<WatchedGroup>,
    groups: CollectionGroups,
    { engine, collection }: { readonly engine: EngineInternals; readonly collection: Collection },
  ): Promise<void> {
    const keys = new Map<Listed, Key>()
    for (const group of shown) {
      const listed = groups.isOrdered(group) ? fullPageOf(group) : undefined
      const last = listed?.state.items.at(-1)
      const key = last && readKey(collection, last.key)
      if (listed && key !== undefined && !this.#known.has(listed)) keys.set(listed, key)
    }
    if (keys.size === 0) return
    // A group may have come whose order no row was read for.
    const found = await readComparableRows(engine, collection, [...keys.values()], groups.comparedFields)
    for (const [listed, key] of keys) {
      const values = found.get(keyIdentity(key))
      if (values) this.#known.set(listed, values)
    }
  }

  /** True for a row that a page does not show, and that comes after its last item. */
  areBefore(row: WrittenRow, group: WatchedGroup, groups: CollectionGroups): boolean {
    const listed = fullPageOf(group)
    const last = listed && this.#known.get(listed)
    return last !== undefined && groups.isBehind(row, last, group)
  }
}

/** Returns a page with as many items as it may have, unless it has to be read again, or is just read. */
function fullPageOf({ isStale, isBeingRead, listed, list: { page } }: WatchedGroup): Listed | undefined {
  return isStale || isBeingRead || listed?.state.items.length !== page.limit ? undefined : listed
}
