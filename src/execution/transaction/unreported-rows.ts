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
  readonly count: number
}

/** Maximum number of keys of an event that are kept for that. */
const maxKeys = 10_000

export class UnheardWrites {
  #noted: Noted[] = []
  #count = 0
  #most = maxKeys

  /** Notes rows. `keys`: undefined if it is not known which. */
  note(
    event: UnheardRows['event'],
    collection: string,
    count: number,
    keys: (() => readonly ShownKey[]) | undefined,
  ): void {
    this.#add({ event, collection, count, keys: keys && [keys] })
  }

  /** Takes over what a part of the transaction has noted. */
  include(part: UnheardWrites): void {
    for (const one of part.#noted) this.#add(one)
  }

  /** Returns and removes what was noted. */
  take(): readonly UnheardRows[] {
    const all = this.#noted
    this.#noted = []
    return joined(all)
  }

  #add(one: Noted): void {
    this.#noted.push(one)
    this.#count += one.count
    if (this.#count <= this.#most) return
    this.#noted = joined(this.#noted)
    this.#count = this.#noted.reduce((sum, { count, keys }) => (keys ? sum + count : sum), 0)
    this.#most = this.#count + maxKeys
  }
}

interface Joined extends Noted {
  count: number
  keys: (() => readonly ShownKey[])[] | undefined
}

/** Rows by their events and collections, without keys where there are too many. */
function joined(noted: readonly Noted[]): Noted[] {
  const all = new Map<string, Joined>()
  for (const { event, collection, count, keys } of noted) {
    const name = `${event}\n${collection}`
    const known: Joined = all.get(name) ?? { event, collection, count: 0, keys: [] }
    known.count += count
    if (keys === undefined || known.count > maxKeys) known.keys = undefined
    else known.keys?.push(...keys)
    all.set(name, known)
  }
  return [...all.values()]
}
