// The groups that a change of a row may change: memory drops those to which the row does not matter.

import type { EngineInternals } from '../../engine/engine.ts'
import { readComparableRows } from '../../items/watch/matching-rows.ts'
import { anyRow, type KnownValues, type RowMatcher } from '../../plan/filter/may-hold.ts'
import { type Key, keyIdentity, readKey } from '../../plan/key.ts'
import type { MemoryOrder } from '../../plan/read/memory-order.ts'
import type { Collection, StoredField } from '../../schema/model.ts'
import type { SourceChange } from '../feed/source.ts'
import type { WatchedGroup } from '../group/group.ts'
import type { Listed } from '../list/listed.ts'
import { LookedAt, MemberIndex, RowIndex } from './row-index.ts'

export interface WrittenRow {
  readonly identity: string
  /** The row as it is now; undefined if it is gone. */
  readonly now: KnownValues | undefined
  /** The row as it was; null if it is new, undefined if that is not known. */
  readonly before: KnownValues | null | undefined
}

export interface RowTests {
  /** The fields of the collection that memory compares as the database does. */
  readonly fields: readonly StoredField[]
  /** The names of the fields by which a row comes to matter, or no longer does. */
  readonly decidedBy: Iterable<string>
  /** Those that are its items, and matter to no other item. */
  readonly shown?: RowMatcher
  /** The order of its items, if it is a page of the first of them. */
  readonly order?: MemoryOrder | undefined
  /** Those at which it looks for the sake of other items. */
  readonly beside?: RowMatcher
}

/** Changes after which lists without readers do not follow their collection. */
const maxUnread = 50

export class CollectionGroups {
  /** The fields of the collection that memory compares as the database does. */
  #fields: readonly StoredField[] = []
  readonly #rows = new Map<WatchedGroup, RowTests | undefined>()
  /** Those that have readers. */
  readonly #read = new Set<WatchedGroup>()
  /** Changes that came since none has. */
  #unread = 0
  /** Those whose own items these are, and that look at no others. */
  readonly shown = new RowIndex<WatchedGroup>()
  /** Those that look at them for the sake of other items. */
  readonly beside = new RowIndex<WatchedGroup>()
  /** Those of which only the collection is known. */
  readonly unmatched = new Set<WatchedGroup>()
  readonly #members = new MemberIndex<WatchedGroup>()
  readonly #orders = new Map<WatchedGroup, MemoryOrder>()
  readonly #orderedBy = new LookedAt()
  readonly #decidedBy = new LookedAt()
  /** Fields as they were last asked for; undefined once a group comes or goes. */
  #compared: readonly StoredField[] | undefined
  #old: readonly StoredField[] | undefined

  get all(): Iterable<WatchedGroup> {
    return this.#rows.keys()
  }

  get size(): number {
    return this.#rows.size
  }

  /** True if some group has readers, or not many changes have come since one had. */
  get areRead(): boolean {
    return this.#read.size > 0 || this.#unread < maxUnread
  }

  /** Notes changes that came while no group had readers. */
  noteChange(): void {
    if (this.#read.size === 0) this.#unread += 1
  }

  noteReaders(group: WatchedGroup): void {
    this.#unread = 0
    if (group.subscriptions.size > 0 && this.#rows.has(group)) this.#read.add(group)
    else this.#read.delete(group)
  }

  delete(group: WatchedGroup): void {
    this.#read.delete(group)
    if (!this.unmatched.has(group)) this.#decidedBy.delete(this.#rows.get(group)?.decidedBy ?? [])
    this.#rows.delete(group)
    this.#compared = undefined
    this.#old = undefined
    this.#orderedBy.delete(this.#orders.get(group)?.columns ?? [])
    this.#orders.delete(group)
    if (this.shown.has(group)) group.state.follow(undefined)
    this.unmatched.delete(group)
    this.shown.delete(group)
    this.beside.delete(group)
  }

  get matchesRows(): boolean {
    return this.shown.size + this.beside.size > 0
  }

  /** False for a change by which a row can only have changed for those who have it, or have looked at it: nothing has to be read of it. A row that may
   *  be new has values that no caller wrote, such as its defaults. */
  isDecidedBy({ fields, operation }: SourceChange): boolean {
    if (operation !== 'update') return operation !== 'delete'
    return !fields || fields.some((name) => this.#decidedBy.has(name))
  }

  get comparedFields(): readonly StoredField[] {
    this.#compared ??= this.#among(this.shown.columns, this.beside.columns, this.#orderedBy.columns)
    return this.#compared
  }

  /** The fields whose old values say to whom a row has mattered. Each write asks for them several times. */
  get oldFields(): readonly StoredField[] {
    this.#old ??= this.#among(this.beside.columns)
    return this.#old
  }

  #among(...looked: readonly Iterable<string>[]): readonly StoredField[] {
    const columns = new Set(looked.flatMap((some) => [...some]))
    return this.#fields.filter(({ column }) => columns.has(column))
  }

  /** Notes which rows matter to a group; undefined if it is not known. */
  set(group: WatchedGroup, rows: RowTests | undefined): void {
    if (this.#rows.has(group) && this.#rows.get(group) === rows) return
    this.delete(group)
    this.#rows.set(group, rows)
    this.noteReaders(group)
    if (rows) this.#fields = rows.fields
    if (!rows || (rows.shown === anyRow && !rows.order) || rows.beside === anyRow) this.unmatched.add(group)
    else {
      this.#decidedBy.add(rows.decidedBy)
      if (rows.shown) this.#setShown(group, rows.shown)
      if (rows.shown && rows.order) this.#setOrder(group, rows.order)
      if (rows.beside) this.beside.set(group, rows.beside)
    }
  }

  #setShown(group: WatchedGroup, rows: RowMatcher): void {
    this.shown.set(group, rows)
    group.state.follow((identity, isMember) => {
      if (isMember) this.#members.add(identity, group)
      else this.#members.delete(identity, group)
    })
  }

  #setOrder(group: WatchedGroup, order: MemoryOrder): void {
    this.#orders.set(group, order)
    this.#orderedBy.add(order.columns)
  }

  /** True if it may be known of a row that it comes after the last item of a group. */
  isOrdered(group: WatchedGroup): boolean {
    return this.#orders.has(group)
  }

  /** True for a row that is no item of a group, and comes after its last one. */
  isBehind({ identity, now }: WrittenRow, last: KnownValues, group: WatchedGroup): boolean {
    const order = this.#orders.get(group)
    return now !== undefined && !this.#members.has(identity, group) && order?.isAfter(now, last) === true
  }

  /** Returns the groups of which a written row is an item, or was or may be one. `reading`: those that are being read. */
  showing({ identity, now }: WrittenRow, reading: Iterable<WatchedGroup>): ReadonlySet<WatchedGroup> {
    const found = now ? this.shown.find(now) : new Set<WatchedGroup>()
    for (const group of this.#members.of(identity)) found.add(group)
    for (const group of reading) if (this.shown.has(group) && group.isReading(identity)) found.add(group)
    return found
  }

  /** Returns the groups that look at a written row, or have looked at it, for the sake of others. */
  lookingAt({ now, before }: WrittenRow): Iterable<WatchedGroup> {
    if (this.beside.size === 0) return []
    if (before === undefined) return this.beside.groups
    return new Set([...(now ? this.beside.find(now) : []), ...(before ? this.beside.find(before) : [])])
  }
}

/** The last items of full pages: what comes after one of them does not matter to its page. */
export class LastItems {
  /** Their values, as long as a page is not read again. */
  readonly #known = new WeakMap<Listed, KnownValues>()

  /** Reads the last items of groups that are full pages, where they are not known. */
  async read(
    shown: Iterable<WatchedGroup>,
    groups: CollectionGroups,
    { engine, collection }: { readonly engine: EngineInternals; readonly collection: Collection },
  ): Promise<void> {
    const keys = new Map<Listed, Key>()
    for (const group of shown) {
      const listed = groups.isOrdered(group) ? fullPageOf(group) : undefined
      const last = listed?.state.items.at(-1)
      const key = last && readKey(collection, last.key)
      if (listed && key !== undefined && !this.#known.has(listed)) keys.set(listed, key)
    }
    if (keys.size === 0) return
    // A group may have come whose order no row was read for.
    const found = await readComparableRows(engine, collection, [...keys.values()], groups.comparedFields)
    for (const [listed, key] of keys) {
      const values = found.get(keyIdentity(key))
      if (values) this.#known.set(listed, values)
    }
  }

  /** True for a row that a page does not show, and that comes after its last item. */
  areBefore(row: WrittenRow, group: WatchedGroup, groups: CollectionGroups): boolean {
    const listed = fullPageOf(group)
    const last = listed && this.#known.get(listed)
    return last !== undefined && groups.isBehind(row, last, group)
  }
}

/** Returns a page with as many items as it may have, unless it has to be read again, or is just read. */
function fullPageOf({ isStale, isBeingRead, listed, list: { page } }: WatchedGroup): Listed | undefined {
  return isStale || isBeingRead || listed?.state.items.length !== page.limit ? undefined : listed
}
