// How often a feed does what: counted from outside, so that nothing of it is in the feed itself.
import { vi } from 'vitest'
import { WatchedGroup } from '../../src/realtime/group.ts'
import { CollectionGroups } from '../../src/realtime/relevance/affected.ts'
import { RowIndex } from '../../src/realtime/relevance/row-index.ts'

export type Counts = Map<string, number>

export const count = (counts: Counts, what: string, times = 1): Counts =>
  counts.set(what, (counts.get(what) ?? 0) + times)

/** Counts how lists become dirty, how they are read again, and what memory judges. Returns how it ends. */
export function countWork(counts: Counts): () => void {
  const { mark, markItem, reads, take, takeSome } = WatchedGroup.prototype
  const { find } = RowIndex.prototype
  const { showing, isBehind } = CollectionGroups.prototype
  const spies = [
    vi.spyOn(WatchedGroup.prototype, 'mark').mockImplementation(function (this: WatchedGroup, change) {
      count(
        counts,
        change ? (change.keys ? 'marked by keys' : 'marked by a collection') : 'marked as a whole',
      )
      mark.call(this, change)
    }),
    vi.spyOn(WatchedGroup.prototype, 'markItem').mockImplementation(function (this: WatchedGroup, ...item) {
      count(counts, 'marked by a row')
      markItem.apply(this, item)
    }),
    vi.spyOn(WatchedGroup.prototype, 'reads').mockImplementation(function (this: WatchedGroup, change) {
      const isRead = reads.call(this, change)
      if (!isRead) count(counts, 'dropped by fields')
      return isRead
    }),
    vi.spyOn(WatchedGroup.prototype, 'take').mockImplementation(function (this: WatchedGroup, ...taken) {
      count(counts, `${this.watched.membership} read as a whole`)
      take.apply(this, taken)
    }),
    vi.spyOn(WatchedGroup.prototype, 'takeSome').mockImplementation(function (this: WatchedGroup, ...taken) {
      count(counts, 'read by keys')
      takeSome.apply(this, taken)
    }),
    vi.spyOn(RowIndex.prototype, 'find').mockImplementation(function (this: RowIndex<unknown>, row) {
      const found = find.call(this, row)
      count(counts, 'judged to matter', found.size)
      count(counts, 'judged not to matter', this.size - found.size)
      return found
    }),
    vi.spyOn(CollectionGroups.prototype, 'showing').mockImplementation(function (
      this: CollectionGroups,
      row,
      reading,
    ) {
      const found = showing.call(this, row, reading)
      if (found.size > 0) count(counts, row.now ? 'a row that is shown' : 'a row that was shown', found.size)
      return found
    }),
    vi.spyOn(CollectionGroups.prototype, 'isBehind').mockImplementation(function (
      this: CollectionGroups,
      ...row
    ) {
      const isSo = isBehind.apply(this, row)
      if (isSo) count(counts, 'a row behind a page')
      return isSo
    }),
  ]
  return () => {
    for (const spy of spies) spy.mockRestore()
  }
}
