// Clients that do not read: what waits for them is bounded, they are gone in time, and nobody else notices.
import { createServer, get, type IncomingMessage } from 'node:http'
import { afterEach, expect, it, vi } from 'vitest'
import { createHandler, toNode } from '../../../src/http.ts'
import { updateItem } from '../../../src/index.ts'
import {
  createSocketHandler,
  realtime,
  type SocketConnection,
  type SocketHandler,
  toWs,
} from '../../../src/realtime.ts'
import { atEnd } from '../../support/at-end.ts'
import { backToRealTime } from '../../support/fake-time.ts'
import { portOf } from '../../support/listening.ts'
import { SocketClient } from '../socket-client.ts'
import { admin, openTasks, pause, until } from '../tasks.ts'

afterEach(backToRealTime)

const clock = () =>
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    shouldAdvanceTime: true,
  })

it('a socket that stops reading keeps 256 KiB waiting, and is closed after thirty seconds', async () => {
  clock()
  const { engine, feed } = await openTasks()
  const sockets = createSocketHandler(feed, { authenticate: () => admin })
  const connections: SocketConnection[] = []
  const codes: number[] = []
  const watched: SocketHandler = {
    ...sockets,
    open: (connection) => {
      connections.push(connection)
      const close = (code: number, reason: string) => {
        codes.push(code)
        connection.close(code, reason)
      }
      return sockets.open({ ...connection, close })
    },
  }
  const server = createServer()
  await toWs(watched, server)
  const port = await portOf(server)
  const connect = async () => {
    const client = new SocketClient(`ws://127.0.0.1:${port}/websocket`)
    atEnd(() => client.terminate())
    await client.ready
    await client.ask({ type: 'auth', access_token: 'x' })
    await client.ask({ type: 'subscribe', collection: 'tasks', query: { fields: ['title'] } })
    return client
  }
  const stalled = await connect()
  const reading = await connect()
  stalled.pause()
  const large = 'x'.repeat(50_000)
  let [changes, most] = [0, 0]
  const change = async () => {
    changes += 1
    await updateItem(engine, 'tasks', 1, { title: `${large}${changes}` })
    // The reader is told each of them.
    const { data } = await reading.next()
    expect(Object(data)[0].title.slice(large.length)).toBe(String(changes))
    most = Math.max(most, connections[0]?.buffered() ?? 0)
  }
  // The system takes some megabytes itself.
  while (most <= 256 * 1024 && changes < 1_000) await change()
  for (let more = 0; more < 100; more++) await change()
  expect(most).toBeGreaterThan(256 * 1024)
  expect(most).toBeLessThan(256 * 1024 + 2 * 50_100)
  expect(codes).toEqual([])
  await vi.advanceTimersByTimeAsync(31_000)
  expect(codes).toEqual([1013])
  expect(sockets.status().sockets).toBe(1)
  // It does not close its side.
  await vi.advanceTimersByTimeAsync(6_000)
  await vi.waitFor(async () => {
    const count = await new Promise((resolve) => server.getConnections((_, open) => resolve(open)))
    expect(count).toBe(1)
  }, 60_000)
  await change()
  await until(() => feed.status().subscriptions === 1)
  await pause(0)
})

it('an event stream that is not read is broken off after thirty seconds, with its connection', async () => {
  clock()
  const { engine, feed } = await openTasks()
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const handler = createHandler(engine, { authenticate: () => admin, mounts: [realtime(feed)], onError })
  const server = createServer(toNode(handler))
  const port = await portOf(server)
  const response = await new Promise<IncomingMessage>((resolve) => {
    get({ port, path: '/live/tasks?fields=title' }, resolve)
  })
  // Nobody reads it from here on.
  expect(response.statusCode).toBe(200)
  const large = 'x'.repeat(50_000)
  // Far more than systems keep for a connection.
  for (let change = 0; change < 300; change++) {
    await updateItem(engine, 'tasks', 1, { title: `${large}${change}` })
    await pause(2)
  }
  expect(feed.status().subscriptions).toBe(1)
  const connections = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))
  expect(await connections()).toBe(1)
  await vi.advanceTimersByTimeAsync(31_000)
  await until(() => feed.status().subscriptions === 0)
  await vi.waitFor(async () => expect(await connections()).toBe(0), 60_000)
  expect(errors).toEqual([])
  response.on('error', () => undefined)
  response.destroy()
})

it('a response with an event stream that nobody reads is broken off, and one whose parts are read is not', async () => {
  clock()
  const { engine, feed } = await openTasks()
  const handler = createHandler(engine, { authenticate: () => admin, mounts: [realtime(feed)] })
  const title = 'x'.repeat(400_000)
  for (const id of [1, 2, 3]) await updateItem(engine, 'tasks', id, { title })
  const open = async () => {
    const { body } = await handler(new Request('http://localhost/live/tasks?fields=title'))
    if (!body) throw new Error('There is no stream.')
    return body.getReader()
  }
  const [unread, slow] = [await open(), await open()]
  let text = ''
  // More than a minute altogether.
  while (!text.endsWith(']}\n\n')) {
    const { value, done } = await slow.read()
    if (done) throw new Error('It was broken off.')
    text += new TextDecoder().decode(value)
    await vi.advanceTimersByTimeAsync(20_000)
  }
  expect(text.length).toBeGreaterThan(1_200_000)
  await expect(unread.read()).rejects.toMatchObject({ name: 'AbortError' })
  expect(feed.status().subscriptions).toBe(1)
  await slow.cancel()
  expect(feed.status().subscriptions).toBe(0)
})
