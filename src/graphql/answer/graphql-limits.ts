// Limits of GraphQL, checked before any statement.
import { checkOptions, type OptionKind, optionNames } from '../../errors/check-options.ts'

/** Limits of a document. */
export interface GraphQLLimits {
  /** Words and signs of a document. */
  readonly tokens: number
  /** Fields at the root of an operation. */
  readonly roots: number
  /** Fields under other names, in one selection. */
  readonly aliases: number
  /** Rows that the limits of an operation could lead to, of all its fields. Lists inside count where they have a limit. */
  readonly rows: number
}

const byDefault: GraphQLLimits = { tokens: 5_000, roots: 50, aliases: 64, rows: 5_000_000 }

const count: OptionKind = {
  holds: (input) =>
    typeof input === 'number' && input > 0 && (Number.isInteger(input) || input === Number.POSITIVE_INFINITY),
  says: 'is a number of 1 or more',
}
const names = optionNames<GraphQLLimits>({ tokens: count, roots: count, aliases: count, rows: count })

export const isGraphQLLimit = (name: string): boolean => Object.hasOwn(byDefault, name)

export function checkLimits({ limits }: { readonly limits?: Partial<GraphQLLimits> | undefined }): void {
  if (limits !== undefined) checkOptions(limits, names, ['limits'])
}

/** Returns all limits, with those that are not given. */
export function limitsOf(input: Partial<GraphQLLimits> = {}): GraphQLLimits {
  const { tokens, roots, aliases, rows } = byDefault
  return {
    tokens: input.tokens ?? tokens,
    roots: input.roots ?? roots,
    aliases: input.aliases ?? aliases,
    rows: input.rows ?? rows,
  }
}
