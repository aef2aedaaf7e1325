import type { Filter } from '../query/filter-types.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import type { EngineSource, FilterContext, SchemaAlone } from './filter-source.ts'
import { matchItem } from './match-item.ts'
import { permissionsOf } from './permissions-of.ts'

/** True if an item matches a filter, in memory and with the same meaning as in SQL. Related items have to be loaded.
 *  @example matchesFilter({ schema }, 'articles', { author: { name: 'Ada' } }, { author: { name: 'Ada' } }) // → true */
export function matchesFilter<S extends Schema, C extends CollectionName<S>>(
  source: SchemaAlone<S> | EngineSource<S>,
  collection: C,
  filter: Filter<S, C>,
  item: object,
  context: FilterContext = {},
): boolean {
  return matchItem(source, { collection, filter, item }, context, permissionsOf)
}
