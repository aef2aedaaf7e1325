// Reads marked groups again: the oldest first, a few at a time, and not more in a second than was set.

import { isEngineError } from '../errors/errors.ts'
import { attempt } from '../execution/report-errors.ts'
import { type Dependence, readMembers, readWatched } from '../items/read/watched-list.ts'
import type { BegunListing } from './dirty-items.ts'
import type { WatchedGroup } from './group.ts'
import { later } from './timers.ts'

/** Settings of reads. */
export interface ListingSettings {
  /** Milliseconds for which changes are gathered before a list is read. */
  readonly settleMs: number
  /** Maximum number of reads in a second. */
  readonly perSecond: number
  readonly hasShortcuts: boolean
  readonly onError: (error: unknown) => unknown
  /** Called before a list is read, with what it depends on. */
  readonly onDependence: (group: WatchedGroup, dependence: Dependence) => Promise<void>
  readonly onTaken: (group: WatchedGroup) => void
}

interface Queued {
  readonly at: number
  /** Not read before. */
  readonly from: number
}

interface Running {
  /** When it was asked for. */
  readonly at: number
  readonly over: Promise<void>
}

export class Listings {
  readonly #settings: ListingSettings
  readonly #queue = new Map<WatchedGroup, Queued>()
  readonly #running = new Map<WatchedGroup, Running>()
  /** Reads that may begin now. They come back with time. */
  #budget: number
  #refilledAt = performance.now()
  #stopTimer: (() => void) | undefined
  #isStopped = false
  /** Failures in a row, of a database that cannot be reached. */
  #failures = 0

  constructor(settings: ListingSettings) {
    this.#settings = settings
    this.#budget = settings.perSecond
  }

  /** Milliseconds for which the oldest group waits to be read, or is being read: one at least, and 0 if there is none. */
  get age(): number {
    const [first] = this.#queue.values()
    const [reading] = this.#running.values()
    const at = Math.min(first?.at ?? Number.POSITIVE_INFINITY, reading?.at ?? Number.POSITIVE_INFINITY)
    return at === Number.POSITIVE_INFINITY ? 0 : Math.max(1, performance.now() - at)
  }

  /** True while the database cannot be reached. */
  get isFailing(): boolean {
    return this.#failures > 0
  }

  /** Resolves when the group has been read, by a read that begins after this call. `isSoon`: as a whole, and without waiting for more changes. */
  listed(group: WatchedGroup, isSoon: boolean): Promise<void> {
    if (isSoon) group.wantWhole()
    const [promise, isFirst] = group.awaitListing()
    const now = performance.now()
    if (isFirst) this.#queue.set(group, { at: now, from: isSoon ? now : now + this.#settings.settleMs })
    else if (isSoon) this.#hurry(group, now)
    this.#turn()
    return promise
  }

  /** Stops, and resolves when the reads that have begun are over. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopTimer?.()
    this.#queue.clear()
    await Promise.all([...this.#running.values()].map(({ over }) => over))
  }

  #hurry(group: WatchedGroup, now: number): void {
    const queued = this.#queue.get(group)
    if (queued && queued.from > now && this.#failures === 0) this.#queue.set(group, { ...queued, from: now })
  }

  #turn(): void {
    if (this.#isStopped) return
    this.#refill()
    const now = performance.now()
    for (const [group, { at, from }] of this.#queue) {
      if (this.#running.size >= mostAtOnce || this.#budget < 1) break
      // Of two reads of a list that overlap, the older one could be told last.
      if (from > now || this.#running.has(group)) continue
      this.#queue.delete(group)
      this.#budget -= 1
      const over = this.#list(group).finally(() => {
        this.#running.delete(group)
        this.#turn()
      })
      this.#running.set(group, { at, over })
    }
    this.#wait()
  }

  #refill(): void {
    const { perSecond } = this.#settings
    const now = performance.now()
    this.#budget = Math.min(perSecond, this.#budget + ((now - this.#refilledAt) / 1_000) * perSecond)
    this.#refilledAt = now
  }

  #wait(): void {
    this.#stopTimer?.()
    this.#stopTimer = undefined
    if (this.#queue.size === 0 || this.#running.size >= mostAtOnce) return
    const soonest = Math.min(...[...this.#queue.values()].map(({ from }) => from)) - performance.now()
    const refilled = this.#budget < 1 ? ((1 - this.#budget) / this.#settings.perSecond) * 1_000 : 0
    this.#stopTimer = later(Math.max(1, soonest, refilled), () => this.#turn())
  }

  async #list(group: WatchedGroup): Promise<void> {
    const begun = group.begin()
    const { waiting } = begun
    try {
      await this.#read(group, begun)
      this.#settings.onTaken(group)
      this.#failures = 0
      waiting?.resolve()
    } catch (error) {
      group.fail(begun)
      if (isPassing(error) && !this.#isStopped) this.#retry(group, waiting, error)
      else {
        waiting?.reject(error)
        // The next one that asks is told the error, too.
        group.mark()
      }
    }
  }

  async #read(group: WatchedGroup, { dirty, written }: BegunListing): Promise<void> {
    const { engine, read } = group
    if (dirty && dirty.size > 0 && this.#settings.hasShortcuts) {
      group.takeSome(dirty, await readMembers(engine, read, [...dirty.values()]), written)
      return
    }
    const before = (dependence: Dependence) => this.#settings.onDependence(group, dependence)
    group.take(await readWatched(engine, read, before), written)
  }

  /** Reads again later what could not be read, because the database was not there. */
  #retry(group: WatchedGroup, waiting: BegunListing['waiting'], error: unknown): void {
    if (this.#failures === 0) void attempt(() => Promise.reject(error), undefined, this.#settings.onError)
    const pause = Math.min(longestPause, firstPause * 2 ** Math.min(this.#failures, 10))
    this.#failures += 1
    const now = performance.now()
    group.mark()
    const [again, isFirst] = group.awaitListing()
    if (isFirst) this.#queue.set(group, { at: now, from: now + pause })
    if (waiting) again.then(waiting.resolve, waiting.reject)
  }
}

const mostAtOnce = 4
const firstPause = 50
const longestPause = 5_000

/** True for the errors of a database that cannot be reached now, or has too much to do. */
const isPassing = (error: unknown): boolean => isEngineError(error) && error.code === 'SERVICE_UNAVAILABLE'
