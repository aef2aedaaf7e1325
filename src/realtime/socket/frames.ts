import { isEngineError, toErrorBody } from '../../errors/errors.ts'
import { shownError } from '../../http/error-response.ts'

/** Name that a client gives a message, and that its answer repeats. */
export type Uid = string | number

export interface FrameError {
  readonly code: string
  readonly message: string
}

/** Returns a frame as text. Members that are undefined are left out. */
export const frame = (members: Readonly<Record<string, unknown>>): string => JSON.stringify(members)

/** Returns the answer to a message that was refused. */
export const errorFrame = (type: string, error: FrameError, uid: Uid | undefined): string =>
  frame({ type, status: 'error', error, uid })

/** Returns an error as clients see it: what does not exist and what is not visible look the same. */
export function frameError(reason: unknown): FrameError {
  const [first] = toErrorBody(shownError(reason)).errors
  const { code, ...more } = { ...first?.extensions }
  const shown = code === 'NOT_FOUND' ? 'FORBIDDEN' : String(code)
  return { code: shown, message: first?.message ?? '', ...more }
}

/** True for an error that is not the caller's. */
export function isUnexpected(reason: unknown): boolean {
  const error = shownError(reason)
  return !isEngineError(error) || error.status === 500
}

export const handshakeFailed: FrameError = {
  code: 'AUTH_FAILED',
  message: 'The first message of a socket says who it is: {"type":"auth","access_token":"…"}.',
}

export const authFailed: FrameError = { code: 'AUTH_FAILED', message: 'The credentials are not valid.' }

export const tokenExpired: FrameError = { code: 'TOKEN_EXPIRED', message: 'The token has expired.' }

export const authTimeout: FrameError = { code: 'AUTH_TIMEOUT', message: 'No new token has come in time.' }
