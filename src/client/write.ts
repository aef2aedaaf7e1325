// The parts that verbs that write have in common.

import { failure } from '../errors/errors.ts'
import { withQuery } from './addresses.ts'
import type { Client } from './connect.ts'
import { jsonOf } from './json.ts'
import { ask } from './request.ts'
import type { RequestOptions } from './request-options.ts'

/** A write: where, what, and the query that shapes its result. */
export interface Write {
  readonly method: string
  readonly path: string
  readonly data: unknown
  /** Keys of the items that are written alike. */
  readonly keys?: unknown
  readonly query?: unknown
}

/** Writes, and returns the result, whose type the caller says; null if the caller may not read it. */
export async function write<Result>(
  api: Client,
  { method, path, data, keys, query }: Write,
  options?: RequestOptions,
): Promise<Result> {
  const body = keys ? bodyOf({ keys: jsonOf(keys, ['keys']), data: jsonOf(data) }) : jsonOf(data)
  return (await ask<Result>(api, { method, path: withQuery(path, query), body }, options)) ?? (null as Result)
}

/** Writes several items, and returns those that the caller may read. */
export const writeList = async <Item>(
  api: Client,
  written: Write,
  options?: RequestOptions,
): Promise<Item[]> => (await write<Item[] | null>(api, written, options)) ?? []

/** Returns an item. Sent as a list, it would be several. */
export function oneIn(data: unknown): unknown {
  if (!Array.isArray(data)) return data
  throw failure('INVALID_PAYLOAD', 'An item is an object of its fields, not a list.')
}

/** Returns a list of items. Sent as an object, it would mean something else. */
export function listIn(data: unknown): unknown {
  if (Array.isArray(data)) return data
  throw failure('INVALID_PAYLOAD', 'Items stand in a list.')
}

/** Returns the JSON of an object whose members are JSON, or undefined. */
export const bodyOf = (members: Readonly<Record<string, string | undefined>>): string =>
  `{${Object.entries(members).flatMap(([name, text]) => (text ? `"${name}":${text}` : []))}}`
