import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { referencePage } from '../../docs/reference.ts'

it('the page of reference says what the tables say; if not, run "npm run docs"', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operators.md'), 'utf8')
  expect(page).toBe(referencePage())
})
