import { join } from 'node:path'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitepress'
import { readyMarkdown, slugify } from './markdown.ts'
import { addressOf, entries, type Page, root, sections } from './outline.ts'
import { writeTexts } from './texts.ts'

const itemOf = ({ title, path }: Page) => ({
  text: path === 'README.md' ? 'Overview' : title,
  link: addressOf(path).replace(/index\.md$/, ''),
})

const here = import.meta.dirname

/** Pages lie outside the folder whose packages they use. */
const packagesOfSite: Plugin = {
  name: 'packages-of-site',
  enforce: 'pre',
  resolveId(id, _importer, options) {
    if (!/^vue($|\/)/.test(id)) return null
    if (options.ssr) return { id, external: true }
    return this.resolve(id, join(here, 'config.ts'), { ...options, skipSelf: true })
  },
}

export default defineConfig({
  title: 'Quernel',
  description: 'An embeddable query engine for Node: a complete collections API over your own database.',
  srcDir: '../..',
  // Everything but the pages of the root and of docs.
  srcExclude: ['!(docs)/**/*.md', 'docs/site/node_modules/**'],
  ignoreDeadLinks: 'localhostLinks',
  rewrites: {
    'README.md': 'index.md',
    'docs/README.md': 'docs/index.md',
    'docs/site/playground.md': 'playground.md',
  },
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    anchor: { slugify },
    config: readyMarkdown,
    // The usual ones lack contrast.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-default' },
  },
  vite: {
    plugins: [packagesOfSite],
    resolve: {
      // The engine without Node and without pictures.
      alias: [
        { find: /^quernel$/, replacement: join(root, 'src/index.ts') },
        { find: /^(?:sharp|.*\/values\/from-node\.ts)$/, replacement: join(here, 'theme/from-browser.ts') },
      ],
    },
    worker: { format: 'es' },
    // The chunk of the search is loaded when it is opened.
    build: { chunkSizeWarningLimit: 2000 },
  },
  buildEnd: ({ outDir }) => writeTexts(outDir),
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        translations: { button: { buttonText: 'Search /', buttonAriaLabel: 'Search /' } },
      },
    },
    nav: [
      { text: 'Guides', link: '/docs/' },
      { text: 'API', link: '/docs/api' },
      { text: 'Playground', link: '/playground' },
    ],
    sidebar: sections.map(({ title, pages }) => ({
      text: title,
      items: pages.map((page) =>
        page.path === 'docs/api.md'
          ? { ...itemOf(page), collapsed: true, items: entries.map(itemOf) }
          : itemOf(page),
      ),
    })),
    outline: [2, 3],
  },
})
