// Repeats operations that may succeed later.
import { isEngineError } from '../../errors/errors.ts'

/** How often an operation is repeated that has failed, and how long that waits at first. */
export interface Retry {
  readonly times: number
  readonly delayMs: number
}

export const defaultRetry: Retry = { times: 3, delayMs: 1_000 }
export const mostRetries = 20
export const longestDelayMs = 3_600_000

/** True for an error of the outside that may pass: whatever is no mistake of whoever asks. */
export const mayPass = (error: unknown): boolean =>
  !isEngineError(error) || error.status >= 500 || error.status === 408 || error.status === 429

/** Milliseconds before an operation is repeated: twice as long each time, and never the same for all. */
export const pauseBefore = (failures: number, { delayMs }: Retry): number =>
  Math.min(longestDelayMs, delayMs * 2 ** failures) * (0.75 + Math.random() / 2)
