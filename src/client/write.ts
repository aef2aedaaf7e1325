// The parts that verbs that write have in common.

import { EngineError } from '../errors/errors.ts'
import { jsonOf, queryTexts, withQuery } from './addresses.ts'
import type { Client } from './connect.ts'
import { ask, checkOptions } from './request.ts'
import type { RequestOptions } from './request-options.ts'

/** A write: where, what, and the query that shapes its result. */
export interface Write {
  readonly method: string
  readonly path: string
  readonly data: unknown
  /** Keys of the items that are written alike. */
  readonly keys?: unknown
  readonly query: object | undefined
}

/** Writes, and returns the result; null if the caller may not read it. */
export async function write(
  api: Client,
  { method, path, data, keys, query }: Write,
  options: RequestOptions,
): Promise<unknown> {
  checkOptions(options)
  const body =
    keys === undefined ? jsonOf(data) : bodyOf({ keys: jsonOf(keys, ['keys']), data: jsonOf(data) })
  const requested = { method, path: withQuery(path, queryTexts(query)), body }
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

/** Returns the JSON of an object whose members are JSON, or undefined. */
export const bodyOf = (members: Readonly<Record<string, string | undefined>>): string =>
  `{${Object.entries(members)
    .filter(([, text]) => text !== undefined)
    .map(([name, text]) => `"${name}":${text}`)}}`

/** Returns the JSON of a query that chooses what is written. */
export const choosing = (query: unknown): string => jsonOf(Object(query), [], 'selector')
