// The error for an answer with more bytes than an engine allows.
import { type EngineError, fault } from './errors.ts'

export function tooManyBytes({ answerBytes }: { readonly answerBytes: number }): EngineError {
  const error = fault(
    'INVALID_QUERY',
    `The answer has more than ${answerBytes} bytes, which limits.answerBytes allows.`,
    {
      hint: 'Ask for fewer items or fields, or stream or export them.',
    },
  )
  tooLong.add(error)
  return error
}

const tooLong = new WeakSet<object>()

/** True for the error above: what is joined to the answer is refused with it. */
export const isOfTooManyBytes = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && tooLong.has(error)
