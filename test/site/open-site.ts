// The built site in a Chromium of its own.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ChromiumPage, openChromiumPage } from '../support/chromium-page.ts'
import { serveFolder } from './serve-folder.ts'

const site = join(import.meta.dirname, '../../docs/site')
export const folder = join(site, '.vitepress/dist')
const axe = readFileSync(join(site, 'node_modules/axe-core/axe.min.js'), 'utf8')

export interface SitePage extends ChromiumPage {
  /** Opens a page anew, and waits until it reacts. */
  visit(path: string): Promise<void>
  show(width: number, scheme: 'light' | 'dark'): Promise<void>
  /** Returns what keeps somebody from using the page, by axe. */
  obstacles(): Promise<readonly unknown[]>
}

export async function openSite(): Promise<SitePage> {
  const server = await serveFolder(folder)
  const page = await openChromiumPage()
  return {
    ...page,
    visit: async (path) => {
      await page.open('about:blank')
      await page.open(server.address + path)
      await page.until(`document.querySelector('#app')?.__vue_app__ !== undefined`)
    },
    show: async (width, scheme) => {
      await page.send('Emulation.setDeviceMetricsOverride', {
        ...{ width, height: 900, deviceScaleFactor: 1, mobile: width < 500 },
      })
      await page.send('Emulation.setEmulatedMedia', {
        features: [{ name: 'prefers-color-scheme', value: scheme }],
      })
    },
    obstacles: async () => {
      await page.evaluate(`${axe};0`)
      return page.evaluate(
        `axe.run().then(({ violations }) => violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(({ id, nodes }) => [id, nodes[0].html]))`,
      )
    },
    close: async () => {
      await page.close()
      server.close()
    },
  }
}
