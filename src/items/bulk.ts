import type { Engine } from '../engine/engine.ts'
import { fault } from '../errors/errors.ts'
import { rootCollection } from '../plan/resolve-name.ts'
import type { Collection } from '../schema/model.ts'

/** Returns the collection with a name, for functions on several items. */
export const bulkCollection = ({ schema }: Engine, name: string): Collection =>
  manyOf(rootCollection(schema, name))

export function manyOf(collection: Collection): Collection {
  if (!collection.isSingleton) return collection
  throw fault('INVALID_PAYLOAD', `"${collection.name}" is a singleton, and its item is not one of many.`, {
    hint: 'Use updateSingleton, or the verbs for one item.',
  })
}

/** True if the keys of the collection's items may be returned to a caller with this view of it. */
export const namesKeys = ({ key, fields }: Collection): boolean => fields.get(key.name) === key
