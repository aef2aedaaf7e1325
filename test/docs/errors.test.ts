import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { EngineError, type ErrorCode } from '../../src/errors.ts'

const root = join(import.meta.dirname, '../..')

it('the page of errors lists every code with its status', () => {
  const page = readFileSync(join(root, 'docs/errors.md'), 'utf8')
  const listed = [...page.matchAll(/^\| `([A-Z_]+)` +\| (\d{3}) /gm)].map(([, code, status]) => [
    code,
    Number(status),
  ])
  const source = readFileSync(join(root, 'src/errors.ts'), 'utf8')
  const codes = [...source.matchAll(/^ {2}([A-Z_]+): \{ status/gm)].map(([, code]) => code as ErrorCode)
  const known = codes.map((code) => [code, new EngineError(code, '').status])
  expect(new Set(listed.map(String))).toEqual(new Set(known.map(String)))
  expect(listed.length).toBe(known.length)
})
