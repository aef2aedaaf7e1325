// Prints the page of reference: `npm run docs`. With `--check` it changes nothing, and fails where the page is stale.
import { readFileSync, writeFileSync } from 'node:fs'
import { referencePage } from './reference.ts'

const page = new URL('operators.md', import.meta.url)
const text = referencePage()

if (!process.argv.includes('--check')) {
  writeFileSync(page, text)
} else if (readFileSync(page, 'utf8') !== text) {
  console.error('docs/operators.md is stale; run "npm run docs".')
  process.exitCode = 1
}
