// Connections that misbehave: what hurts one client, hurts neither the process nor the next request.
import { request as ask, createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import express from 'express'
import Koa from 'koa'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Respond } from '../../../src/http/handler.ts'
import { createHandler, type Handler, type NodeHandler, toNode } from '../../../src/http.ts'
import { sqlite } from '../../support/databases.ts'
import { authenticate, openWorld, type World } from '../magazine.ts'
import { troubles } from '../process.ts'
import { type Listening, overHttp } from '../transports.ts'

const head = 'Host: x\r\nAuthorization: Bearer admin\r\n'
const good = `GET /api/items/articles/1?fields=id HTTP/1.1\r\n${head}\r\n`
const goodBody = '{"data":{"id":1}}'
const sized = (length: number) => `Content-Type: application/json\r\nContent-Length: ${length}\r\n`
const large = 'x'.repeat(2_000_000)

/** Each is followed by a request that is as it should be, on the same connection. */
const cases: readonly (readonly [title: string, sent: string, status: number])[] = [
  ['a path of two slashes', `GET // HTTP/1.1\r\n${head}\r\n`, 404],
  ['a path that looks like a host', `GET //api.example/api/items/articles HTTP/1.1\r\n${head}\r\n`, 404],
  ['a URL that is none', `GET http://[ HTTP/1.1\r\n${head}\r\n`, 404],
  ['a whole URL', `GET http://x/api/items/articles/1 HTTP/1.1\r\n${head}\r\n`, 200],
  ['a whole URL with a user', `GET http://u:p@x/api/items/articles/1 HTTP/1.1\r\n${head}\r\n`, 200],
  ['a whole URL with nothing but a user', `GET http://u@x HTTP/1.1\r\n${head}\r\n`, 404],
  ['a star', `OPTIONS * HTTP/1.1\r\n${head}\r\n`, 404],
  ['a method that no Request can have', `TRACE /api/items/articles HTTP/1.1\r\n${head}\r\n`, 405],
  ['a method of others', `PROPFIND /api/items/articles HTTP/1.1\r\n${head}\r\n`, 405],
  ['bytes in a path that are no text', `GET /api/items/%ff HTTP/1.1\r\n${head}\r\n`, 404],
  ['an odd byte in a header', `GET /api/items/articles HTTP/1.1\r\n${head}X-Odd: \xff\t\xe9\r\n\r\n`, 200],
  ['a body that is no JSON', `POST /api/items/articles HTTP/1.1\r\n${head}${sized(1)}\r\n{`, 400],
  [
    'a body that is too large',
    `POST /api/items/articles HTTP/1.1\r\n${head}${sized(large.length)}\r\n${large}`,
    413,
  ],
  [
    'a large body of a stranger',
    `POST /api/items/articles HTTP/1.1\r\nHost: x\r\n${sized(large.length)}\r\n${large}`,
    401,
  ],
  [
    'a large body of GET',
    `GET /api/items/articles HTTP/1.1\r\n${head}${sized(large.length)}\r\n${large}`,
    200,
  ],
  ['a body where none is wanted', `DELETE /api/items/articles/9 HTTP/1.1\r\n${head}${sized(2)}\r\n{}`, 404],
  [
    'a failure of the host',
    'GET /api/items/articles HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer broken\r\n\r\n',
    500,
  ],
]

/** Sends text on one connection until so many answers have come, and tells their statuses. */
async function statuses(port: number, sent: string, count: number): Promise<readonly number[]> {
  const socket = connect(port, '127.0.0.1')
  let got = ''
  socket.write(sent, 'latin1')
  for await (const chunk of socket) {
    got += String(chunk)
    if (found(got).length >= count && got.endsWith(goodBody)) break
  }
  socket.destroy()
  return found(got)
}

const found = (got: string) => [...got.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

describe('a connection', () => {
  let world: World
  let server: Listening
  beforeAll(async () => {
    world = await openWorld(sqlite)
    server = await overHttp(createServer(toNode(world.handler)))
  })
  afterEach(() => {
    world.told()
    expect(troubles()).toEqual([])
  })

  it.each(cases)('goes on after %s', async (_, sent, status) => {
    expect(await statuses(server.port, sent + good, 2)).toEqual([status, 200])
  })

  it('takes requests before it has answered those before them', async () => {
    const missing = `GET /api/items/articles/9 HTTP/1.1\r\n${head}\r\n`
    expect(await statuses(server.port, good + missing + good + missing + good, 5)).toEqual([
      200, 404, 200, 404, 200,
    ])
  })

  it('may end in the middle of a body', async () => {
    const sockets: Socket[] = []
    for (const framing of ['Content-Length: 100', 'Transfer-Encoding: chunked']) {
      const socket = connect(server.port, '127.0.0.1')
      sockets.push(socket)
      socket.write(
        `POST /api/items/articles HTTP/1.1\r\n${head}Content-Type: application/json\r\n${framing}\r\n\r\n5\r\n{"ti`,
      )
      await wait(50)
      socket.destroy()
    }
    await wait(50)
    // A client that has gone is no fault of the host.
    expect(world.told()).toEqual([])
    expect(await statuses(server.port, good, 1)).toEqual([200])
  })

  it('may end before its answer', async () => {
    for (let round = 0; round < 20; round++) {
      const socket = connect(server.port, '127.0.0.1')
      socket.write(good.repeat(3))
      await wait(round % 4)
      socket.destroy()
    }
    expect(await statuses(server.port, good, 1)).toEqual([200])
    expect(world.told()).toEqual([])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('deaf')
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('deaf')
      },
    ],
  ])('is answered though the host %s as it hears what went wrong', async (_title, onError) => {
    const warnings: unknown[] = []
    const listen = (warning: Error) => warnings.push(warning.message)
    process.on('warning', listen)
    const deaf = createHandler(world.engine, { authenticate, prefix: '/api', onError })
    const headers = { authorization: 'Bearer broken' }
    const { status } = await deaf(new Request('http://localhost/api/items/articles', { headers }))
    expect(status).toBe(500)
    await wait(10)
    process.off('warning', listen)
    expect(warnings).toEqual(['deaf'])
  })

  /** What stands before a handler and reads the body. */
  const readers: readonly (readonly [
    title: string,
    listen: (node: NodeHandler) => Parameters<typeof createServer>[1],
  ])[] = [
    [
      'Koa, which keeps it to itself',
      (node) =>
        new Koa()
          .use(async (ctx, next) => {
            for await (const _ of ctx.req);
            return next()
          })
          .use((ctx) => {
            ctx.respond = false
            return node(ctx.req, ctx.res)
          })
          .callback(),
    ],
    ['a parser of forms', (node) => express().use(express.urlencoded()).use(node)],
  ]
  it.each(readers)('changes nothing where %s has read the body', async (_, listen) => {
    const other = await overHttp(createServer(listen(toNode(world.handler))))
    const send = (type: string, body: string) =>
      other.send({
        method: 'DELETE',
        path: '/api/items/comments?filter[id]=1',
        headers: { authorization: 'Bearer admin', 'content-type': type },
        body: Buffer.from(body),
      })
    const { status } = await send('application/x-www-form-urlencoded', 'keys[0]=2')
    expect(status).toBeGreaterThanOrEqual(400)
    const { text } = await other.send({
      method: 'GET',
      path: '/api/items/comments?fields=id',
      headers: { authorization: 'Bearer admin' },
      body: undefined,
    })
    expect(JSON.parse(text).data).toHaveLength(3)
  })

  it('that waits to be told to send its body, is told', async () => {
    const answered = new Promise<number>((resolve, reject) => {
      const asking = ask({
        port: server.port,
        method: 'PATCH',
        path: '/api/items/articles/1',
        headers: {
          authorization: 'Bearer admin',
          'content-type': 'application/json',
          'content-length': '11',
          expect: '100-continue',
        },
      })
      asking.once('error', reject)
      asking.once('continue', () => asking.end('{"views":1}'))
      asking.once('response', (response) => resolve(response.resume().statusCode ?? 0))
      asking.flushHeaders()
    })
    expect(await answered).toBe(200)
  })
})

describe('what nobody has foreseen', () => {
  const foreseen: Respond = async () => ({ status: 200, headers: {}, body: 'foreseen' })
  const handlerOf = (respond: Respond): Pick<Handler, 'respond'> =>
    Object.assign(async () => new Response(), { respond })
  const asked = { method: 'GET', path: '/', headers: {}, body: undefined }

  it('is answered, and ends no process', async () => {
    const failing = handlerOf(async () => {
      throw new RangeError('unforeseen')
    })
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const other = await overHttp(createServer(toNode(failing)))
    const { status, text } = await other.send(asked)
    expect(printed.mock.calls).toEqual([['GET /:', new RangeError('unforeseen')]])
    printed.mockRestore()
    expect(status).toBe(500)
    expect(text).not.toContain('unforeseen')
  })

  it('breaks its own connection off where nothing can be answered', async () => {
    const answers = [
      handlerOf(async () => ({ status: 200, headers: { odd: 'a\r\nb' } })),
      handlerOf(foreseen),
    ]
    const other = await overHttp(
      createServer((request, response) => {
        const [next = handlerOf(foreseen)] = answers.splice(0, 1)
        return toNode(next)(request, response)
      }),
    )
    await expect(other.send(asked)).rejects.toThrow()
    expect(await other.send(asked)).toMatchObject({ status: 200, text: 'foreseen' })
  })
})
