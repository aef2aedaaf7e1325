// Prints the pages of reference: `npm run docs`. With `--check` it changes nothing, and fails where a page is stale.
import { readFileSync, writeFileSync } from 'node:fs'
import { imagesPage } from './images-reference.ts'
import { referencePage } from './reference.ts'

const pages = { 'operators.md': referencePage(), 'images.md': imagesPage() }

for (const [name, text] of Object.entries(pages)) {
  const page = new URL(name, import.meta.url)
  if (!process.argv.includes('--check')) {
    writeFileSync(page, text)
  } else if (readFileSync(page, 'utf8') !== text) {
    console.error(`docs/${name} is stale; run "npm run docs".`)
    process.exitCode = 1
  }
}
