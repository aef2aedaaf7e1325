import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { answerMistakes } from './answer-mistakes.ts'
import { schemaOfManyCollections } from './many-collections.ts'
import { filterMistakes, queryMistakes } from './query-mistakes.ts'
import { ruleMistakes } from './rule-mistakes.ts'
import { schemaMistakes } from './schema-mistakes.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

// The compiler reads most of the library, which takes its time on a busy machine.
const timeout = 120_000

it('what is right compiles without a word', { timeout }, () => {
  const files = ['items', 'filters', 'queries', 'schemas', 'answers', 'versions', 'exports', 'access'].map(
    (name) => `${here}${name}.test-d.ts`,
  )
  const program = programOf(files)
  expect(files.flatMap((file) => remarksOn(program, file))).toEqual([])
})

describe('the compiler says what is wrong', () => {
  const mistakes = [
    ...schemaMistakes,
    ...filterMistakes,
    ...queryMistakes,
    ...ruleMistakes,
    ...answerMistakes,
  ]
  const fileOf = (index: number) => `${here}mistake-${index}.ts`
  const program = programWith(new Map(mistakes.map(({ code }, index) => [fileOf(index), code])))

  it.each(mistakes.map((mistake, index) => ({ ...mistake, file: fileOf(index) })))(
    'about $title',
    { timeout },
    ({ file, remarks }) => {
      const said = remarksOn(program, file)
      expect(said.map(({ at }) => at)).toEqual(remarks.map(({ at }) => at))
      for (const [index, { says }] of remarks.entries()) {
        for (const part of [says].flat()) expect(said[index]?.says).toContain(part)
      }
    },
  )
})

// Measured: 166,000. Beyond the budget editors become slow, because something walks on that should have waited.
const budget = 250_000

it('a schema of 100 collections stays within its budget of instantiations', { timeout }, () => {
  const file = `${here}many.ts`
  const program = programWith(new Map([[file, schemaOfManyCollections(100)]]))
  expect(remarksOn(program, file)).toEqual([])
  expect(instantiationsOf(program)).toBeGreaterThan(budget / 10)
  expect(instantiationsOf(program)).toBeLessThan(budget)
})

/** A program of files that exist in memory only, and of the library they import. */
function programWith(files: ReadonlyMap<string, string>): ts.Program {
  return programOf([...files.keys()], files)
}

function programOf(files: readonly string[], inMemory: ReadonlyMap<string, string> = new Map()): ts.Program {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile } = host
  host.fileExists = (file) => inMemory.has(file) || fileExists(file)
  host.readFile = (file) => inMemory.get(file) ?? readFile(file)
  return ts.createProgram(files, options, host)
}

function remarksOn(program: ts.Program, file: string) {
  const source = program.getSourceFile(file)
  if (!source) throw new Error(`There is no file ${file}.`)
  const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
  return found.map(({ start = 0, length = 0, messageText }) => ({
    at: source.text.slice(start, start + length),
    says: shorten(ts.flattenDiagnosticMessageText(messageText, '\n')),
  }))
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
