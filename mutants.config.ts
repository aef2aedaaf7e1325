// Runs tests with one thing broken in what keeps lists true: `npm run prove:realtime-mutants`.
import { defineConfig } from 'vitest/config'
import { mutants, mutated } from './test/prove/mutants.ts'

// Which files run stands in the configuration of a length, and how long they draw in its variable.
const { default: tests } =
  process.env.QUERNEL_LENGTH === 'all' ? await import('./all.config.ts') : await import('./vitest.config.ts')

const mutant = mutants.find(({ name }) => name === process.env.QUERNEL_MUTANT)
if (!mutant) throw new Error('QUERNEL_MUTANT names what is broken.')

const broken = {
  // Compiled sources are kept by the names of what compiles them.
  name: `broken-feed, ${mutant.name}`,
  enforce: 'pre' as const,
  transform: (code: string, id: string) =>
    id.endsWith(`/src/${mutant.file}`) ? mutated(mutant, code) : undefined,
}

export default defineConfig({
  ...tests,
  plugins: [broken],
  // What is broken may be waited for without end, by each test, and two that find it are enough.
  test: { ...tests.test, testTimeout: 30_000, bail: 2 },
})
