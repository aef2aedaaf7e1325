// Listeners: code of the library's own that is notified of every commit. A notification means "look again": a change that was none costs one look.

import { type ErrorListener, reporter } from '../execution/report-errors.ts'
import type { ShownKey } from '../plan/key.ts'
import type { EventName, ItemChange } from './events.ts'

/** The wish of a listener for an event of a collection: nothing, its keys, or also values that some fields had before. */
export type Wish = boolean | readonly string[]

/** A committed change. */
export interface CommittedChange extends Omit<ItemChange, 'keys'> {
  /** Keys of the items. Undefined: any items of the collection. */
  readonly keys: readonly ShownKey[] | undefined
  /** Names of the written fields. Undefined where it is not known which: of new and deleted items, and where triggers follow. */
  readonly fields: readonly string[] | undefined
  /** Values that the fields in which listeners are interested had before, by the order of the keys. Undefined for an item of which they are
   *  not known. */
  readonly before: readonly (OldRow | undefined)[] | undefined
  /** True if it is not known whether the change is stored. */
  readonly isDoubtful: boolean
}

export type OldRow = Readonly<Record<string, unknown>>

type Listener = (changes: readonly CommittedChange[]) => unknown

interface Registered {
  readonly listener: Listener
  readonly wants: (event: EventName, collection: string) => Wish
}

export class Listeners {
  readonly #all = new Set<Registered>()

  /** Adds a listener. `wants` is called at each write, and again at its commit. */
  add(listener: Listener, wants: Registered['wants'] = () => true): () => void {
    const one = { listener, wants }
    this.#all.add(one)
    return () => this.#all.delete(one)
  }

  get isEmpty(): boolean {
    return this.#all.size === 0
  }

  want(event: EventName, collection: string): boolean {
    for (const { wants } of this.#all) if (wants(event, collection) !== false) return true
    return false
  }

  /** Returns the names of the fields whose old values some listener wants. */
  oldFields(event: EventName, collection: string): readonly string[] {
    if (this.#all.size === 0) return none
    const names = new Set<string>()
    for (const { wants } of this.#all) {
      const wish = wants(event, collection)
      if (typeof wish === 'object') for (const name of wish) names.add(name)
    }
    return names.size === 0 ? none : [...names]
  }

  /** Notifies each listener of the changes that it wants. Nothing waits for them. */
  notify(changes: readonly CommittedChange[], onError: ErrorListener<ItemChange>): void {
    if (changes.length === 0) return
    for (const { listener, wants } of this.#all) {
      const wanted = changes.filter(({ event, collection }) => wants(event, collection) !== false)
      if (wanted.length > 0) callListener(listener, wanted, onError)
    }
  }
}

function callListener(
  listener: Listener,
  changes: readonly CommittedChange[],
  onError: ErrorListener<ItemChange>,
): void {
  const fail = reporter(onError)
  try {
    const result = listener(changes)
    if (result instanceof Promise) result.catch(fail)
  } catch (error) {
    void fail(error)
  }
}

const none: readonly never[] = []
