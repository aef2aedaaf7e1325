// Upgrades to what are no sockets, and from pages of other origins.
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect as connectTcp } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createGraphQLSocket } from '../../../src/graphql.ts'
import { createHandler, toNode } from '../../../src/http.ts'
import type { Access } from '../../../src/index.ts'
import { createSocketHandler, type Feed, type SocketOptions, toWs } from '../../../src/realtime.ts'
import { atEnd } from '../../support/at-end.ts'
import { admin, openTasks } from '../tasks.ts'

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

/** Sends bytes, the rest of them later, and returns what comes until a text is in it. */
async function exchange(port: number, bytes: string, until: string, rest = ''): Promise<string> {
  const socket = connectTcp(port, '127.0.0.1')
  let text = ''
  socket.write(bytes, () => {
    if (rest !== '') setTimeout(() => socket.write(rest), 20)
  })
  await new Promise<void>((resolve) => {
    socket.on('data', (data) => {
      text += String(data)
      if (text.includes(until)) resolve()
    })
    socket.on('close', () => resolve())
  })
  socket.destroy()
  return text
}

it('an upgrade to something else than a socket is a plain request, with its body', async () => {
  const { engine, feed } = await openTasks()
  const server = createServer(toNode(createHandler(engine, { authenticate: () => admin })))
  const { close } = await toWs(createSocketHandler(feed, { authenticate: () => admin }), server)
  const port = await listen(server)
  const wishes =
    'Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'
  const body = '{"title":"posted"}'
  const post = `POST /items/tasks HTTP/1.1\r\n${wishes}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const get = (path: string) => `GET ${path} HTTP/1.1\r\n${wishes}\r\n`
  expect(await exchange(port, post, 'posted')).toMatch(/^HTTP\/1\.1 200 /)
  expect(await exchange(port, post.slice(0, -9), 'posted', post.slice(-9))).toMatch(/^HTTP\/1\.1 200 /)
  const found = await exchange(port, get('/items/tasks?fields=title&filter[id]=4'), 'posted')
  expect(found).toMatch(/^HTTP\/1\.1 200 /)
  expect(found).toContain('[{"title":"posted"}]')
  // A path of sockets has no other answer than that of its application.
  expect(await exchange(port, get('/websocket'), '404')).toMatch(/^HTTP\/1\.1 404 /)
  // Sockets are still sockets.
  const socket =
    'Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
  expect(await exchange(port, `GET /websocket HTTP/1.1\r\n${socket}`, '101')).toContain('101')
  close()
})

const anybody: Access = { admin: true }

const kinds: Readonly<
  Record<string, (feed: Feed, options: Partial<SocketOptions>) => ReturnType<typeof createSocketHandler>>
> = {
  'the installed base': (feed, options) =>
    createSocketHandler(feed, { authenticate: () => anybody, mode: 'public', ...options }),
  GraphQL: (feed, options) =>
    createGraphQLSocket(feed, { authenticate: () => anybody, mode: 'public', ...options }),
}

describe.each(Object.entries(kinds))('sockets of %s', (_, create) => {
  const statusOf = async (
    options: Partial<SocketOptions>,
    url: string,
    headers: Record<string, string>,
  ): Promise<number | undefined> => {
    const { feed } = await openTasks()
    const sockets = create(feed as unknown as Feed, options)
    return (await sockets.admit(new Request(url, { headers })))?.status
  }
  const [http, https] = ['http://inside/websocket', 'https://inside/websocket']

  it.each([
    // What is not encrypted here may come through a proxy that ends TLS.
    [http, 'example.org', 'https://example.org', undefined],
    [http, 'example.org', 'http://example.org', undefined],
    [http, 'example.org:443', 'https://example.org', undefined],
    [http, 'EXAMPLE.org', 'https://example.org', undefined],
    [http, '[::1]:3000', 'http://[::1]:3000', undefined],
    [http, 'example.org', 'https://example.org:8443', 403],
    [http, 'example.org:8443', 'https://example.org', 403],
    [http, 'example.org:80', 'https://example.org', 403],
    [http, 'localhost', 'capacitor://localhost', 403],
    [https, 'example.org', 'https://example.org', undefined],
    [https, 'example.org', 'http://example.org', 403],
    [https, 'example.org:80', 'http://example.org', 403],
    [http, 'example.org/x', 'https://example.org', 400],
    [http, 'me@example.org', 'https://example.org', 400],
    [http, 'a, example.org', 'https://example.org', 400],
    [http, 'example.org:', 'https://example.org', 400],
    [http, '', 'https://example.org', 400],
  ])('%s with the host %j takes %s: %s', async (url, host, origin, status) => {
    expect(await statusOf({}, url, { host, origin })).toBe(status)
  })

  it.each([
    ['https', 'https://example.org', undefined],
    ['https', 'http://example.org', 403],
    ['http', 'https://example.org', 403],
    ['https, http', 'http://example.org', 403],
    ['ws', 'http://example.org', undefined],
  ])('by the word of a proxy, %s, %s: %s', async (told, origin, status) => {
    const headers = { host: 'example.org', origin, 'x-forwarded-proto': told }
    expect(await statusOf({ trustProxy: true }, http, headers)).toBe(status)
    // Nobody else is believed.
    expect(await statusOf({}, http, headers)).toBeUndefined()
  })

  it('compares the origins of the host wholly, and refuses what is none', async () => {
    const origins = ['https://app.example']
    const of = (origin: string) => statusOf({ origins }, https, { host: 'example.org', origin })
    expect(await of('https://app.example')).toBeUndefined()
    expect([await of('http://app.example'), await of('https://app.example:8443')]).toEqual([403, 403])
    const { feed } = await openTasks()
    for (const wrong of [
      'app.example',
      'https://app.example/',
      'https://app.example:443',
      'null',
      '*.example',
    ])
      expect(() => create(feed as unknown as Feed, { origins: [wrong] }), wrong).toThrow(
        'An origin is a scheme, a host and a port',
      )
  })
})
