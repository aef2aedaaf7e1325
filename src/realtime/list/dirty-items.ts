// The items of a list that have to be read again, and those whose changes have to be reported.

import { type Key, keyIdentity } from '../../plan/key.ts'
import type { WriteOperation } from '../feed/source.ts'
import type { Deferred } from '../timers.ts'

/** Change of an item. */
export interface HeardWrite {
  readonly operation: WriteOperation
  /** True if it named a field that watchers of the list see: then it is reported, even if the item looks the same. */
  readonly isNamed: boolean
}

/** Items that were written, by their identities. */
export type WrittenItems = ReadonlyMap<string, HeardWrite>

/** The items to read, and the changes to report. */
interface DirtyRead {
  readonly written: WrittenItems
  /** The items that are read; undefined if it is the whole list. */
  readonly dirty: ReadonlyMap<string, Key> | undefined
}

/** A read that has begun. */
export interface BegunListing extends DirtyRead {
  /** The promise of those who wait for it. */
  readonly waiting: Deferred | undefined
}

export class DirtyItems {
  #written = new Map<string, HeardWrite>()
  /** Undefined if it is the whole list. */
  #dirty: Map<string, Key> | undefined

  get isAll(): boolean {
    return this.#dirty === undefined
  }

  write(items: Iterable<readonly [identity: string, written: HeardWrite]>): void {
    for (const [identity, { operation, isNamed }] of items) {
      if (this.#written.size >= maxWritten) return
      const before = this.#written.get(identity)
      // One that is changed when it was just created is new all the same.
      const isNew = operation === 'update' && before?.operation === 'create'
      this.#written.set(identity, {
        operation: isNew ? 'create' : operation,
        isNamed: isNamed || before?.isNamed === true,
      })
    }
  }

  add(keys: readonly Key[]): void {
    if (!this.#dirty || this.#dirty.size + keys.length > maxDirty) this.#dirty = undefined
    else for (const key of keys) this.#dirty.set(keyIdentity(key), key)
  }

  /** Lets the next read be one of the whole list. */
  addAll(): void {
    this.#dirty = undefined
  }

  /** Makes the next read one of the whole list if there are many items: so a list without readers takes little memory. */
  forgetMany(): void {
    if (Math.max(this.#written.size, this.#dirty?.size ?? 0) <= maxOfNobody) return
    this.#written = new Map()
    this.#dirty = undefined
  }

  /** Returns what there is to read, and begins anew. */
  take(): DirtyRead {
    const taken = { written: this.#written, dirty: this.#dirty }
    this.#written = new Map()
    this.#dirty = new Map()
    return taken
  }
}

/** Maximum number of items that are read by their keys. More are read as the whole list. */
const maxDirty = 500

/** Maximum number of items that are noted while the list has no readers. */
const maxOfNobody = 50

/** Maximum number of written items that are known by their keys. More are a change of the whole. */
const maxWritten = 10_000
