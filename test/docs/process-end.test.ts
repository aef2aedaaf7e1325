// The page of frameworks as a program: what it has started and stopped keeps no process.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { readPage } from './page.ts'

const root = join(import.meta.dirname, '../..')
const folder = 'test/docs/generated'
const program = join(root, folder, 'process-end.ts')

/** In place of what checks an example. */
const unchecked = `
function at() {}
async function expectValue(_line, ask) {
  await ask()
}
`

afterAll(() => rmSync(program, { force: true }))

it('a process that has stopped its servers ends by itself', async () => {
  const page = readPage('docs/frameworks.md', readFileSync(join(root, 'docs/frameworks.md'), 'utf8'), folder)
  const module = page.module.replace(/^import \{ at, expectError, expectValue \}.*$/m, unchecked)
  mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(program, `${module}\nconsole.log('at the end')\n`)
  const tsx = join(root, 'node_modules/tsx/dist/cli.mjs')
  // One that does not end is killed, and that rejects.
  const { stdout } = await promisify(execFile)(process.execPath, [tsx, program], {
    cwd: root,
    timeout: 120_000,
  })
  expect(stdout).toContain('at the end')
})
