// The site of the documentation as built, in Chromium: `npm run test:site`.
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ChromiumPage, openChromiumPage } from '../support/chromium-page.ts'
import { serveFolder } from './serve-folder.ts'

const site = join(import.meta.dirname, '../../docs/site')
const folder = join(site, '.vitepress/dist')
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.html'),
)
const textOf = (file: string) => readFileSync(join(folder, file), 'utf8')

let server: Awaited<ReturnType<typeof serveFolder>>
let page: ChromiumPage

beforeAll(async () => {
  server = await serveFolder(folder)
  page = await openChromiumPage()
})

afterAll(async () => {
  await page.close()
  server.close()
})

/** Opens a page anew, and waits until it reacts. */
async function visit(path: string): Promise<void> {
  await page.open('about:blank')
  await page.open(server.address + path)
  await page.until(`document.querySelector('#app')?.__vue_app__ !== undefined`)
}

async function show(width: number, scheme: 'light' | 'dark'): Promise<void> {
  await page.send('Emulation.setDeviceMetricsOverride', {
    ...{ width, height: 900, deviceScaleFactor: 1, mobile: width < 500 },
  })
  await page.send('Emulation.setEmulatedMedia', {
    features: [{ name: 'prefers-color-scheme', value: scheme }],
  })
}

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
    const alone = ['404.html', 'docs/index.html']
    expect(files.filter((file) => !linked.includes(file) && !alone.includes(file))).toEqual([])
  })
})

describe('pages', () => {
  it('show neither comments nor what they set up', () => {
    const showing = files.filter((file) => /answer-over-http|Printed by `npm run docs`/.test(textOf(file)))
    expect(showing).toEqual([])
  })

  it('have their pictures', async () => {
    await visit('/')
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
    await show(360, 'light')
    for (const file of files) {
      await visit(`/${file}`)
      expect([file, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([file, 360])
    }
  })

  const axe = readFileSync(join(site, 'node_modules/axe-core/axe.min.js'), 'utf8')
  const shown = ['/', '/docs/reading.html', '/docs/api/http.html'].flatMap((path) => [
    [path, 'light'] as const,
    [path, 'dark'] as const,
  ])

  it.each(shown)('%s can be used by everybody, in %s', async (path, scheme) => {
    await show(1280, scheme)
    await visit(path)
    await page.evaluate(`${axe};0`)
    const found = await page.evaluate(
      `axe.run().then(({ violations }) => violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => [id, nodes[0].html]))`,
    )
    expect(found).toEqual([])
    expect(await page.evaluate(`document.documentElement.classList.contains('dark')`)).toBe(scheme === 'dark')
  })
})

describe('search', () => {
  it.each(['cursor', 'row level', 'webhook', 'thumbnails'])('finds %s', async (words) => {
    await show(1280, 'light')
    await visit('/docs/types.html')
    await page.press('/')
    await page.until(`document.activeElement?.id === 'localsearch-input'`)
    await page.type(words)
    await page.until(`document.querySelector('.VPLocalSearchBox .result')`)
    await page.until(`document.querySelector('.VPLocalSearchBox .result mark')`)
    await page.evaluate(`document.querySelector('.VPLocalSearchBox .result').click()`)
    const pattern = new RegExp(words.replace(' ', '.'), 'i')
    await page.until(
      `location.pathname !== '/docs/types.html' && ${pattern}.test(document.querySelector('main').textContent)`,
    )
  })
})

it('nothing is fetched from elsewhere, and nothing fails', () => {
  // The server allows no other host, so a request would be among the messages.
  expect(page.messages).toEqual([])
})
