import type { WatchedItem, WatchedState } from '../../items/watch/watched-list.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import { deepFreeze } from '../../values/freeze.ts'
import { memoryOf } from './memory-of.ts'
import type { WatchedMembership } from './news.ts'

/** A list as it was just read, and the version of the group that it is. */
export interface Listed {
  readonly state: WatchedState
  readonly version: number
}

/** The items of a snapshot: of a list of members, those of the page that was asked for. All who are shown one state share them. */
export function shownIn(listed: Listed, { watched, list: { page } }: ShownList): ShownItems {
  const known = shown.get(listed)
  if (known) return known
  const { items: read, groups } = listed.state
  const isPage = watched.membership === 'page'
  const end = page.limit === undefined ? undefined : page.offset + page.limit
  const all = isPage ? read : read.slice(page.offset, end)
  const items = deepFreeze(groups ?? all.map(({ item }) => item))
  const found = { all, items, bytes: memoryOf(items) }
  shown.set(listed, found)
  return found
}

interface ShownList {
  readonly watched: { readonly membership: WatchedMembership }
  readonly list: Pick<ListPlan, 'page'>
}

export interface ShownItems {
  readonly all: readonly WatchedItem[]
  readonly items: readonly unknown[]
  /** Bytes of memory that they take, about. */
  readonly bytes: number
}

const shown = new WeakMap<Listed, ShownItems>()
