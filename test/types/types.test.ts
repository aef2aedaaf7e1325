import { fileURLToPath } from 'node:url'
import type ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { diagnosticsOf, openCompiler, wordsOf } from '../support/compiler.ts'
import { answerMistakes } from './answer-mistakes.ts'
import { flowMistakes } from './flow-mistakes.ts'
import { queriesOfManyCollections, schemaOfManyCollections } from './many-collections.ts'
import { filterMistakes, queryMistakes } from './query-mistakes.ts'
import { ruleMistakes } from './rule-mistakes.ts'
import { schemaMistakes } from './schema-mistakes.ts'

const here = fileURLToPath(new URL('.', import.meta.url))

// The compiler reads most of the library, which takes its time on a busy machine.
const timeout = 120_000

const mistakes = [
  ...schemaMistakes,
  ...filterMistakes,
  ...queryMistakes,
  ...ruleMistakes,
  ...answerMistakes,
  ...flowMistakes,
].map((mistake, index) => ({ ...mistake, file: `${here}mistake-${index}.ts` }))
const right = [
  'items',
  'filters',
  'queries',
  'schemas',
  'answers',
  'versions',
  'exports',
  'access',
  'drivers',
  'zod',
  'creations',
  'flows',
].map((name) => `${here}${name}.test-d.ts`)
const compiler = openCompiler()
// What both use of the library is judged once.
const program = programWith(new Map(mistakes.map(({ code, file }) => [file, code])), right)

it('what is right compiles without a word', { timeout }, () => {
  expect(right.flatMap((file) => remarksOn(program, file))).toEqual([])
})

describe('the compiler says what is wrong', () => {
  it.each(mistakes)('about $title', { timeout }, ({ file, remarks }) => {
    const said = remarksOn(program, file)
    expect(said.map(({ at }) => at)).toEqual(remarks.map(({ at }) => at))
    for (const [index, { says }] of remarks.entries()) {
      for (const part of [says].flat()) expect(said[index]?.says).toContain(part)
    }
  })
})

// Beyond these budgets editors become slow, because something walks on that should have waited.
const budgets = [
  // Measured: 175,000.
  { title: 'a schema of 100 collections', text: schemaOfManyCollections(100), budget: 250_000 },
  // Measured: 340,000, and 410,000 where the compiler walks all that the marks of wrong names could ever be.
  { title: '150 queries of 50 collections', text: queriesOfManyCollections(50), budget: 360_000 },
]

it.each(budgets)('$title: within its budget of instantiations', { timeout }, ({ text, budget }) => {
  const file = `${here}many.ts`
  const program = programWith(new Map([[file, text]]))
  expect(remarksOn(program, file)).toEqual([])
  expect(instantiationsOf(program)).toBeGreaterThan(budget / 10)
  expect(instantiationsOf(program)).toBeLessThan(budget)
})

function programWith(inMemory: ReadonlyMap<string, string>, others: readonly string[] = []): ts.Program {
  return compiler.programOf([...inMemory.keys(), ...others], inMemory)
}

function remarksOn(program: ts.Program, file: string) {
  return diagnosticsOf(program, file).map((diagnostic) => {
    const { file: source, start = 0, length = 0 } = diagnostic
    return { at: source?.text.slice(start, start + length), says: shorten(wordsOf(diagnostic)) }
  })
}

/** The first line, without the literals that the compiler repeats. */
function shorten(message: string): string {
  const [line = ''] = message.split('\n')
  const shorter = line.replace(/(?<!\$)\{[^{}]*\}/g, '…')
  return shorter === line ? line : shorten(shorter)
}

function instantiationsOf(program: ts.Program): number {
  // Not in its declarations, but there since long, and the only measure that does not depend on the machine.
  return (program as ts.Program & { getInstantiationCount(): number }).getInstantiationCount()
}
