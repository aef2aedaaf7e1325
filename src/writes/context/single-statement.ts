// Items that are one row of one table, which one statement writes, without a transaction around it.
import type { WriteKind } from '../../dialects/dialect.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import type { EventName } from '../../engine/events.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { isIncrement } from '../../plan/write/increment.ts'
import { looksFurther } from '../../plan/write/later-validations.ts'
import { conditionalNames } from '../../plan/write/row-layout.ts'
import { type Collection, isToMany } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'

/** True if one statement writes the item, and there are no hooks. */
export function isAlone(
  engine: EngineInternals,
  event: WriteEvent,
  collection: Collection,
  payload: ItemData,
): boolean {
  if (collection.isSingleton || !isPlain(collection, payload)) return false
  return isUnattended(engine, event, collection) && !looksFurther(collection, engine.schema)
}

/** True if a write consists of its statement alone: no transaction around it, no rules for the caller, no hooks, no versions that are
 *  deleted with an item, or left over by an earlier one, and no keys that have to be read by a statement of their own. */
export function isUnattended(engine: EngineInternals, event: WriteEvent, collection: Collection): boolean {
  if (!engine.dialect.returning[kinds[event]]) return false
  if (collection.isVersioned && event !== 'items.update') return false
  return !engine.unit && !engine.scope?.permissions && !takesTransaction(engine, event, collection)
}

type WriteEvent = 'items.create' | 'items.update' | 'items.delete'
const kinds = {
  'items.create': 'insert',
  'items.update': 'update',
  'items.delete': 'delete',
} as const satisfies Record<WriteEvent, WriteKind>

/** True if an item is a row of its own table and no more, according to its payload. */
export function isPlain(collection: Collection, payload: ItemData): boolean {
  return Object.entries(payload).every(([name, value]) => {
    const field = collection.fields.get(name)
    if (field === undefined || isToMany(field) || isIncrement(field, value)) return false
    if (conditionalNames(collection).has(name)) return false
    return field.kind === 'scalar' || !isRecord(value)
  })
}

/** True if there are hooks for an event, or listeners. */
export const hasHooks = (engine: EngineInternals, event: EventName, collection: Collection): boolean =>
  hasHooksBefore(engine, event, collection) || engine.hooks.isHeard(event, collection.name)

/** True if rows of an event have to be looked at one by one: for hooks, or for listeners that want to know what was there before. A listener
 *  that wants their keys does not need it. */
export const needsEach = (engine: EngineInternals, event: EventName, collection: Collection): boolean =>
  takesTransaction(engine, event, collection) || engine.hooks.of('after', event, collection.name).length > 0

/** True if a write of one item takes a transaction: for hooks before the event or before the commit, or to read what was there before. */
export const takesTransaction = (
  engine: EngineInternals,
  event: EventName,
  collection: Collection,
): boolean =>
  hasHooksBefore(engine, event, collection) || engine.hooks.takesTransaction(event, collection.name)

/** True if something has to be done before an event, or together with it: deleting the rows of files also deletes their bytes. */
export function hasHooksBefore(
  { hooks, files }: EngineInternals,
  event: EventName,
  { name }: Collection,
): boolean {
  if (event === 'items.delete' && files?.collection.name === name) return true
  return hooks.of('before', event, name).length > 0
}
