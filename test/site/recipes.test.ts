// The recipes of the client for React, TanStack Query, Vue, Svelte and Solid, each as it stands in the documentation, in a page of Chromium.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { textOf } from '../../docs/print/texts.ts'
import { createItem } from '../../src/index.ts'
import { bundledScripts, openTaskPage } from '../client/page-server.ts'

const blocks = [...textOf('docs/client.md').matchAll(/(?<=```js\n)[\s\S]*?(?=```)/g)].map(([block]) => block)
const block = (part: string): string => blocks.find((one) => one.includes(part)) ?? ''
/** The statement that ends with the name of a library. */
const recipe = (of: string): string =>
  new RegExp(`^const (?:(?!^const)[\\s\\S])*// ${of}`, 'm').exec(block('// React'))?.[0] ?? ''

const program = `
import { createElement, useSyncExternalStore } from 'react'
import { createRoot as reactRoot } from 'react-dom/client'
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { createApp, h, onUnmounted, shallowRef } from 'vue'
import { readable } from 'svelte/store'
import { createEffect, createRoot as solidRoot, from } from 'solid-js'
import { connect, listItems, liveList } from 'quernel/client'

const api = connect('/api', { token: 'secret', retry: 0 })
const open = liveList(api, 'tasks', { fields: ['title'], sort: 'title' })
const place = (id) => document.getElementById(id)
const titles = (items) => items.map(({ title }) => title).join()

function React() {
  ${recipe('React')}
  return createElement('p', {}, state + ' ' + titles(items))
}
reactRoot(place('react')).render(createElement(React))

function Query() {
  ${block('useQuery')}
  return data ? titles(data) : ''
}
reactRoot(place('query')).render(createElement(QueryClientProvider, { client: new QueryClient() }, createElement(Query)))

createApp({
  setup() {
    ${recipe('Vue')}
    onUnmounted(leave)
    return () => h('p', titles(items.value.items))
  },
}).mount(place('vue'))

{
  ${recipe('Svelte')}
  items.subscribe(({ items }) => (place('svelte').textContent = titles(items)))
}
solidRoot(() => {
  ${recipe('Solid')}
  createEffect(() => (place('solid').textContent = titles(items().items)))
})
`

const page = `${['react', 'query', 'vue', 'svelte', 'solid'].map((id) => `<div id="${id}"></div>`).join('')}<script type="module" src="/quernel/stdin.js"></script>`

it('shows a list and its changes in each of them', { timeout: 120_000 }, async () => {
  const root = join(import.meta.dirname, '../..')
  const scripts = await bundledScripts({
    stdin: { contents: program, resolveDir: join(root, 'docs/site') },
    alias: { 'quernel/client': join(root, 'src/client.ts') },
  })
  const { engine, browser } = await openTaskPage(page, scripts)
  const shown = "[...document.querySelectorAll('div')].map((one) => one.textContent)"
  const [first, then] = ['Hide,Paint,Write', 'Cook,Hide,Paint,Write']
  const shows = (...texts: readonly string[]) =>
    browser.until(`JSON.stringify(${shown}) === ${JSON.stringify(JSON.stringify(texts))}`)
  await shows(`live ${first}`, first, first, first, first)
  await createItem(engine, 'tasks', { title: 'Cook' })
  // A query is asked for again by its rules alone.
  await shows(`live ${then}`, first, then, then, then)
  expect(browser.messages).toEqual([])
})
