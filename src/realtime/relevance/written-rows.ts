// Rows that were written: reads them once, and marks the groups to which they matter.

import type { EngineInternals } from '../../engine/engine.ts'
import { comparableBefore, readComparableRows } from '../../items/watch/matching-rows.ts'
import type { KnownValues } from '../../plan/filter/may-hold.ts'
import { type Key, keyIdentity } from '../../plan/key.ts'
import type { Collection } from '../../schema/model.ts'
import { groupBy } from '../../writes/context/group-by.ts'
import { itemsOf, type SourceChange } from '../feed/source.ts'
import type { WatchedGroup } from '../group/group.ts'
import type { HeardWrite } from '../list/dirty-items.ts'
import { isPassing } from '../listing/list-again.ts'
import { type Deferred, deferred, turn, Waits } from '../timers.ts'
import { type CollectionGroups, LastItems, type WrittenRow } from './affected.ts'

/** The part of the feed that matches changes with groups. */
interface WrittenContext {
  readonly engine: EngineInternals
  /** Milliseconds for which changes are gathered before their rows are read, soon after others. */
  readonly gatherMs: number
  readonly collectionOf: (name: string) => Collection | undefined
  readonly groupsOf: (name: string) => CollectionGroups | undefined
  readonly reading: () => Iterable<WatchedGroup>
  readonly onError: (error: unknown) => void
}

interface KeyedChange {
  readonly change: SourceChange
  readonly groups: CollectionGroups
  readonly collection: Collection
  readonly keys: readonly Key[]
  /** False if only groups that have the rows can be concerned. */
  readonly isRead: boolean
}

/** A row that belongs to a group, or did or may. */
interface ShownRow {
  readonly row: WrittenRow
  readonly key: Key
  readonly group: WatchedGroup
  readonly written: HeardWrite
}

/** Marks that are set once all changes that came together were checked: a subscriber receives them together. */
type Marks = (() => void)[]

export class WrittenRows {
  readonly #context: WrittenContext
  readonly #lastItems = new LastItems()
  #waiting: SourceChange[] = []
  /** When the first of the waiting changes came, and the first of those that are looked at. */
  #since: number | undefined
  #lookingSince: number | undefined
  #running: Promise<void> | undefined
  #looking: Promise<void> | undefined
  /** Resolved when those that wait now are looked at. */
  #looked: Deferred | undefined
  readonly #pause = new Waits()
  #lookedAt = Number.NEGATIVE_INFINITY
  #isStopped = false

  constructor(context: WrittenContext) {
    this.#context = context
  }

  /** Milliseconds for which the oldest change waits to be looked at: one at least, and 0 if there is none. */
  get age(): number {
    const since = this.#lookingSince ?? this.#since
    return since === undefined ? 0 : Math.max(1, performance.now() - since)
  }

  /** Marks the groups to which changes matter, at once or as soon as their rows are read. */
  take(changes: readonly SourceChange[]): void {
    const keyed = changes.map((change) => this.#keyed(change))
    const isReady = keyed.every((one) => !one || (!one.isRead && one.keys.length <= rowsAtOnce))
    if (isReady && changes.length <= rowsAtOnce) {
      for (const [at, change] of changes.entries()) this.#markKnown(change, keyed[at])
      return
    }
    this.#waiting.push(...changes)
    this.#since ??= performance.now()
    this.#running ??= this.#run()
  }

  /** Resolves when the changes that have come by now have marked what they matter to; undefined if they have. */
  looked(): Promise<void> | undefined {
    if (this.#waiting.length === 0) return this.#looking
    this.#looked ??= deferred()
    this.#pause.wake()
    return this.#looked.promise
  }

  /** Stops, and resolves when nothing is read any more. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#waiting = []
    this.#pause.wake()
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Changes that come soon after each other are read together.
      await turn()
      const left = this.#lookedAt + this.#context.gatherMs - performance.now()
      if (left > 0 && !this.#looked) await this.#pause.something(left)
      this.#lookedAt = performance.now()
      const changes = this.#waiting
      this.#lookingSince = this.#since
      this.#waiting = []
      this.#since = undefined
      const looked = this.#looked
      this.#looked = undefined
      this.#looking = this.#look(changes)
      await this.#looking
      this.#looking = undefined
      this.#lookingSince = undefined
      looked?.resolve()
    }
    this.#looked?.resolve()
    this.#running = undefined
  }

  async #look(changes: readonly SourceChange[]): Promise<void> {
    const marks: Marks = []
    const keyed: KeyedChange[] = []
    for (const change of changes) {
      const one = this.#keyed(change)
      if (one) keyed.push(one)
      // Of those that may have any rows nothing has to be read.
      marks.push(() => this.#markAll(change, one?.groups.unmatched))
    }
    try {
      for (const some of groupBy(keyed, ({ collection }) => collection).values())
        await this.#match(some, marks)
    } catch (error) {
      // A row that is not known may matter to all.
      marks.push(() => {
        for (const change of changes) this.#markAll(change)
      })
      // Connection errors are reported by the list reads.
      if (!this.#isStopped && !isPassing(error)) this.#context.onError(error)
    }
    for (const mark of marks) mark()
  }

  /** Marks the groups of a change of which nothing has to be read. */
  #markKnown(change: SourceChange, keyed: KeyedChange | undefined): void {
    this.#markAll(change, keyed?.groups.unmatched)
    if (!keyed) return
    const marks: Marks = []
    for (const at of keyed.keys.keys())
      for (const { row, key, group, written } of this.#shownBy(keyed, at, undefined, marks))
        group.markItem(row.identity, key, written)
    for (const mark of marks) mark()
  }

  async #match(changes: readonly KeyedChange[], marks: Marks): Promise<void> {
    const [first] = changes
    if (!first) return
    const { groups, collection } = first
    const read = changes.filter(({ isRead }) => isRead)
    const all = new Map(read.flatMap(({ keys }) => keys.map((key) => [keyIdentity(key), key])))
    if (all.size > maxRows) {
      marks.push(() => {
        for (const { change } of changes) this.#markAll(change)
      })
      return
    }
    const { engine } = this.#context
    const now = await readComparableRows(engine, collection, [...all.values()], groups.comparedFields)
    const shown: ShownRow[] = []
    for (const one of changes)
      for (const [at, key] of one.keys.entries()) {
        shown.push(...this.#shownBy(one, at, now.get(keyIdentity(key)), marks))
        if (at % rowsAtOnce === rowsAtOnce - 1) await turn()
      }
    await this.#lastItems.read(new Set(shown.map(({ group }) => group)), groups, { engine, collection })
    marks.push(() => {
      for (const { row, key, group, written } of shown)
        if (!this.#lastItems.areBefore(row, group, groups)) group.markItem(row.identity, key, written)
    })
  }

  /** Returns the groups that show a row of a change, or did or may, and marks those that look at it for the sake of others. `now`: the row as it was read. */
  #shownBy(
    { change, keys, groups }: KeyedChange,
    at: number,
    now: KnownValues | undefined,
    marks: Marks,
  ): readonly ShownRow[] {
    const key = keys[at]
    if (key === undefined) return []
    const old = change.before?.[at]
    const before = old ? comparableBefore(groups.oldFields, old) : old
    const row = { identity: keyIdentity(key), now, before }
    for (const group of groups.lookingAt(row)) if (group.reads(change)) marks.push(() => group.mark())
    return [...groups.showing(row, this.#context.reading())].flatMap((group) =>
      group.reads(change) ? [{ row, key, group, written: group.writtenBy(change, at) }] : [],
    )
  }

  /** Returns a change whose rows are looked at one by one; undefined if it is known to whom it matters, or cannot be. */
  #keyed(change: SourceChange): KeyedChange | undefined {
    const { groupsOf, collectionOf } = this.#context
    const groups = groupsOf(change.collection)
    const collection = collectionOf(change.collection)
    if (!groups?.matchesRows || !collection) return undefined
    const keys = keysOf(change, collection)
    return keys && { change, groups, collection, keys, isRead: groups.isDecidedBy(change) }
  }

  #markAll(change: SourceChange, groups = this.#context.groupsOf(change.collection)?.all ?? []): void {
    for (const group of groups) if (group.reads(change)) group.mark(change)
  }
}

/** Rows that are matched before others have their turn. */
const rowsAtOnce = 4

/** Maximum number of keys of a change that are looked at one by one. */
const maxKeys = 1_000

/** Maximum number of rows of a collection that are read for changes that came together. More let all of its lists be read again. */
const maxRows = 10_000

function keysOf(change: SourceChange, collection: Collection): readonly Key[] | undefined {
  if (change.isDoubtful || (change.keys?.length ?? 0) > maxKeys) return undefined
  return itemsOf(change, collection)
}
