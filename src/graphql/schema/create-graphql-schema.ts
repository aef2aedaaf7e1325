import type { GraphQLSchema } from 'graphql'
import { actionGround } from '../../engine/action-ground.ts'
import { type Engine, internalsOf } from '../../engine/engine.ts'
import { withResolvers } from '../answer/resolvers.ts'
import { printSchemaText } from './print-schema.ts'
import { schemaFor } from './schema-for.ts'
import { type GraphQLSchemaOptions, schemaSettings } from './schema-options.ts'

/** Returns the GraphQL schema of an engine. For a narrowed engine it has what is visible to its caller and what they may do; callers to whom the
 *  same names are visible share one.
 *  @example const reader = engine.as({ rules: { tags: { read: true } } })
 *  Object.keys(createGraphQLSchema(reader).getQueryType()?.getFields() ?? {}) // → ['tags', 'tags_by_id', 'tags_aggregated', 'tags_by_version'] */
export function createGraphQLSchema(engine: Engine, options: GraphQLSchemaOptions = {}): GraphQLSchema {
  const core = internalsOf(engine)
  return withResolvers(schemaFor(core, schemaSettings(options, actionGround(core).whole)).whole())
}

/** Returns the GraphQL schema of an engine as text, for code generators and for comparing two of them.
 *  @example printGraphQLSchema(engine.as({})) // → 'type Query {\n  """There\'s no data to query."""\n  _empty: Void\n}\n\n"""No value."""\nscalar Void\n' */
export function printGraphQLSchema(engine: Engine, options: GraphQLSchemaOptions = {}): string {
  return printSchemaText(createGraphQLSchema(engine, options))
}
