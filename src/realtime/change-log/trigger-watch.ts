// Watches that the triggers of the change log are there. They get lost in silence: by a migration that builds a table anew, by tables that change names,
// by `disable trigger`.

import type { LoggedFacts } from '../../dialects/change-log/phrases.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import type { BlindCollection, SourceChange } from '../feed/source.ts'
import { ask, type ChangeLog, factsOf, flawOf } from './logged-tables.ts'

/** Changes of the triggers. */
interface WatchedTriggers {
  /** The collections whose changes are not all in the log; undefined if these are the same as before. */
  readonly blind?: readonly BlindCollection[] | undefined
  /** Collections of which rows may have come or gone without a trigger. */
  readonly changes: readonly SourceChange[]
}

/** Milliseconds after which the triggers are looked at again, and the version of the schema. */
const usualMs = 60_000
const versionEveryMs = 1_000

/** The key under which tests of a source let it look at triggers more often. */
export const watchEveryMs: unique symbol = Symbol('watch every')

export class TriggerWatch {
  readonly #engine: EngineInternals
  readonly #everyMs: number
  #lookedAt = Number.NEGATIVE_INFINITY
  #versionAt = Number.NEGATIVE_INFINITY
  #version: string | undefined
  /** Undefined before the first look. */
  #blind: ReadonlyMap<string, string> | undefined
  /** The triggers and the partitions of each table. */
  #made: ReadonlyMap<string, string> = new Map()

  constructor(engine: EngineInternals, everyMs = usualMs) {
    this.#engine = engine
    this.#everyMs = everyMs
  }

  /** Makes the next look report the state of all triggers. */
  forget(): void {
    this.#blind = undefined
    this.#lookedAt = Number.NEGATIVE_INFINITY
  }

  /** True if it is time to look at the triggers, or at the version of the schema. */
  isDue({ phrases: { schemaVersion } }: ChangeLog): boolean {
    const now = performance.now()
    return (
      now - this.#lookedAt >= this.#everyMs ||
      (schemaVersion !== undefined && now - this.#versionAt >= versionEveryMs)
    )
  }

  /** Looks at the triggers, if it is time or if the schema has changed. */
  async look(log: ChangeLog): Promise<WatchedTriggers> {
    const now = performance.now()
    const version = await this.#versionNow(log)
    this.#versionAt = now
    if (now - this.#lookedAt < this.#everyMs && version === this.#version) return { changes: [] }
    const facts = await factsOf(log, [...this.#engine.schema.collections.values()])
    // Noted only now: what has failed comes again.
    this.#lookedAt = now
    this.#version = version
    const blind = new Map<string, string>()
    const made = new Map<string, string>()
    for (const [collection, known] of facts) {
      const flaw = flawOf(collection, known)
      if (flaw !== undefined) blind.set(collection.name, flaw)
      made.set(collection.name, madeOf(known))
    }
    const changed = [...made].filter(([name, now]) => (this.#made.get(name) ?? now) !== now)
    this.#made = made
    return { ...this.#news(blind), changes: changed.map(([collection]) => ({ collection })) }
  }

  /** Reports that there is no log to read, so that the next look checks the triggers. */
  lackAll(reason: string): WatchedTriggers {
    this.#lookedAt = performance.now() - this.#everyMs + versionEveryMs
    const names = [...this.#engine.schema.collections.keys()]
    return {
      ...this.#news(new Map(names.map((name) => [name, `is not logged, as ${reason}`]))),
      changes: [],
    }
  }

  #news(blind: ReadonlyMap<string, string>): Pick<WatchedTriggers, 'blind'> {
    const before = this.#blind
    this.#blind = blind
    const isSame =
      before?.size === blind.size && [...blind].every(([name, flaw]) => before.get(name) === flaw)
    return isSame ? {} : { blind: [...blind].map(([collection, reason]) => ({ collection, reason })) }
  }

  async #versionNow({ phrases: { schemaVersion }, kind }: ChangeLog): Promise<string | undefined> {
    if (!schemaVersion) return undefined
    const [row] = await ask(this.#engine, schemaVersion, kind)
    return String(Object.values(Object(row))[0])
  }
}

const madeOf = ({ found, parts }: LoggedFacts): string => JSON.stringify([found, parts])
