// The items of a list that have to be read again, and those of which a change is to be told.

import { type Key, keyIdentity } from '../plan/key.ts'
import type { WriteOperation } from './source.ts'
import type { Deferred } from './timers.ts'

/** Items that were written, each with what was done to it. */
export type WrittenItems = ReadonlyMap<string, WriteOperation>

/** The items that a read is to read, and to tell. */
export interface DirtyRead {
  /** Items of which a change is told, even if they look the same. */
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
  #written = new Map<string, WriteOperation>()
  /** Undefined if it is the whole list. */
  #dirty: Map<string, Key> | undefined

  /** True if the whole list has to be read. */
  get isWhole(): boolean {
    return this.#dirty === undefined
  }

  /** Notes items that were written. Each change of a member is told, whatever comes of it. */
  write(items: Iterable<readonly [identity: string, operation: WriteOperation]>): void {
    for (const [identity, operation] of items) {
      if (this.#written.size >= mostWritten) return
      // One that is changed when it was just created is new all the same.
      const isNew = operation === 'update' && this.#written.get(identity) === 'create'
      this.#written.set(identity, isNew ? 'create' : operation)
    }
  }

  /** Notes items that have to be read again. */
  add(keys: readonly Key[]): void {
    if (!this.#dirty || this.#dirty.size + keys.length > mostDirty) this.#dirty = undefined
    else for (const key of keys) this.#dirty.set(keyIdentity(key), key)
  }

  /** Lets the next read be one of the whole list. */
  addAll(): void {
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
const mostDirty = 500

/** Maximum number of written items that are known by their keys. More are a change of the whole. */
const mostWritten = 10_000
