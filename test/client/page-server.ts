// A server of tasks for pages of a browser: the API at `/api`, with lists that stay true, and files beside it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild'
import { createHandler, toNode } from '../../src/http.ts'
import { createSocketHandler, realtime, toWs } from '../../src/realtime.ts'
import { admin, openTasks } from '../realtime/tasks.ts'
import { atEnd } from '../support/at-end.ts'
import { type ChromiumPage, openChromiumPage } from '../support/chromium-page.ts'

type Tasks = Awaited<ReturnType<typeof openTasks>>
type Sockets = ReturnType<typeof createSocketHandler>

interface OpenPage {
  readonly engine: Tasks['engine']
  readonly browser: ChromiumPage
  readonly sockets: Sockets
}

/** Opens a page in Chromium. `scripts`: their texts by their paths. */
export async function openTaskPage(html: string, scripts: ReadonlyMap<string, string>): Promise<OpenPage> {
  const { engine, feed } = await openTasks()
  const authenticate = (token: string | null) => (token === 'secret' ? admin : null)
  const api = toNode(createHandler(engine, { prefix: '/api', authenticate, mounts: [realtime(feed)] }))
  const sockets = createSocketHandler(feed, { authenticate })
  const server = createServer((request, response) => {
    const { url = '' } = request
    if (url.startsWith('/api')) return void api(request, response)
    const script = scripts.get(url)
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript')
    response.end(script ?? `<!doctype html><meta charset="utf-8">${html}`)
  })
  await toWs(sockets, server, { path: '/api/websocket' })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const browser = await openChromiumPage()
  atEnd(async () => {
    await browser.close()
    server.closeAllConnections()
    server.close()
  })
  await browser.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return { engine, browser, sockets }
}

/** Bundles for browsers, and returns the texts by their paths below `/quernel`. */
export async function bundledScripts(
  options: Pick<NonNullable<Parameters<typeof build>[0]>, 'entryPoints' | 'stdin' | 'alias' | 'nodePaths'>,
): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build({
    ...options,
    outdir: '/quernel',
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  return new Map(outputFiles.map(({ path, text }) => [path, text]))
}
