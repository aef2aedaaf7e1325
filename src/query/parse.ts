import { anything, checkOptions, flag, list, optionNames } from '../errors/check-options.ts'
import { type EngineError, fault, quote } from '../errors/errors.ts'
import { Problems } from '../errors/problems.ts'
import { wordHint } from '../errors/suggest.ts'
import { unnamedBytes } from '../types/binary.ts'
import { toBase64 } from '../values/bytes.ts'
import { isRecord } from '../values/guards.ts'
import { isUnfollowed, readBrackets } from './brackets.ts'
import { type Limits, limitsWith } from './limits.ts'
import { isParameter, parameters } from './parameters.ts'
import type { PlainQuery } from './query.ts'
import { type QueryReader, safeEntries } from './reader.ts'
import type { ParsedQuery } from './types.ts'

/** Options of `parseQuery`. */
export interface ParseOptions {
  /** Limits of queries. Those that are left out have their defaults. */
  readonly limits?: Partial<Limits>
  /** Parameters of the host: they are unknown here, and left out of the result instead of being refused. */
  readonly allow?: readonly string[]
  /** True if the given object is a query string that was already split, such as `req.query` of Express: its
   *  texts may mean numbers. */
  readonly isText?: boolean
}

const parseOptions = optionNames<ParseOptions>({ limits: anything, allow: list, isText: flag })

/** Parses a query string, URLSearchParams or an object into a query of valid shape. All problems are reported
 *  together.
 *  @example parseQuery('fields=id,title&filter[status]=draft&limit=5')
 *  // → { fields: ['id', 'title'], filter: { status: { _eq: 'draft' } }, limit: 5 } */
export function parseQuery(input: unknown, options: ParseOptions = {}): ParsedQuery {
  checkOptions(options, parseOptions)
  return parsed(input, options, toBase64)
}

/** Parses a query that runs at once, so that its text of bytes has no other reader. */
export const parseTyped = (input: unknown, limits: Limits): ParsedQuery =>
  parsed(input, { limits }, unnamedBytes)

function parsed(input: unknown, options: ParseOptions, bytesAsText: QueryReader['bytesAsText']): ParsedQuery {
  const limits = limitsWith(options.limits)
  const problems = new Problems('INVALID_QUERY')
  const isQueryText = isUnfollowed(input)
  const value = isQueryText ? readBrackets(input, limits, problems) : (input ?? {})
  if (!isRecord(value)) throw notAQuery(value)
  const reader = { limits, problems, isText: isQueryText || options.isText === true, bytesAsText }
  const query = readParameters(value, reader, new Set(options.allow))
  problems.throwIfAny()
  // The brand exists for the compiler only; it marks a query that the parser has checked.
  return query as PlainQuery as ParsedQuery
}

const notAQuery = (input: unknown): EngineError =>
  fault('INVALID_QUERY', `A query is a query string, URLSearchParams or an object, not ${quote(input)}.`)

function readParameters(
  input: Record<string, unknown>,
  reader: QueryReader,
  allowed: ReadonlySet<string>,
): PlainQuery {
  const { problems } = reader
  const query: { -readonly [Name in keyof PlainQuery]: unknown } = {}
  // The root has no siblings, so a parameter without a name has no meaning.
  for (const [name, value] of safeEntries(input, [], { ...reader, isText: false })) {
    if (problems.isFull) break
    if (isParameter(name)) {
      const read = parameters[name](value, [name], reader)
      if (read !== undefined) query[name] = read
    } else if (!allowed.has(name)) {
      refuse(name, reader)
    }
  }
  if (query.page !== undefined && query.offset !== undefined) {
    problems.add(['page'], '"page" and "offset" exclude each other.')
  }
  // Each reader returns the type of its parameter.
  return query as PlainQuery
}

function refuse(name: string, { problems }: QueryReader): void {
  const names = Object.keys(parameters)
  const hint = () => wordHint('parameter', name, names) ?? `There are ${names.join(', ')}.`
  problems.add([name], `There is no parameter ${quote(name)}.`, hint)
}
