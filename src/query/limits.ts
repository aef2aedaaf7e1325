import { fault, quote } from '../errors/errors.ts'
import { suggestion } from '../errors/suggest.ts'

/** Limits of what a query may cost, checked before it runs. Each can be set for an engine. */
export const defaultLimits = {
  /** Bytes of query text. */
  queryText: 65_536,
  /** `name=value` pairs. */
  pairs: 1_000,
  /** Objects inside objects. */
  nesting: 20,
  /** Conditions of one filter. */
  filterLeaves: 500,
  /** Elements of one list operand, or of a list that is written over HTTP or GraphQL. */
  listOperand: 50_000,
  /** Bytes of one text operand. */
  textOperand: 8_192,
  /** Characters of one text that is searched ignoring case. */
  searchOperand: 256,
  /** Relations followed from the root. */
  relationDepth: 10,
  /** Names of `fields`, and fields after wildcards were expanded. */
  expandedFields: 1_000,
  sorts: 16,
  groups: 16,
  aggregates: 64,
  aliases: 64,
  /** Rows of one result below its items. Bare keys count a tenth. */
  nestedRows: 200_000,
  /** Bytes of one answer. Streams and exports have no such bound. */
  answerBytes: 268_435_456,
  /** Items of a list without a requested limit. */
  defaultLimit: 100,
  /** Items of any list. */
  maxLimit: Number.POSITIVE_INFINITY,
} as const

/** The limits of a query by name. */
export type Limits = { readonly [Name in keyof typeof defaultLimits]: number }

/** The default limits with some of them overridden. */
export function limitsWith(input: Partial<Limits> = {}): Limits {
  for (const [name, value] of Object.entries(input)) {
    if (!Object.hasOwn(defaultLimits, name)) {
      throw fault('INVALID_OPTIONS', `There is no limit ${quote(name)}.`, {
        path: ['limits', name],
        hint: suggestion(name, Object.keys(defaultLimits)),
      })
    }
    const isInteger =
      typeof value === 'number' &&
      (Number.isSafeInteger(value) || value === Number.POSITIVE_INFINITY) &&
      value >= 0
    if (!isInteger)
      throw fault(
        'INVALID_OPTIONS',
        `The limit "${name}" is a whole number of 0 or more, not ${quote(value)}.`,
        { path: ['limits', name] },
      )
  }
  return { ...defaultLimits, ...input }
}

/** Limits from environment variables: `QUERY_LIMIT_DEFAULT`, `QUERY_LIMIT_MAX`, and the others by their names,
 *  `QUERY_LIMIT_FILTER_LEAVES`.
 *  @example const environment = { QUERY_LIMIT_DEFAULT: '25', QUERY_LIMIT_FILTER_LEAVES: '50' } // or process.env
 *  limitsFromEnvironment(environment) // → { defaultLimit: 25, filterLeaves: 50 } */
export function limitsFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Partial<Limits> {
  const limits: { -readonly [Name in keyof Limits]?: number } = {}
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith(prefix) || text === undefined || text.trim() === '') continue
    const name = byVariable.get(variable)
    if (!name)
      throw fault('INVALID_OPTIONS', `There is no limit that the environment calls ${quote(variable)}.`, {
        path: [variable],
        hint: `There are ${[...byVariable.keys()].join(', ')}.`,
      })
    if (!/^\s*(?:0|[1-9]\d{0,15})\s*$/.test(text))
      throw fault('INVALID_OPTIONS', `${variable} is a whole number of 0 or more, not ${quote(text)}.`, {
        path: [variable],
      })
    limits[name] = Number(text)
  }
  return limits
}

const prefix = 'QUERY_LIMIT_'
const byVariable: ReadonlyMap<string, keyof Limits> = new Map(
  (Object.keys(defaultLimits) as (keyof Limits)[]).map((name) => [prefix + shortName(name), name]),
)

/** The environment's name of a limit. `defaultLimit` and `maxLimit` already are limits, so the word is dropped
 *  from their names. */
function shortName(name: keyof Limits): string {
  return name
    .replace(/Limit$/, '')
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .toUpperCase()
}
