// The groups that wait to be read: first those that have a waiting subscriber, then the oldest first.

import type { WatchedGroup } from '../group/group.ts'

interface Queued {
  readonly at: number
  /** Not read before. */
  readonly from: number
}

export class ListingQueue {
  /** In the order in which they may be read. */
  readonly #soon = new Map<WatchedGroup, Queued>()
  readonly #settling = new Map<WatchedGroup, Queued>()
  /** Groups that are being read, since when they had waited. */
  readonly #running = new Map<WatchedGroup, number>()
  /** Groups that were asked for again while they are read. Of two reads of a list that overlap, the older one could be reported last. */
  readonly #again = new Map<WatchedGroup, Queued>()

  /** Since when the oldest group waits, or waited before it was read; undefined if there is none. */
  get oldest(): number | undefined {
    const firsts = [this.#soon, this.#settling, this.#again].flatMap((queue) => firstOf(queue)?.at ?? [])
    const [running] = this.#running.values()
    const all = running === undefined ? firsts : [...firsts, running]
    return all.length === 0 ? undefined : Math.min(...all)
  }

  get running(): Iterable<WatchedGroup> {
    return this.#running.keys()
  }

  /** When the next group may be read; undefined if none waits. */
  get soonest(): number | undefined {
    return firstOf(this.#soon)?.from ?? firstOf(this.#settling)?.from
  }

  /** Adds a group that waits for some milliseconds, and is not in the queue. */
  add(group: WatchedGroup, settleMs: number): void {
    const now = performance.now()
    const queued = { at: now, from: now + settleMs }
    if (this.#running.has(group)) this.#again.set(group, queued)
    else this.#enqueue(group, queued, settleMs === 0)
  }

  /** Lets a group wait no longer. */
  hurry(group: WatchedGroup): void {
    const queued = this.#settling.get(group)
    if (!queued) return
    this.#settling.delete(group)
    this.#soon.set(group, queued)
  }

  /** Takes the next group, with others of its shape of which only some items have to be read. */
  take(now: number, max: number): readonly WatchedGroup[] {
    const queue = this.#soon.size > 0 ? this.#soon : this.#settling
    const taken: WatchedGroup[] = []
    let looked = 0
    for (const [group, { at, from }] of queue) {
      if ((from > now && queue === this.#settling) || taken.length >= max || ++looked > maxLooked) break
      const [first] = taken
      if (first && (first.shape === undefined || group.shape !== first.shape)) continue
      queue.delete(group)
      this.#running.set(group, at)
      taken.push(group)
      if (group.shape === undefined) break
    }
    return taken
  }

  finish(groups: readonly WatchedGroup[]): void {
    for (const group of groups) {
      this.#running.delete(group)
      const queued = this.#again.get(group)
      if (!queued) continue
      this.#again.delete(group)
      this.#enqueue(group, queued, false)
    }
  }

  clear(): void {
    this.#soon.clear()
    this.#settling.clear()
    this.#again.clear()
  }

  #enqueue(group: WatchedGroup, queued: Queued, isSoon: boolean): void {
    const queue = isSoon ? this.#soon : this.#settling
    queue.set(group, queued)
  }
}

/** Maximum number of groups among which others of a shape are looked for. */
const maxLooked = 2_000

const firstOf = (queue: ReadonlyMap<WatchedGroup, Queued>): Queued | undefined => {
  const [first] = queue.values()
  return first
}
