// Names that are made of those of collections and fields. They are those of the installed base, whose documents and generated code have them.

export const filterName = (type: string): string => `${type}_filter`
export const quantifierName = (type: string): string => `${type}_quantifier_filter`
/** Kind of write that a payload is for: an upsert creates the item, or updates it. */
export type PayloadKind = 'create' | 'update' | 'upsert'
export const payloadName = (type: string, kind: PayloadKind): string => `${kind}_${type}_input`
export const incrementName = (type: string): string => `increment_${type}_input`
export const versionName = (type: string): string => `version_${type}`
/** A type of aggregates: of all, or of those that take the same fields. */
export type AggregatePart = 'count' | 'fields' | 'extremes'
export const aggregatedName = (type: string, part?: AggregatePart): string =>
  part === undefined ? `${type}_aggregated` : `${type}_aggregated_${part}`
/** The input of conditions on such a type. */
export const havingName = (type: string, part?: AggregatePart): string =>
  `${aggregatedName(type, part)}_having`
export const unionName = (type: string, field: string): string => `${type}_${field}_union`
export const jsonFunctionsName = (type: string, field: string): string => `${type}_${field}_func`

export const functionsMember = (field: string): string => `${field}_func`
/** The condition on items of one collection behind a reference to several. */
export const armMember = (field: string, arm: string): string => `${field}__${arm}`

export const eventName = (type: string): string => `${type}_mutated`

/** All names of types that a collection may need, for any caller. */
export const typesOf = (type: string): readonly string[] => [
  type,
  filterName(type),
  quantifierName(type),
  payloadName(type, 'create'),
  payloadName(type, 'update'),
  payloadName(type, 'upsert'),
  incrementName(type),
  versionName(type),
  aggregatedName(type),
  aggregatedName(type, 'count'),
  aggregatedName(type, 'fields'),
  aggregatedName(type, 'extremes'),
  havingName(type),
  havingName(type, 'count'),
  havingName(type, 'fields'),
  havingName(type, 'extremes'),
  eventName(type),
]

/** The fields of `Query`, of `Mutation` and of `Subscription`, by their kinds. */
export const rootNames = {
  list: (type: string) => type,
  one: (type: string) => `${type}_by_id`,
  aggregate: (type: string) => `${type}_aggregated`,
  versioned: (type: string) => `${type}_by_version`,
  singleton: (type: string) => type,
  createMany: (type: string) => `create_${type}_items`,
  createOne: (type: string) => `create_${type}_item`,
  upsertMany: (type: string) => `upsert_${type}_items`,
  upsertOne: (type: string) => `upsert_${type}_item`,
  updateMany: (type: string) => `update_${type}_items`,
  updateBatch: (type: string) => `update_${type}_batch`,
  updateOne: (type: string) => `update_${type}_item`,
  updateSingleton: (type: string) => `update_${type}`,
  deleteMany: (type: string) => `delete_${type}_items`,
  deleteOne: (type: string) => `delete_${type}_item`,
  mutated: eventName,
} as const

/** Returns the types of which some names may be made: a document has few names, and a schema many types. */
export function typesNamed(
  words: ReadonlySet<string>,
  makers: readonly ((type: string) => string)[],
): ReadonlySet<string> {
  const types = new Set<string>()
  for (const make of makers) {
    const [before = '', after = ''] = make(' ').split(' ')
    for (const word of words)
      if (word.startsWith(before) && word.endsWith(after))
        types.add(word.slice(before.length, word.length - after.length))
  }
  return types
}

const queriesOfItems = ['list', 'one', 'aggregate', 'versioned'] as const
const queriesOfSingletons = ['singleton', 'versioned'] as const
const mutationsOfItems = [
  'createMany',
  'createOne',
  'upsertMany',
  'upsertOne',
  'updateMany',
  'updateBatch',
  'updateOne',
  'deleteMany',
  'deleteOne',
] as const
const mutationsOfSingletons = ['updateSingleton'] as const

/** All root fields that a collection may have, for any caller. */
export const rootsOf = (type: string, isSingleton: boolean): readonly string[] => [
  ...(isSingleton ? queriesOfSingletons : queriesOfItems).map((root) => `Query.${rootNames[root](type)}`),
  ...(isSingleton ? mutationsOfSingletons : mutationsOfItems).map(
    (root) => `Mutation.${rootNames[root](type)}`,
  ),
]
