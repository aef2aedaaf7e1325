// Upgrades to what are no sockets, and from pages of other origins.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect as connectTcp, type Server as TcpServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import express from 'express'
import { fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createGraphQLSocket } from '../../../src/graphql.ts'
import { createHandler, toNode } from '../../../src/http.ts'
import type { Access } from '../../../src/index.ts'
import { createSocketHandler, type Feed, type SocketOptions, toWs } from '../../../src/realtime.ts'
import { atEnd } from '../../support/at-end.ts'
import { portOf } from '../../support/listening.ts'
import { ownCertificate, ownKey } from '../../support/own-certificate.ts'
import { admin, openTasks } from '../tasks.ts'

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
  const port = await portOf(server)
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

  const encrypted = { key: ownKey, cert: ownCertificate }
  type World = readonly [port: number, sockets: ReturnType<typeof createSocketHandler>]

  /** A proxy that ends TLS and hands on bytes. Its word stands behind the first line of a request. */
  async function proxyTo(port: number, word = ''): Promise<number> {
    const proxy: TcpServer = createTlsServer(encrypted, (near) => {
      const far = connectTcp(port, '127.0.0.1')
      near.once('data', (data) => {
        far.write(String(data).replace('\r\n', `\r\n${word}`))
        near.pipe(far)
      })
      far.pipe(near)
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const)
        one.on('error', () => undefined).on('close', () => other.destroy())
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    atEnd(() => new Promise((resolve) => proxy.close(resolve)))
    return (proxy.address() as AddressInfo).port
  }

  const servers: Readonly<Record<string, () => Server>> = {
    Node: () => createServer(),
    Express: () => createServer(express()),
    Fastify: () => {
      const app = fastify()
      void app.ready()
      return app.server
    },
    'TLS of its own': () => createSecureServer(encrypted),
  }

  async function open(make: () => Server, options: Partial<SocketOptions>): Promise<World> {
    const { feed } = await openTasks()
    const sockets = create(feed as unknown as Feed, options)
    const server = make()
    await toWs(sockets, server)
    return [await portOf(server), sockets]
  }

  /** 101, or the status with which the upgrade is refused. */
  async function upgraded(port: number, origin: string | undefined): Promise<number> {
    const socket = new WebSocket(`wss://127.0.0.1:${port}/websocket`, ['graphql-transport-ws'], {
      rejectUnauthorized: false,
      headers: { host: 'secure.example.com', ...(origin && { origin }) },
    })
    // One that is ended before it is a socket has failed, too.
    socket.on('error', () => undefined)
    const status = await new Promise<number>((resolve) => {
      socket.on('open', () => resolve(101))
      socket.on('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode))
      socket.on('close', () => resolve(0))
    })
    socket.terminate()
    return status
  }

  it.each(
    Object.keys(servers).flatMap((server) => [
      [server, false],
      [server, true],
    ]) as readonly (readonly [string, boolean])[],
  )('of %s, behind a proxy that ends TLS, need no "origins"; trusted: %s', async (title, trustProxy) => {
    const [port] = await open(servers[title] ?? createServer, { trustProxy })
    const isOwn = title === 'TLS of its own'
    const reached = isOwn ? port : await proxyTo(port, 'X-Forwarded-Proto: https\r\n')
    const statuses = await Promise.all(
      [
        'https://secure.example.com',
        'http://secure.example.com',
        'https://secure.example.com:8443',
        'https://other.example.com',
        'null',
        undefined,
      ].map((origin) => upgraded(reached, origin)),
    )
    // Without the word of the proxy a page without TLS at the same host is not known to be another.
    expect(statuses).toEqual([101, isOwn || trustProxy ? 403 : 101, 403, 403, 403, 101])
  })
})
