// Paths: what is decoded once, what is a part, and where the handler begins.

import { createServer } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { createGraphQLHandler, graphql } from '../../src/graphql.ts'
import { createHandler, describeApi, type Handler, toNode } from '../../src/http.ts'
import { createEngine } from '../../src/index.ts'
import { databases } from '../support/databases.ts'
import { answered, type Exchange } from './exchange.ts'
import { authenticate, openWorld, schema, type World } from './magazine.ts'
import { overHttp } from './transports.ts'

const found = (path: string, word: string): Exchange => ({
  title: `${path} is ${JSON.stringify(word)}`,
  send: `GET /items/words/${path}?fields=word`,
  status: 200,
  answer: { data: { word } },
})
const nowhere = (path: string): Exchange => ({
  title: `${path} leads nowhere`,
  send: `GET ${path}`,
  status: 404,
  fault: ['NOT_FOUND'],
})

answered([
  found('a%2Fb', 'a/b'),
  found('a%2fb', 'a/b'),
  found('%C3%A4%20%C3%B6%3F', 'ä ö?'),
  found('100%25', '100%'),
  // Decoded once, this is the escape and not what it stands for.
  found('%252F', '%2F'),
  // No URL has a part that is nothing but dots.
  found('~2E', '.'),
  found('~2e~2E', '..'),
  found('.~2E', '..'),
  found('~7E2E', '~2E'),
  found('a~b', 'a~b'),
  found('a~7Eb', 'a~b'),
  found('a~2Fb', 'a/b'),
  {
    title: 'a key that is a dot is deleted, and nothing else',
    send: 'DELETE /items/words/~2E',
    status: 204,
    after: { '/items/words?fields=word&filter[word][_in]=.,..': { data: [{ word: '..' }] } },
  },
  {
    title: 'a slash at the end changes nothing',
    send: 'GET /items/words/a%2Fb/?fields=word',
    status: 200,
    answer: { data: { word: 'a/b' } },
  },
  {
    title: 'nor does one behind a collection',
    send: 'GET /items/articles/?fields=id&limit=1',
    status: 200,
    answer: { data: [{ id: 1 }] },
  },
  {
    title: 'names may be escaped, too',
    send: 'GET /%69tems/%61rticles/1?fields=id',
    status: 200,
    answer: { data: { id: 1 } },
  },
  {
    title: 'an item of an odd key is changed',
    send: 'PATCH /items/words/%C3%A4%20%C3%B6%3F',
    body: { meaning: 'x' },
    status: 200,
    answer: { data: { word: 'ä ö?', meaning: 'x' } },
  },
  nowhere('/items//1'),
  nowhere('/items/words/a/b'),
  nowhere('/items/words/%ff'),
  nowhere('/items/words/%'),
  nowhere('/items/words/%00'),
  nowhere('/items/wo%00rds'),
  nowhere('/Items/articles'),
  nowhere('/items/articles/1/'.repeat(3)),
  nowhere('/items/articles%2F1'),
  nowhere('/versions/1'),
  nowhere('/versions/11111111-1111-4111-8111-111111111112'),
  nowhere('/elsewhere'),
])

describe.each(databases.slice(0, 1))('a prefix', (database) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(database)
  })
  const at = (prefix: string | undefined): Handler =>
    createHandler(world.engine, { authenticate, ...(prefix !== undefined && { prefix }) })
  const status = async (handler: Handler, path: string) => {
    const headers = { authorization: 'Bearer admin' }
    return (await handler(new Request(`http://localhost${path}`, { headers }))).status
  }

  it.each([
    [undefined, '/items/articles', 200],
    ['/', '/items/articles', 200],
    ['', '/items/articles', 200],
    ['/api', '/api/items/articles', 200],
    ['api', '/api/items/articles', 200],
    ['/api/', '/api/items/articles', 200],
    ['/api/v1', '/api/v1/items/articles', 200],
    ['/api', '/items/articles', 404],
    ['/api', '/apiitems/articles', 404],
    ['/api', '/API/items/articles', 404],
    ['/api', '/api', 200],
    ['/api', '/api/api/items/articles', 404],
    ['/my api', '/my%20api/items/articles', 200],
    ['/café', '/caf%C3%A9/items/articles', 200],
    ['/caf%C3%A9', '/caf%c3%a9/items/articles', 200],
  ])('of %s and the path %s make %s', async (prefix, path, expected) => {
    expect(await status(at(prefix), path)).toBe(expected)
  })
})

describe.each(databases.slice(0, 1))('a prefix that no path begins with', ({ open }) => {
  it.each([
    '/api?x=1',
    '/api#top',
    'https://example.org/api',
    '/api/*',
    '/:tenant',
    '/api/../v1',
    '/%2e%2e/api',
    ' /api',
    '\\\\api',
    '/100%',
  ])('%j is refused when the handler is created', async (prefix) => {
    const { db } = await open()
    const engine = createEngine({ db, schema })
    const says = '"prefix" is the beginning of a path, not '
    expect(() => createHandler(engine, { authenticate, prefix })).toThrow(says)
    expect(() => createHandler(engine, { authenticate, mounts: [graphql({ prefix })] })).toThrow(says)
    expect(() => createGraphQLHandler(engine, { authenticate, prefix })).toThrow(says)
    expect(() => describeApi(engine, { prefix })).toThrow(says)
  })
})

describe.each(databases.slice(0, 1))('a path that would become another one', (database) => {
  const written = [
    '/items/words/..',
    '/items/words/.',
    '/items/words/%2E',
    '/items/words/%2e./a',
    '/a/../items',
  ]

  it.each(written)('%s is refused where it comes as it was written', async (path) => {
    const world = await openWorld(database)
    const wire = await overHttp(createServer(toNode(world.handler)))
    const headers = { authorization: 'Bearer admin' }
    for (const method of ['GET', 'DELETE', 'PATCH']) {
      const { status, text } = await wire.send({ method, path: `/api${path}`, headers, body: undefined })
      expect(status).toBe(400)
      expect(JSON.parse(text).errors[0].extensions).toEqual({
        code: 'INVALID_QUERY',
        hint: 'Write such a key as ~2E or ~2E~2E.',
      })
    }
  })
})
