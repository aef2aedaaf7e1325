// Rows that a transaction has written while their collection had no listener: a listener that was added before its commit is notified of them.

import type { ShownKey } from '../../plan/key.ts'

/** The rows of an event of a collection. */
export interface UnheardRows {
  readonly event: 'items.create' | 'items.update' | 'items.delete'
  readonly collection: string
  /** Keys, made when they are needed. Undefined: any rows of the collection. */
  readonly keys: readonly (() => readonly ShownKey[])[] | undefined
}

interface Noted extends UnheardRows {
  readonly keys: (() => readonly ShownKey[])[] | undefined
  readonly count: number
}

/** Maximum number of keys of an event that are kept for that. */
const maxKeys = 10_000

export class UnheardWrites {
  readonly #noted = new Map<string, Noted>()

  /** Notes rows. `keys`: undefined if it is not known which. */
  note(
    event: UnheardRows['event'],
    collection: string,
    count: number,
    keys: (() => readonly ShownKey[]) | undefined,
  ): void {
    const name = `${event}\n${collection}`
    const known = this.#noted.get(name) ?? { event, collection, keys: [], count: 0 }
    const total = known.count + count
    if (keys === undefined || known.keys === undefined || total > maxKeys)
      this.#noted.set(name, { event, collection, keys: undefined, count: total })
    else {
      known.keys.push(keys)
      this.#noted.set(name, { ...known, count: total })
    }
  }

  /** Takes over what a part of the transaction has noted. */
  include(part: UnheardWrites): void {
    for (const { event, collection, keys, count } of part.#takeNoted())
      this.note(event, collection, count, keys && (() => keys.flatMap((shown) => shown())))
  }

  /** Returns and removes what was noted. */
  take(): readonly UnheardRows[] {
    return this.#takeNoted()
  }

  #takeNoted(): readonly Noted[] {
    const all = [...this.#noted.values()]
    this.#noted.clear()
    return all
  }
}
