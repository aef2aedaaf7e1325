// Claims to names in GraphQL, and what is said of one that cannot be had.
import { quote } from '../../../errors/errors.ts'
import { isGraphQLName } from './graphql-name.ts'

/** A collection, a field, the functions of a field or a key of several parts that GraphQL does not show, because it has no name there. */
export interface GraphQLNameRemark {
  readonly collection: string
  readonly field?: string
  /** The name that they would have. */
  readonly name: string
  /** The collection or field that has the name, or makes another of it. */
  readonly taken?: string
  /** A sentence. */
  readonly message: string
  readonly hint: string
}

/** The reason why a name cannot be had. */
export interface NameProblem {
  readonly name: string
  readonly taken?: string
  readonly says: string
}

/** Names, and who has them. */
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

const subjects = {
  itself: (whole: string) => `${whole} is`,
  functions: (whole: string) => `The functions of ${whole} are`,
  key: (whole: string) => `The key of ${whole} as one text is`,
} as const

/** Returns the remark about a collection, a field or its functions. */
export function remarkOn(
  collection: string,
  field: string | undefined,
  { name, taken, says }: NameProblem,
  what: keyof typeof subjects = 'itself',
): GraphQLNameRemark {
  const whole = field === undefined ? collection : `${collection}.${field}`
  return {
    collection,
    ...(field !== undefined && { field }),
    name,
    ...(taken !== undefined && { taken }),
    message: `${subjects[what](quote(whole))} left out of GraphQL: ${says}.`,
    hint: `Give it a name: names: { rename: { ${JSON.stringify(whole)}: … } }`,
  }
}
