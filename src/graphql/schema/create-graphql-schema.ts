import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
  printType,
} from 'graphql'
import { actionContext } from '../../engine/action-context.ts'
import { type Engine, internalsOf } from '../../engine/engine.ts'
import type { Schema } from '../../schema/model.ts'
import { Cache } from '../../values/cache.ts'
import { memoFor } from '../../values/memo.ts'
import { withResolvers } from '../answer/resolvers.ts'
import { buildSchema } from './build-schema.ts'
import { type Extensions, noExtensions } from './extra/extensions.ts'
import { namesOf, schemaFor } from './schema-for.ts'
import { type GraphQLSchemaOptions, type SchemaInput, schemaSettings } from './schema-options.ts'

/** Returns the GraphQL schema of an engine. For a narrowed engine it has what is visible to its caller and what they may do; callers to whom the
 *  same names are visible share one.
 *  @example const reader = engine.as({ rules: { tags: { read: true } } })
 *  Object.keys(createGraphQLSchema(reader).getQueryType()?.getFields() ?? {}) // → ['tags', 'tags_by_id', 'tags_aggregated', 'tags_by_version'] */
export function createGraphQLSchema<S extends Schema>(
  engine: Engine<S>,
  options: GraphQLSchemaOptions<S> = {},
): GraphQLSchema {
  return executableSchema(engine, options)
}

/** Returns the schema with what executes it. Options are checked here, whatever their types say. */
function executableSchema(engine: Engine, options: SchemaInput): GraphQLSchema {
  const core = internalsOf(engine)
  const settings = schemaSettings(options, actionContext(core).whole)
  const { whole, fingerprint, outline } = schemaFor(core, settings)
  const { extensions } = settings
  if (extensions === noExtensions) return withResolvers(whole(), extensions)
  // Schemas that look the same may compute by other functions.
  const known = memoFor(extended, extensions, () => new Cache<GraphQLSchema>(schemasKept))
  const found = known.get(fingerprint)
  if (found) return found
  const made = withResolvers(buildSchema(outline), extensions)
  known.set(fingerprint, made)
  return made
}

/** Refuses options of which no schema can be made. */
export function checkSchemaOptions(engine: Engine, options: SchemaInput): void {
  const core = internalsOf(engine)
  namesOf(core, schemaSettings(options, actionContext(core).whole))
}

const extended = new WeakMap<Extensions, Cache<GraphQLSchema>>()
const schemasKept = 50

/** Returns the GraphQL schema of an engine as text, for code generators and for comparing two of them.
 *  @example printGraphQLSchema(engine.as({})) // → 'type Query {\n  """There\'s no data to query."""\n  _empty: Void\n}\n\n"""No value."""\nscalar Void\n' */
export function printGraphQLSchema<S extends Schema>(
  engine: Engine<S>,
  options: GraphQLSchemaOptions<S> = {},
): string {
  return schemaText(engine, options)
}

/** Returns the text of a schema, whatever the types of the options say. */
export function schemaText(engine: Engine, options: SchemaInput): string {
  const core = internalsOf(engine)
  return printSchemaText(schemaFor(core, schemaSettings(options, actionContext(core).whole)).whole())
}

// Prints a schema as text: the roots first, then scalars, unions, types and inputs, each by name.
/** Returns the text of a schema. It is the same for the same schema. */
export function printSchemaText(schema: GraphQLSchema): string {
  const all = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  const roots = all.filter((type) => type != null)
  const others = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .filter((type) => !roots.some((root) => root === type))
    .sort((a, b) => rankOf(a) - rankOf(b) || (a.name < b.name ? -1 : 1))
  return `${[...roots, ...others].map((type) => printType(type)).join('\n\n')}\n`
}

const ranks: readonly ((type: GraphQLNamedType) => boolean)[] = [
  isScalarType,
  isEnumType,
  isUnionType,
  isObjectType,
  isInputObjectType,
]

const rankOf = (type: GraphQLNamedType): number => ranks.findIndex((is) => is(type))
