// Names of a schema in GraphQL, which allows ASCII letters, digits and `_`, and in which the names of types are made of each other. What does
// not fit has the nearest free name there, what is taken is left out, and both are reported. Rules have no part in it: a name is the same for every caller.
import type { Collection, Field, Schema } from '../../../schema/model.ts'
import { once } from '../../../values/memo.ts'
import { functionKind } from '../function-kinds.ts'
import type { SchemaSettings } from '../schema-options.ts'
import { isGraphQLName } from './graphql-name.ts'
import { claimNearest, type GraphQLNameRemark, NameClaims, remarkOn, remarkOnRenamed } from './name-claims.ts'
import { reservedTypes } from './reserved-types.ts'
import { armMember, functionsMember, jsonFunctionsName, rootsOf, typesOf, unionName } from './type-names.ts'

/** Names of a collection and of its fields, which are made on first use. */
export interface CollectionNames {
  /** The name of its type, of which those of its other types and of its root fields are made. */
  readonly type: string
  /** A field that certainly has a name, whatever the others are called. Undefined if that is not as easily known. */
  readonly certain: string | undefined
  /** Names by fields; those that are left out have none. */
  readonly fields: ReadonlyMap<string, string>
  /** Fields whose functions have a member of their own: `published_at_func`. */
  readonly functions: ReadonlySet<string>
  /** The name of the member with a key of several parts as one text. */
  readonly key: string | undefined
}

export interface SchemaNames {
  readonly of: ReadonlyMap<string, CollectionNames>
  readonly remarks: readonly GraphQLNameRemark[]
}

/** Names everything of a schema: fields on demand, but in the order of their collections where they take names of types. */
export function nameSchema({ collections }: Schema, { renames }: SchemaSettings): SchemaNames {
  const naming: Naming = { renames, claims: new NameClaims(reservedTypes), types: new Map() }
  const ofCollections = nameCollections(collections, naming)
  const named = [...collections.values()].flatMap((collection) => {
    const type = naming.types.get(collection.name)
    if (type === undefined) return []
    const fields = once(() => nameFields(collection, type, naming))
    if ([...collection.fields.values()].some(makesTypes)) fields()
    return [{ collection, type, fields }]
  })
  const remarks = once(() => [...ofCollections, ...named.flatMap(({ fields }) => fields().remarks)])
  const of = named.map(({ collection, type, fields }): readonly [string, CollectionNames] => [
    collection.name,
    {
      type,
      get certain() {
        return certainName(collection, renames)
      },
      get fields() {
        return fields().fields
      },
      get functions() {
        return fields().functions
      },
      get key() {
        return fields().key
      },
    },
  ])
  return {
    of: new Map(of),
    get remarks() {
      return remarks()
    },
  }
}

/** True for a field that takes the name of a type. */
const makesTypes = (field: Field): boolean => field.kind === 'any' || functionKind(field) === 'json'

/** Returns the field that takes its name first, if nothing can be in its way. */
function certainName(
  { name: collection, fields }: Collection,
  renames: Naming['renames'],
): string | undefined {
  let [first, shortest]: [Field | undefined, string] = [undefined, '']
  for (const field of fields.values()) {
    const name = renames.size === 0 ? field.name : (renames.get(`${collection}.${field.name}`) ?? field.name)
    if (!first || name.length < shortest.length) [first, shortest] = [field, name]
  }
  return first && first.kind !== 'any' && isGraphQLName(shortest) ? first.name : undefined
}

interface Naming {
  readonly renames: SchemaSettings['renames']
  readonly claims: NameClaims
  readonly types: Map<string, string>
}

interface FieldNames extends Omit<CollectionNames, 'type' | 'certain'> {
  readonly remarks: readonly GraphQLNameRemark[]
}

function nameCollections(
  collections: Schema['collections'],
  { renames, claims, types }: Naming,
): readonly GraphQLNameRemark[] {
  const remarks: GraphQLNameRemark[] = []
  const typeOf = ({ name }: Collection) => renames.get(name) ?? name
  for (const collection of shortestFirst(collections.values(), typeOf)) {
    const { name, isSingleton } = collection
    const own = typeOf(collection)
    const claimed = claimNearest(own, (type) =>
      claims.claim([...typesOf(type), ...rootsOf(type, isSingleton)], name),
    )
    if (claimed.problem) remarks.push(remarkOn(name, undefined, claimed.problem))
    else types.set(name, claimed.name)
    if (!claimed.problem && claimed.name !== own) remarks.push(remarkOnRenamed(name, undefined, claimed.name))
  }
  return remarks
}

/** Sorts by the length of names: `tags` makes `tags_filter` of its name, and keeps it, even if another collection has one of these names. Names
 *  that do not fit come last, so that none takes that of another. */
const shortestFirst = <One>(all: Iterable<One>, nameOf: (one: One) => string): readonly One[] => {
  const named = [...all].map((one) => ({ one, name: nameOf(one) }))
  const rank = (name: string) => (isGraphQLName(name) ? 0 : longest) + name.length
  return named.sort((a, b) => rank(a.name) - rank(b.name)).map(({ one }) => one)
}

/** Longer than any name. */
const longest = 1_000_000

function nameFields(collection: Collection, type: string, naming: Naming): FieldNames {
  const { renames } = naming
  const remarks: GraphQLNameRemark[] = []
  const members = new NameClaims([])
  const fields = new Map<string, string>()
  const functions = new Set<string>()
  const nameOf = ({ name }: Field) => renames.get(`${collection.name}.${name}`) ?? name
  for (const field of shortestFirst(collection.fields.values(), nameOf)) {
    const own = nameOf(field)
    const claimed = claimNearest(own, (name) => claimMember({ field, name, type }, members, naming))
    if (claimed.problem) {
      remarks.push(remarkOn(collection.name, field.name, claimed.problem))
      continue
    }
    const { name } = claimed
    if (name !== own) remarks.push(remarkOnRenamed(collection.name, field.name, name))
    fields.set(field.name, name)
    const without = claimFunctions({ field, name, type }, members, naming)
    if (without) remarks.push(remarkOn(collection.name, field.name, without, 'functions'))
    else if (functionKind(field)) functions.add(field.name)
  }
  const key = collection.key?.kind === 'key' ? 'id' : undefined
  const problem = key && members.claim([key], key)
  if (problem) remarks.push(remarkOn(collection.name, undefined, problem, 'key'))
  return { fields, functions, key: problem ? undefined : key, remarks }
}

/** A field, the name that it shall have, and that of its collection's type. */
interface FieldToName {
  readonly field: Field
  readonly name: string
  readonly type: string
}

/** Takes the names of a field in items and in filters; for a reference to several collections, the name of its type as well. */
function claimMember({ field, name, type }: FieldToName, members: NameClaims, { claims, types }: Naming) {
  if (field.kind !== 'any') return members.claim([name], field.name)
  const arms = [...field.targets.keys()].flatMap((target) => types.get(target) ?? [])
  return (
    members.claim([name, ...arms.map((arm) => armMember(name, arm))], field.name) ??
    claims.claim([unionName(type, name)], field.collection.name)
  )
}

/** Takes the name of the member with the functions of a field; for a JSON field, that of its type as well. */
function claimFunctions({ field, name, type }: FieldToName, members: NameClaims, { claims }: Naming) {
  const kind = functionKind(field)
  const problem = kind && members.claim([functionsMember(name)], field.name)
  if (problem || kind !== 'json') return problem
  return claims.claim([jsonFunctionsName(type, name)], field.collection.name)
}
