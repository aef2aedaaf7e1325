import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { slow } from './test/slow.ts'
import ProcessorReport from './test/support/processor-report.ts'

const source = fileURLToPath(new URL('./src', import.meta.url))

/** Tests that count bytes, send a server thousands of requests, kill processes one after the other, wait for networks, ask the compiler for long, need a package of Debian or
 *  start other runtimes: they take long, and want a process of their own. `npm run test:all` runs them, too. */
export const apart = [
  'test/**/memory.test.ts',
  'test/http/node/many-clients.test.ts',
  'test/execution/late/late-answers.test.ts',
  'test/flows/runs/{bounds,killed}.test.ts',
  'test/realtime/killed.test.ts',
  'test/realtime/change-log/clock-jumps.test.ts',
  'test/types/{editors,without-strict}.test.ts',
  'test/introspect/introspect-schema/postgis.test.ts',
  'test/**/pgbouncer.test.ts',
  'test/**/psql.test.ts',
  'test/drivers/smoke/*.test.ts',
  'test/filters/browser.test.ts',
  'test/pages/graphql/browser.test.ts',
  'test/http/cors-browser.test.ts',
  'test/client/browser.test.ts',
  'test/examples/live-browser.test.ts',
  'test/docs/tutorial-browser.test.ts',
  'test/site/*.test.ts',
]

/** The paths of the slow tests, of which each takes long for something that it alone finds. */
export const slowPaths = Object.keys(slow).map((file) => `test/${file}`)

export default defineConfig({
  resolve: {
    // Examples and documentation import the package by its name; here that means its source.
    alias: [
      { find: /^quernel$/, replacement: `${source}/index.ts` },
      { find: /^quernel\/(.+)$/, replacement: `${source}/$1.ts` },
      // The file that Node takes, and with it the servers of others: GraphQL.js refuses types of another copy.
      { find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...apart, ...slowPaths],
    setupFiles: 'test/support/processor.ts',
    reporters: ['default', new ProcessorReport()],
    globalSetup: 'test/support/global-setup.ts',
    // One more than there are cores: a worker waits for the server of its database four tenths of its time.
    maxWorkers: availableParallelism() + 1,
    // A worker that loads all modules outgrows Node's young generation at once, and compiles much that soon is needed no more.
    execArgv: ['--min-semi-space-size=64', '--max-semi-space-size=64', '--interrupt-budget=300000'],
    // Modules are loaded once for each worker and not for each file, which is a fifth of the whole time.
    isolate: false,
    // Sources that are as they were are not compiled anew by each run, which takes a single file longer than its tests.
    experimental: { fsModuleCache: true },
    // For what hangs, not for what is slow: the machine may be busy with anything.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
