// Over HTTP/2 lists come as server-sent events, and there are no sockets.
import { connect, createServer, type OutgoingHttpHeaders } from 'node:http2'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { createHandler, type NodeHandler, toNode } from '../../../src/http.ts'
import { updateItem } from '../../../src/index.ts'
import { createSocketHandler, realtime, toWs } from '../../../src/realtime.ts'
import { atEnd } from '../../support/at-end.ts'
import { portOf } from '../../support/listening.ts'
import { EventReader } from '../event-reader.ts'
import { admin, openTasks, until } from '../tasks.ts'

async function openHttp2() {
  const opened = await openTasks()
  const authenticate = (token: string | null) => (token === 'admin' ? admin : null)
  const handler = createHandler(opened.engine, { authenticate, mounts: [realtime(opened.feed)] })
  const node: NodeHandler = toNode(handler)
  const server = createServer({ settings: { enableConnectProtocol: true } }, (request, response) => {
    // The listener takes the messages of both, which its type does not say.
    void node(request as never, response as never)
  })
  const sockets = createSocketHandler(opened.feed, { authenticate })
  await toWs(sockets, server)
  const client = connect(`http://127.0.0.1:${await portOf(server)}`)
  await new Promise((resolve) => client.once('remoteSettings', resolve))
  atEnd(async () => {
    client.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const ask = async (headers: OutgoingHttpHeaders) => {
    const stream = client.request({ authorization: 'Bearer admin', ...headers })
    const answer = await new Promise<OutgoingHttpHeaders>((resolve, reject) => {
      stream.once('response', resolve)
      stream.once('error', reject)
    })
    return { stream, answer }
  }
  return { ...opened, handler, sockets, server, ask }
}

it('tells a list and its changes, and ends with the handler', async () => {
  const { engine, feed, handler, ask } = await openHttp2()
  const { stream, answer } = await ask({ ':path': '/live/tasks?fields=title&filter[id]=1' })
  expect(answer).toMatchObject({ ':status': 200, 'content-type': 'text/event-stream; charset=utf-8' })
  const events = new EventReader(
    new Response(
      new ReadableStream({
        start: (controller) => {
          stream.on('data', (chunk: Uint8Array) => controller.enqueue(new Uint8Array(chunk)))
          stream.on('end', () => controller.close())
        },
      }),
    ),
  )
  expect(await events.next()).toMatchObject({ event: 'snapshot', data: { items: [{ title: 'Paint' }] } })
  await updateItem(engine, 'tasks', 1, { title: 'Draw' })
  expect(await events.next()).toMatchObject({
    event: 'changes',
    data: { set: [{ item: { title: 'Draw' } }] },
  })
  await handler.stop()
  expect(await events.next()).toBeUndefined()
  expect(feed.status().subscriptions).toBe(0)
})

it('watches nothing any more when the stream is reset, and nothing for HEAD', async () => {
  const { feed, ask } = await openHttp2()
  const { stream } = await ask({ ':path': '/live/tasks' })
  await until(() => feed.status().subscriptions === 1)
  stream.close()
  await until(() => feed.status().subscriptions === 0)
  const head = await ask({ ':method': 'HEAD', ':path': '/live/tasks' })
  expect(head.answer).toMatchObject({ ':status': 200, 'content-type': 'text/event-stream; charset=utf-8' })
  expect(await text(head.stream)).toBe('')
  expect(feed.status().subscriptions).toBe(0)
})

it('refuses a socket with the advice to take events, whatever its path', async () => {
  const { sockets, ask, server } = await openHttp2()
  for (const path of ['/websocket', '/elsewhere']) {
    const { stream, answer } = await ask({
      ':method': 'CONNECT',
      ':protocol': 'websocket',
      ':scheme': 'http',
      ':path': path,
      ':authority': 'localhost',
      'sec-websocket-version': '13',
    })
    expect(answer[':status']).toBe(404)
    expect(JSON.parse(await text(stream))).toMatchObject({
      errors: [
        {
          message: 'There are no sockets over HTTP/2.',
          extensions: { code: 'NOT_FOUND', hint: expect.stringContaining('server-sent events') },
        },
      ],
    })
  }
  expect(sockets.status().sockets).toBe(0)
  // Another listener answers its own paths.
  server.on('connect', (request, response) => {
    if (request.url === '/theirs') response.writeHead(418).end()
  })
  const headers = { ':method': 'CONNECT', ':protocol': 'websocket', ':scheme': 'http', ':authority': 'x' }
  expect((await ask({ ...headers, ':path': '/theirs' })).answer[':status']).toBe(418)
  expect((await ask({ ...headers, ':path': '/websocket' })).answer[':status']).toBe(404)
})
