// Ends of what a test, or a file of tests, has opened.
import { onTestFinished, TestRunner } from 'vitest'

const ends: (() => unknown)[] = []

/** Calls back after the test, before what was opened earlier is closed; of what is opened before all tests, after those of the file. Modules are
 *  loaded once for all files that share them, so a hook that one of them registered would be called in the first of these files alone. */
export function atEnd(end: () => unknown): void {
  if (TestRunner.getCurrentTest() === undefined) ends.push(end)
  else
    onTestFinished(async () => {
      await end()
    })
}

/** Ends what was opened before all tests of a file. */
export async function endFile(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end()
}
