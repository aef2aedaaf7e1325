// The lists of tests in configurations: a file that was renamed would be left out without a word.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import coverage from '../coverage.config.ts'
import { apart, slowPaths } from '../vitest.config.ts'

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
