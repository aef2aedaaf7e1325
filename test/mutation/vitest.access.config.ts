// The tests of what rules mean, which does not depend on the database.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const replacement = fileURLToPath(new URL('./sqlite.ts', import.meta.url))

export default defineConfig({
  resolve: { alias: [{ find: /^\.\.\/support\/databases\.ts$/, replacement }] },
  test: {
    include: [
      'test/access/{callers,keys,explain-access,forbidden,found,rules,visible-schema,writes}.test.ts',
    ],
    testTimeout: 60_000,
  },
})
