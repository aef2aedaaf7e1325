// Reports changes to hooks and listeners: with the commit of the transaction, or at once, where a statement has committed by itself.

import type { EngineInternals } from '../engine/engine.ts'
import type { ItemChange } from '../engine/hooks.ts'
import type { ItemData } from '../plan/changes.ts'
import type { Key } from '../plan/key.ts'
import { maskSecrets } from '../plan/mask-secrets.ts'
import type { Collection } from '../schema/model.ts'
import { changeOf, queueEvent, type WriteContext } from './write-context.ts'

/** An item that was written, and its payload. */
export interface WrittenItem {
  readonly action: 'create' | 'update'
  readonly collection: Collection
  readonly key: Key
  readonly given: ItemData
}

/** Reports written items, each by itself. Returns a promise if hooks have to be waited for. */
export function announceItems(
  items: readonly WrittenItem[],
  writing: WriteContext,
): Promise<void> | undefined {
  const changes = items.flatMap(({ action, collection, key, given }) => {
    const event = `items.${action}` as const
    if (!writing.engine.hooks.isHeard(event, collection.name)) return []
    return [changeOf(writing, event, collection, [key], maskSecrets(collection, given))]
  })
  return announce(changes, writing)
}

/** Reports the keys of deleted items, all together. Returns a promise if hooks have to be waited for. */
export const announceKeys = (
  keys: readonly Key[],
  collection: Collection,
  writing: WriteContext,
): Promise<void> | undefined =>
  writing.engine.hooks.isHeard('items.delete', collection.name)
    ? announce([changeOf(writing, 'items.delete', collection, keys)], writing)
    : undefined

function announce(changes: readonly ItemChange[], writing: WriteContext): Promise<void> | undefined {
  const { hooks, unit, onError } = writing.engine
  const heard = changes.filter(({ event, collection }) => hooks.isHeard(event, collection))
  if (heard.length === 0) return undefined
  if (!unit)
    return hooks.announce(
      heard.map((change) => ({ change, engine: writing.caller })),
      outsideOf,
      onError,
    )
  for (const change of heard) queueEvent(writing, change)
  return undefined
}

const outsideOf = (caller: EngineInternals) => caller.outside().asEngine()
