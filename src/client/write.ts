// What the verbs that write have in common.

import { EngineError } from '../errors/errors.ts'
import { jsonOf, queryTexts, saidIn, withQuery } from './addresses.ts'
import type { Client } from './connect.ts'
import { ask, checkOptions } from './request.ts'
import type { RequestOptions } from './request-options.ts'

/** A write: where, what, and the query that shapes its result. */
export interface Write {
  readonly method: string
  readonly path: string
  readonly data: unknown
  readonly query: object | undefined
}

/** Writes, and returns the result; null if the caller may not read it. */
export async function write(
  api: Client,
  { method, path, data, query }: Write,
  options: RequestOptions,
): Promise<unknown> {
  checkOptions(options)
  const requested = { method, path: withQuery(path, queryTexts(query)), body: jsonOf(data) }
  return (await ask(api, requested, options))?.data ?? null
}

/** Writes several items, and returns those that the caller may read. */
export async function writeList(api: Client, written: Write, options: RequestOptions): Promise<unknown> {
  return (await write(api, written, options)) ?? []
}

/** Returns an item. Sent as a list, it would be several. */
export function oneIn(data: unknown): unknown {
  if (!Array.isArray(data)) return data
  throw new EngineError('INVALID_PAYLOAD', 'An item is an object of its fields, not a list.')
}

/** Returns a list of items. Sent as an object, it would mean something else. */
export function listIn(data: unknown): unknown {
  if (Array.isArray(data)) return data
  throw new EngineError('INVALID_PAYLOAD', 'Items stand in a list.')
}

/** Returns the JSON of a query that selects what is written, and of what stands beside it. */
export const selecting = (query: object, beside: object): string =>
  `{"query":${jsonOf(saidIn(query), 'query')},${jsonOf(beside).slice(1)}`.replace(/,\}$/, '}')
