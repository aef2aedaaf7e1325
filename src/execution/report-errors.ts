import { isEngineError, quote } from '../errors/errors.ts'
import { inspect } from '../values/from-node.ts'

/** Receives errors that happen after the work was done, or beside it. */
export type ErrorListener<Context> = (error: unknown, context: Context | undefined) => unknown

/** Calls a listener whose failure must not affect the caller. */
export async function attempt<Context>(
  report: () => unknown,
  context: Context | undefined,
  onError: ErrorListener<Context>,
): Promise<void> {
  try {
    await report()
  } catch (error) {
    try {
      await onError(error, context)
    } catch (worse) {
      // The data is written, and there is no other listener to report to.
      warn(worse)
    }
  }
}

/** Returns what reports errors to a listener: it never rejects. */
export const reporter =
  (onError: ErrorListener<never>) =>
  (error: unknown): Promise<void> =>
    attempt(() => Promise.reject(error), undefined, onError)

/** Returns the result of work, or a result that is at hand if the work fails. */
export async function attemptOr<Result>(
  work: () => Result | Promise<Result>,
  otherwise: Result,
  onError: ErrorListener<never>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    await reporter(onError)(error)
    return otherwise
  }
}

/** The default handling of such errors. */
export const warn = (error: unknown): void =>
  process.emitWarning(error instanceof Error ? withDetail(error) : quote(error))

/** Adds the cause of one of our errors where Node prints it: of a warning it prints the detail, but not the cause. */
function withDetail(error: Error): Error {
  if (!isEngineError(error) || error.cause === undefined) return error
  return Object.defineProperty(error, 'detail', { value: inspect(error.cause), configurable: true })
}

/** Errors of a database that is away: code that polls reports it once, and again after the database was back. */
export class Outage {
  readonly #report: (error: unknown) => void
  #isReported = false

  constructor(report: (error: unknown) => void) {
    this.#report = report
  }

  readonly report = (error: unknown): void => {
    // Errors of flows themselves have no cause in a driver.
    const isAway = isEngineError(error) && error.code === 'SERVICE_UNAVAILABLE' && error.cause !== undefined
    if (isAway && this.#isReported) return
    this.#isReported ||= isAway
    this.#report(error)
  }

  /** Notes that the database has answered. */
  readonly end = (): void => {
    this.#isReported = false
  }
}
