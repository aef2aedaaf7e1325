import { Problems } from '../errors/problems.ts'
import type { Predicate } from '../plan/filter/predicate.ts'
import { resolveFilter } from '../plan/filter/resolve-filter.ts'
import { defaultLimits } from '../query/limits.ts'
import { readFilter } from '../query/read-filter.ts'
import { newReader } from '../query/reader.ts'
import type { Collection } from '../schema/model.ts'
import type { FilterScope } from './filter-scope.ts'
import type { FilterSource } from './filter-source.ts'

interface FilterUse extends Pick<FilterScope, 'schema' | 'circumstances'> {
  readonly use: 'query' | 'memory'
}

/** Reads a filter, and resolves its names and values. All mistakes in its shape are thrown together, and so are all others. */
export function readPredicate(
  filter: unknown,
  collection: Collection,
  { limits = defaultLimits }: FilterSource,
  reading: FilterUse,
): Predicate {
  const reader = newReader(limits, false)
  const node = readFilter(filter, ['filter'], reader)
  reader.problems.throwIfAny()
  const problems = new Problems('INVALID_QUERY')
  const predicate = resolveFilter(node, collection, ['filter'], { ...reading, problems })
  problems.throwIfAny()
  return predicate
}
