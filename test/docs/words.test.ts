// The length of the documentation: words that a reader sees, those of code and tables among them, without the printed API.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)].filter(
  (name) => name.endsWith('.md') && name !== 'docs/api.md',
)

/** A word has a letter or a digit. Comments and addresses of links are not seen. */
const wordsOf = (text: string): number =>
  text
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/\]\([^)]*\)/g, ']')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length

const proseOf = (text: string): string => text.replace(/^```[\s\S]*?^```$|^\|.*$/gm, '')

const textOf = (page: string): string => readFileSync(join(root, page), 'utf8')

it.each([
  ['all pages', pages, 80_000],
  ['the tutorial', ['docs/tutorial.md'], 1800],
  ['realtime in the browser', ['docs/realtime-in-the-browser.md'], 700],
] as const)('%s', (_, named, most) => {
  expect(named.reduce((sum, page) => sum + wordsOf(textOf(page)), 0)).toBeLessThanOrEqual(most)
})

it('prose, without code and tables', () => {
  expect(pages.reduce((sum, page) => sum + wordsOf(proseOf(textOf(page))), 0)).toBeLessThanOrEqual(46_000)
})
