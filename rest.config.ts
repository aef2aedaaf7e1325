// What `npm test` leaves of all tests, where it has run before: the slow ones, and those that are longer here. `npm run test:rest`.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import everything from './all.config.ts'
import { mostOfAll } from './test/slow.ts'
import ProcessorReport from './test/support/processor-report.ts'
import { apart, slowPaths } from './vitest.config.ts'

const slow = new Set(slowPaths)

/** Words of files that ask how long a run is to be. */
export const askingForLength =
  /\b(?:drawsOf|fuzzRuns|is(?:Quick|Short)|random-filters|casesAt|describe(?:Reads|Writes)|transportsTo|exchange\.ts)\b/

/** Files of tests that are the same in `npm test` as in a run of all. */
export const equalPaths = readdirSync(join(import.meta.dirname, 'test'), {
  recursive: true,
  encoding: 'utf8',
})
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => join('test', path))
  .filter((path) => !slow.has(path) && !askingForLength.test(readFileSync(path, 'utf8')))

/** The share of this run in the time of a run of all. */
const ofAll = 0.75

export default defineConfig({
  ...everything,
  test: {
    ...everything.test,
    exclude: [...configDefaults.exclude, ...apart, ...equalPaths],
    reporters: ['default', new ProcessorReport({ most: mostOfAll / ofAll, files: 100 })],
  },
})
