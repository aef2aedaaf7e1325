// Resolvers for servers that execute a schema themselves. The engine of the caller comes with the context, because callers to whom the same
// names are visible share one schema.
import {
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isObjectType,
  isUnionType,
} from 'graphql'
import { type Engine, internalsOf } from '../../engine/engine.ts'
import { fault, unreachable } from '../../errors/errors.ts'
import { isRecord } from '../../values/guards.ts'
import type { Collecting } from '../document/collect-fields.ts'
import { typeNameKey } from '../document/selection.ts'
import { planWrite } from './mutate.ts'
import { planRoot } from './plan-root.ts'

/** The part of the context of a foreign server that is read here. */
export interface GraphQLContext {
  /** Engine of the caller: `engine.as(access)`. */
  readonly engine: Engine
}

type Resolver = GraphQLFieldResolver<unknown, unknown>

/** Gives a schema resolvers, once. Its own fields are planned whole, and those below are members of what they return. */
export function withResolvers(schema: GraphQLSchema): GraphQLSchema {
  const [query, mutation] = [schema.getQueryType(), schema.getMutationType()]
  for (const type of Object.values(schema.getTypeMap())) {
    if (isUnionType(type)) type.resolveType ??= typeNameOf
    if (isObjectType(type) && !type.name.startsWith('__'))
      resolveBy(type, type === query ? read : type === mutation ? write : memberOf)
  }
  return schema
}

function resolveBy(type: GraphQLObjectType, resolve: Resolver): void {
  for (const field of Object.values(type.getFields())) field.resolve ??= resolve
}

/** The member of an item under its response key. */
const memberOf: Resolver = (source, _given, _context, { path }) =>
  isRecord(source) ? source[path.key] : undefined

const typeNameOf = (value: unknown): string => {
  if (isRecord(value)) return String(value[typeNameKey])
  throw unreachable('an item of a union without a type')
}

const read: Resolver = async (_source, _given, context, info) => {
  if (info.fieldName === '_empty') return null
  const engine = internalsOf(engineIn(context))
  const { run } = await planRoot({ ...askedOf(info), engine, options: {}, tellsTruncated: false })
  return JSON.parse((await run()).text) as unknown
}

const write: Resolver = async (_source, _given, context, info) => {
  const engine = engineIn(context)
  const { run } = await planWrite({ ...askedOf(info), engine, options: {} })
  return run(engine)
}

function askedOf({ fieldNodes, fragments, variableValues, schema, parentType, path }: GraphQLResolveInfo) {
  const [node, ...others] = fieldNodes
  if (!node) throw unreachable('a field without a node')
  const collecting: Collecting = {
    schema,
    fragments: new Map(Object.entries(fragments)),
    variables: variableValues,
    namesTypes: true,
  }
  return { name: String(path.key), nodes: [node, ...others] as const, type: parentType, collecting }
}

function engineIn(context: unknown): Engine {
  const given = isRecord(context) ? context.engine : undefined
  // Anything but an engine is refused there.
  if (given !== undefined) return internalsOf(given as Engine).asEngine()
  throw fault('INVALID_OPTIONS', 'The context of a GraphQL server has the engine of the caller.', {
    path: ['context', 'engine'],
    hint: 'Give { engine: engine.as(access) } as the context of a request.',
  })
}
