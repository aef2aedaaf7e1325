// Runs tests with one thing broken in what keeps lists true: `npm run prove:realtime-mutants`.
import { defineConfig } from 'vitest/config'
import everything from './all.config.ts'
import { mutants, mutated } from './test/prove/mutants.ts'

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
  ...everything,
  plugins: [broken],
  // What is broken may be waited for without end.
  test: { ...everything.test, testTimeout: 60_000 },
})
