// Conditions of relations: a relation has those of its rows alone that meet its condition.
import { Problems } from '../../errors/problems.ts'
import { defaultLimits } from '../../query/limits.ts'
import { readFilter } from '../../query/read-filter.ts'
import { newReader } from '../../query/reader.ts'
import { conditionsOf, type RelationFilter, type Schema } from '../../schema/model.ts'
import { memoFor } from '../../values/memo.ts'
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

const ofSchemas = new WeakMap<object, { readonly text: string }>()

/** The text of the conditions of relations that have variables: what they show is of one caller, or of one time. */
export const variableConditions = ({ collections }: Pick<Schema, 'collections'>): string =>
  memoFor(ofSchemas, collections, () => {
    const fields = [...collections.values()].flatMap((one) => [...one.fields.values()])
    const filters = fields.flatMap(conditionsOf).map(({ filter }) => filter)
    return { text: JSON.stringify(filters.filter(hasVariable)) }
  }).text

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
