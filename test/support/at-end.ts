// Ends of what a test has opened.
import { onTestFinished } from 'vitest'

/** Calls back after the test, before what was opened earlier is closed. Modules are loaded once for all files that share them, so a hook that one of
 *  them registered would be called in the first of these files alone. */
export const atEnd = (end: () => unknown): void =>
  onTestFinished(async () => {
    await end()
  })
