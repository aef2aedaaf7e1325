// Judges changes: reads the rows that were written, once, and marks the groups to which they matter.

import type { EngineInternals } from '../../engine/engine.ts'
import { judgedBefore, readJudgedRows } from '../../items/read/judged-rows.ts'
import { type Key, keyIdentity, readKey } from '../../plan/key.ts'
import type { Collection } from '../../schema/model.ts'
import { groupBy } from '../../writes/group-by.ts'
import type { WatchedGroup } from '../group.ts'
import type { SourceChange } from '../source.ts'
import { turn } from '../timers.ts'
import type { CollectionGroups, WrittenRow } from './affected.ts'

/** What a judge needs of its feed. */
export interface WrittenContext {
  readonly engine: EngineInternals
  readonly collectionOf: (name: string) => Collection | undefined
  readonly groupsOf: (name: string) => CollectionGroups | undefined
  readonly onError: (error: unknown) => void
}

/** A change whose keys are known. */
interface KeyedChange {
  readonly change: SourceChange
  readonly keys: readonly Key[]
}

export class WrittenRows {
  readonly #context: WrittenContext
  #waiting: KeyedChange[] = []
  #since: number | undefined
  #isRunning = false

  constructor(context: WrittenContext) {
    this.#context = context
  }

  /** Milliseconds for which the oldest change waits to be judged: one at least, and 0 if there is none. */
  get age(): number {
    return this.#since === undefined ? 0 : Math.max(1, performance.now() - this.#since)
  }

  /** Takes a change to be judged. It returns false for one of which that is not possible. */
  take(change: SourceChange): boolean {
    const keys = keysOf(change, this.#context.collectionOf(change.collection))
    if (!keys) return false
    this.#waiting.push({ change, keys })
    this.#since ??= performance.now()
    if (!this.#isRunning) void this.#run()
    return true
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      // Changes that come at once are read together.
      await turn()
      const changes = this.#waiting
      this.#waiting = []
      for (const [name, some] of groupBy(changes, ({ change }) => change.collection))
        await this.#mayHold(name, some)
    }
    this.#since = undefined
    this.#isRunning = false
  }

  async #mayHold(name: string, changes: readonly KeyedChange[]): Promise<void> {
    const groups = this.#context.groupsOf(name)
    const collection = this.#context.collectionOf(name)
    if (!groups || !collection) return
    try {
      await this.#mark(changes, groups, collection)
    } catch (error) {
      // What cannot be judged may be so.
      for (const { change } of changes) for (const group of groups.all) group.mark(change)
      this.#context.onError(error)
    }
  }

  async #mark(
    changes: readonly KeyedChange[],
    groups: CollectionGroups,
    collection: Collection,
  ): Promise<void> {
    const { judgedFields, oldFields } = groups
    const all = new Map(changes.flatMap((one) => one.keys.map((key) => [keyIdentity(key), key])))
    const now = await readJudgedRows(this.#context.engine, collection, [...all.values()], judgedFields)
    for (const { change, keys } of changes)
      for (const [at, key] of keys.entries()) {
        const identity = keyIdentity(key)
        const old = change.before?.[at]
        const before = old ? judgedBefore(oldFields, old) : old
        markGroups(change, { identity, key, now: now.get(identity), before }, groups)
        if (at % rowsAtOnce === rowsAtOnce - 1) await turn()
      }
  }
}

/** Rows that are judged before others have their turn. */
const rowsAtOnce = 4

/** Maximum number of keys of a change that are looked at one by one. */
const mostKeys = 1_000

function markGroups(change: SourceChange, row: WrittenRow, groups: CollectionGroups): void {
  const mark = (group: WatchedGroup) => {
    if (group.reads(change)) group.markItem(row.identity, row.key)
  }
  for (const group of groups.showing(row)) mark(group)
  for (const group of groups.lookingAt(row)) if (group.reads(change)) group.mark()
}

function keysOf(
  { keys, isDoubtful }: SourceChange,
  collection: Collection | undefined,
): readonly Key[] | undefined {
  if (!keys || isDoubtful || !collection || keys.length > mostKeys) return undefined
  const found = keys.flatMap((shown) => readKey(collection, shown) ?? [])
  // A key that cannot be read may mean any item.
  return found.length === keys.length ? found : undefined
}
