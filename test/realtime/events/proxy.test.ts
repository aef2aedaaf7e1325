// A proxy that keeps answers back, as nginx does unless it is told otherwise: events are heard at once all the same.
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { createHandler, toNode } from '../../../src/http.ts'
import { createItems, updateItem } from '../../../src/index.ts'
import { realtime } from '../../../src/realtime.ts'
import { portOf } from '../../support/listening.ts'
import { EventReader } from '../event-reader.ts'
import { admin, openTasks, until } from '../tasks.ts'

/** Bytes that the proxy keeps back. */
const bufferBytes = 8 * 1024

/** A proxy that hands on an answer when it has many bytes of it, or all, or is told not to wait. */
function bufferingProxy(to: number): Server {
  return createServer((message: IncomingMessage, response: ServerResponse) => {
    const { method, url, headers } = message
    const asking = request({ port: to, host: '127.0.0.1', method, path: url, headers }, (answer) => {
      const { 'x-accel-buffering': buffering, ...others } = answer.headers
      response.writeHead(answer.statusCode ?? 502, others)
      let [kept, size]: [Buffer[], number] = [[], 0]
      const handOn = () => {
        for (const chunk of kept) response.write(chunk)
        kept = []
        size = 0
      }
      answer.on('data', (chunk: Buffer) => {
        kept.push(chunk)
        size += chunk.length
        if (buffering === 'no' || size >= bufferBytes) handOn()
      })
      answer.on('end', () => {
        handOn()
        response.end()
      })
    })
    response.on('close', () => asking.destroy())
    asking.on('error', () => response.destroy())
    message.pipe(asking)
  })
}

const authorized = { headers: { authorization: 'Bearer admin' } }

async function openBehindProxy() {
  const opened = await openTasks()
  const handler = createHandler(opened.engine, {
    authenticate: (token) => (token === 'admin' ? admin : null),
    mounts: [realtime(opened.feed)],
  })
  const port = await portOf(bufferingProxy(await portOf(createServer(toNode(handler)))))
  return { ...opened, url: `http://127.0.0.1:${port}` }
}

it('hands on every event at once, and keeps back what is none', async () => {
  const { engine, feed, url } = await openBehindProxy()
  const response = await fetch(`${url}/live/tasks?fields=title&filter[id]=1`, authorized)
  expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
  const events = new EventReader(response)
  expect(await events.next()).toMatchObject({ event: 'snapshot', data: { items: [{ title: 'Paint' }] } })
  for (let change = 0; change < 20; change++) {
    await updateItem(engine, 'tasks', 1, { title: String(change) })
    expect(await events.next()).toMatchObject({
      event: 'changes',
      data: { set: [{ item: { title: String(change) } }] },
    })
  }
  await events.cancel()
  await until(() => feed.status().subscriptions === 0)
})

it('would hold up a stream that does not ask for more than this', async () => {
  // What the proxy does to anybody else: nothing comes before the end.
  let isOver = false
  const plain = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: 1\n\n')
    setTimeout(() => {
      isOver = true
      response.end()
    }, 200)
  })
  const port = await portOf(bufferingProxy(await portOf(plain)))
  const events = new EventReader(await fetch(`http://127.0.0.1:${port}/`))
  expect(await events.next()).toMatchObject({ data: 1 })
  expect(isOver).toBe(true)
})

it('hands on events larger than what it keeps', async () => {
  const { engine, url } = await openBehindProxy()
  const events = new EventReader(await fetch(`${url}/live/tasks?fields=title&limit=500&sort=-id`, authorized))
  await events.next()
  await createItems(
    engine,
    'tasks',
    Array.from({ length: 400 }, () => ({ title: 'x'.repeat(100) })),
  )
  const { data } = Object(await events.next())
  expect(data.set).toHaveLength(400)
  await events.cancel()
})
