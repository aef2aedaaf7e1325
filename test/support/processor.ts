// Time of the processor that each file of tests takes in its worker, from before its modules are loaded; PostgreSQL and processes that it starts are not in it.
import { afterAll } from 'vitest'
import { endFile } from './at-end.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Milliseconds. */
    processor?: number
  }
}

const before = process.cpuUsage()

afterAll(endFile)
// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which of its fixtures are wanted.
afterAll(({}, { meta }) => {
  const { user, system } = process.cpuUsage(before)
  meta.processor = (user + system) / 1_000
})
