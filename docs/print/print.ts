// Prints what the code says into the documentation: `npm run docs`. With `--check` it changes nothing, and fails where a page is stale.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pagesNow } from './pages.ts'
import { root, textOf } from './texts.ts'

for (const [name, text] of Object.entries(pagesNow())) {
  if (!process.argv.includes('--check')) {
    writeFileSync(join(root, name), text)
  } else if (textOf(name) !== text) {
    console.error(`${name} is stale; run "npm run docs".`)
    process.exitCode = 1
  }
}
