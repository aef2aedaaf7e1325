// Runs all tests with PostgreSQL as engines need it that lack some of its features: `npm run test:distributed`.
import { defineConfig } from 'vitest/config'
import everything from './all.config.ts'

const declared = 'export const postgres: PostgresDialect = {'

/** Varies the dialect that every test uses, wherever it comes from. */
const varied = {
  name: 'varied-postgres',
  enforce: 'pre' as const,
  transform(code: string, id: string) {
    if (!id.endsWith('/src/dialects/postgres.ts')) return undefined
    if (!code.includes(declared)) throw new Error('The dialect is declared in another way now.')
    return `${code.replace(declared, 'const plain: PostgresDialect = {')}
export const postgres: PostgresDialect = {
  ...plain.with({ orderInside: true, lock: 'advisory', streaming: 'pages' }),
  with: plain.with,
}
`
  },
}

/** Tests of cursors and of the connections that they hold, which pages do without. */
const ofCursors = ['test/export/seats.test.ts', 'test/execution/connection/uncertain.test.ts']

export default defineConfig({
  ...everything,
  plugins: [varied],
  test: { ...everything.test, exclude: [...(everything.test?.exclude ?? []), ...ofCursors] },
})
