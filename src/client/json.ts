// JSON of what a caller gives.

import { failure, isEngineError, type Path } from '../errors/errors.ts'

/** The use of a value. A selector is a query that says what is written. */
export type Role = 'data' | 'query' | 'selector'

/** Returns JSON in which bytes, and numbers that JSON lacks, are texts. What JSON would silently leave out or empty, such as a function or a promise, is
 *  refused, and so is a condition that is undefined: it would widen what is read or deleted. `at`: where the value stands. */
export function jsonOf(value: unknown, at: Path = [], role: Role = 'data'): string {
  const paths = new Map<unknown, Path>()
  function shown(this: Readonly<Record<string, unknown>>, name: string, fit: unknown): unknown {
    const raw = this[name]
    if (raw instanceof Uint8Array)
      return `data:;base64,${btoa(Array.from(raw, (byte) => String.fromCharCode(byte)).join(''))}`
    if (/number|bigint/.test(typeof fit) && !Number.isFinite(fit)) return String(fit)
    const above = paths.get(this)
    const path = above ? [...above, Array.isArray(this) ? Number(name) : name] : at
    const isUnsaid = raw === undefined && (role === 'selector' || (role === 'query' && path.length > 1))
    // An invalid date is null in JSON.
    if (!isUnsaid && (fit == null ? raw == null : isJson(fit))) {
      paths.set(fit, path)
      return fit
    }
    throw failure(
      role === 'data' ? 'INVALID_PAYLOAD' : 'INVALID_QUERY',
      isUnsaid
        ? `"${name}" is undefined; to say nothing about it, leave it out.`
        : `"${path.join('.') || role}" is no JSON, date or bytes.`,
      { path },
    )
  }
  try {
    return JSON.stringify(value, shown)
  } catch (cause) {
    // It is a circle, or nests too deep.
    throw isEngineError(cause) ? cause : failure('INVALID_PAYLOAD', 'This cannot be sent.', { cause })
  }
}

/** Returns the parameters of a query that more are added to. */
export const parametersOf = (query: unknown = {}, role: Role = 'query'): object =>
  Object(JSON.parse(jsonOf(query, [], role)))

/** True for a list, and for an object without a class, also one of another realm. */
const isJson = (value: unknown): boolean =>
  /string|number|boolean/.test(typeof value) ||
  Array.isArray(value) ||
  !classOf(classOf(value) ?? Object.prototype)

const classOf = (value: unknown): unknown => Object.getPrototypeOf(value)
