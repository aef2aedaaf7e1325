// The tutorial, as a reader follows it: each step compiles, starts, and answers what the page says.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { openBoardProject } from '../support/board-project.ts'
import { diagnosticsOf, openCompiler, wordsOf } from '../support/compiler.ts'
import { type Command, readTutorial } from './tutorial.ts'

const { steps, finished } = await readTutorial()
const [tables, , , , , , , , test] = steps
const last = steps.at(-1)
const board = openBoardProject()

it('has ten steps', () => {
  expect(steps.map(({ title }) => title.split(' ')[0])).toEqual(
    Array.from({ length: 10 }, (_, at) => `${at + 1}.`),
  )
})

it('takes some ten lines a step', () => {
  const lines = steps.map((step) => step.lines)
  expect(Math.max(...lines)).toBeLessThanOrEqual(16)
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(135)
})

it('begins with what `quernel init` has written', () => {
  expect(tables?.commands.map(({ line }) => line.split(' ')[0])).toEqual(['npx', 'mkdir', 'cp', 'cp', 'npm'])
})

it('compiles at each step', () => {
  const texts = new Map<string, string>()
  for (const [at, { files }] of steps.entries())
    for (const [path, text] of files) if (path.endsWith('.ts')) texts.set(`${at + 1}/${path}`, text)
  board.write(texts)
  const paths = [...texts.keys()].map((path) => join(board.folder(), path))
  const program = openCompiler({ noUnusedLocals: false }).programOf(paths)
  const remarks = paths.flatMap((path) =>
    diagnosticsOf(program, path).map((one) => `${path}: ${wordsOf(one)}`),
  )
  expect(remarks).toEqual([])
})

it.each(steps.slice(3))('$title: answers what the page says', async ({ files, commands }) => {
  board.write(files)
  const address = await board.start()
  // A flow runs after the answer.
  for (const command of commands.filter(({ line }) => line.startsWith('curl ')))
    await vi.waitFor(async () => expect(await answerOf(command, address)).toBe(command.output), {
      timeout: 60_000,
    })
  if (files.has('public/board.js')) {
    const page = await (await fetch(address)).text()
    for (const [, path = ''] of page.matchAll(/(?:href|src|quernel\/client)"?(?:=|: )"([^"]+)"/g))
      expect([path, (await fetch(new URL(path, address))).status]).toEqual([path, 200])
  }
  await board.stop()
})

it('the test of the rules passes', async () => {
  expect(test?.commands).toEqual([{ line: 'npm test', output: 'ℹ pass 5' }])
  expect(await board.run(scriptOf('test'))).toMatch(/^[#ℹ] pass 5$/m)
})

it('a server that is told to stop ends, and its cards are there again', async () => {
  await board.start({ NODE_ENV: 'production' })
  expect(await board.stop()).toBe(0)
  const address = await board.start({ NODE_ENV: 'production' })
  const line = `curl localhost:3000/api/items/cards?fields=title -H 'authorization: Bearer ada'`
  expect(await answerOf({ line, output: '' }, address)).toBe('{"data":[{"title":"Paint"},{"title":"Cook"}]}')
})

it('ends with the files that `quernel init` writes', () => {
  const besides = ['.dockerignore', '.gitignore', 'Dockerfile', 'README.md']
  const written = [...finished].filter(([path]) => !besides.includes(path))
  expect(new Map(written.sort())).toEqual(new Map([...(last?.files ?? [])].sort()))
})

/** The words behind `node` of a script of the project. */
function scriptOf(name: string): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(board.folder(), 'package.json'), 'utf8'))
  return scripts[name].split(' ').slice(1)
}

/** Sends what curl would send. */
async function answerOf({ line }: Command, address: string): Promise<string> {
  const { path, method, token, body } =
    /^curl(?: -g)?(?: -X (?<method>\w+))? '?localhost:3000(?<path>[^ ']+)'?(?: -H 'authorization: Bearer (?<token>\w+)')?(?: --json '(?<body>.*)')?$/.exec(
      line,
    )?.groups ?? {}
  const response = await fetch(address + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
  })
  return response.text()
}
