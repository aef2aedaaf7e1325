// Changes of parts of documents in a version: it holds the documents that they make of what it holds then, or else of those of its item.

import type { Engine, EngineInternals } from '../engine/engine.ts'
import { Hooks } from '../engine/hooks.ts'
import type { Options } from '../execution/database.ts'
import type { ItemData } from '../plan/write/changes.ts'
import { asValue } from '../plan/write/document-change.ts'
import { incrementedNames } from '../plan/write/increment.ts'
import { newWriteContext } from '../writes/context/write-context.ts'
import { planWrites } from '../writes/plan-writes.ts'
import { addIncrements } from '../writes/update/increments.ts'
import type { VersionedItem } from './version-rows.ts'

/** Returns changes with documents in the place of changes of their parts. `held`: what the version holds. */
export async function withDocuments(
  { collection, key }: VersionedItem,
  { held, changes }: { readonly held: ItemData; readonly changes: ItemData },
  engine: EngineInternals,
  options: Options,
): Promise<ItemData> {
  const names = incrementedNames(collection, changes)
  if (names.length === 0) return changes
  const ordinary = newWriteContext(engine, options)
  const writing = { ...ordinary, engine: { ...ordinary.engine, hooks: new Hooks<Engine>() } }
  const some = (data: ItemData) =>
    Object.fromEntries(names.flatMap((name) => (data[name] === undefined ? [] : [[name, data[name]]])))
  // The one adds to what the other is going to write.
  const intents = [some(held), some(changes)].map((payload) => ({
    payload,
    key,
    path: [],
    action: 'update' as const,
  }))
  const items = await planWrites(collection, intents, writing)
  await addIncrements(items, writing)
  writing.problems.throwIfAny()
  const made = [...(items[1]?.values ?? [])].map(([field, value]) => [field.name, asValue(value)])
  return { ...changes, ...Object.fromEntries(made) }
}
