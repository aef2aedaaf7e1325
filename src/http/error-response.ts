import { plainFault } from '../errors/code-texts.ts'
import { isEngineError, toErrorBody } from '../errors/errors.ts'
import { jsonType, type Outgoing } from './messages.ts'

interface TextReply extends Omit<Outgoing, 'body'> {
  readonly body: string
}

export function errorResponse(reason: unknown): TextReply {
  const error = shownError(reason)
  const status = isEngineError(error) ? error.status : 500
  const headers: Record<string, string> = { 'content-type': jsonType, 'cache-control': 'no-store' }
  if (status === 401) headers['www-authenticate'] = 'Bearer'
  if (status === 503) headers['retry-after'] = secondsToWait(error)
  if (isEngineError(error) && error.code === 'METHOD_NOT_ALLOWED')
    headers.allow = String(error.extensions.allowed)
  if (isEngineError(error) && error.code === 'RANGE_NOT_SATISFIABLE')
    headers['content-range'] = `bytes */${error.extensions.size ?? '*'}`
  return { status, headers, body: JSON.stringify(toErrorBody(error)) }
}

/** Returns the error that a client is shown: clients give no options, so a mistake in them is the host's. */
export function shownError(reason: unknown): unknown {
  const isHosts = isEngineError(reason) && reason.code === 'INVALID_OPTIONS'
  return isHosts ? plainFault('INTERNAL_SERVER_ERROR', { cause: reason }) : reason
}

/** Returns the seconds after which to try again: those that an error names, else one. */
function secondsToWait(error: unknown): string {
  const { retryAfter } = Object(Object(error).extensions)
  return typeof retryAfter === 'number' && retryAfter > 0 ? String(Math.ceil(retryAfter)) : '1'
}
