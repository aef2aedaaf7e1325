// Time as a test sets it, for a while.
import { setImmediate as turn } from 'node:timers/promises'
import { vi } from 'vitest'

/** Gives the real time back, once the timers that modules keep for all calls have ended: tests in the same process share these modules, and a timer of
 *  a set time would stand still for all of them. */
export async function backToRealTime(): Promise<void> {
  for (let round = 0; round < 20 && vi.isFakeTimers(); round++) {
    await vi.advanceTimersByTimeAsync(100)
    // What waits for a database gets its answer.
    await turn()
  }
  vi.useRealTimers()
}
