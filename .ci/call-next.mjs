// Starts a built board of Next, and uses it by the client: reads, writes, refusals, a live list that outlives its server.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { connect, createItem, deleteItem, getItem, listItems, liveList, updateItem } from 'quernel/client'

const next = createRequire(import.meta.url).resolve('next/dist/bin/next')
const port = await freePort()
let server = await start()
try {
  const url = `http://127.0.0.1:${port}/api`
  const [ada, mallory, stranger] = ['ada', 'mallory', 'eve'].map((token) => connect(url, { token }))

  const cards = liveList(ada, 'cards', { fields: ['id', 'title', 'place'], sort: ['place', 'id'] })
  const watched = watch(cards)
  await watched.until(({ state }) => state === 'live')

  const title = 'Cook: "ä" €👩‍🚀'
  const { id } = await createItem(ada, 'cards', { title, place: 1e6 })
  await watched.until(({ items }) => items.at(-1)?.title === title)
  await updateItem(ada, 'cards', id, { place: -1e6 })
  await watched.until(({ items }) => items[0]?.id === id)
  const some = (count) => ({
    filter: { title: { _in: [title, ...Array(count).fill('x'.repeat(40))] } },
    fields: ['id'],
  })
  for (const count of [1, 500])
    assert.deepEqual(await listItems(ada, 'cards', some(count)), { data: [{ id }] })

  assert.deepEqual(await listItems(mallory, 'cards'), { data: [] })
  await assert.rejects(getItem(mallory, 'cards', id), { code: 'NOT_FOUND', status: 404 })
  await assert.rejects(listItems(stranger, 'cards'), { code: 'INVALID_CREDENTIALS', status: 401 })
  await assert.rejects(getItem(ada, 'cards', 'a/b.%'), {
    code: 'NOT_FOUND',
    message: /There is no such item/,
  })
  const aborted = new AbortController()
  const waiting = listItems(ada, 'cards', {}, { signal: aborted.signal })
  aborted.abort(new Error('enough'))
  await assert.rejects(waiting, /enough/)

  await end('SIGKILL')
  await watched.until(({ state }) => state === 'late')
  server = await start()
  await watched.until(({ state, items }) => state === 'live' && items[0]?.id === id)
  await deleteItem(ada, 'cards', id)
  await watched.until(({ items }) => items.every((item) => item.id !== id))
  watched.leave()
  console.log('Next serves the client.')
} finally {
  // It would wait for streams that are open.
  await end('SIGKILL')
}

async function start() {
  const started = spawn(process.execPath, [next, 'start', '-H', '127.0.0.1', '-p', String(port)], {
    stdio: 'inherit',
  })
  const api = connect(`http://127.0.0.1:${port}/api`, { token: 'ada' })
  for (const end = AbortSignal.timeout(60_000); ; end.throwIfAborted())
    if (
      await listItems(api, 'cards').then(
        () => true,
        ({ code }) => code !== 'SERVICE_UNAVAILABLE',
      )
    )
      break
  return started
}

async function end(signal) {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill(signal)
  await ended
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return port
}

/** Returns what waits until a list is as it should be, a minute at most. */
function watch({ subscribe, getSnapshot }) {
  const leave = subscribe(() => undefined)
  const until = async (holds) => {
    const end = AbortSignal.timeout(60_000)
    while (!holds(getSnapshot())) {
      end.throwIfAborted()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return { until, leave }
}
