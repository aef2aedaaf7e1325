// Order of the pages, from docs/README.md and the tables of docs/api.md: they are the only lists.
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

export const root = join(import.meta.dirname, '../../..')

export const textOf = (page: string): string => readFileSync(join(root, page), 'utf8')

export interface Page {
  /** Path of its markdown in the repository. */
  readonly path: string
  readonly title: string
  readonly about: string
}

export interface Section {
  readonly title: string
  readonly pages: readonly Page[]
}

/** Pages of an index, each once, without links into pages. */
function pagesIn(text: string, links: RegExp): Page[] {
  const lines = text.split('\n').map((line) => ({ line, found: [...line.matchAll(links)] }))
  const pages = lines.flatMap(({ line, found }) =>
    found.map(([link, title = '', target = '']) => ({
      path: posix.join('docs', target),
      title,
      about: line.split(link)[1]?.replace(/^[:,| ]+(and )?| +\|.*$/g, '') ?? '',
    })),
  )
  return [...new Map(pages.map((page) => [page.path, page])).values()]
}

export const sections: readonly Section[] = textOf('docs/README.md')
  .split(/^## /m)
  .slice(1)
  .map((text) => ({
    title: text.split('\n')[0] ?? '',
    pages: pagesIn(text, /\[([^\]]+)\]\(([^)#]+\.md)\)/g),
  }))

/** Sections of the printed API by exported name, one for each entry that exports it. */
export const exported: ReadonlyMap<string, readonly string[]> = [
  ...textOf('docs/api.md').matchAll(/\[`(\w+)`\]\((api\/[^)#]+\.md#[^)]+)\)/g),
].reduce(
  (all, [, name = '', place = '']) => all.set(name, [...(all.get(name) ?? []), `docs/${place}`]),
  new Map<string, readonly string[]>(),
)

/** Pages of the printed API, which say in their first lines what they are about. */
export const entries: readonly Page[] = [
  ...new Set([...exported.values()].flat().map((place) => place.replace(/#.*/, ''))),
].map((path) => {
  const [title = '', , about = ''] = textOf(path).split('\n\n')
  return {
    path,
    title: title.replace('# ', ''),
    about: about.replace(/(?<=\.|: see) .*/s, '').replace(/: see$/, '.'),
  }
})

/** Address of a page below the root of the site: a README is the index of its folder. */
export const addressOf = (page: string): string => `/${page.replace(/README\.md$/, 'index.md')}`
