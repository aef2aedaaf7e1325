// Scope of a filter: the caller, the schema that is visible to it, and the time.
import type { Permissions } from '../access/caller-scope.ts'
import { checkAccess, endOf, requireUnexpired } from '../access/check-access.ts'
import type { Schema } from '../schema/model.ts'
import type { Circumstances } from '../vocabulary/variables.ts'
import type { FilterContext, FilterSource } from './filter-source.ts'

export interface FilterScope {
  readonly schema: Schema
  /** Rules of the caller; undefined if everything is allowed. */
  readonly permissions: Permissions | undefined
  readonly circumstances: Circumstances
}

/** A way to find what a filter may name. */
export type FindPermissions = (source: FilterSource, context: FilterContext) => Permissions | undefined

export function filterScope(
  source: FilterSource,
  context: FilterContext,
  permissionsOf: FindPermissions,
): FilterScope {
  const permissions = permissionsOf(source, context)
  const access = context.access ?? source.scope?.caller
  const caller = { ...access, variables: { ...access?.variables, ...context.variables } }
  const now = context.now ?? source.clock?.() ?? new Date()
  const end = context.access === undefined ? source.scope?.expiresAt : endOf(checkAccess(context.access))
  if (end !== undefined) requireUnexpired(end, now)
  return {
    schema: permissions?.seen.schema ?? source.schema,
    permissions,
    circumstances: { now: typeof now === 'number' ? new Date(now) : now, caller },
  }
}
