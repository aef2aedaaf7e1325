// All tests but those apart, at a length that finds what `npm test` is too short for: `npm run test:all`.
import { configDefaults, defineConfig } from 'vitest/config'
import { mostOfAll } from './test/slow.ts'
import ProcessorReport from './test/support/processor-report.ts'
import quick, { apart } from './vitest.config.ts'

// Not by `env`: a configuration is read before its variables are set, and processes of the tests have it from this one.
process.env.QUERNEL_LENGTH ??= 'all'

export default defineConfig({
  ...quick,
  test: {
    ...quick.test,
    // Some of these tests count bytes of the heap: they have it as hosts do.
    execArgv: [],
    exclude: [...configDefaults.exclude, ...apart],
    reporters: ['default', new ProcessorReport({ most: mostOfAll, files: 500 })],
  },
})
