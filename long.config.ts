// Everything at full length: the random runs as long as they are meant, and the tests that want a process of their own.
import { configDefaults, defineConfig } from 'vitest/config'
import everything from './vitest.config.ts'

export default defineConfig({
  ...everything,
  test: { ...everything.test, exclude: configDefaults.exclude, isolate: true },
})
