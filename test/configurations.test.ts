// The lists of tests in configurations: a file that was renamed would be left out without a word. And the names of tests.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import coverage from '../coverage.config.ts'
import { askingForLength, equalPaths } from '../rest.config.ts'
import { apart, slowPaths } from '../vitest.config.ts'
import { mutants } from './prove/mutants.ts'

const tests = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => join('test', path))

/** The patterns that a pattern with alternatives in braces stands for. */
function alternatives(pattern: string): readonly string[] {
  const [whole, names] = /\{([^}]*)\}/.exec(pattern) ?? []
  if (whole === undefined || names === undefined) return [pattern]
  return names.split(',').flatMap((name) => alternatives(pattern.replace(whole, name)))
}

const expressionOf = (pattern: string) =>
  new RegExp(
    `^${pattern
      .replaceAll('.', '\\.')
      .replaceAll('**/', '(?:.+/)?')
      .replaceAll(/(?<!\.)\*/g, '[^/]*')}$`,
  )

describe.each([
  ['the tests of branches', coverage.test?.include],
  ['the tests apart', apart],
  ['the slow tests', slowPaths],
])('%s', (_, patterns = []) => {
  it('name no file that is not there', () => {
    const idle = patterns
      .flatMap(alternatives)
      .filter((pattern) => !tests.some((path) => expressionOf(pattern).test(path)))
    expect(patterns.length).toBeGreaterThan(5)
    expect(idle).toEqual([])
  })
})

it('the rest of the tests leaves out what asks for no length, itself or by what it imports', () => {
  const asking = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    // Examples of the documentation, which a test takes out of it.
    .filter((path) => !path.startsWith('docs/generated/'))
    .filter((path) => askingForLength.test(readFileSync(join(import.meta.dirname, path), 'utf8')))
  // Whoever imports one of these for its length names what it imports.
  expect(asking.sort()).toEqual([
    'conformance/describe-cases.ts',
    'conformance/reads/describe-reads.ts',
    'conformance/reads/lanes.ts',
    'conformance/writes/describe-writes.ts',
    'http/exchange.ts',
    'http/transports.ts',
    'property/random-filters.ts',
    'property/seeded-random.ts',
    'search.ts',
    'support/draws.ts',
    'support/long-runs.ts',
    'types/answers.test-d.ts',
  ])
  expect(equalPaths.length).toBeGreaterThan(300)
  expect(equalPaths).not.toContain('test/writes/model.test.ts')
})

it.each(mutants)('what the mutant "$name" breaks is there', ({ file, from }) => {
  expect(readFileSync(join(import.meta.dirname, '../src', file), 'utf8')).toContain(from)
})

describe('the name of a test', () => {
  const sources = readdirSync(join(import.meta.dirname, '../src'), { recursive: true, encoding: 'utf8' })
  const named = new Set(sources.map((path) => path.replace(/\.ts$/, '')))
  /** True for `test/sql/page.test.ts` of `src/sql/page` or `src/sql/page.ts`, and for all in a folder `test/sql/page`. */
  const bearsName = (path: string) => {
    const place = path.slice('test/'.length, -'.test.ts'.length)
    return named.has(place) || (dirname(place).includes('/') && named.has(dirname(place)))
  }

  it('is that of the file or room that it tests, of two in three', () => {
    expect(tests.filter(bearsName).length * 3).toBeGreaterThanOrEqual(tests.length * 2)
  })
})
