// Keys and queries as HTTP takes them.

import { EngineError } from '../errors/errors.ts'

/** Queries whose text is longer go in a body: proxies and servers take no endless address. */
const longestQuery = 2_000

/** Returns the path of a collection's items. */
export const itemsPath = (collection: string): string => `/items/${encodeURIComponent(collection)}`

/** Returns the path of an item below that of its collection. */
export const itemPath = (collection: string, key: unknown): string =>
  `${itemsPath(collection)}/${segmentOf(key)}`

/** Returns a key as a segment of a path: several parts stand between commas, and what a path cannot hold everywhere is written with a
 *  tilde. */
export function segmentOf(key: unknown): string {
  const parts: readonly unknown[] = Array.isArray(key) ? key : [key]
  if (parts.some((part) => !/^(string|number|bigint)$/.test(typeof part)))
    throw new EngineError('INVALID_PAYLOAD', 'A key is a text, a number, or a list of them.')
  const text = sendable(() =>
    parts.map((part) => encodeURIComponent(String(part).replace(/[,~/.%]/g, withTilde))).join(),
  )
  // Servers drop the last slash of a path. Without a second one, an empty key would mean the whole collection.
  return text || '/'
}

const withTilde = (sign: string): string => `~${sign.charCodeAt(0).toString(16).toUpperCase()}`

/** Returns each parameter of a query as a text. In JSON, values keep their types. */
export const queryTexts = (query: object = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(saidIn(query)).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : jsonOf(value, name),
    ]),
  )

/** Returns the parameters of a query that are not undefined. */
export const saidIn = (query: object): object =>
  Object.fromEntries(Object.entries(Object(query)).filter(([, value]) => value !== undefined))

/** Returns an address with a query. */
export const withQuery = (path: string, texts: Readonly<Record<string, string>>): string => {
  const text = String(new URLSearchParams(texts))
  return text === '' ? path : `${path}?${text}`
}

/** What may be sent again, or not. */
export interface Repeatable {
  /** True if it changes nothing. */
  readonly isRead?: boolean
}

/** What is requested: a method and a path, and maybe a body. */
export interface Requested extends Repeatable {
  readonly method: string
  readonly path: string
  /** JSON, or a form. */
  readonly body?: string | FormData
  readonly headers?: Readonly<Record<string, string>>
  /** Sends it in place of `fetch`, which it gets. */
  readonly fetch?: (url: string, init: RequestInit, send: typeof fetch) => Promise<Response>
}

/** Returns the request of a list: by an address, or if that were too long by a body. */
export function listRequest(path: string, query: object | undefined): Requested {
  const texts = queryTexts(query)
  const address = withQuery(path, texts)
  return address.length - path.length <= longestQuery
    ? { method: 'GET', path: address, isRead: true }
    : { method: 'POST', path: `${path}/search`, body: jsonOf({ query: texts }), isRead: true }
}

/** Returns JSON in which bytes, and numbers that JSON lacks, are texts. In a query, whose parameter is named, nothing is undefined: a condition that is
 *  silently left out would widen what is read or deleted. */
export const jsonOf = (value: unknown, parameter?: string): string =>
  sendable(() =>
    JSON.stringify(value, function (this: unknown, name: string, shown: unknown) {
      const held: unknown = Reflect.get(Object(this), name)
      if (held instanceof Uint8Array) return `data:;base64,${btoa(Array.from(held, letterOf).join(''))}`
      if (typeof shown === 'bigint' || (typeof shown === 'number' && !Number.isFinite(shown)))
        return String(shown)
      if (shown === undefined && parameter)
        throw new EngineError(
          'INVALID_QUERY',
          `"${name}" is undefined; to say nothing about it, leave it out.`,
          {
            path: [parameter],
          },
        )
      return shown
    }),
  )

const letterOf = (byte: number): string => String.fromCharCode(byte)

/** Writes a part of a request. What no request can hold, such as a circle or half of a letter, is the caller's mistake. */
function sendable(write: () => string): string {
  try {
    return write()
  } catch (cause) {
    throw cause instanceof EngineError ? cause : unsendable(cause)
  }
}

const unsendable = (cause: unknown) => new EngineError('INVALID_PAYLOAD', 'This cannot be sent.', { cause })
