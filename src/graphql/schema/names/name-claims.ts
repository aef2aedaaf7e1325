// Claims to names in GraphQL, and what is said of one that cannot be had.
import { quote } from '../../../errors/errors.ts'
import { fittingName, isGraphQLName } from './graphql-name.ts'

/** A collection, a field, the functions of a field or a key of several parts that GraphQL does not show, because it has no name there, or shows
 *  by another name. */
export interface GraphQLNameRemark {
  readonly kind: 'skipped' | 'renamed'
  readonly collection: string
  readonly field?: string
  /** The name that they would have, or the other one that they have. */
  readonly name: string
  /** The collection or field that has the name, or makes another of it. */
  readonly taken?: string
  /** A sentence. */
  readonly message: string
  readonly hint: string
}

/** The reason why a name cannot be had. */
interface NameProblem {
  readonly name: string
  readonly taken?: string
  readonly says: string
}

export class NameClaims {
  readonly #owners: Map<string, string | undefined>

  /** `reserved`: names that may not be used. */
  constructor(reserved: Iterable<string>) {
    this.#owners = new Map([...reserved].map((name) => [name, undefined]))
  }

  /** Takes all of some names, or none, and says why. The first is the one that the others are made of. */
  claim(names: readonly string[], owner: string): NameProblem | undefined {
    const [own = ''] = names
    if (!isGraphQLName(own))
      return { name: own, says: `${quote(own)} is no name in GraphQL, which has letters, digits and "_"` }
    for (const name of names) {
      if (!this.#owners.has(name)) continue
      const taken = this.#owners.get(name)
      const says = `the name ${quote(name)} is ${taken === undefined ? 'reserved' : `taken by ${quote(taken)}`}`
      return taken === undefined ? { name, says } : { name, taken, says }
    }
    for (const name of names) this.#owners.set(name, owner)
    return undefined
  }
}

/** A name that was taken, or the reason why none could be. */
type ClaimedName = { readonly name: string; readonly problem?: undefined } | { readonly problem: NameProblem }

/** Takes a name or, for one that GraphQL cannot hold, the nearest that is free. */
export function claimNearest(own: string, claim: (name: string) => NameProblem | undefined): ClaimedName {
  const problem = claim(own)
  if (!problem) return { name: own }
  const fitting = isGraphQLName(own) ? undefined : fittingName(own)
  for (let number = 1; fitting !== undefined && number <= maxTries; number++) {
    const name = number === 1 ? fitting : `${fitting}_${number}`
    if (!claim(name)) return { name }
  }
  return { problem }
}

const maxTries = 100

const subjects = {
  itself: (whole: string) => `${whole} is`,
  functions: (whole: string) => `The functions of ${whole} are`,
  key: (whole: string) => `The key of ${whole} as one text is`,
} as const

/** Returns the remark about a collection, a field or its functions that GraphQL does not show. */
export const remarkOn = (
  collection: string,
  field: string | undefined,
  { name, taken, says }: NameProblem,
  what: keyof typeof subjects = 'itself',
): GraphQLNameRemark => ({
  kind: 'skipped',
  ...placeOf(collection, field),
  name,
  ...(taken !== undefined && { taken }),
  message: `${subjects[what](quote(wholeOf(collection, field)))} left out of GraphQL: ${says}.`,
})

/** Returns the remark about a collection or a field that has another name in GraphQL. */
export const remarkOnRenamed = (
  collection: string,
  field: string | undefined,
  name: string,
): GraphQLNameRemark => ({
  kind: 'renamed',
  ...placeOf(collection, field),
  name,
  message: `${quote(wholeOf(collection, field))} is ${quote(name)} in GraphQL.`,
})

const wholeOf = (collection: string, field: string | undefined) =>
  field === undefined ? collection : `${collection}.${field}`

const placeOf = (collection: string, field: string | undefined) => ({
  collection,
  ...(field !== undefined && { field }),
  hint: `Give it a name: names: { rename: { ${JSON.stringify(wholeOf(collection, field))}: … } }`,
})
