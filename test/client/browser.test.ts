// The client in a page and in a worker of a real browser: `npm run test:browser`. The page is that of the documentation.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { textOf } from '../../docs/print/texts.ts'
import { createItem } from '../../src/index.ts'
import { bundledScripts, openTaskPage } from './page-server.ts'

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
  const files = await bundledScripts({
    entryPoints: { client: join(import.meta.dirname, '../../src/client.ts') },
  })
  const scripts = new Map([...files, ['/worker.js', worker]])
  const { engine, browser, sockets } = await openTaskPage(page, scripts)
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
