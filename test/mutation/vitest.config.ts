// The tests that changed copies of the source are run by: pure ones, because each is run many times.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: [
      'test/vocabulary/*.test.ts',
      'test/types/*.test.ts',
      'test/filters/*.test.ts',
      'test/plan/*.test.ts',
    ],
  },
})
