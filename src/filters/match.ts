import { checkOptions } from '../errors/check-options.ts'
import { holds, type ItemValues } from '../plan/evaluate.ts'
import type { Filter } from '../query/filter-types.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import {
  type FilterContext,
  meansOf,
  occasionOptions,
  predicateOf,
  type SchemaAndDialect,
} from './setting.ts'

/** True if an item matches a filter, in memory and with the same meaning as in SQL. Related items have to be loaded.
 *  @example matchesFilter({ schema }, 'articles', { author: { name: 'Ada' } }, { author: { name: 'Ada' } }) // → true */
export function matchesFilter<S extends Schema, C extends CollectionName<S>>(
  given: SchemaAndDialect<S>,
  collection: C,
  filter: Filter<S, C>,
  item: object,
  context: FilterContext = {},
): boolean {
  checkOptions(context, occasionOptions)
  const { predicate } = predicateOf(given, collection, filter, context, 'memory')
  // Fields are looked up by name, whatever the item has or lacks.
  return holds(predicate, item as NonNullable<ItemValues>, meansOf(given))
}
