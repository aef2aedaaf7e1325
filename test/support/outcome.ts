// What came of calls that may be refused.
import { type EngineError, isEngineError } from '../../src/errors/errors.ts'

/** Returns what a call answers, or what is read of its refusal. Anything else that it throws fails the test.
 *  @example await outcomeOf(() => listItems(engine, 'notes'), ({ code }) => code) */
export async function outcomeOf<Answer, Refusal>(
  work: () => Answer,
  read: (refusal: EngineError) => Refusal,
): Promise<Awaited<Answer> | Refusal> {
  try {
    return await work()
  } catch (error) {
    if (isEngineError(error)) return read(error)
    throw error
  }
}

/** The refusal of a call, which is none if it is not refused. */
export function refusalOf(work: () => unknown): EngineError {
  try {
    work()
  } catch (error) {
    if (isEngineError(error)) return error
    throw error
  }
  throw new Error('It was not refused.')
}

/** Returns the refusal of a call that answers later. */
export async function rejectionOf(work: (() => unknown) | Promise<unknown>): Promise<EngineError> {
  try {
    await (typeof work === 'function' ? work() : work)
  } catch (error) {
    if (isEngineError(error)) return error
    throw error
  }
  throw new Error('It was not refused.')
}

/** What is wrong, each by itself. */
export const problemsIn = (refusal: EngineError): readonly EngineError[] => refusal.errors ?? [refusal]

/** What is told of a problem. */
export const told = ({ code, path, message, hint }: EngineError) => ({
  code,
  ...(path && { path }),
  message,
  ...(hint !== undefined && { hint }),
})
