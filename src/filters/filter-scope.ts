// Scope of a filter: the caller, the schema that is visible to it, and the time.
import type { Limited } from '../access/caller-scope.ts'
import { checkAccess } from '../access/rules.ts'
import type { Schema } from '../schema/model.ts'
import type { Circumstances } from '../vocabulary/variables.ts'
import type { FilterContext, FilterSource } from './filter-source.ts'

export interface FilterScope {
  /** Schema that is visible to the caller. */
  readonly schema: Schema
  /** Rules of the caller; undefined if everything is allowed. */
  readonly limits: Limited | undefined
  readonly circumstances: Circumstances
}

/** A way to find the limits of a filter. */
export type FindLimits = (source: FilterSource, context: FilterContext) => Limited | undefined

export function filterScope(source: FilterSource, context: FilterContext, limitsOf: FindLimits): FilterScope {
  const limits = limitsOf(source, context)
  if (context.access !== undefined) checkAccess(context.access)
  const access = context.access ?? source.narrowing?.caller
  const caller = { ...access, variables: { ...access?.variables, ...context.variables } }
  const now = context.now ?? source.clock?.() ?? new Date()
  return {
    schema: limits?.seen.schema ?? source.schema,
    limits,
    circumstances: { now: typeof now === 'number' ? new Date(now) : now, caller },
  }
}
