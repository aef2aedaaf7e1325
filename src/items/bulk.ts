import type { Engine } from '../engine/engine.ts'
import { fault } from '../errors/errors.ts'
import { rootCollection } from '../plan/resolve-name.ts'
import type { Collection } from '../schema/model.ts'

/** The collection with a name, whose items are meant several at a time. */
export const bulkCollection = ({ schema }: Engine, name: string): Collection =>
  manyOf(rootCollection(schema, name))

export function manyOf(collection: Collection): Collection {
  if (!collection.isSingleton) return collection
  throw fault('INVALID_PAYLOAD', `"${collection.name}" is a singleton, and its item is not one of many.`, {
    hint: 'Use updateSingleton, or the verbs for one item.',
  })
}

/** Whether whoever sees a collection so may be told the keys of its items. */
export const namesKeys = ({ key, fields }: Collection): boolean => fields.get(key.name) === key
