// Repeats operations that may succeed later.

/** How often an operation is repeated that has failed, and how long that waits at first. */
export interface Retry {
  readonly times: number
  readonly delayMs: number
}

export const defaultRetry: Retry = { times: 3, delayMs: 1_000 }
export const mostRetries = 20
export const longestDelayMs = 3_600_000

/** Milliseconds before an operation is repeated: twice as long each time, and never the same for all. */
export const pauseBefore = (failures: number, { delayMs }: Retry): number =>
  Math.min(longestDelayMs, delayMs * 2 ** failures) * (0.75 + Math.random() / 2)
