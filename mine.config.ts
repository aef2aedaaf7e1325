// What `npm test` runs, and the slow tests of the rooms that the change at hand names: `npm run test:mine`.
import { execFileSync } from 'node:child_process'
import { configDefaults, defineConfig } from 'vitest/config'
import quick, { apart, slowPaths } from './vitest.config.ts'

const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8' }).split('\n')
const changed = [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')]

/** Rooms such as `flows`: folders of the sources and of the tests have the same names, and `docs` and `examples` have tests of theirs. */
const rooms = new Set(changed.flatMap((path) => /^(?:(?:src|test)\/)?([^/.]+)/.exec(path)?.[1] ?? []))
const others = slowPaths.filter((path) => !rooms.has(path.split('/')[1] ?? ''))

export default defineConfig({
  ...quick,
  test: { ...quick.test, exclude: [...configDefaults.exclude, ...apart, ...others] },
})
