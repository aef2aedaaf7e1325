// Conditions of relations: a relation has those of its rows alone that meet its condition.
import { Problems } from '../../errors/problems.ts'
import { defaultLimits } from '../../query/limits.ts'
import { readFilter } from '../../query/read-filter.ts'
import { newReader } from '../../query/reader.ts'
import type { RelationFilter, Schema } from '../../schema/model.ts'
import { type Circumstances, hasVariable } from '../../vocabulary/variables.ts'
import { withTests } from '../walk.ts'
import { always, type BoundRelation, type Predicate } from './predicate.ts'
import { resolveFilter } from './resolve-filter.ts'

// A condition follows declared relations only.
const noSchema: Pick<Schema, 'collections'> = { collections: new Map() }

/** The condition on the rows of a relation. The caller is the same for queries and rules: its variables have no paths. */
export function relationCondition({ circumstances, ...within }: BoundRelation): Predicate {
  const condition = resolveRelation(within, circumstances, new Problems('INVALID_QUERY'))
  if (!hasVariable(within.filter)) return withTests(condition, (test) => ({ ...test, isFixed: true }))
  // A statement with it is for these circumstances alone.
  circumstances.onDenied?.()
  return condition
}

/** Resolves the condition of a relation. Mistakes are refused when an engine is created. */
export function resolveRelation(
  { filter, of, path }: RelationFilter,
  circumstances: Circumstances,
  problems: Problems,
): Predicate {
  const node = readFilter(filter, path, { ...newReader(defaultLimits, false), problems })
  if (!problems.isEmpty) return always
  return resolveFilter(node, of, path, { schema: noSchema, circumstances, problems, use: 'query' })
}
