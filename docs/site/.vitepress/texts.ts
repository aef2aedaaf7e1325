// Texts for programs that read: the index of the pages, each page as markdown beside its HTML, and all of them in one file.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withoutComments } from './markdown.ts'
import { addressOf, entries, sections, textOf } from './outline.ts'

export function writeTexts(folder: string): void {
  const write = (path: string, text: string) => {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  const [title = '', about = ''] = textOf('README.md').split('\n\n')
  const all = [...sections, { title: 'Printed API', pages: entries }]
  const lists = all.map((section) => {
    const lines = section.pages.map(
      (page) => `- [${page.title}](${addressOf(page.path).slice(1)}): ${page.about}`,
    )
    return `## ${section.title}\n\n${lines.join('\n').replace(/: $/gm, '')}\n`
  })
  write('llms.txt', `${[title, `> ${about.replaceAll('\n', ' ')}`, ...lists].join('\n\n')}\n`)
  const texts = all
    .flatMap(({ pages }) => pages)
    .map(({ path }) => ({ path, text: withoutComments(textOf(path)) }))
  for (const { path, text } of texts) write(addressOf(path), text)
  write('llms-full.txt', texts.map(({ path, text }) => `<!-- ${path} -->\n\n${text}`).join('\n'))
}
