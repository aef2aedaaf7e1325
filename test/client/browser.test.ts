// The client in a page and in a worker of a real browser: `npm run test:browser`. The page is that of the documentation.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { textOf } from '../../docs/print/texts.ts'
import { createHandler, toNode } from '../../src/http.ts'
import { createItem } from '../../src/index.ts'
import { createSocketHandler, realtime, toWs } from '../../src/realtime.ts'
import { admin, openTasks } from '../realtime/tasks.ts'
import { atEnd } from '../support/at-end.ts'
import { openChromiumPage } from '../support/chromium-page.ts'

const worker = `
  import { connect, listItems, liveList } from '/quernel/client.js'
  const api = connect('/api', { token: 'secret' })
  const { data } = await listItems(api, 'tasks', { fields: ['title'], sort: 'title', limit: 1 })
  const lists = [1, 2, 3, 4, 5, 6, 7].map((limit) => liveList(api, 'tasks', { fields: ['title'], sort: 'title', limit }))
  const show = () => {
    const all = lists.map((list) => list.getSnapshot())
    if (all.every(({ state }) => state === 'live')) postMessage({ data, sizes: all.map(({ items }) => items.length) })
  }
  for (const list of lists) list.subscribe(show)
`

it('lists, and watches more lists than there are connections', { timeout: 120_000 }, async () => {
  const [page = ''] = textOf('docs/client.md').match(/(?<=```html\n)[\s\S]*?(?=```)/) ?? []
  const { outputFiles } = await build({
    entryPoints: { client: join(import.meta.dirname, '../../src/client.ts') },
    outdir: '/quernel',
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    platform: 'browser',
  })
  const files = new Map(outputFiles.map(({ path, text }) => [path, text]))
  const { engine, feed } = await openTasks()
  const authenticate = (token: string | null) => (token === 'secret' ? admin : null)
  const api = toNode(createHandler(engine, { prefix: '/api', authenticate, mounts: [realtime(feed)] }))
  const sockets = createSocketHandler(feed, { authenticate })
  const server = createServer((request, response) => {
    const { url = '' } = request
    if (url.startsWith('/api')) return void api(request, response)
    const script = url === '/worker.js' ? worker : files.get(url)
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript')
    response.end(script ?? `<!doctype html><meta charset="utf-8">${page}`)
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
  const shown = "[...document.querySelectorAll('#tasks li')].map((one) => one.textContent).join()"
  await browser.until(`${shown} === 'Hide,Paint,Write'`)
  await createItem(engine, 'tasks', { title: 'Cook' })
  await browser.until(`${shown} === 'Cook,Hide,Paint,Write'`)
  await browser.evaluate(
    `{ const worker = new Worker('/worker.js', { type: 'module' }); worker.onmessage = ({ data }) => { window.seen = data } }`,
  )
  expect(await browser.until('window.seen')).toEqual({
    data: [{ title: 'Cook' }],
    sizes: [1, 2, 3, 4, 4, 4, 4],
  })
  expect(sockets.status().sockets).toBe(1)
  await createItem(engine, 'tasks', { title: 'Yell' })
  await browser.until('window.seen.sizes.at(-1) === 5')
  expect(browser.messages).toEqual([])
})
