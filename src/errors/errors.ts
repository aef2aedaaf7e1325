import { isDate } from '../values/guards.ts'

/** All error codes, with the HTTP status of each. */
export const codes = {
  INVALID_QUERY: 400,
  INVALID_OPTIONS: 400,
  INVALID_PAYLOAD: 400,
  FAILED_VALIDATION: 400,
  INVALID_CREDENTIALS: 401,
  TOKEN_EXPIRED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  OUT_OF_TIME: 408,
  PRECONDITION_FAILED: 412,
  PRECONDITION_REQUIRED: 428,
  CONTENT_TOO_LARGE: 413,
  TOO_MANY_REQUESTS: 429,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  UNPROCESSABLE_CONTENT: 422,
  VERSION_HASH_MISMATCH: 422,
  RECORD_NOT_UNIQUE: 400,
  INVALID_FOREIGN_KEY: 400,
  NOT_NULL_VIOLATION: 400,
  VALUE_TOO_LONG: 400,
  VALUE_OUT_OF_RANGE: 400,
  ILLEGAL_ASSET_TRANSFORMATION: 400,
  SERVICE_UNAVAILABLE: 503,
  INTERNAL_SERVER_ERROR: 500,
  // The host's own code is at fault, never a caller: it is thrown while an engine is set up.
  INVALID_SCHEMA: 500,
} as const satisfies Record<string, number>

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
const brand: unique symbol = Symbol.for('quernel.error')

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
    this.status = codes[code]
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

/** Returns an error of the table. `plainFault` says no more than what its code means. */
export function fault(code: ErrorCode, message: string, details?: FaultDetails): EngineError {
  return new EngineError(code, shorten(message, longestMessage), {
    ...details,
    path: details?.path?.map(shortStep),
  })
}

const longestMessage = 480
// Longer than any name in a schema. Otherwise one endless name would be repeated in each problem found inside it.
const longestStep = 256
const shortStep = (step: string | number) =>
  typeof step === 'string' && step.length > longestStep ? `${step.slice(0, longestStep - 1)}…` : step
const maxProblems = 50

/** One error for all problems of one input. Its message is that of the first. */
export function combine(problems: readonly EngineError[]): EngineError {
  const [first, ...others] = problems
  if (!first) throw unreachable('nothing to combine')
  if (others.length === 0) return first
  const shown = problems.slice(0, maxProblems)
  const more = `${first.message} (and ${others.length} more problem${others.length === 1 ? '' : 's'})`
  return new EngineError(first.code, more, { ...first, errors: shown })
}

/** Message in place of one that is not for the caller. */
export const unexpected = 'An unexpected error occurred.'

/** The body of an error response. */
export interface ErrorBody {
  readonly errors: readonly {
    readonly message: string
    readonly extensions: Readonly<Record<string, unknown>>
  }[]
}

/** The body of an HTTP error response. Internal errors and errors of the host become one fixed sentence, and whether the write may be stored.
 *  @example toErrorBody(new EngineError('NOT_FOUND', 'There is no such page.'))
 *  // → { errors: [{ message: 'There is no such page.', extensions: { code: 'NOT_FOUND' } }] } */
export function toErrorBody(error: unknown): ErrorBody {
  if (!isEngineError(error) || isHostsFault(error)) {
    const code = 'INTERNAL_SERVER_ERROR'
    // The commit failed in an unknown state: the client has to check what is stored.
    const isInDoubt = isEngineError(error) && error.extensions.mayBeStored === true
    const extensions = { code, ...(isInDoubt && { mayBeStored: true }) }
    return { errors: [{ message: unexpected, extensions }] }
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

interface FailureDetails {
  /** By default 400. */
  readonly status?: number
  readonly path?: Path
  readonly hint?: string
  readonly extensions?: EngineError['extensions']
  readonly errors?: readonly EngineError[]
  readonly cause?: unknown
}

/** Returns an error as the class makes it, for browsers: it loads no table of all codes. */
export const failure = (code: ErrorCode, message: string, details: FailureDetails = {}): EngineError =>
  Object.assign(new Error(message), {
    name: 'EngineError',
    code,
    [brand]: true,
    status: 400,
    extensions: {},
    ...details,
  })

/** An error for branches that only a bug in this library can reach. */
export function unreachable(why: string): Error {
  return new Error(`quernel bug: ${why}`)
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
