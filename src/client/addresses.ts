// Keys and queries as HTTP takes them.

import { EngineError, type Path } from '../errors/errors.ts'

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
  if (parts.length === 0 || parts.some((part) => !/^(string|number|bigint)$/.test(typeof part)))
    throw new EngineError('INVALID_PAYLOAD', 'A key is a text, a number, or a list of them.')
  const text = sendable(() =>
    parts.map((part) => encodeURIComponent(String(part).replace(/[,~/.%]/g, withTilde))).join(),
  )
  // Servers drop the last slash of a path. Without a second one, an empty key would mean the whole collection.
  return text || '/'
}

const withTilde = (sign: string): string => `~${sign.charCodeAt(0).toString(16).toUpperCase()}`

/** Returns each parameter of a query as a text. In JSON, values keep their types. */
export const queryTexts = (query: object = {}, role: Role = 'query'): Readonly<Record<string, string>> =>
  sendable(() =>
    Object.fromEntries(
      Object.entries(Object(fitting(query, [], role)))
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
    ),
  )

/** Returns an address with a query. */
export const withQuery = (path: string, texts: Readonly<Record<string, string>>): string => {
  const text = String(new URLSearchParams(texts))
  return text === '' ? path : `${path}?${text}`
}

/** Requests that may be sent again, and those that may not. */
export interface Repeatable {
  /** True if it changes nothing. */
  readonly isRead?: boolean
}

/** A request: a method and a path, and maybe a body. */
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

/** The use of a value. A selector is a query that says what is written. */
export type Role = 'data' | 'query' | 'selector'

/** Returns JSON in which bytes, and numbers that JSON lacks, are texts. `at`: where the value stands. */
export const jsonOf = (value: unknown, at: Path = [], role: Role = 'data'): string =>
  sendable(() => JSON.stringify(fitting(value, [...at], role)))

/** Returns a value as JSON may hold it. What JSON would silently leave out or empty, such as a function or a promise, is refused, and so is a condition
 *  that is undefined: it would widen what is read or deleted. */
function fitting(value: unknown, path: (string | number)[], role: Role): unknown {
  if (value instanceof Uint8Array) return `data:;base64,${btoa(Array.from(value, letterOf).join(''))}`
  const shown: unknown = Object(value).toJSON ? Object(value).toJSON() : value
  if (/number|bigint/.test(typeof shown) && !Number.isFinite(shown)) return String(shown)
  const inside = (inner: unknown, step: string | number) => {
    path.push(step)
    const fit = fitting(inner, path, role)
    path.pop()
    return fit
  }
  if (Array.isArray(shown)) return Array.from(shown, inside)
  if (isPlain(shown))
    return Object.fromEntries(Object.entries(shown).map(([name, inner]) => [name, inside(inner, name)]))
  const isUnsaid = value === undefined && (role === 'selector' || (role === 'query' && path.length > 1))
  // An invalid date is null in JSON.
  const isJson = shown == null ? value == null : /string|number|boolean/.test(typeof shown)
  if (isJson && !isUnsaid) return shown
  throw new EngineError(
    role === 'data' ? 'INVALID_PAYLOAD' : 'INVALID_QUERY',
    isUnsaid
      ? `"${path.at(-1)}" is undefined; to say nothing about it, leave it out.`
      : `"${path.join('.') || role}" is no JSON, date or bytes.`,
    { path },
  )
}

/** True for an object without a class, also one of another realm. */
const isPlain = (value: unknown): value is object =>
  Object(value) === value && !classOf(classOf(value) ?? Object.prototype)

const classOf = (value: unknown): unknown => Object.getPrototypeOf(value)

const letterOf = (byte: number): string => String.fromCharCode(byte)

/** Writes a part of a request. What no request can hold, such as a circle or half of a letter, is the caller's mistake. */
function sendable<Part>(write: () => Part): Part {
  try {
    return write()
  } catch (cause) {
    throw cause instanceof EngineError ? cause : unsendable(cause)
  }
}

const unsendable = (cause: unknown) => new EngineError('INVALID_PAYLOAD', 'This cannot be sent.', { cause })
