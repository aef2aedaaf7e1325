// The fields of `Query`, `Mutation` and `Subscription`.
import {
  type GraphQLFieldConfig,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLScalarType,
} from 'graphql'
import { eventKind } from './event-types.ts'
import {
  aggregateArguments,
  idArgument,
  idsArgument,
  levelArguments,
  listArguments,
  namedVersion,
  versionArgument,
} from './list-arguments.ts'
import { type MutationRoot, type QueryRoot, type SubscriptionRoot, withMeaning } from './meaning.ts'
import { deletedNames } from './names/reserved-types.ts'
import { rootNames } from './names/type-names.ts'
import type { CollectionOutline } from './outline/outline.ts'
import { scalars } from './scalars.ts'
import type { SchemaTypes } from './schema-types.ts'

type RootField = GraphQLFieldConfig<unknown, unknown>
/** Makes a root field of a collection; undefined if the caller may not have it. */
type MakeRoot = (outline: CollectionOutline, types: SchemaTypes) => RootField | undefined
type Roots = { readonly [Root in MutationRoot]?: MakeRoot }
type AnyRoot = QueryRoot | MutationRoot | SubscriptionRoot

const listOf = (type: GraphQLObjectType | GraphQLScalarType) =>
  new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)))
const isMany = ({ members, isSingleton }: CollectionOutline) => members !== undefined && !isSingleton

const queries: Readonly<Record<QueryRoot, MakeRoot>> = {
  list: (outline, { item, filter }) =>
    isMany(outline)
      ? { type: listOf(item(outline.name)), args: listArguments(filter(outline.name)) }
      : undefined,
  singleton: ({ name, members, isSingleton }, { item }) =>
    members && isSingleton ? { type: item(name), args: versionArgument } : undefined,
  one: (outline, { item }) =>
    isMany(outline) && outline.hasKey
      ? { type: item(outline.name), args: { ...idArgument, ...versionArgument } }
      : undefined,
  aggregate: (outline, { aggregated, filter, having }) => {
    const { name } = outline
    if (!isMany(outline)) return undefined
    return { type: listOf(aggregated(name)), args: aggregateArguments(filter(name), having(name)) }
  },
  versioned: ({ name, members, isSingleton, hasKey }, { version }) =>
    members && hasKey
      ? { type: version(name), args: isSingleton ? namedVersion : { ...namedVersion, ...idArgument } }
      : undefined,
}

/** The type of the answer to a write: the items as the caller sees them, or no more than that it was done. */
const written = ({ name, members }: CollectionOutline, { item }: SchemaTypes) =>
  members ? item(name) : scalars.Boolean
const writtenList = (outline: CollectionOutline, types: SchemaTypes) =>
  outline.members ? listOf(types.item(outline.name)) : scalars.Boolean
const shapedBy = ({ name, members }: CollectionOutline, { filter }: SchemaTypes) =>
  members ? levelArguments(filter(name)) : {}

const needed = (type: ReturnType<SchemaTypes['payload']>) => ({ data: { type: new GraphQLNonNull(type) } })
/** Arguments of an update: new values, and what it adds to numbers. */
const changed = (outline: CollectionOutline, types: SchemaTypes) => ({
  ...needed(types.payload(outline.name, 'update')),
  ...(outline.increments && { inc: { type: types.increment(outline.name) } }),
})
// Nullable, as in the installed base, though it has to be given.
const several = (type: ReturnType<SchemaTypes['payload']>) => ({
  data: { type: new GraphQLList(new GraphQLNonNull(type)) },
})

const deletedOne = new GraphQLObjectType({
  name: deletedNames.one,
  fields: { id: { type: new GraphQLNonNull(scalars.ID) } },
})
const deletedMany = new GraphQLObjectType({
  name: deletedNames.many,
  fields: { ids: { type: listOf(scalars.ID) } },
})

const creations = {
  createMany: (outline, types) =>
    outline.create && {
      type: writtenList(outline, types),
      args: { ...shapedBy(outline, types), ...several(types.payload(outline.name, 'create')) },
    },
  createOne: (outline, types) =>
    outline.create && { type: written(outline, types), args: needed(types.payload(outline.name, 'create')) },
} satisfies Roots

/** Arguments by which an upsert finds items, and of which of them it updates. */
const found = ({ name, members }: CollectionOutline, { filter }: SchemaTypes) => ({
  on: { type: new GraphQLList(new GraphQLNonNull(scalars.String)) },
  ...(members && { where: { type: filter(name) } }),
})

const upserts = {
  upsertMany: (outline, types) =>
    outline.upsert && {
      type: writtenList(outline, types),
      args: {
        ...shapedBy(outline, types),
        ...several(types.payload(outline.name, 'upsert')),
        ...found(outline, types),
      },
    },
  upsertOne: (outline, types) =>
    outline.upsert && {
      type: written(outline, types),
      args: { ...needed(types.payload(outline.name, 'upsert')), ...found(outline, types) },
    },
} satisfies Roots

const updates = {
  updateMany: (outline, types) =>
    outline.update && !outline.isSingleton
      ? {
          type: writtenList(outline, types),
          args: {
            ...shapedBy(outline, types),
            ...idsArgument,
            ...changed(outline, types),
          },
        }
      : undefined,
  updateBatch: (outline, types) =>
    outline.update && !outline.isSingleton
      ? {
          type: writtenList(outline, types),
          args: { ...shapedBy(outline, types), ...several(types.payload(outline.name, 'update')) },
        }
      : undefined,
  updateOne: (outline, types) =>
    outline.update && !outline.isSingleton
      ? {
          type: written(outline, types),
          args: { ...idArgument, ...changed(outline, types) },
        }
      : undefined,
  updateSingleton: (outline, types) =>
    outline.update && outline.isSingleton
      ? { type: written(outline, types), args: changed(outline, types) }
      : undefined,
} satisfies Roots

const deletions = {
  deleteMany: ({ mayDelete }) => (mayDelete ? { type: deletedMany, args: idsArgument } : undefined),
  deleteOne: ({ mayDelete }) => (mayDelete ? { type: deletedOne, args: idArgument } : undefined),
} satisfies Roots

export const queryFields = (outlines: readonly CollectionOutline[], types: SchemaTypes) =>
  Object.fromEntries(outlines.flatMap((outline) => rootsFrom(queries, outline, types)))

export const mutationFields = (outlines: readonly CollectionOutline[], types: SchemaTypes) =>
  Object.fromEntries(
    [creations, upserts, updates, deletions].flatMap((roots: Roots) =>
      outlines.flatMap((outline) => rootsFrom(roots, outline, types)),
    ),
  )

const subscriptions: Readonly<Record<SubscriptionRoot, MakeRoot>> = {
  mutated: ({ name, members, hasEvents, isSingleton }, { event, filter }) => {
    if (!members || !hasEvents) return undefined
    const kind = { event: { type: eventKind } }
    return { type: event(name), args: isSingleton ? kind : { ...kind, filter: { type: filter(name) } } }
  },
}

export const subscriptionFields = (outlines: readonly CollectionOutline[], types: SchemaTypes) =>
  Object.fromEntries(outlines.flatMap((outline) => rootsFrom(subscriptions, outline, types)))

function rootsFrom<Root extends AnyRoot>(
  roots: { readonly [Name in Root]?: MakeRoot },
  outline: CollectionOutline,
  types: SchemaTypes,
): readonly (readonly [string, RootField])[] {
  return (Object.keys(roots) as Root[]).flatMap((root) => {
    const name = rootNames[root](outline.type)
    const field = types.has(name) ? roots[root]?.(outline, types) : undefined
    return field
      ? [[name, { ...field, extensions: withMeaning({ root, collection: outline.name }) }] as const]
      : []
  })
}
