// Resolvers for servers that execute a schema themselves. The engine of the caller comes with the context, because callers to whom the same
// names are visible share one schema.
import {
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isObjectType,
  isUnionType,
} from 'graphql'
import { type Engine, internalsOf } from '../../engine/engine.ts'
import { fault, isEngineError, toErrorBody, unreachable } from '../../errors/errors.ts'
import { attempt } from '../../execution/report-errors.ts'
import { isRecord } from '../../values/guards.ts'
import type { Collecting } from '../document/collect-fields.ts'
import { needsOf } from '../document/extra-selection.ts'
import { withoutNull } from '../document/level-arguments.ts'
import { typeNameKey } from '../document/selection.ts'
import type { Extensions } from '../schema/extra/extensions.ts'
import { meaningOf, type NameMeaning } from '../schema/meaning.ts'
import { computeField, computeQuery, extraField } from './extras/extras.ts'
import { planWrite } from './mutations/mutate.ts'
import { planRoot } from './roots/plan-root.ts'

/** The part of the context of a foreign server that is read here. */
export interface GraphQLContext {
  /** Engine of the caller: `engine.as(access)`. */
  readonly engine: Engine
  /** For the functions of `extend`. */
  readonly signal?: AbortSignal | undefined
}

type Resolver = GraphQLFieldResolver<unknown, unknown>

/** Gives a schema resolvers, once. Its own fields are planned whole, and those below are members of what they return. */
export function withResolvers(schema: GraphQLSchema, extensions: Extensions): GraphQLSchema {
  const [query, mutation] = [schema.getQueryType(), schema.getMutationType()]
  for (const type of Object.values(schema.getTypeMap())) {
    if (isUnionType(type)) type.resolveType ??= typeNameOf
    if (isObjectType(type) && !type.name.startsWith('__'))
      resolveBy(type, extensions, type === query ? read : type === mutation ? write : memberOf)
  }
  return schema
}

function resolveBy(type: GraphQLObjectType, extensions: Extensions, resolve: Resolver): void {
  for (const field of Object.values(type.getFields()))
    field.resolve ??= extraResolver(meaningOf(field), extensions) ?? resolve
}

/** The member of an item under its response key. */
const memberOf: Resolver = (source, _input, _context, { path }) =>
  isRecord(source) ? source[path.key] : undefined

const typeNameOf = (value: unknown): string => {
  if (isRecord(value)) return String(value[typeNameKey])
  throw unreachable('an item of a union without a type')
}

const read: Resolver = (_source, _input, context, info) => {
  if (info.fieldName === '_empty') return null
  const engine = engineIn(context)
  return reported(engine, async () => {
    const requested = {
      ...requestedOf(info, engine),
      engine: internalsOf(engine),
      options: {},
      reportsTruncated: false,
    }
    const { run } = await planRoot(requested)
    return JSON.parse((await run()).text) as unknown
  })
}

const write: Resolver = (_source, _input, context, info) => {
  const engine = engineIn(context)
  return reported(engine, async () => {
    const { run } = planWrite({ ...requestedOf(info, engine), engine, options: {}, isWritten: false })
    return run(engine)
  })
}

/** Returns what computes an extra field; undefined if it is none. */
function extraResolver(meaning: NameMeaning | undefined, extensions: Extensions): Resolver | undefined {
  if (!meaning) return undefined
  if ('extraQuery' in meaning)
    return (_source, input, context) => {
      const around = surroundings(context)
      return reported(around.engine, () =>
        computeQuery(extensions, meaning.extraQuery, withoutNull(input), around),
      )
    }
  if (!('extra' in meaning)) return undefined
  const { collection } = meaning
  const extra = extraField(extensions, collection, meaning.extra)
  return (source, input, context, { path }) => {
    const around = surroundings(context)
    return reported(around.engine, () =>
      computeField({ extra, collection }, neededIn(source, String(path.key)), withoutNull(input), around),
    )
  }
}

/** The fields that an extra field needs, which stand beside the others. */
function neededIn(source: unknown, name: string): unknown {
  if (!isRecord(source)) throw unreachable('an extra field of what is no item')
  const member = Object.keys(source).find((key) => key.startsWith(needsOf(name)))
  return member === undefined ? {} : source[member]
}

const surroundings = (context: unknown) => {
  const engine = engineIn(context)
  const signal: unknown = Reflect.get(Object(context), 'signal')
  return { engine, signal: signal instanceof AbortSignal ? signal : undefined }
}

/** Runs a work whose errors other servers show: each is one of GraphQL, or the fixed sentence. */
async function reported<Result>(engine: Engine, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const { onError } = internalsOf(engine)
    if (!isEngineError(error) || error.status === 500)
      await attempt(() => Promise.reject(error), undefined, onError)
    throw shownError(error)
  }
}

function shownError(error: unknown): GraphQLError {
  const problems = toErrorBody(error).errors
  const [{ message, extensions } = noProblem] = problems
  const all = problems.length > 1 ? { errors: problems } : {}
  return new GraphQLError(message, { extensions: { ...extensions, ...all } })
}

const noProblem = { message: '', extensions: {} }

function requestedOf(
  { fieldNodes, fragments, variableValues, schema, parentType, path }: GraphQLResolveInfo,
  engine: Engine,
) {
  const [node, ...others] = fieldNodes
  if (!node) throw unreachable('a field without a node')
  const { expandedFields: maxMembers, relationDepth: maxLevels } = internalsOf(engine).limits
  const collecting: Collecting = {
    schema,
    fragments: new Map(Object.entries(fragments)),
    variables: variableValues,
    maxMembers,
    maxLevels,
    namesTypes: true,
  }
  return { name: String(path.key), nodes: [node, ...others] as const, type: parentType, collecting }
}

function engineIn(context: unknown): Engine {
  // Contexts of some servers are instances of their own.
  const input: unknown = Reflect.get(Object(context), 'engine')
  // Anything but an engine is refused there.
  if (input !== undefined) return internalsOf(input as Engine).asEngine()
  throw fault('INVALID_OPTIONS', 'The context of a GraphQL server has the engine of the caller.', {
    path: ['context', 'engine'],
    hint: 'Give { engine: engine.as(access) } as the context of a request.',
  })
}
