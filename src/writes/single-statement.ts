// Items that are one row of one table, which one statement writes, without a transaction around it.
import type { EngineInternals } from '../engine/engine.ts'
import type { EventName } from '../engine/hooks.ts'
import type { ItemData } from '../plan/changes.ts'
import { looksFurther } from '../plan/validate-item.ts'
import { type Collection, isToMany } from '../schema/model.ts'
import { isRecord } from '../values/guards.ts'

/** True if one statement writes the item, and there are no hooks. */
export function isAlone(
  engine: EngineInternals,
  event: EventName,
  collection: Collection,
  given: ItemData,
): boolean {
  if (collection.isSingleton || !isPlain(collection, given)) return false
  return isUnattended(engine, event, collection) && !looksFurther(collection, engine.schema)
}

/** True if a write consists of its statement alone: no transaction around it, no rules for the caller, no hooks, and no versions that are
 *  deleted with an item, or left over by an earlier one. */
export function isUnattended(engine: EngineInternals, event: EventName, collection: Collection): boolean {
  if (collection.isVersioned && event !== 'items.update') return false
  return !engine.unit && !engine.narrowing?.limits && !hasHooks(engine, event, collection)
}

/** True if an item is a row of its own table and no more, as far as its payload tells. */
function isPlain(collection: Collection, given: ItemData): boolean {
  return Object.entries(given).every(([name, value]) => {
    const field = collection.fields.get(name)
    return field !== undefined && !isToMany(field) && (field.kind === 'scalar' || !isRecord(value))
  })
}

/** True if there are hooks for an event. Deleting the rows of files also deletes their bytes. */
export function hasHooks({ hooks, files }: EngineInternals, event: EventName, { name }: Collection): boolean {
  if (event === 'items.delete' && files?.collection.name === name) return true
  return hooks.of('before', event, name).length > 0 || hooks.isHeard(event, name)
}
