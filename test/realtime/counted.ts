// How often a feed does what: counted from outside, so that nothing of it is in the feed itself.
import { WatchedGroup } from '../../src/realtime/group/group.ts'
import { CollectionGroups } from '../../src/realtime/relevance/affected.ts'
import { RowIndex } from '../../src/realtime/relevance/row-index.ts'

export type Counts = Map<string, number>

export const count = (counts: Counts, what: string, times = 1): Counts =>
  counts.set(what, (counts.get(what) ?? 0) + times)

/** Counts how lists become dirty, how they are read again, and what memory judges. Returns how it ends. `read`: the collection of the lists whose reads are counted; without it those of all feeds of the process are. */
export function countWork(counts: Counts, read?: string): () => void {
  // No spies of the tests' own: these keep every call, and with it every list of a long run.
  const { mark, markItem, reads, take, takeSome } = WatchedGroup.prototype
  const { find, set } = RowIndex.prototype
  const { showing, isBehind } = CollectionGroups.prototype
  WatchedGroup.prototype.mark = function (this: WatchedGroup, change) {
    count(counts, change ? (change.keys ? 'marked by keys' : 'marked by a collection') : 'marked as a whole')
    mark.call(this, change)
  }
  WatchedGroup.prototype.markItem = function (this: WatchedGroup, ...item) {
    count(counts, 'marked by a row')
    markItem.apply(this, item)
  }
  WatchedGroup.prototype.reads = function (this: WatchedGroup, change) {
    const isRead = reads.call(this, change)
    if (!isRead) count(counts, 'dropped by fields')
    return isRead
  }
  WatchedGroup.prototype.take = function (this: WatchedGroup, ...taken) {
    const { collection, membership } = this.watched
    if (read === undefined || collection === read) count(counts, `${membership} read as a whole`)
    take.apply(this, taken)
  }
  WatchedGroup.prototype.takeSome = function (this: WatchedGroup, ...taken) {
    if (read === undefined || this.watched.collection === read) count(counts, 'read by keys')
    takeSome.apply(this, taken)
  }
  RowIndex.prototype.set = function (this: RowIndex<unknown>, group, judged) {
    count(counts, judged.points ? 'judged by a value' : 'judged one by one')
    set.call(this, group, judged)
  }
  RowIndex.prototype.find = function (this: RowIndex<unknown>, row) {
    const found = find.call(this, row)
    count(counts, 'judged to matter', found.size)
    count(counts, 'judged not to matter', this.size - found.size)
    return found
  }
  CollectionGroups.prototype.showing = function (this: CollectionGroups, row, reading) {
    const found = showing.call(this, row, reading)
    if (found.size > 0) count(counts, row.now ? 'a row that is shown' : 'a row that was shown', found.size)
    return found
  }
  CollectionGroups.prototype.isBehind = function (this: CollectionGroups, ...row) {
    const isSo = isBehind.apply(this, row)
    if (isSo) count(counts, 'a row behind a page')
    return isSo
  }
  return () => {
    Object.assign(WatchedGroup.prototype, { mark, markItem, reads, take, takeSome })
    Object.assign(RowIndex.prototype, { find, set })
    Object.assign(CollectionGroups.prototype, { showing, isBehind })
  }
}
