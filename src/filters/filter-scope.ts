// Scope of a filter: the caller, the schema that is visible to it, and the time.
import { callerScope, type Limited } from '../access/caller-scope.ts'
import { checkAccess } from '../access/rules.ts'
import type { Collection, Schema } from '../schema/model.ts'
import { ownCollections, versionsIn } from '../schema/own-collections.ts'
import { filesCollection } from '../schema/own-files.ts'
import { versionsCollection } from '../schema/own-versions.ts'
import type { Circumstances } from '../vocabulary/variables.ts'
import type { FilterContext, FilterSource } from './filter-source.ts'

export interface FilterScope {
  /** Schema that is visible to the caller. */
  readonly schema: Schema
  /** Rules of the caller; undefined if everything is allowed. */
  readonly limits: Limited | undefined
  readonly circumstances: Circumstances
}

export function filterScope(source: FilterSource, context: FilterContext): FilterScope {
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

/** Returns the rules for a filter: those of the engine, or those of the access beside it. */
function limitsOf(source: FilterSource, { access }: FilterContext): Limited | undefined {
  if (source.narrowing) return source.narrowing.limits
  if (access?.rules === undefined) return undefined
  const { schema, versions = () => versionsCollection(schema), files, templates: owner = schema } = source
  const isEngine = source.versions !== undefined
  const others = () => (isEngine ? ownCollections({ schema, versions, files }) : ownOfAnyEngine(schema))
  return callerScope(access, { schema, others, versions: () => versionsIn({ schema, versions }), owner })
    .limits
}

/** Returns the engine's own collections that rules may name besides a schema where no engine is given: the same rules are meant for all
 *  engines. */
function ownOfAnyEngine(schema: Schema): readonly Collection[] {
  const own = ownCollections({ schema, versions: () => versionsCollection(schema) })
  return schema.collections.has('files') ? own : [...own, filesCollection(schema)]
}
