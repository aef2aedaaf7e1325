import { actionContext } from '../../../engine/action-context.ts'
import { type Engine, internalsOf } from '../../../engine/engine.ts'
import type { Schema } from '../../../schema/model.ts'
import { namesOf } from '../schema-for.ts'
import { type GraphQLSchemaOptions, schemaSettings } from '../schema-options.ts'
import type { GraphQLNameRemark } from './name-claims.ts'

/** Returns what has another name in GraphQL, or is left out because it has none there, with the reason. For a narrowed engine, what its
 *  caller would see.
 *  @example reportGraphQLNames(engine) // → [] */
export function reportGraphQLNames<S extends Schema>(
  engine: Engine<S>,
  options: GraphQLSchemaOptions<S> = {},
): readonly GraphQLNameRemark[] {
  const core = internalsOf(engine)
  const { whole, seen } = actionContext(core)
  const { remarks } = namesOf(core, schemaSettings(options, whole))
  const isSeen = (collection: string, field?: string) => {
    const found = seen.collections.get(collection)
    return found !== undefined && (field === undefined || found.fields.has(field))
  }
  return remarks.filter(
    ({ collection, field, taken }) =>
      isSeen(collection, field) && (taken === undefined || isSeen(taken) || isSeen(collection, taken)),
  )
}
