// Changes that the source of a feed reports, on their way to the groups that they concern.

import { fault, quote } from '../../errors/errors.ts'
import type { BlindCollection, SourceBatch, SourceChange } from '../feed/source.ts'
import type { UnseenChanges } from '../feed/unseen-changes.ts'
import type { WatchedGroup } from '../group/group.ts'
import type { GroupRegistry } from '../group/group-registry.ts'
import { Doubts } from '../listing/look-again.ts'
import type { WrittenRows } from './written-rows.ts'

/** The part of the feed that receives changes. */
interface HearingFeed {
  readonly groups: GroupRegistry
  readonly written: WrittenRows
  readonly unseen: UnseenChanges
  /** False if each change marks each group of its collection. */
  readonly hasShortcuts: boolean
  readonly knows: (collection: string) => boolean
  readonly onError: (error: unknown) => void
}

export class HeardChanges {
  readonly #feed: HearingFeed
  readonly #doubts: Doubts
  /** Names that no collection has, of which was reported. */
  readonly #unknown = new Set<string>()

  constructor(feed: HearingFeed) {
    this.#feed = feed
    this.#doubts = new Doubts((collection) => this.#mark({ collection }))
  }

  take({ changes, blind }: SourceBatch): void {
    const { groups, written, hasShortcuts, knows } = this.#feed
    if (blind) this.#takeBlind(blind)
    const known = changes.filter(({ collection }) => knows(collection))
    for (const { collection } of changes) if (!knows(collection)) this.#reportUnknown(collection)
    if (hasShortcuts) written.take(known)
    else for (const change of known) this.#mark(change)
    for (const { collection, isDoubtful } of known) {
      if (isDoubtful) this.#doubts.add(collection)
      groups.noteChange(collection)
    }
  }

  stop(): void {
    this.#doubts.stop()
  }

  /** Restarts the subscriptions to collections that the source no longer covers, or covers again. */
  #takeBlind(blind: readonly BlindCollection[]): void {
    const { groups, unseen } = this.#feed
    for (const name of unseen.take(blind)) {
      const concerned = groups.of(name)
      if (!concerned) continue
      unseen.report(name)
      resetAll('source', concerned.all)
    }
  }

  #mark(change: SourceChange): void {
    for (const group of this.#feed.groups.of(change.collection)?.all ?? []) group.mark(change)
  }

  #reportUnknown(collection: string): void {
    if (this.#unknown.size >= maxUnknown || this.#unknown.has(collection)) return
    this.#unknown.add(collection)
    this.#feed.onError(
      fault(
        'INVALID_SCHEMA',
        `A source reported a change of the collection ${quote(collection)}, which is unknown.`,
      ),
    )
  }
}

const maxUnknown = 1_000

/** Lets groups begin anew. */
export function resetAll(reason: 'source' | 'host', groups: Iterable<WatchedGroup>): void {
  for (const group of [...groups]) group.reset(reason)
}
