import { checkOptions } from '../errors/check-options.ts'
import { holds, type ItemValues } from '../plan/evaluate.ts'
import { rootCollection } from '../plan/resolve-name.ts'
import type { Filter } from '../query/filter-types.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import { filterScope } from './filter-scope.ts'
import {
  type EngineSource,
  type FilterContext,
  filterContextOptions,
  meaningOf,
  type SchemaAlone,
  settingsOf,
} from './filter-source.ts'
import { readPredicate } from './read-predicate.ts'

/** True if an item matches a filter, in memory and with the same meaning as in SQL. Related items have to be loaded.
 *  @example matchesFilter({ schema }, 'articles', { author: { name: 'Ada' } }, { author: { name: 'Ada' } }) // → true */
export function matchesFilter<S extends Schema, C extends CollectionName<S>>(
  source: SchemaAlone<S> | EngineSource<S>,
  collection: C,
  filter: Filter<S, C>,
  item: object,
  context: FilterContext = {},
): boolean {
  checkOptions(context, filterContextOptions)
  const settings = settingsOf(source)
  const scope = filterScope(settings, context)
  const root = rootCollection(scope.schema, collection)
  const predicate = readPredicate(filter, root, settings, scope, 'memory')
  // Fields are looked up by name, whatever the item has or lacks.
  return holds(predicate, item as NonNullable<ItemValues>, meaningOf(settings))
}
