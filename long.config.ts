// The tests that want a process of their own, and with `QUERNEL_LONG=1` everything at full length: the random runs as long as they are meant.
import { configDefaults, defineConfig } from 'vitest/config'
import everything from './all.config.ts'

export default defineConfig({
  ...everything,
  test: { ...everything.test, exclude: configDefaults.exclude, isolate: true },
})
