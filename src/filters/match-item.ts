import { checkOptions } from '../errors/check-options.ts'
import { holds, type ItemValues } from '../plan/filter/evaluate.ts'
import { rootCollection } from '../plan/resolve-name.ts'
import { type FindPermissions, filterScope } from './filter-scope.ts'
import {
  type EngineSource,
  type FilterContext,
  filterContextOptions,
  meaningOf,
  type SchemaAlone,
  settingsOf,
} from './filter-source.ts'
import { readPredicate } from './read-predicate.ts'

interface MatchInput {
  readonly collection: string
  readonly filter: unknown
  readonly item: object
}

/** Matches an item in memory, with a way to find the limits of its caller. */
export function matchItem(
  source: SchemaAlone | EngineSource,
  { collection, filter, item }: MatchInput,
  context: FilterContext,
  permissionsOf: FindPermissions,
): boolean {
  checkOptions(context, filterContextOptions)
  const settings = settingsOf(source)
  const scope = filterScope(settings, context, permissionsOf)
  const root = rootCollection(scope.schema, collection)
  const predicate = readPredicate(filter, root, settings, { ...scope, use: 'memory' })
  // Fields are looked up by name, whatever the item has or lacks.
  return holds(predicate, item as NonNullable<ItemValues>, meaningOf(settings))
}
