import { failure } from '../errors/errors.ts'
import type { Repeatable } from './failures.ts'
import { jsonOf, parametersOf, type Role } from './json.ts'

/** Queries whose text is longer go in a body: proxies and servers take no endless address. */
export const longestQuery = 2_000

export const itemsPath = (collection: string): string => `/items/${encodeURIComponent(collection)}`

export const singletonPath = (collection: string): string => `${itemsPath(collection)}/singleton`

export const itemPath = (collection: string, key: unknown): string =>
  `${itemsPath(collection)}/${segmentOf(key)}`

/** Returns a key as a segment of a path: several parts stand between commas, and what a path cannot hold everywhere is written with a
 *  tilde. */
function segmentOf(key: unknown): string {
  const parts = [key].flat()
  if (!parts.every(isKey) || parts.length === 0)
    throw failure('INVALID_PAYLOAD', 'A key is a text, a number or a list.')
  const text = parts.map((part) => encodeURIComponent(String(part).replace(/[,~/.%]/g, withTilde))).join()
  // Servers drop the last slash of a path. Without a second one, an empty key would mean the whole collection.
  return text || '/'
}

// Half of a letter has no address.
const isKey = (part: unknown): boolean =>
  /string|number|bigint/.test(typeof part) && !/\p{Cs}/u.test(String(part))

const withTilde = (sign: string): string => `~${sign.charCodeAt(0).toString(16).toUpperCase()}`

/** Returns an address with a query, whose parameters are texts. In JSON, values keep their types. */
export function withQuery(path: string, query?: unknown, role?: Role): string {
  const texts = Object.entries(parametersOf(query, role)).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const text = String(new URLSearchParams(texts))
  return text ? `${path}?${text}` : path
}

/** A request: a method and a path, and maybe a body. */
export interface Requested extends Repeatable {
  readonly path: string
  readonly body?: string | FormData
  readonly headers?: Readonly<Record<string, string>>
}

/** Returns the request of a list: by an address, or if that were too long by a body. */
export function listRequest(path: string, query?: unknown): Requested {
  const address = withQuery(path, query)
  if (address.length - path.length <= longestQuery) return { path: address }
  return {
    method: 'POST',
    path: `${path}/search`,
    body: jsonOf({ query: parametersOf(query) }),
    isRead: true,
  }
}
