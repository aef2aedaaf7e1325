// Items that are one row of one table. They are written in one statement, which needs no transaction around it.
import type { Engine } from '../engine/engine.ts'
import type { EventName } from '../engine/hooks.ts'
import type { ItemData } from '../plan/changes.ts'
import { looksFurther } from '../plan/validate-item.ts'
import type { Collection } from '../schema/model.ts'
import { isToMany } from '../schema/model.ts'
import { isRecord } from '../values/record.ts'

/** Whether writing an item is one statement, and nobody wants to know. */
export function isAlone(engine: Engine, event: EventName, collection: Collection, given: ItemData): boolean {
  if (collection.isSingleton || !isPlain(collection, given)) return false
  return isUnattended(engine, event, collection) && !looksFurther(collection, engine.schema)
}

/** Whether nothing belongs to a statement that writes: no transaction around it, no rules for the caller, nobody who is asked or told,
 *  and no versions that go with an item, or that one before it has left. */
export function isUnattended(engine: Engine, event: EventName, collection: Collection): boolean {
  if (collection.isVersioned && event !== 'items.update') return false
  return !engine.unit && !engine.narrowing?.limits && !isHeard(engine, event, collection)
}

/** Whether an item is no more than a row of its own table, as far as its payload tells. */
function isPlain(collection: Collection, given: ItemData): boolean {
  return Object.entries(given).every(([name, value]) => {
    const field = collection.fields.get(name)
    return field !== undefined && !isToMany(field) && (field.kind === 'scalar' || !isRecord(value))
  })
}

/** Whether anybody is asked about an event, or told of it. With the rows of files something else goes away, too. */
export function isHeard({ hooks, files }: Engine, event: EventName, { name }: Collection): boolean {
  if (event === 'items.delete' && files?.collection.name === name) return true
  return hooks.of('before', event, name).length > 0 || hooks.isHeard(event, name)
}
