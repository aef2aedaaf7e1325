// Every example of the documentation runs, and does what the page says. So do those in the comments of the source.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import pg from 'pg'
import type ts from 'typescript'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { diagnosticsOf, openCompiler, wordsOf } from '../support/compiler.ts'
import { type Run, runPage } from './asserting.ts'
import { pagesOfComments } from './comments.ts'
import { type Page, readPage } from './page.ts'

const root = join(import.meta.dirname, '../..')
const folder = 'test/docs/generated'

const names = ['README.md', ...readdirSync(join(root, 'docs')).map((file) => `docs/${file}`)]
/** Blocks of the tutorial are files of a project: see `tutorial.test.ts`. */
const isRun = (name: string) =>
  name.endsWith('.md') && name !== 'docs/tutorial.md' && existsSync(join(root, name))
const written = names
  .filter(isRun)
  .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }))
  .filter(({ text }) => /^```ts$/m.test(text))
  .map(({ name, text }) => readPage(name, text, folder))
const pages = [...written, ...pagesOfComments(folder)]

const moduleOf = ({ name }: Page) => join(root, folder, `${name.replace(/\W/g, '-')}.ts`)

mkdirSync(join(root, folder), { recursive: true })
// The first line of a module is empty, so this moves nothing. The compiler gets the modules without it, below.
for (const page of pages) writeFileSync(moduleOf(page), `// @ts-nocheck${page.module}`)

const files = mkdtempSync(join(tmpdir(), 'docs-'))
const schema = `docs_${randomBytes(8).toString('hex')}`
const onServer = async (statement: string) => {
  const client = new pg.Client(inject('postgres').c)
  await client.connect()
  await client.query(statement)
  await client.end()
}

beforeAll(async () => {
  await onServer(`CREATE SCHEMA ${schema}`)
  const url = new URL(inject('postgres').c)
  url.searchParams.set('options', `-c search_path=${schema}`)
  // Where the pages look for a PostgreSQL server, as an application would.
  process.env.DATABASE_URL = url.href
  process.env.CMS_DATABASE = join(files, 'cms.sqlite')
  const database = new BetterSqlite(process.env.CMS_DATABASE)
  database.exec(readFileSync(join(root, 'test/cms/fixture/cms.sql'), 'utf8'))
  database.close()
})

afterAll(async () => {
  // Other tests run in the same process.
  delete process.env.DATABASE_URL
  delete process.env.CMS_DATABASE
  rmSync(files, { recursive: true })
  await onServer(`DROP SCHEMA ${schema} CASCADE`)
})

for (const page of pages) describe(page.name, () => examplesHold(page))

function examplesHold(page: Page): void {
  let run: Run
  beforeAll(async () => {
    run = await runPage(() => import(/* @vite-ignore */ moduleOf(page)))
  })

  it('runs to its end', () => {
    if ('stopped' in run)
      throw new Error(`${page.name}:${run.reached}: ${run.stopped}`, { cause: run.stopped })
  })

  for (const { line, code } of page.examples) {
    it(`line ${line}: ${code}`, () => {
      const problem = run.outcomes.has(line) ? run.outcomes.get(line) : new Error('the page stopped before')
      if (problem instanceof Error) problem.message = `${page.name}:${line}: ${problem.message}`
      if (problem !== undefined) throw problem
    })
  }
}

it.each(written)('$name shows what comes of an example', ({ examples }) => {
  expect(examples.length).toBeGreaterThan(0)
})

// The compiler reads most of the library, which takes its time on a busy machine.
it('every example compiles', () => {
  const texts = new Map(pages.map((page) => [moduleOf(page), page.module]))
  // An example may make something only to show how it is made.
  const compiler = openCompiler({ noUnusedLocals: false, noUnusedParameters: false })
  const program = compiler.programOf([...texts.keys()], texts)
  const remarks = pages.flatMap((page) => remarksOn(program, moduleOf(page), page.name))
  expect(remarks).toEqual([])
})

function remarksOn(program: ts.Program, file: string, name: string): string[] {
  return diagnosticsOf(program, file).map((diagnostic) => {
    const { line = 0 } = diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0) ?? {}
    return `${name}:${line + 1}: ${wordsOf(diagnostic)}`
  })
}
