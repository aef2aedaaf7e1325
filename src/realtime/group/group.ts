// A group: the subscriptions of one list, which share its state.

import { randomBytes } from 'node:crypto'
import { textOfRules } from '../../access/rules-text.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { isTimelessFor } from '../../items/watch/collections-in.ts'
import { memberShape } from '../../items/watch/member-sets.ts'
import { showsField, type WatchedItem, type WatchedState } from '../../items/watch/watched-list.ts'
import { type Key, keyIdentity, shownKeyOf } from '../../plan/key.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import type { Touches } from '../../plan/touches.ts'
import { itemsOf, operationAt, type SourceChange } from '../feed/source.ts'
import { type BegunListing, DirtyItems, type HeardWrite, type WrittenItems } from '../list/dirty-items.ts'
import { ListState } from '../list/list-state.ts'
import type { Listed } from '../list/listed.ts'
import { memoryOf } from '../list/memory-of.ts'
import type { ResetReason } from '../messages.ts'
import { CalledInTurns, type Deferred, deferred } from '../timers.ts'
import { type GroupRead, tooManyItems, type WatchedQuery } from '../watched-query.ts'

/** A subscription that waits for what is new in a group. */
export interface Waiting {
  /** Looks whether something is new. */
  wake(): void
  /** Begins anew. */
  reset(reason: ResetReason): void
  /** Ends with an error. The error is made when it is reported: it would hold the list on whose way it was found. */
  fail(reason: () => Error): void
}

/** Bytes that a list takes beside its items, and those for each sign of its query: the plan is much longer than the text. */
const [ofList, ofSign] = [10_000, 60]

export class WatchedGroup {
  /** Names the group in tokens. */
  readonly id = randomBytes(9).toString('base64url')
  /** Equal subscriptions have the same; undefined if it cannot be shared. */
  readonly name: string | undefined
  readonly watched: WatchedQuery
  /** The engine of the caller for whom it is listed. Callers who share a group see the same. */
  readonly engine: EngineInternals
  /** The plan of the page that a snapshot shows. */
  readonly list: ListPlan
  readonly read: GroupRead
  readonly state: ListState
  /** True if the list changes with the time alone. */
  readonly isTimed: boolean
  readonly subscriptions = new Set<Waiting>()
  /** The collections, and their fields, on which the list depended when it was last read. */
  touches: Touches = new Map()
  /** Bytes of the items that a snapshot showed last; undefined while none was read. */
  shownBytes: number | undefined
  /** True if a change of an item may change what is listed of others, or if that is not known. */
  isEntangled = true
  readonly #dirty = new DirtyItems()
  readonly #ownBytes: number
  #listing: Deferred | undefined
  #listed: Listed | undefined
  #isStale = true
  readonly #wakes = new CalledInTurns<Waiting>((subscription) => subscription.wake())
  #shape: { readonly is: object | undefined } | undefined
  /** The read that has begun. */
  #reading: BegunListing | undefined

  constructor(
    watched: WatchedQuery,
    of: Pick<WatchedGroup, 'name' | 'engine' | 'list' | 'read'>,
    maxKept: number,
  ) {
    this.name = of.name
    this.watched = watched
    this.engine = of.engine
    this.list = of.list
    this.read = of.read
    const isTimeless = isTimelessFor(of.engine)
    const text = textOfRules(watched.query)
    this.isTimed = !isTimeless || (text?.includes('$NOW') ?? true)
    this.#ownBytes = ofList + ofSign * (text?.length ?? memoryOf(watched.query))
    this.state = new ListState(watched.membership, maxKept)
  }

  /** Bytes of memory that it takes, about. */
  get bytes(): number {
    return this.#ownBytes + this.state.bytes
  }

  /** True if something may have changed since the last read began. */
  get isStale(): boolean {
    return this.#isStale
  }

  /** The list as it was last read, as long as it is kept. */
  get listed(): Listed | undefined {
    return this.#listed
  }

  /** False for an update of fields of which the list does not depend on any. Of a row that may be new others have values, too. */
  reads({ collection, fields, operation }: SourceChange): boolean {
    const read = this.touches.get(collection)
    return !fields || operation !== 'update' || !read || fields.some((name) => read.has(name))
  }

  /** Returns what a change has done to the item at a place of its keys, as the caller may know it. */
  writtenBy(change: SourceChange, at: number): HeardWrite {
    const { engine, list } = this
    const isNamed = change.fields?.some(
      (name) => this.touches.get(change.collection)?.has(name) && showsField(engine, list, name),
    )
    return { operation: operationAt(change, at), isNamed: isNamed === true }
  }

  /** The shape that the group shares with others whose items are read together with its own; undefined if it is read alone. */
  get shape(): object | undefined {
    if (this.read.part !== 'members' || this.#dirty.isAll) return undefined
    this.#shape ??= { is: memberShape(this.engine, this.read) }
    return this.#shape.is
  }

  /** True while it is being read. */
  get isBeingRead(): boolean {
    return this.#reading !== undefined
  }

  /** True while an item is being read, so that it may become one of the list, or be left in it. */
  isReading(identity: string): boolean {
    const read = this.#reading
    return read !== undefined && (read.dirty === undefined || read.dirty.has(identity))
  }

  /** Notes that one item of the list was written. */
  markItem(identity: string, key: Key, written: HeardWrite): void {
    if (this.read.part === 'members') this.#dirty.write([[identity, written]])
    this.#addDirty([key])
    this.#stale()
  }

  /** Notes that something may have changed. */
  mark(change?: SourceChange): void {
    const keys = change && this.#keysOf(change)
    if (!keys || !change) this.#dirty.addAll()
    else {
      if (this.reads(change))
        this.#dirty.write(keys.map((key, at) => [keyIdentity(key), this.writtenBy(change, at)]))
      this.#addDirty(keys)
    }
    this.#stale()
  }

  #stale(): void {
    this.#isStale = true
    if (this.subscriptions.size === 0) this.#dirty.forgetMany()
    this.#wakeAll()
  }

  /** Lets all subscriptions begin anew. */
  reset(reason: ResetReason): void {
    // It is not known which items have changed; a subscriber that comes back gets the result of the next read.
    this.#dirty.addAll()
    this.#isStale = true
    for (const subscription of this.subscriptions) subscription.reset(reason)
  }

  /** Returns the promise of the next read that has not begun, and true if this is the first request for it. */
  awaitListing(): readonly [Promise<void>, boolean] {
    const isFirst = this.#listing === undefined
    this.#listing ??= deferred()
    return [this.#listing.promise, isFirst]
  }

  /** Lets the next read be one of the whole list. */
  wantWhole(): void {
    this.#dirty.addAll()
  }

  /** Begins a read. From here on a change marks the group for the next one. */
  begin(): BegunListing {
    const begun = { waiting: this.#listing, ...this.#dirty.take() }
    this.#listing = undefined
    this.#isStale = false
    this.#reading = begun
    return begun
  }

  /** Notes again what a failed read was to report. */
  fail({ written }: BegunListing): void {
    this.#reading = undefined
    this.#dirty.write(written)
    this.#dirty.addAll()
  }

  /** Takes the list as it was read. `written`: what was done to items. */
  take(state: WatchedState, written: WrittenItems): void {
    if (state.items.length > this.read.max) throw tooManyItems(this.read)
    this.#reading = undefined
    const before = this.state.version
    this.state.take(state, written)
    this.#listed = { state, version: this.state.version }
    this.#wakeIfAfter(before)
    // A page is kept for the next subscriber. The members of a list may be too many to be kept.
    if (this.read.part === 'members')
      setImmediate(() => {
        this.#listed = undefined
      })
  }

  /** Takes some members as they were read. */
  takeSome(keys: ReadonlyMap<string, Key>, items: readonly WatchedItem[], written: WrittenItems): void {
    this.#reading = undefined
    const before = this.state.version
    const { collection } = this.list
    const shown = new Map([...keys].map(([identity, key]) => [identity, shownKeyOf(collection, key)]))
    this.state.takeSome(shown, items, written)
    if (this.state.size > this.read.max) throw tooManyItems(this.read)
    this.#wakeIfAfter(before)
  }

  /** Wakes those who have come while it was read: they have not asked for this read, and wait. */
  #wakeIfAfter(version: number): void {
    if (this.state.version > version) this.#wakeAll()
  }

  #wakeAll(): void {
    void this.#wakes.call(this.subscriptions)
  }

  /** The keys of the items of the list that a change is of; undefined if it may be any, or change others. */
  #keysOf(change: SourceChange): readonly Key[] | undefined {
    if (this.read.part === 'watched' || change.collection !== this.read.collection) return undefined
    return itemsOf(change, this.list.collection)
  }

  #addDirty(keys: readonly Key[]): void {
    if (this.isEntangled || this.read.part === 'watched') this.#dirty.addAll()
    else this.#dirty.add(keys)
  }
}
