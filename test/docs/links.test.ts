// Every link of a page to another leads somewhere, and so does its anchor.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const names = [
  ...readdirSync(root).filter((file) => file.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !file.startsWith('site'))
    .map((file) => join('docs', file)),
]

/** The page without its blocks of code. */
const proseOf = (name: string): string =>
  readFileSync(join(root, name), 'utf8').replace(/^```[\s\S]*?^```$/gm, '')

const linksOf = (prose: string): string[] =>
  [...prose.replace(/`[^`\n]*`/g, '').matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)]
    .map(([, inMarkdown, inHtml]) => inMarkdown ?? inHtml ?? '')
    .filter((link) => !/^[a-z]+:/.test(link))

/** As forges make them: lower case, without punctuation, with a number behind what is there already. */
function anchorsOf(name: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of proseOf(name).matchAll(/^#+ (.*)$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-')
    let count = 0
    while (anchors.has(count === 0 ? anchor : `${anchor}-${count}`)) count += 1
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`)
  }
  return anchors
}

function leadsNowhere(link: string, page: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : normalize(join(dirname(page), path))
  if (!existsSync(join(root, target))) return true
  return anchor !== undefined && !anchorsOf(target).has(anchor)
}

it.each(names)('%s has no link that leads nowhere', (name) => {
  expect(linksOf(proseOf(name)).filter((link) => leadsNowhere(link, name))).toEqual([])
})

it('every page can be reached from the index', () => {
  const listed = linksOf(proseOf('docs/README.md')).map((link) =>
    normalize(join('docs', link.split('#')[0] ?? '')),
  )
  const printed = (name: string) => dirname(name) === 'docs/api'
  expect(
    names.filter((name) => dirname(name) === 'docs' && !printed(name) && !listed.includes(name)),
  ).toEqual(['docs/README.md'])
})
