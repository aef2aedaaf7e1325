// Errors in place of an answer: those of the server, and those about replies of something else.

import { codes, combine, EngineError, type ErrorCode, type Path } from '../errors/errors.ts'
import type { Repeatable } from './addresses.ts'

/** Members of the error of a write that may be stored all the same. */
export const doubtOf = ({ isRead }: Repeatable) => (isRead ? {} : { mayBeStored: true })

/** Returns the error of a response whose body is a text: the one that it says, or one about what is no answer of a server of ours. */
export function faultIn(response: Response, text: string, requested: Repeatable): EngineError {
  const { status, ok, headers } = response
  const retryAfter = secondsToWait(headers.get('retry-after'))
  const own = ok ? undefined : ownFault(text, status, retryAfter)
  if (own) return own
  const isRefusal = status >= 300 && status < 500
  const extensions = { ...retryAfter, ...(isRefusal ? {} : doubtOf(requested)), status }
  const type = headers.get('content-type')
  return new EngineError(codeOf(status), `This is no answer of Quernel: ${status}, ${type}.`, {
    hint: 'Is the address that of the API? See the cause.',
    extensions,
    cause: { status, type, body: text.slice(0, 1_000) },
  })
}

/** Returns the error that a text says as a server of ours does; undefined if it is none. */
export function ownFault(text: string, status: number, retryAfter: object): EngineError | undefined {
  const entries: unknown = Object(parsed(text)).errors
  return Array.isArray(entries) && entries.length > 0 && entries.every(isEntry)
    ? combine(entries.map((entry) => faultOf(entry, status, retryAfter)))
    : undefined
}

/** Returns the code for a status of what stands between, such as a proxy. What is not found there says nothing of an item. */
function codeOf(status: number): ErrorCode {
  const names = Object.keys(codes) as ErrorCode[] // an object of these names
  const saysSo = status === 401 || status === 403 || status > 404
  const code = saysSo && names.find((name) => codes[name] === status)
  return code || (status > 501 ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_SERVER_ERROR')
}

/** An entry of the body of an error. */
interface Entry {
  readonly message: string
  readonly extensions: { readonly code: ErrorCode; readonly path?: Path; readonly hint?: string }
}

const isEntry = (entry: unknown): entry is Entry =>
  typeof Object(entry).message === 'string' && typeof Object(Object(entry).extensions).code === 'string'

function faultOf({ message, extensions }: Entry, status: number, retryAfter: object): EngineError {
  const { code, path, hint, ...more } = extensions
  const error = new EngineError(code, message, { path, hint, extensions: { ...retryAfter, ...more } })
  // A newer server may have codes that are unknown here.
  return code in codes ? error : Object.assign(error, { status })
}

/** Returns the error of a connection that was not made, or broke. */
export const unreached = (cause: unknown, requested: Repeatable): EngineError =>
  new EngineError('SERVICE_UNAVAILABLE', 'The connection was not made, or broke off.', {
    extensions: doubtOf(requested),
    cause,
  })

/** Returns the value of a JSON text; undefined if it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the seconds after which the server wants to be called again. It says them as a number, or as a date. */
function secondsToWait(text: string | null): { readonly retryAfter?: number } {
  const wait = Number(text ?? Number.NaN)
  const seconds = Number.isNaN(wait) ? (Date.parse(text ?? '') - Date.now()) / 1_000 : wait
  return seconds >= 0 ? { retryAfter: seconds } : {}
}
