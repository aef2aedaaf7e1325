// Locks the rows that several calls of one transaction name, before the first of them runs: each call alone locks in order, but only what it
// names itself.
import type { RowUse } from '../../dialects/phrase-types.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { Problems } from '../../errors/problems.ts'
import type { Options } from '../../execution/database.ts'
import { distinctKeys, isNameOfKey, type Key, keyInItem, readKey, readNamedKey } from '../../plan/key.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { type PayloadPlace, readPayload } from '../../plan/write/payload.ts'
import type { Collection } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { gateOf } from '../authorize/writable-fields.ts'
import { deletes } from '../children/removed-children.ts'
import { newWriteContext } from '../context/write-context.ts'
import { lockAll, type WantedRows } from '../stored/lock-rows.ts'

/** Rows that a call names before it runs. What it cannot write, it refuses by itself. */
export interface NamedRows {
  readonly collection: string
  /** Keys that stand beside the payload, as they were given. */
  readonly keys: readonly unknown[]
  readonly use: Exclude<RowUse, 'reference'>
  /** Payloads, which may name their item and others inside. */
  readonly payloads: readonly unknown[]
}

/** Locks all rows that some calls name and that are visible to the caller. A single call locks them by itself. */
export async function lockFirst(
  calls: readonly NamedRows[],
  engine: EngineInternals,
  options: Options,
): Promise<void> {
  if (!engine.dialect.lockRows || calls.length < 2) return
  const writing = newWriteContext(engine, options)
  const { schema } = writing.engine
  const named = new NamedKeys(gateOf(engine).reaches)
  for (const { collection: name, keys, use, payloads } of calls) {
    const collection = schema.collections.get(name)
    if (!collection) continue
    for (const input of keys) named.add(collection, readNamedKey(collection, input), use)
    for (const payload of payloads) if (isRecord(payload)) named.addItem(collection, payload)
  }
  await lockAll(named.rows, writing)
}

/** Keys by their collections, with those of items inside of others. */
class NamedKeys {
  readonly #keys = new Map<Collection, Key[]>()
  readonly #removed = new Set<Collection>()
  readonly #reaches: PayloadPlace['reaches']

  constructor(reaches: PayloadPlace['reaches']) {
    this.#reaches = reaches
  }

  get rows(): ReadonlyMap<Collection, WantedRows> {
    const rowsOf = ([collection, keys]: readonly [Collection, readonly Key[]]) =>
      [
        collection,
        { keys: distinctKeys(keys), use: this.#removed.has(collection) ? 'removal' : 'change' },
      ] as const
    return new Map([...this.#keys].map(rowsOf))
  }

  add(collection: Collection, key: Key | undefined, use: NamedRows['use'] = 'change'): void {
    if (key === undefined) return
    const keys = this.#keys.get(collection) ?? []
    this.#keys.set(collection, keys)
    keys.push(key)
    if (use === 'removal') this.#removed.add(collection)
  }

  /** Adds an item of a payload, and all inside of it. One that is only linked to does not change. */
  addItem(collection: Collection, payload: ItemData, isChild = false): void {
    if (isChild || Object.keys(payload).some((name) => !isNameOfKey(collection, name)))
      this.add(collection, readKey(collection, keyInItem(collection, payload)))
    const { targets, children } = readPayload(payload, {
      collection,
      path: [],
      // The call itself reports them.
      problems: new Problems('INVALID_PAYLOAD'),
      isKeyed: true,
      ...(this.#reaches && { reaches: this.#reaches }),
    })
    for (const target of targets) this.addItem(target.collection, target.payload)
    for (const { relation, changes } of children) {
      const { target } = relation
      for (const child of changes.children)
        if (child.kind === 'link') this.add(target, child.key)
        else this.addItem(target, child.payload, true)
      for (const { key } of changes.removed) this.add(target, key, deletes(relation) ? 'removal' : 'change')
    }
  }
}
