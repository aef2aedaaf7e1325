// What the compiler knows of a schema without `strictNullChecks`: in projects that are not strict, and of JavaScript with `checkJs`.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type ts from 'typescript'
import { expect, it } from 'vitest'
import { asJavaScript } from '../docs/as-javascript.ts'
import { readPage } from '../docs/page.ts'
import { diagnosticsOf, openCompiler, wordsOf } from '../support/compiler.ts'
import { answerMistakes } from './answer-mistakes.ts'
import { filterMistakes, queryMistakes } from './query-mistakes.ts'
import { ruleMistakes } from './rule-mistakes.ts'
import { schemaMistakes } from './schema-mistakes.ts'

const root = join(import.meta.dirname, '../..')
// Where pages of the documentation stand while they are compiled.
const folder = 'test/docs/generated'

const loose = {
  strict: false,
  exactOptionalPropertyTypes: false,
  noUncheckedIndexedAccess: false,
  noImplicitReturns: false,
  noUnusedLocals: false,
  noUnusedParameters: false,
}
const timeout = 240_000

const moduleOf = (name: string): string =>
  readPage(name, readFileSync(join(root, name), 'utf8'), folder).module

function remarksOn(modules: ReadonlyMap<string, string>, options: ts.CompilerOptions): readonly string[] {
  const program = openCompiler(options).programOf([...modules.keys()], modules)
  return [...modules.keys()].flatMap((file) =>
    diagnosticsOf(program, file).map((one) => `${file}: ${wordsOf(one)}`),
  )
}

// What says whether null or undefined is among the values.
const strictOnly: ReadonlySet<string> = new Set(['items.test-d.ts', 'creations.test-d.ts'])

it('the README and every page compile with "strict": false', { timeout }, () => {
  const pages = readdirSync(join(root, 'docs')).flatMap((file) =>
    // Blocks of the tutorial are files of a project, which its own test compiles.
    file.endsWith('.md') && file !== 'tutorial.md' ? [`docs/${file}`] : [],
  )
  const written = ['README.md', ...pages].filter((name) =>
    /^```ts$/m.test(readFileSync(join(root, name), 'utf8')),
  )
  const modules = written.map((name) => [
    join(root, folder, `loose-${name.replace(/\W/g, '-')}.ts`),
    moduleOf(name),
  ])
  expect(remarksOn(new Map(modules as [string, string][]), loose)).toEqual([])
})

/** Rules for the schema of the README, with their type. */
const editors =
  'export const editors: Access<typeof schema> = { rules: { articles: { read: { filter: { author: 1 } } } } }'

it('the README, with rules of its schema, compiles as JavaScript with "checkJs"', { timeout }, () => {
  const code = asJavaScript(`import type { Access } from 'quernel'\n${moduleOf('README.md')}\n${editors}\n`)
  expect(code).toContain('@type {Access<typeof schema>}')
  const file = join(root, folder, 'loose-readme.js')
  expect(remarksOn(new Map([[file, code]]), { ...loose, allowJs: true, checkJs: true })).toEqual([])
})

it('the types of results are known, and mistakes are found', { timeout }, () => {
  const here = import.meta.dirname
  // Zod infers optional members then.
  const right = readdirSync(here).filter((name) => name.endsWith('.test-d.ts') && !strictOnly.has(name))
  const mistakes = [
    ...schemaMistakes,
    ...filterMistakes,
    ...queryMistakes,
    ...ruleMistakes,
    ...answerMistakes,
  ]
    // Null is in every type then.
    .filter(({ title }) => title !== 'null in an order')
    .map((mistake, index) => ({ ...mistake, file: join(here, `loose-mistake-${index}.ts`) }))
  const program = openCompiler(loose).programOf(
    [...right.map((name) => join(here, name)), ...mistakes.map(({ file }) => file)],
    new Map(mistakes.map(({ file, code }) => [file, code])),
  )
  for (const name of right) expect(diagnosticsOf(program, join(here, name)).map(wordsOf)).toEqual([])
  for (const { title, file, remarks } of mistakes) {
    const places = diagnosticsOf(program, file).map(({ file: source, start = 0, length = 0 }) =>
      source?.text.slice(start, start + length),
    )
    expect([title, ...places]).toEqual([title, ...remarks.map(({ at }) => at)])
  }
})
