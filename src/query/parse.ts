import { type EngineError, fault, quote } from '../errors.ts'
import { nearest } from '../nearest.ts'
import { readBrackets } from './brackets.ts'
import { type Limits, limitsWith } from './limits.ts'
import { isParameter, parameters } from './parameters.ts'
import type { PlainQuery } from './query.ts'
import { isRecord, newReader, type Reader, readObject } from './reader.ts'
import type { ParsedQuery } from './types.ts'

export interface ParseOptions {
  readonly limits?: Partial<Limits>
  /** Parameters that belong to others, and are left out of the answer instead of being refused. */
  readonly allow?: readonly string[]
  /** The object given is a query string that was already taken apart, as `req.query` of Express is: its texts may mean numbers. */
  readonly isText?: boolean
}

/** Reads a query string, URLSearchParams or an object into a query whose shape is known to be right. All mistakes are reported together.
 *  @example parseQuery('fields=id,title&filter[views][_gt]=10&sort=-views') */
export function parseQuery(input: unknown, options: ParseOptions = {}): ParsedQuery {
  const limits = limitsWith(options.limits)
  const isString = typeof input === 'string' || input instanceof URLSearchParams
  const given = isString ? readBrackets(input, limits) : input
  if (given !== undefined && given !== null && !isRecord(given)) throw notAQuery(given)
  const reader = newReader(limits, isString || (options.isText ?? false))
  const query = readParameters(given ?? {}, reader, new Set(options.allow))
  reader.problems.throwIfAny()
  // The brand exists for the compiler only; it says that the reader has seen this query.
  return query as PlainQuery as ParsedQuery
}

const notAQuery = (given: unknown): EngineError =>
  fault('INVALID_QUERY', `A query is a query string, URLSearchParams or an object, not ${quote(given)}.`)

function readParameters(
  given: Record<string, unknown>,
  reader: Reader,
  allowed: ReadonlySet<string>,
): PlainQuery {
  const query: Record<string, unknown> = {}
  for (const [name, value] of readObject(given, [], reader, 'A query')?.entries ?? []) {
    if (allowed.has(name)) continue
    if (!isParameter(name)) {
      const near = nearest(name, Object.keys(parameters))
      reader.problems.add([name], `There is no parameter ${quote(name)}.`, near && `Did you mean "${near}"?`)
      continue
    }
    const read = parameters[name](value, [name], reader)
    if (read !== undefined) query[name] = read
  }
  if (query['page'] !== undefined && query['offset'] !== undefined) {
    reader.problems.add(['page'], '"page" and "offset" exclude each other.')
  }
  const { limit } = query
  if (typeof limit === 'number' && limit > reader.limits.maxLimit) {
    reader.problems.add(['limit'], `"limit" takes at most ${reader.limits.maxLimit}.`)
  }
  return query
}
