// The `matchesFilter` of browsers. Reading rules takes a tenth of its size, and rules are for servers.
import type { Permissions } from '../access/caller-scope.ts'
import { fault } from '../errors/errors.ts'
import type { Filter } from '../query/filter-types.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import type { Caller } from '../vocabulary/variables.ts'
import type { EngineSource, FilterContext, FilterSource, SchemaAlone } from './filter-source.ts'
import { matchItem } from './match-item.ts'

/** Values that are known only when a filter is used, of a caller without rules. */
export interface MatchContext extends Omit<FilterContext, 'access'> {
  /** Values of `$CURRENT_USER` and similar variables. */
  readonly access?: Caller & { readonly rules?: never }
}

/** True if an item matches a filter, in memory and with the same meaning as in SQL. Related items have to be loaded. It is the function of
 *  `quernel`, except that it takes no rules: they are for the server.
 *  @example matchesFilter({ schema }, 'articles', { author: { name: 'Ada' } }, { author: { name: 'Ada' } }) // → true */
export function matchesFilter<S extends Schema, C extends CollectionName<S>>(
  source: SchemaAlone<S> | EngineSource<S>,
  collection: C,
  filter: Filter<S, C>,
  item: object,
  context: MatchContext = {},
): boolean {
  return matchItem(source, { collection, filter, item }, context, limitsWithoutRules)
}

/** Returns the limits of an engine. Rules beside it are refused, because without them everything would match. */
function limitsWithoutRules(source: FilterSource, { access }: FilterContext): Permissions | undefined {
  if (source.scope) return source.scope.permissions
  if (access?.rules === undefined) return undefined
  throw fault('INVALID_OPTIONS', 'The "matchesFilter" of "quernel/filter" takes no rules.', {
    path: ['access', 'rules'],
    hint: 'That of "quernel" takes them, on the server.',
  })
}
