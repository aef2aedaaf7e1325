import { isDate } from '../values/guards.ts'

/** All error codes: the HTTP status of each, and the text shown when no more may be disclosed. */
export const codes = {
  INVALID_QUERY: { status: 400, text: 'The query is not valid.' },
  INVALID_OPTIONS: { status: 400, text: 'The options are not valid.' },
  INVALID_PAYLOAD: { status: 400, text: 'The payload is not valid.' },
  FAILED_VALIDATION: { status: 400, text: 'A value did not pass validation.' },
  INVALID_CREDENTIALS: { status: 401, text: 'The credentials are missing or not valid.' },
  TOKEN_EXPIRED: { status: 401, text: 'The token has expired.' },
  FORBIDDEN: { status: 403, text: 'There is no such thing, or you may not use it.' },
  NOT_FOUND: { status: 404, text: 'There is no such thing, or you may not see it.' },
  METHOD_NOT_ALLOWED: { status: 405, text: 'This method is not supported here.' },
  OUT_OF_TIME: { status: 408, text: 'The work took longer than it may.' },
  PRECONDITION_FAILED: { status: 412, text: 'The item is no longer as you have seen it.' },
  PRECONDITION_REQUIRED: { status: 428, text: 'A write of this item needs If-Match.' },
  CONTENT_TOO_LARGE: { status: 413, text: 'The content is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, text: 'This content type is not supported.' },
  RANGE_NOT_SATISFIABLE: { status: 416, text: 'The range lies outside the content.' },
  UNPROCESSABLE_CONTENT: { status: 422, text: 'The content cannot be read.' },
  VERSION_HASH_MISMATCH: { status: 422, text: 'The item has changed since the version was compared.' },
  RECORD_NOT_UNIQUE: { status: 400, text: 'A value has to be unique and is not.' },
  INVALID_FOREIGN_KEY: { status: 400, text: 'A key points to nothing, or something points to it.' },
  NOT_NULL_VIOLATION: { status: 400, text: 'A value may not be null.' },
  VALUE_TOO_LONG: { status: 400, text: 'A value is too long.' },
  VALUE_OUT_OF_RANGE: { status: 400, text: 'A value is out of range.' },
  ILLEGAL_ASSET_TRANSFORMATION: { status: 400, text: 'This transformation is not allowed.' },
  SERVICE_UNAVAILABLE: { status: 503, text: 'The service is overloaded.' },
  INTERNAL_SERVER_ERROR: { status: 500, text: 'An unexpected error occurred.' },
  // The host's own code is at fault, never a caller: it is thrown while an engine is set up.
  INVALID_SCHEMA: { status: 500, text: 'The schema is not valid.' },
} as const satisfies Record<string, { status: number; text: string }>

/** The code of an error. Each has an HTTP status. */
export type ErrorCode = keyof typeof codes

/** The place of an error in the request: names and positions from the outside in. */
export type Path = readonly (string | number)[]

export interface FaultDetails {
  readonly path?: Path | undefined
  readonly hint?: string | undefined
  readonly extensions?: Readonly<Record<string, unknown>> | undefined
  readonly cause?: unknown
}

// A registered symbol, because two builds, two copies of the package or two realms may share one process.
const brand = Symbol.for('quernel.error')

/** The only error class. `errors` is present when one input had several problems.
 *  @example new EngineError('TOKEN_EXPIRED', 'Your session has ended.', { hint: 'Log in again.' }).status // → 401 */
export class EngineError extends Error {
  readonly code: ErrorCode
  readonly status: number
  // Declared only: a logged error should not list what it does not have.
  declare readonly path?: Path
  declare readonly hint?: string
  readonly extensions: Readonly<Record<string, unknown>>
  declare readonly errors?: readonly EngineError[]

  constructor(
    code: ErrorCode,
    message: string,
    details: FaultDetails & { errors?: readonly EngineError[] } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'EngineError'
    this.code = code
    this.status = codes[code].status
    if (details.path) this.path = details.path
    if (details.hint !== undefined) this.hint = details.hint
    if (details.errors) this.errors = details.errors
    this.extensions = details.extensions ?? {}
    Object.defineProperty(this, brand, { value: true })
  }
}

/** True for an EngineError, also one of another build, of another copy of the package or of another realm.
 *  @example const error: unknown = await getItem(engine, 'articles', 99).catch((error) => error)
 *  isEngineError(error) && error.code // → 'NOT_FOUND' */
export function isEngineError(error: unknown): error is EngineError {
  return typeof error === 'object' && error !== null && brand in error
}

/** Returns an error of the table. Without a message it has the default text of its code. */
export function fault(code: ErrorCode, message?: string, details?: FaultDetails): EngineError {
  const text = message ? shorten(message, longestMessage) : codes[code].text
  return new EngineError(
    code,
    text,
    details?.path ? { ...details, path: details.path.map(shortStep) } : details,
  )
}

const longestMessage = 480
// Longer than any name in a schema. Otherwise one endless name would be repeated in each problem found inside it.
const longestStep = 256
const shortStep = (step: string | number) =>
  typeof step === 'string' && step.length > longestStep ? `${step.slice(0, longestStep - 1)}…` : step
const mostProblems = 50

/** One error for all problems of one input. Its message is that of the first. */
export function combine(problems: readonly EngineError[]): EngineError {
  const [first, ...others] = problems
  if (!first) throw unreachable('nothing to combine')
  if (others.length === 0) return first
  const shown = problems.slice(0, mostProblems)
  const more = `${first.message} (and ${others.length} more ${others.length === 1 ? 'problem' : 'problems'})`
  return new EngineError(first.code, more, {
    path: first.path,
    hint: first.hint,
    extensions: first.extensions,
    errors: shown,
  })
}

/** The body of an error response. */
export interface ErrorBody {
  readonly errors: readonly {
    readonly message: string
    readonly extensions: Readonly<Record<string, unknown>>
  }[]
}

/** The body of an HTTP error response. Internal errors and errors of the host become one fixed sentence.
 *  @example toErrorBody(new EngineError('NOT_FOUND', 'There is no such page.'))
 *  // → { errors: [{ message: 'There is no such page.', extensions: { code: 'NOT_FOUND' } }] } */
export function toErrorBody(error: unknown): ErrorBody {
  if (!isEngineError(error) || isHostsFault(error)) {
    const code = 'INTERNAL_SERVER_ERROR'
    return { errors: [{ message: codes[code].text, extensions: { code } }] }
  }
  return { errors: (error.errors ?? [error]).map(bodyEntry) }
}

const isHostsFault = (error: EngineError) => error.status === 500

function bodyEntry(error: EngineError) {
  const { code, path, hint, extensions } = error
  return {
    message: error.message,
    extensions: { ...extensions, code, ...(path && { path }), ...(hint !== undefined && { hint }) },
  }
}

/** An error for branches that only a bug in this library can reach. */
export function unreachable(why: string): Error {
  return new Error(`quernel: this should not happen: ${why}`)
}

/** A value as shown in a message: short, on one line, unmistakably quoted. */
export function quote(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, longestQuote)) : describe(value)
  return shorten(text, longestQuote)
}

const longestQuote = 64

function describe(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (isDate(value)) return 'a date'
  if (typeof value === 'object' && value !== null)
    return isPlain(value) ? 'an object' : 'an instance of a class'
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`
  return String(value)
}

const isPlain = (value: object) =>
  Object.getPrototypeOf(value) === null || Object.getPrototypeOf(Object.getPrototypeOf(value)) === null

// Characters that are invisible or change how their surroundings are shown: controls, line breaks, marks of
// direction, lone surrogates.
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

function shorten(text: string, length: number): string {
  // Only the part that is shown is cleaned: a hostile text is longer than any message.
  const clean = text.slice(0, length + 1).replace(unprintable, '?')
  return clean.length <= length ? clean : `${clean.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
