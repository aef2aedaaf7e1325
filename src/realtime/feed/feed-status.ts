import type { WatchedGroup } from '../group/group.ts'

/** The state of a feed. */
export interface FeedStatus {
  /** Milliseconds since the source was lost; 0 while it is followed. */
  readonly lag: number
  /** Milliseconds for which the oldest list waits to be read again: one at least, and 0 if none does. */
  readonly oldest: number
  /** False while the database cannot be reached. */
  readonly isReading: boolean
  readonly subscriptions: number
  readonly lists: number
  /** Number of items of all lists. */
  readonly items: number
  /** Bytes of memory that all lists take, and messages on their way to sockets and event streams, about. */
  readonly bytes: number
  /** The watched collections whose changes the source may not all report: the database itself changes their rows. */
  readonly blind: readonly string[]
  /** The ten biggest lists. */
  readonly biggest: readonly {
    readonly collection: string
    readonly membership: 'page' | 'match'
    readonly items: number
    readonly subscriptions: number
  }[]
}

/** Returns the lists with the most items. */
export function biggestOf(groups: Iterable<WatchedGroup>): FeedStatus['biggest'] {
  const biggest: WatchedGroup[] = []
  for (const group of groups) {
    const least = biggest.at(-1)
    if (least && biggest.length === maxShown && least.state.size >= group.state.size) continue
    const at = biggest.findIndex(({ state }) => state.size < group.state.size)
    biggest.splice(at < 0 ? biggest.length : at, 0, group)
    biggest.length = Math.min(biggest.length, maxShown)
  }
  return biggest.map(({ watched: { collection, membership }, state, subscriptions }) => ({
    collection,
    membership,
    items: state.size,
    subscriptions: subscriptions.size,
  }))
}

const maxShown = 10
