// Builds a GraphQLSchema of an outline, or a part of it.
import {
  type GraphQLNamedType,
  GraphQLObjectType,
  GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { unreachable } from '../../errors/errors.ts'
import { aggregatedType } from './aggregate-types.ts'
import { eventType } from './event-types.ts'
import { extraQueries } from './extra/extra-fields.ts'
import { filterInput, quantifierInput } from './filter-inputs.ts'
import { havingInput } from './having-inputs.ts'
import { itemType, jsonFunctionsType, unionType, versionType } from './item-types.ts'
import {
  filterName,
  havingName,
  incrementName,
  type PayloadKind,
  payloadName,
  quantifierName,
  rootNames,
  typesNamed,
} from './names/type-names.ts'
import type { CollectionOutline, SchemaOutline } from './outline/outline.ts'
import { incrementInput, payloadInput } from './payload-inputs.ts'
import { mutationFields, queryFields, subscriptionFields } from './root-fields.ts'
import { scalars } from './scalars.ts'
import type { SchemaTypes } from './schema-types.ts'

export interface DocumentWords {
  readonly names: ReadonlySet<string>
  /** Greatest number of selections and objects inside each other. */
  readonly levels: number
}

/** Builds the schema of an outline. `words`: then only what they name is built, by which a document is valid only if it is by the whole. */
export function buildSchema(
  outline: SchemaOutline,
  { names: words, levels }: Partial<DocumentWords> = {},
): GraphQLSchema {
  const depth = { levels: levels ?? Number.POSITIVE_INFINITY, at: 0 }
  const types = schemaTypes(outline, words, depth)
  const { collections, queries = [] } = outline
  const named = words ? typesNamed(words, Object.values(rootNames)) : undefined
  const roots = named ? collections.filter(({ type }) => named.has(type)) : collections
  const query = { ...queryFields(roots, types), ...Object.fromEntries(extraQueries(queries, types)) }
  const isEmpty = queries.length === 0 && collections.every(({ members }) => members === undefined)
  const queryType = new GraphQLObjectType({ name: 'Query', fields: isEmpty ? nothing : query })
  // Without a type, any mutation would be valid: it is there in every part of a schema that has it.
  const mutationType = collections.some(isWritable)
    ? new GraphQLObjectType({ name: 'Mutation', fields: mutationFields(roots, types) })
    : null
  const subscriptionType = collections.some(hasSubscription)
    ? new GraphQLObjectType({ name: 'Subscription', fields: subscriptionFields(roots, types) })
    : null
  return new GraphQLSchema({
    query: queryType,
    mutation: mutationType,
    subscription: subscriptionType,
    types: reachedTypes(
      [queryType, mutationType, subscriptionType].filter((type) => type !== null),
      depth,
    ),
    // Tests prove it for schemas of every kind; to prove each again would take as long as to build it.
    assumeValid: true,
  })
}

export const isWritable = (of: CollectionOutline): boolean =>
  of.mayDelete || of.create !== undefined || of.update !== undefined

/** True for a collection that has a subscription. Members are made once they are asked for, so they are asked for last. */
export const hasSubscription = (of: CollectionOutline): boolean =>
  of.hasEvents === true && of.members !== undefined

/** For callers who see nothing: `Query` has to have a field. */
const nothing = { _empty: { type: scalars.Void, description: "There's no data to query." } }

/** The level of types that get their members, and the number of levels. */
interface Depth {
  readonly levels: number
  at: number
}

function schemaTypes(
  { collections }: SchemaOutline,
  words: ReadonlySet<string> | undefined,
  depth: Depth,
): SchemaTypes {
  const outlines = new Map(collections.map((outline) => [outline.name, outline]))
  const outlineOf = (collection: string): CollectionOutline => {
    const found = outlines.get(collection)
    if (!found) throw unreachable(`${collection} has no outline`)
    return found
  }
  const has = (name: string) => !words || words.has(name)
  // A variable may hold anything that its type has.
  const isWhole = !words || namesInput(outlines, words)
  const types: SchemaTypes = {
    outlineOf,
    has,
    hasInput: isWhole ? () => true : has,
    // The members of the last level have none themselves.
    leadsOn: () => depth.at + 2 <= depth.levels,
    inputLeadsOn: () => isWhole || depth.at + 2 <= depth.levels,
    item: once((name) => itemType(outlineOf(name), types)),
    event: once((name) => eventType(outlineOf(name), types)),
    version: once((name) => versionType(outlineOf(name), types)),
    aggregated: once((name) => aggregatedType(outlineOf(name), types)),
    having: once((name) => havingInput(outlineOf(name), types)),
    filter: once((name) => filterInput(outlineOf(name), types)),
    quantifier: once((name) => quantifierInput(outlineOf(name), types)),
    payload: once((name, kind: PayloadKind) => payloadInput(outlineOf(name), kind, types)),
    increment: once((name) => incrementInput(outlineOf(name), types)),
    union: once((name, field: string) => unionType(outlineOf(name), field, types)),
    jsonFunctions: once((name, field: string) => jsonFunctionsType(outlineOf(name), field)),
  }
  return types
}

/** Makes a type on first use. */
function once<More extends readonly string[], Type>(
  make: (collection: string, ...more: More) => Type,
): (collection: string, ...more: More) => Type {
  const all = new Map<string, Type>()
  return (collection, ...more) => {
    const id = [collection, ...more].join(':')
    const known = all.get(id)
    if (known !== undefined) return known
    const made = make(collection, ...more)
    all.set(id, made)
    return made
  }
}

/** True if a document names an input of a collection, which is the type of a variable then. */
function namesInput(outlines: ReadonlyMap<string, CollectionOutline>, words: ReadonlySet<string>): boolean {
  const named = typesNamed(words, inputNames)
  return named.size > 0 && [...outlines.values()].some(({ type }) => named.has(type))
}

const inputNames = [
  filterName,
  quantifierName,
  (type: string) => havingName(type),
  (type: string) => havingName(type, 'count'),
  (type: string) => havingName(type, 'fields'),
  (type: string) => havingName(type, 'extremes'),
  (type: string) => payloadName(type, 'create'),
  (type: string) => payloadName(type, 'update'),
  (type: string) => payloadName(type, 'upsert'),
  incrementName,
]

/** Returns all types that some types lead to, themselves included. GraphQL.js would find them by itself, but goes down each path to its end, and
 *  relations between a thousand collections are a path that is too long for the stack. */
function reachedTypes(from: readonly GraphQLNamedType[], depth: Depth): readonly GraphQLNamedType[] {
  const reached = new Set<GraphQLNamedType>(from)
  for (let level = from; level.length > 0; depth.at++) {
    const next = new Set(level.flatMap(namedBy))
    level = [...next].filter((type) => !reached.has(type))
    for (const type of level) reached.add(type)
  }
  return [...reached]
}

function namedBy(type: GraphQLNamedType): readonly GraphQLNamedType[] {
  if (isUnionType(type)) return type.getTypes()
  if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => getNamedType(field.type))
  if (!isObjectType(type)) return []
  return Object.values(type.getFields()).flatMap((field) => [
    getNamedType(field.type),
    ...field.args.map((argument) => getNamedType(argument.type)),
  ])
}
