// Reads marked groups again: the oldest first, a few at a time, and not more in a second than was set. Groups of one shape, of which only some
// items have to be read, are read together.

import { isEngineError } from '../../errors/errors.ts'
import { readMemberSets } from '../../items/watch/member-sets.ts'
import {
  type Dependence,
  readMembers,
  readWatched,
  type WatchedItem,
} from '../../items/watch/watched-list.ts'
import type { Key } from '../../plan/key.ts'
import type { WatchedGroup } from '../group/group.ts'
import type { BegunListing } from '../list/dirty-items.ts'
import { later, turn } from '../timers.ts'
import { ListingQueue } from './listing-queue.ts'

interface ListingSettings {
  /** Milliseconds for which changes are gathered before a list is read. */
  readonly settleMs: number
  /** Maximum number of reads in a second. */
  readonly perSecond: number
  /** Maximum number of reads at a time: one at least, and four at most. */
  readonly maxAtOnce: number
  readonly hasShortcuts: boolean
  readonly onError: (error: unknown) => void
  /** Called before a list is read, with what it depends on. */
  readonly onDependence: (group: WatchedGroup, dependence: Dependence) => Promise<void>
  readonly onTaken: (group: WatchedGroup) => void
}

interface Begun extends BegunListing {
  readonly group: WatchedGroup
}

/** One of which only some items are read. */
interface BegunSome extends Begun {
  readonly dirty: ReadonlyMap<string, Key>
}

export class Listings {
  readonly #settings: ListingSettings
  readonly #maxAtOnce: number
  readonly #queue = new ListingQueue()
  /** Reads that may begin now. They come back with time. */
  #budget: number
  #refilledAt = performance.now()
  #stopTimer: (() => void) | undefined
  #isStopped = false
  #isPlanned = false
  /** Failures in a row, of a database that cannot be reached. */
  #failures = 0
  #failure: unknown
  /** Since when the oldest group had waited when the first of them failed. */
  #failingFrom: number | undefined
  #pausedUntil = 0
  readonly #reads = new Set<Promise<void>>()

  constructor(settings: ListingSettings) {
    this.#settings = settings
    this.#maxAtOnce = Math.max(1, Math.min(maxAtOnce, settings.maxAtOnce))
    this.#budget = settings.perSecond
  }

  /** Milliseconds for which the oldest group waits to be read, or is being read: one at least, and 0 if there is none. */
  get age(): number {
    const oldest = this.isFailing ? this.#failingFrom : this.#queue.oldest
    return oldest === undefined ? 0 : Math.max(1, performance.now() - oldest)
  }

  get reading(): Iterable<WatchedGroup> {
    return this.#queue.running
  }

  /** True while the database cannot be reached. */
  get isFailing(): boolean {
    return this.#failures > 0
  }

  /** Resolves when the group has been read, by a read that begins after this call. `isSoon`: as a whole, and without waiting for more changes. */
  listed(group: WatchedGroup, isSoon: boolean): Promise<void> {
    if (isSoon) group.wantWhole()
    const [promise, isFirst] = group.awaitListing()
    if (isFirst) this.#queue.add(group, isSoon ? 0 : this.#settings.settleMs)
    else if (isSoon) this.#queue.hurry(group)
    this.#plan()
    return promise
  }

  /** Stops, and resolves when the reads that have begun are over. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopTimer?.()
    this.#queue.clear()
    await Promise.all(this.#reads)
  }

  /** Reads on in the next turn of the loop: a driver that answers at once would leave none to others. */
  #plan(): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    void turn().then(() => this.#turn())
  }

  #turn(): void {
    this.#isPlanned = false
    if (this.#isStopped) return
    const now = performance.now()
    this.#refill(now)
    while (now >= this.#pausedUntil && this.#reads.size < this.#maxAtOnce && this.#budget >= 1) {
      const groups = this.#queue.take(now, this.#settings.hasShortcuts ? maxTogether : 1)
      if (groups.length === 0) break
      this.#budget -= 1
      const read = this.#list(groups).finally(() => {
        this.#reads.delete(read)
        this.#queue.finish(groups)
        this.#plan()
      })
      this.#reads.add(read)
    }
    this.#wait(now)
  }

  #refill(now: number): void {
    const { perSecond } = this.#settings
    this.#budget = Math.min(perSecond, this.#budget + ((now - this.#refilledAt) / 1_000) * perSecond)
    this.#refilledAt = now
  }

  #wait(now: number): void {
    this.#stopTimer?.()
    this.#stopTimer = undefined
    const { soonest } = this.#queue
    if (soonest === undefined || this.#reads.size >= this.#maxAtOnce) return
    const refilled = this.#budget < 1 ? now + ((1 - this.#budget) / this.#settings.perSecond) * 1_000 : 0
    const at = Math.max(soonest, refilled, this.#pausedUntil)
    this.#stopTimer = later(Math.max(1, at - now), () => this.#turn())
  }

  async #list(groups: readonly WatchedGroup[]): Promise<void> {
    const begun = groups.map((group): Begun => ({ group, ...group.begin() }))
    const some = begun.filter((one): one is BegunSome => this.#isOfSome(one))
    for (const one of begun) if (!this.#isOfSome(one)) await this.#listOne(one)
    if (some.length > 0) await this.#listTogether(some)
  }

  #isOfSome({ dirty }: Begun): boolean {
    return this.#settings.hasShortcuts && dirty !== undefined && dirty.size > 0
  }

  /** Reads some items of groups of one shape, by the statement of the shape: one group is read by it in a tenth of the time of a statement of its own. */
  async #listTogether(some: readonly BegunSome[]): Promise<void> {
    const requests = some.map(({ group, dirty }) => ({
      engine: group.engine,
      request: group.read,
      keys: [...dirty.values()],
    }))
    try {
      const read = await readMemberSets(requests)
      for (const [at, one] of some.entries())
        await this.#settle(one, () => this.#takeSome(one, read[at] ?? []))
    } catch (error) {
      const [first, second] = some
      if (first && !second && isPassing(error)) await this.#settle(first, () => Promise.reject(error))
      else await this.#listApart(some, error)
    }
  }

  /** Reads apart what could not be read together. A list that fails alone, too, gets its error; a failure that no list gets is reported to the host. */
  async #listApart(some: readonly BegunSome[], failure: unknown): Promise<void> {
    let failed = 0
    for (const one of some) if (!(await this.#listOne(one))) failed += 1
    if (failed === 0 && !this.#isStopped) this.#settings.onError(failure)
  }

  #listOne(begun: Begun): Promise<boolean> {
    return this.#settle(begun, () => {
      // A database that was just away for another group is away for this one, too.
      if (performance.now() < this.#pausedUntil) throw this.#failure
      return this.#read(begun)
    })
  }

  /** Takes what a read brings, or notes that it has failed, and returns false. */
  async #settle({ group, ...begun }: Begun, read: () => Promise<void> | void): Promise<boolean> {
    const { waiting } = begun
    try {
      await read()
      this.#settings.onTaken(group)
      this.#failures = 0
      waiting?.resolve()
      return true
    } catch (error) {
      group.fail(begun)
      if (isPassing(error) && !this.#isStopped) this.#retry(group, waiting, error)
      else {
        waiting?.reject(error)
        // The next read fails with the error, too.
        group.mark()
      }
      return false
    }
  }

  async #read(begun: Begun): Promise<void> {
    const { group, dirty, written } = begun
    const { engine, read } = group
    if (dirty && this.#isOfSome(begun)) {
      this.#takeSome({ ...begun, dirty }, await readMembers(engine, read, [...dirty.values()]))
      return
    }
    const before = (dependence: Dependence) => this.#settings.onDependence(group, dependence)
    group.take(await readWatched(engine, read, before), written)
  }

  #takeSome({ group, dirty, written }: BegunSome, items: readonly WatchedItem[]): void {
    group.takeSome(dirty, items, written)
  }

  /** Reads again later what could not be read, because the database was not there. */
  #retry(group: WatchedGroup, waiting: BegunListing['waiting'], error: unknown): void {
    const now = performance.now()
    if (now >= this.#pausedUntil) {
      if (this.#failures === 0) {
        this.#settings.onError(error)
        this.#failingFrom = this.#queue.oldest
      }
      this.#pausedUntil = now + Math.min(longestPause, firstPause * 2 ** Math.min(this.#failures, 10))
      this.#failures += 1
      this.#failure = error
    }
    group.mark()
    const [again, isFirst] = group.awaitListing()
    if (isFirst) this.#queue.add(group, 0)
    if (waiting) again.then(waiting.resolve, waiting.reject)
  }
}

const maxAtOnce = 4
/** Maximum number of groups that are read by one statement. */
const maxTogether = 500
const firstPause = 50
const longestPause = 5_000

/** True for the errors of a database that cannot be reached now, or has too much to do; one that is closed, and a source that does not report all
 *  changes, are none of these. */
export const isPassing = (error: unknown): boolean =>
  isEngineError(error) && error.code === 'SERVICE_UNAVAILABLE' && error.extensions.reason === undefined
