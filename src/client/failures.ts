// Errors in place of an answer: those of the server, and those about replies of something else.

import { type EngineError, type ErrorCode, failure, type Path } from '../errors/errors.ts'

/** Requests that may be sent again, and those that may not. */
export interface Repeatable {
  /** By default GET, which reads. */
  readonly method?: string
  /** True for another method that changes nothing. */
  readonly isRead?: boolean
}

/** Members of the error of a write that may be stored all the same. */
export const doubtOf = ({ method, isRead = !method }: Repeatable): { readonly mayBeStored?: true } =>
  isRead ? {} : { mayBeStored: true }

/** Returns the error of a response: the one that its body says, or one about what is no answer of a server of ours. */
export function failureIn(
  { status, ok, headers }: Response,
  text: string,
  body: unknown,
  requested: Repeatable,
): EngineError {
  const type = headers.get('content-type')
  const retryAfter = secondsToWait(headers.get('retry-after'))
  const own = ok ? undefined : ownFailure(body, status, retryAfter)
  if (own) return own
  const extensions = { ...retryAfter, ...(status > 299 && status < 500 ? {} : doubtOf(requested)), status }
  const cause = { status, type, body: text.slice(0, 1_000) }
  const says = `This is no answer of Quernel: ${status}, ${type}.`
  const shown = status > 501 ? 503 : refusals[status] ? status : 500
  return failure(refusals[shown] ?? 'INTERNAL_SERVER_ERROR', says, { status: shown, extensions, cause })
}

/** Codes for what stands between, such as a proxy. What is not found there says nothing of an item. */
const refusals: Readonly<Record<number, ErrorCode>> = {
  401: 'INVALID_CREDENTIALS',
  403: 'FORBIDDEN',
  413: 'CONTENT_TOO_LARGE',
  429: 'TOO_MANY_REQUESTS',
  503: 'SERVICE_UNAVAILABLE',
}

/** An entry of the body of an error. */
interface Entry {
  readonly message: string
  readonly extensions: { readonly code: ErrorCode; readonly path?: Path; readonly hint?: string }
}

/** Returns the error that a body says as a server of ours does; undefined if it is none. */
export function ownFailure(body: unknown, status: number, more?: object): EngineError | undefined {
  try {
    const entries: readonly Entry[] = Object(body).errors
    const errors = entries.map(({ message, extensions: { code, path, hint, ...extensions } }) =>
      failure(code.trim() as ErrorCode, message, {
        status,
        ...(path && { path }),
        ...(hint && { hint }),
        extensions: { ...more, ...extensions },
      }),
    )
    const [first, second, third] = errors
    if (!first || !second) return first
    const says = `${first.message} (and ${errors.length - 1} more problem${third ? 's' : ''})`
    return failure(first.code, says, { ...first, errors })
  } catch {
    // Another server has answered.
    return undefined
  }
}

/** Returns the error of a connection that was not made, or broke. */
export const unreached = (cause: unknown, extensions = {}): EngineError =>
  failure('SERVICE_UNAVAILABLE', 'The connection failed.', {
    status: 503,
    extensions,
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
  const seconds = Number(text || undefined)
  const retryAfter = seconds >= 0 ? seconds : (Date.parse(text ?? '') - Date.now()) / 1_000
  return retryAfter >= 0 ? { retryAfter } : {}
}
