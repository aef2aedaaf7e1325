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

/** Writes an item, and returns the result, whose type the caller says; null if the caller may not read it. Sent as a list, it would be several. */
export async function write<Result>(api: Client, written: Write, options?: RequestOptions): Promise<Result> {
  if (!Array.isArray(written.data)) return send(api, written, jsonOf(written.data), options)
  throw failure('INVALID_PAYLOAD', 'An item is an object of its fields, not a list.')
}

/** Writes several items, and returns those that the caller may read. Sent as an object, a list would mean something else. */
export async function writeList<Item>(
  api: Client,
  written: Write,
  options?: RequestOptions,
): Promise<Item[]> {
  const { keys, data } = written
  if (!Array.isArray(keys ?? data)) throw failure('INVALID_PAYLOAD', 'Items stand in a list.')
  const body = keys ? bodyOf({ keys: jsonOf(keys, ['keys']), data: jsonOf(data) }) : jsonOf(data)
  return (await send<Item[] | null>(api, written, body, options)) ?? []
}

const send = async <Result>(
  api: Client,
  { method, path, query }: Write,
  body: string,
  options?: RequestOptions,
): Promise<Result> =>
  (await ask<Result>(api, { method, path: withQuery(path, query), body }, options)) ?? (null as Result)

export const bodyOf = (members: Readonly<Record<string, string | undefined>>): string =>
  `{${Object.entries(members).flatMap(([name, text]) => (text ? `"${name}":${text}` : []))}}`
