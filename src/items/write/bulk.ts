// Functions on many items: their options, and the selection of items.
import type { EngineInternals } from '../../engine/engine.ts'
import { anything, flag, optionNames } from '../../errors/check-options.ts'
import { fault } from '../../errors/errors.ts'
import { callKinds, type Options } from '../../execution/database.ts'
import { rootCollection } from '../../plan/resolve-name.ts'
import type { ParsedQuery, Query } from '../../query/types.ts'
import type { CollectionName, KeyOf } from '../../schema/infer.ts'
import { type Collection, partsOf } from '../../schema/model.ts'

/** Options of functions on many items. */
export interface BulkOptions extends Options {
  /** True to return what would happen, without doing it. */
  readonly dryRun?: boolean
  /** Maximum number of affected items. If there are more, the call is refused and changes nothing. */
  readonly maxAffected?: number
  /** False to leave the keys out of the result. A deletion of many items then takes less time. */
  readonly keys?: boolean
}

export const bulkOptions = optionNames<BulkOptions>({
  ...callKinds,
  dryRun: flag,
  maxAffected: anything,
  keys: flag,
})

export function checkMaxAffected(input: number | undefined): void {
  if (input === undefined || (Number.isSafeInteger(input) && input >= 0)) return
  throw fault('INVALID_OPTIONS', '"maxAffected" is a whole number of 0 or more.', { path: ['maxAffected'] })
}

/** Selection of items: their keys, or a query. `By = 'query'`: the parameters of a query alone. */
export type Selector<S, C extends CollectionName<S>, By extends 'any' | 'query' = 'any'> = By extends 'query'
  ? Pick<Query<S, C>, 'filter' | 'search' | 'sort' | 'limit' | 'offset' | 'fields' | 'meta'> | ParsedQuery
  :
      | readonly KeyOf<S, C>[]
      | {
          /** Keys of the items. */
          readonly keys: readonly KeyOf<S, C>[]
        }
      | {
          /** Query that selects the items. */
          readonly query: Selector<S, C, 'query'>
        }

/** Returns the collection with a name, for functions on several items. */
export const bulkCollection = ({ schema }: EngineInternals, name: string): Collection =>
  manyOf(rootCollection(schema, name))

export function manyOf(collection: Collection): Collection {
  if (!collection.isSingleton) return collection
  throw fault('INVALID_PAYLOAD', `"${collection.name}" is a singleton, and its item is not one of many.`, {
    hint: 'Use updateSingleton, or the functions for one item.',
  })
}

/** True if the keys of the collection's items may be returned to a caller with this view of it. */
export const showsKeys = ({ key, fields }: Collection): boolean =>
  key !== undefined && partsOf(key).every((part) => fields.get(part.name) === part)
