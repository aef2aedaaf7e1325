// The site of the documentation as built, in Chromium: `npm run test:site`.
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { folder, openSite, type SitePage } from './open-site.ts'

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.html'),
)
const textOf = (file: string) => readFileSync(join(folder, file), 'utf8')

let page: SitePage

beforeAll(async () => {
  page = await openSite()
})

afterAll(() => page.close())

describe('links', () => {
  const anchorsOf = new Map(
    files.map((file) => [
      file,
      new Set([...textOf(file).matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id)),
    ]),
  )

  it.each(files)('%s has none that leads nowhere', (file) => {
    const links = [...textOf(file).matchAll(/<a\b[^>]*?\shref="([^"]+)"/g)].map(([, href = '']) => href)
    const dead = links.filter((href) => {
      if (/^\w+:/.test(href)) return false
      const { pathname, hash } = new URL(href, `http://site/${file}`)
      const target = pathname.replace(/\/$/, '/index.html').slice(1)
      const anchors = anchorsOf.get(target)
      return !anchors || (hash !== '' && !anchors.has(decodeURIComponent(hash.slice(1))))
    })
    expect(links.length > 10 || file === '404.html').toBe(true)
    expect(dead).toEqual([])
  })

  it('lead from names in the guides to the printed API, and from no heading', () => {
    const linked = files.flatMap((file) => [
      ...textOf(file).matchAll(/<a class="name" href="([^"]+)"><code[^>]*>(\w+)</g),
    ])
    const links = new Set(linked.map(([, href, name]) => `${name} ${href}`))
    expect(links).toContain('createFlows /docs/api/flows.html#createflows')
    expect(links.size).toBeGreaterThan(50)
    const headings = files.flatMap((file) => textOf(file).match(/<h[1-6][^>]*>.*?<\/h[1-6]>/g) ?? [])
    expect(headings.filter((heading) => heading.includes('class="name"'))).toEqual([])
  })

  it('of the side bar lead to every page', () => {
    const linked = [...textOf('index.html').matchAll(/class="VPLink link link" href="\/([^"#]*)"/g)].map(
      ([, path = '']) => path.replace(/(^|\/)$/, '$1index.html'),
    )
    const alone = ['404.html', 'docs/index.html', 'playground.html']
    expect(files.filter((file) => !linked.includes(file) && !alone.includes(file))).toEqual([])
  })
})

describe('pages', () => {
  it('show neither comments nor what they set up', () => {
    const showing = files.filter((file) => /answer-over-http|Printed by `npm run docs`/.test(textOf(file)))
    expect(showing).toEqual([])
  })

  it('have their pictures', async () => {
    await page.visit('/')
    const broken =
      '[...document.images].filter(({ complete, naturalWidth }) => complete && !naturalWidth).length'
    expect(await page.evaluate('document.images.length')).toBeGreaterThan(0)
    expect(await page.evaluate(broken)).toBe(0)
  })

  it('stand as texts beside the site', () => {
    const index = textOf('llms.txt')
    const paths = [...index.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, path = '']) => path)
    expect(paths.length).toBeGreaterThan(40)
    const whole = textOf('llms-full.txt')
    for (const path of paths) expect(whole).toContain(textOf(posix.normalize(path)))
    expect(whole).not.toContain('test/docs/')
  })

  it('fit a window of 360 pixels', async () => {
    await page.show(360, 'light')
    for (const file of files) {
      await page.visit(`/${file}`)
      expect([file, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([file, 360])
    }
  })

  const shown = ['/', '/docs/reading.html', '/docs/api/http.html'].flatMap((path) => [
    [path, 'light'] as const,
    [path, 'dark'] as const,
  ])

  it.each(shown)('%s can be used by everybody, in %s', async (path, scheme) => {
    await page.show(1280, scheme)
    await page.visit(path)
    expect(await page.obstacles()).toEqual([])
    expect(await page.evaluate(`document.documentElement.classList.contains('dark')`)).toBe(scheme === 'dark')
  })
})

/** Opens the search of a page about something else, and types what is looked for. */
async function search(words: string): Promise<void> {
  await page.show(1280, 'light')
  await page.visit('/docs/types.html')
  // Shows what is found in the texts of pages, too.
  await page.evaluate(`localStorage.setItem('vitepress:local-search-detailed-list', 'true')`)
  await page.press('/')
  await page.until(`document.activeElement?.id === 'localsearch-input'`)
  await page.type(words)
}

describe('search', () => {
  it.each(['cursor', 'row level', 'webhook', 'thumbnails', 'kanban'])('finds %s', async (words) => {
    await search(words)
    const found = `[...document.querySelectorAll('.VPLocalSearchBox .result:first-child mark')].map(({ textContent }) => textContent)`
    const last = words.split(' ').at(-1)
    await page.until(`${found}.some((text) => text.toLowerCase() === '${last}')`)
    await page.evaluate(`document.querySelector('.VPLocalSearchBox .result').click()`)
    const pattern = new RegExp(words.replace(' ', '.'), 'i')
    await page.until(
      `location.pathname !== '/docs/types.html' && ${pattern}.test(document.querySelector('main').textContent)`,
    )
  })
})

describe('questions of newcomers', () => {
  it.each([
    ['how do I paginate', '/docs/guides.html#pagination'],
    ['restrict rows', '/docs/access.html'],
    ['upload a file', '/docs/files.html'],
    ['sort by a related count', '/docs/reading.html#sort-order'],
    ['run behind a proxy', '/docs/sign-in.html#behind-a-proxy'],
    ['test my rules', '/docs/sign-in.html#test-the-rules'],
    ['add a computed value', '/docs/guides.html#computed-values'],
    ['watch a list in React', '/docs/realtime.html#a-store-for-react'],
    ['survive a crash', '/docs/flow-runs.html'],
    ['upgrade', '/CHANGELOG.html#upgrade'],
  ])('%s: one of the first three hits is %s', async (question, address) => {
    await search(question)
    const first = `[...document.querySelectorAll('.VPLocalSearchBox .result')].slice(0, 3).map((hit) => hit.getAttribute('href'))`
    await page.until(`${first}.some((hit) => hit.startsWith('${address}'))`)
    // Somebody who has typed on sees what the whole question finds.
    await page.until(`document.querySelector('#localsearch-input').value === ${JSON.stringify(question)}`)
    expect(await page.evaluate(first)).toEqual(expect.arrayContaining([expect.stringMatching(`^${address}`)]))
  })
})

it('nothing is fetched from elsewhere, and nothing fails', () => {
  // The server allows no other host, so a request would be among the messages.
  expect(page.messages).toEqual([])
})
