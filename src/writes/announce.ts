// Reports changes to hooks and listeners: with the commit of the transaction, or at once, where a statement has committed by itself.

import type { EngineInternals } from '../engine/engine.ts'
import type { ItemChange } from '../engine/hooks.ts'
import type { Key } from '../plan/key.ts'
import type { ItemData } from '../plan/write/changes.ts'
import { maskSecrets } from '../plan/write/mask-secrets.ts'
import type { Collection } from '../schema/model.ts'
import { changeOf, queueEvent, type WriteContext } from './write-context.ts'

/** An item that was written, and its payload. */
export interface WrittenItem {
  readonly key: Key
  readonly payload: ItemData
}

export type WriteAction = 'create' | 'update' | 'delete'

/** True if a hook or a listener hears of an event. */
export const isHeard = (action: WriteAction, { name }: Collection, { engine }: WriteContext): boolean =>
  engine.hooks.isHeard(`items.${action}`, name)

/** Reports written items of which somebody hears, each by itself. */
export function announceItems(
  action: 'create' | 'update',
  collection: Collection,
  items: readonly WrittenItem[],
  writing: WriteContext,
): Promise<void> {
  return announce(
    items.map((item) => itemChange(action, collection, item, writing)),
    writing,
  )
}

/** Reports deleted items of which somebody hears, all together. */
export const announceDeleted = (
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<void> => announce([changeOf(writing, 'items.delete', collection, keys)], writing)

/** Returns the event for hooks after an item is written. */
export const itemChange = (
  action: 'create' | 'update',
  collection: Collection,
  { key, payload }: WrittenItem,
  writing: WriteContext,
): ItemChange => changeOf(writing, `items.${action}`, collection, [key], maskSecrets(collection, payload))

async function announce(changes: readonly ItemChange[], writing: WriteContext): Promise<void> {
  const { hooks, unit, onError } = writing.engine
  if (unit) for (const change of changes) queueEvent(writing, change)
  else {
    const events = changes.map((change) => ({ change, engine: writing.caller }))
    await hooks.announce(events, outsideOf, onError)
  }
}

const outsideOf = (caller: EngineInternals) => caller.outside().asEngine()
