// How long answers may be kept, and for whom.
import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { createHandler, toNode } from '../../../src/http.ts'
import { openSqlite } from '../../support/databases.ts'
import { answered } from '../exchange.ts'
import { authenticate, openWorld } from '../magazine.ts'
import { overHttp } from '../transports.ts'

const ofCaller = { 'cache-control': 'private, no-cache', vary: 'Authorization, Cookie' }

answered([
  ...['/items/articles', '/items/articles/1', '/items/site', '/versions', '/items/articles?export=csv'].map(
    (path) => ({
      title: `a cache gave what one caller sees of ${path} to another`,
      send: `GET ${path}`,
      status: 200,
      text: /./,
      shows: ofCaller,
    }),
  ),
  {
    title: 'what was written is for whoever wrote it',
    send: 'POST /items/articles?fields=title',
    body: { title: 'x' },
    status: 200,
    answer: { data: { title: 'x' } },
    shows: ofCaller,
  },
  { title: 'nothing is, too', send: 'DELETE /items/words/100%25', status: 204, shows: ofCaller },
  {
    title: 'a mistake is not kept at all',
    send: 'GET /items/articles/9',
    status: 404,
    fault: ['NOT_FOUND'],
    shows: { 'cache-control': 'no-store' },
  },
])

const sqlite = { name: 'sqlite', open: openSqlite } as const

it('what the client has already may be kept as it was', async () => {
  const { handler } = await openWorld(sqlite)
  const ask = (headers: Record<string, string>) =>
    handler(
      new Request('http://localhost/api/items/articles', {
        headers: { authorization: 'Bearer admin', ...headers },
      }),
    )
  const etag = (await ask({})).headers.get('etag') ?? ''
  const again = await ask({ 'if-none-match': etag })
  expect([again.status, Object.fromEntries(again.headers)]).toEqual([304, { ...ofCaller, etag }])
})

it('a host names the other headers that tell its callers apart', async () => {
  const { engine } = await openWorld(sqlite)
  const token = (request: Request) => request.headers.get('x-api-key')
  const handler = createHandler(engine, { authenticate, token, vary: ['X-Api-Key'] })
  const answer = await handler(
    new Request('http://localhost/items/articles', { headers: { 'x-api-key': 'admin' } }),
  )
  expect([answer.status, answer.headers.get('vary')]).toEqual([200, 'Authorization, Cookie, X-Api-Key'])
})

it('what stands before the handler lost its own Vary', async () => {
  const { handler } = await openWorld(sqlite)
  const listener = toNode(handler)
  const wire = await overHttp(
    createServer((request, response) => {
      response.setHeader('Vary', 'Origin')
      void listener(request, response)
    }),
  )
  const ask = (path: string, authorization: string) =>
    wire.send({ method: 'GET', path: `/api${path}`, headers: { authorization }, body: undefined })
  expect((await ask('/items/articles', 'Bearer admin')).headers.vary).toBe('Origin, Authorization, Cookie')
  expect((await ask('/items/articles', 'Bearer nobody-knows')).headers.vary).toBe('Origin')
})
