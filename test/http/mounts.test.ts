// Mounts: what is answered beside REST.

import { createServer } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { createHandler, type HandlerOptions, type Mount, toNode } from '../../src/http.ts'
import { listItems } from '../../src/index.ts'
import { portOf } from '../support/listening.ts'
import { openTags, type schema, type Tags } from '../support/tags.ts'

let engine: Tags

beforeAll(async () => {
  ;({ engine } = await openTags())
})

const authenticate = (token: string | null) =>
  token === 'secret'
    ? { admin: true }
    : token === 'reader'
      ? { rules: { tags: { read: { fields: ['name' as const] } } } }
      : null

/** Answers who asks: what the caller may see, and what was sent. */
const echo: Mount = {
  routes: () => [
    {
      path: '/echo/all',
      methods: {
        GET: async (scoped, { path, queryString, header }) => ({
          status: 200,
          headers: { 'content-type': 'text/plain' },
          body: [
            path,
            queryString,
            header('x-more'),
            ...(scoped.schema.collections.get('tags')?.fields.keys() ?? []),
          ].join(' '),
        }),
        POST: async (scoped, { body, signal }) => ({
          status: 201,
          headers: {},
          body: JSON.stringify([
            await body(),
            signal.aborted,
            await listItems(scoped as Tags, 'tags', { limit: 1 }),
          ]),
        }),
      },
    },
  ],
}

interface Sent extends RequestInit {
  readonly options?: Partial<HandlerOptions<typeof schema>>
}

async function send(path: string, { options, headers, ...rest }: Sent = {}) {
  const handler = createHandler(engine, { authenticate, mounts: [echo], ...options })
  const all = { authorization: 'Bearer secret', ...headers }
  const answer = await handler(new Request(`http://localhost${path}`, { headers: all, ...rest }))
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

describe('a mount', () => {
  it('gets the path below the prefix, what was sent, and the engine of the caller', async () => {
    const sent = { headers: { 'x-more': 'more' }, options: { prefix: '/api' } }
    expect(await send('/api/echo/all?a=1', sent)).toMatchObject({
      status: 200,
      text: '/echo/all ?a=1 more id name',
    })
    const reader = { headers: { authorization: 'Bearer reader', 'x-more': '' }, options: { prefix: '/api' } }
    expect((await send('/api/echo/all/', reader)).text).toBe('/echo/all   name')
    expect((await send('/echo/all', sent)).status).toBe(404)
  })

  it('is for those who are authenticated, and says nothing to others', async () => {
    const headers = { authorization: 'Bearer wrong' }
    expect((await send('/echo/all', { headers })).status).toBe(401)
    expect((await send('/echo/nothing', { headers })).status).toBe(401)
  })

  it('has the methods that it names, and those that follow', async () => {
    const refused = await send('/echo/all', { method: 'DELETE' })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, POST, HEAD, OPTIONS'])
    const told = await send('/echo/all', { method: 'OPTIONS' })
    expect([told.status, told.headers.get('allow')]).toEqual([204, 'GET, POST, HEAD, OPTIONS'])
    expect(await send('/echo/all', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
  })

  it.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ])('ends the source of a stream that %s with status %i does not send', async (method, status) => {
    const events: unknown[] = []
    const streaming: Mount = {
      routes: () => [
        {
          path: '/streaming',
          methods: {
            GET: async () => ({
              status,
              headers: { 'x-made': 'yes' },
              body: new ReadableStream(
                {
                  pull: () => void events.push('pulled'),
                  cancel: () => {
                    events.push('cancelled')
                    throw new Error('no end')
                  },
                },
                { highWaterMark: 0 },
              ),
            }),
          },
        },
      ],
    }
    const options = { mounts: [streaming], onError: (error: unknown) => void events.push(String(error)) }
    const { headers, text } = await send('/streaming', { method, options })
    expect([headers.get('x-made'), text]).toEqual(['yes', ''])
    expect(events).toEqual(['cancelled', 'Error: no end'])

    events.splice(0)
    const handler = createHandler(engine, { authenticate, ...options })
    const server = createServer(toNode(handler))
    const port = await portOf(server)
    const headersSent = { authorization: 'Bearer secret' }
    expect((await fetch(`http://localhost:${port}/streaming`, { method, headers: headersSent })).status).toBe(
      status,
    )
    await new Promise((resolve) => server.close(resolve).closeAllConnections())
    expect(events).toEqual(['cancelled', 'Error: no end'])
  })

  it('reports a stream that cannot be ended for a client that has left', async () => {
    const told: string[] = []
    const endless: Mount = {
      routes: () => [
        {
          path: '/endless',
          methods: {
            GET: async () => ({
              status: 200,
              headers: {},
              body: new ReadableStream({
                pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
                cancel: () => {
                  throw new Error('no end')
                },
              }),
            }),
          },
        },
      ],
    }
    const options = { mounts: [endless], onError: (error: unknown) => void told.push(String(error)) }
    const response = await createHandler(engine, { authenticate, ...options })(
      new Request('http://localhost/endless', { headers: { authorization: 'Bearer secret' } }),
    )
    await expect(response.body?.cancel()).rejects.toThrow('no end')
    expect(told.splice(0)).toEqual(['Error: no end'])

    const server = createServer(toNode(createHandler(engine, { authenticate, ...options })))
    const port = await portOf(server)
    const leaving = new AbortController()
    const { body } = await fetch(`http://localhost:${port}/endless`, {
      headers: { authorization: 'Bearer secret' },
      signal: leaving.signal,
    })
    await body?.getReader().read()
    leaving.abort()
    await expect.poll(() => told).toEqual(['Error: no end'])
  })

  it('shows by "open" what is for everybody, and leaves the rest to its methods', async () => {
    const asked: string[] = []
    const shown: Mount = {
      routes: () => [
        {
          path: '/shown',
          methods: { GET: async () => ({ status: 200, headers: {}, body: 'of a caller' }) },
          open: async ({ method, path, queryString, header }) => {
            asked.push([method, path, queryString, header('accept')].join(' '))
            if (queryString === '?broken') throw new Error('broken')
            return queryString === '' ? { status: 200, headers: {}, body: 'of everybody' } : undefined
          },
        },
      ],
    }
    const errors: unknown[] = []
    const options = { mounts: [shown], prefix: '/api', onError: (error: unknown) => errors.push(error) }
    const nobody = { options, headers: { authorization: '', accept: 'text/plain' } }
    const open = await send('/api/shown', nobody)
    expect([open.status, open.text, open.headers.get('cache-control')]).toEqual([
      200,
      'of everybody',
      'private, no-cache',
    ])
    expect((await send('/api/shown?mine', nobody)).status).toBe(401)
    expect((await send('/api/shown?mine', { options })).text).toBe('of a caller')
    expect((await send('/api/other', nobody)).status).toBe(401)
    expect(asked.slice(0, 2)).toEqual(['GET /shown  text/plain', 'GET /shown ?mine text/plain'])
    expect((await send('/api/shown?broken', nobody)).status).toBe(500)
    expect(errors).toEqual([new Error('broken')])
  })

  it('leaves REST as it is', async () => {
    expect((await send('/items/tags?fields=name')).text).toBe('{"data":[{"name":"hot"},{"name":"cold"}]}')
    expect((await send('/echo')).status).toBe(404)
    expect((await send('/echo%2Fall')).status).toBe(404)
  })
})

const at = (path: string): Mount => ({ routes: () => [{ path, methods: {} }] })

describe('createHandler refuses', () => {
  it.each([
    ['a path of an item', [at('/items/tags')], 'The path "/items/tags" of a mount is taken.'],
    ['a path of a version', [at('versions/x/save')], 'The path "versions/x/save" of a mount is taken.'],
    ['one path for two mounts', [at('/a'), at('a/')], 'The path "a/" of a mount is taken.'],
    ['what is no mount', [{}], 'A mount needs "routes", a function, not undefined.'],
    ['mounts that are no list', at('/a'), '"mounts" is a list'],
  ])('%s', (_title, mounts, says) => {
    expect(() => createHandler(engine, { authenticate, mounts: mounts as never })).toThrow(says)
  })
})
