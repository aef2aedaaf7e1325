// Permissions of a filter: what the rules of a caller leave of the schema.
import { callerScope, type Permissions } from '../access/caller-scope.ts'
import type { Collection, Schema } from '../schema/model.ts'
import { ownRunNames } from '../schema/own.ts'
import { versionsIn } from '../schema/own-collections.ts'
import { filesCollection } from '../schema/own-files.ts'
import { versionsCollection } from '../schema/own-versions.ts'
import type { FilterContext, FilterSource } from './filter-source.ts'

/** Returns the rules for a filter: those of the engine, or those of the access beside it. */
export function permissionsOf(source: FilterSource, { access }: FilterContext): Permissions | undefined {
  if (source.scope) return source.scope.permissions
  if (access?.rules === undefined) return undefined
  const { schema, own, templates: owner = schema } = source
  const versions = () =>
    versionsIn({ schema, versions: source.versions ?? (() => versionsCollection(schema)) })
  const others = () => own?.().map(({ collection }) => collection) ?? ownOfAnyEngine(schema, versions())
  return callerScope(access, { schema, others, versions, owner, foreign: own ? undefined : ownRunNames })
    .permissions
}

/** Returns the engine's own collections that rules may name besides a schema where no engine is given: the same rules are meant for all
 *  engines. */
function ownOfAnyEngine(schema: Schema, versions: Collection | undefined): readonly Collection[] {
  const files = schema.collections.has('files') ? undefined : filesCollection(schema)
  return [versions, files].flatMap((one) => one ?? [])
}
