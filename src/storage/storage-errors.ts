import { codeTexts } from '../errors/code-texts.ts'
import { type EngineError, type ErrorCode, fault, isEngineError } from '../errors/errors.ts'

/** Error names of systems and services: codes of Node, names of S3, HTTP statuses. All others are internal errors. */
const meanings: Readonly<Record<string, ErrorCode>> = {
  ...means('SERVICE_UNAVAILABLE', 'ENOSPC EDQUOT EMFILE ENFILE ENOMEM EAGAIN EBUSY ETXTBSY'),
  ...means('SERVICE_UNAVAILABLE', 'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH'),
  ...means('SERVICE_UNAVAILABLE', 'ENOTFOUND EAI_AGAIN TimeoutError RequestTimeout'),
  ...means('SERVICE_UNAVAILABLE', 'SlowDown ServiceUnavailable InternalError 429 500 502 503 504'),
  ...means('CONTENT_TOO_LARGE', 'EFBIG EntityTooLarge'),
  ...means('RANGE_NOT_SATISFIABLE', 'InvalidRange 416'),
  ...means('FORBIDDEN', 'ELOOP'),
}

function means(code: ErrorCode, words: string): Record<string, ErrorCode> {
  return Object.fromEntries(words.split(' ').map((word) => [word, code]))
}

/** Messages that say more than the code itself. */
const texts: { readonly [Code in ErrorCode]?: string } = {
  SERVICE_UNAVAILABLE: 'The storage is overloaded, full, or not to be reached.',
}

/** Translates an error of a storage into an engine error. Its message, paths and all, is kept only as the cause. */
export function storageFault(error: unknown): EngineError {
  if (isEngineError(error)) return error
  const word = wordsOf(error).find((name) => Object.hasOwn(meanings, name))
  const code = (word !== undefined && meanings[word]) || 'INTERNAL_SERVER_ERROR'
  const extensions = code === 'SERVICE_UNAVAILABLE' ? { retryAfter: 1 } : undefined
  return fault(code, texts[code] ?? codeTexts[code], { cause: error, extensions })
}

export async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw storageFault(error)
  }
}

export function isCalled(error: unknown, ...names: readonly string[]): boolean {
  return wordsOf(error).some((word) => names.includes(word))
}

/** The names of an error. The status of the response comes last: its own name says more. */
function wordsOf(error: unknown): readonly string[] {
  const { code, name, $metadata } = Object(error) as {
    code?: unknown
    name?: unknown
    $metadata?: { httpStatusCode?: unknown }
  } // any value becomes a text
  return [code, name, $metadata?.httpStatusCode].filter((word) => word !== undefined).map(String)
}
