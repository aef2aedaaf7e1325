import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = fileURLToPath(new URL('./src', import.meta.url))

export default defineConfig({
  resolve: {
    // Examples and documentation import the package by its name; here that means its source.
    alias: [
      { find: /^quernel$/, replacement: `${source}/index.ts` },
      { find: /^quernel\/(.+)$/, replacement: `${source}/$1.ts` },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    // The default leaves a core free, which on a machine of two doubles the time.
    maxWorkers: '100%',
    // For what hangs, not for what is slow: the machine may be busy with anything.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
})
