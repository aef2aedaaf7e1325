import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { imagesPage } from '../../docs/images-reference.ts'
import { referencePage } from '../../docs/reference.ts'

it.each([
  ['operators.md', referencePage],
  ['images.md', imagesPage],
])('the page %s says what the tables say; if not, run "npm run docs"', (name, print) => {
  const page = readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8')
  expect(page).toBe(print())
})
