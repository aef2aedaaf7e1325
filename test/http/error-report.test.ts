// Errors with the status 500, as the host hears of them.
import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createGraphQLHandler, graphql } from '../../src/graphql.ts'
import { createHandler, type Handler, type HandlerOptions, type Mount } from '../../src/http.ts'
import { createEngine, defineSchema, type Engine } from '../../src/index.ts'
import { openSqlite } from '../support/databases.ts'
import { overHttp } from './transports.ts'

const key = { type: 'integer', key: true } as const
const schema = defineSchema({ tags: { fields: { id: key } }, lost: { fields: { id: key } } })

const heard: unknown[] = []
let engine: Engine<typeof schema>
let close: () => Promise<void>
beforeAll(async () => {
  const opened = await openSqlite()
  close = opened.close
  await opened.run('create table tags (id integer primary key)')
  // The engine's listener hears what happens beside an answer, and not what is answered.
  engine = createEngine({ db: opened.db, schema, onError: (error) => heard.push(error) })
})
afterAll(() => close())

const printed = vi.spyOn(console, 'error')
beforeEach(() => void printed.mockImplementation(() => undefined))
afterEach(() => {
  printed.mockReset()
  expect(heard.splice(0)).toEqual([])
})
afterAll(() => printed.mockRestore())

const authenticate = () => ({ admin: true as const })
const failing: Mount = {
  routes: () => [
    {
      path: '/fails',
      methods: { GET: () => Promise.reject(new Error('in a mount', { cause: new Error('below it') })) },
      open: async ({ queryString }) => {
        if (queryString === '?open') throw new Error('before the caller is known')
        return undefined
      },
    },
  ],
}
const mounts = [graphql(), failing]
const rest = (options: Partial<HandlerOptions> = {}) =>
  createHandler(engine, { authenticate, mounts, ...options })

const ask = (handler: Handler, path: string) => handler(new Request(`http://localhost${path}`))

const manyRoots = '/graphql?query={a:lost{id}b:lost{id}c:lost{id}}'

describe('without onError, a 500 is printed to the console', () => {
  it.each<
    readonly [title: string, make: () => Handler, path: string, status: number, says: readonly string[]]
  >([
    ['of a route', rest, '/items/lost', 500, ['GET /items/lost:', 'no such table: lost']],
    ['of a mount', rest, '/fails', 500, ['GET /fails:', 'in a mount', 'below it']],
    ['of what a mount shows to anybody', rest, '/fails?open', 500, ['GET /fails:', 'before the caller']],
    ['of GraphQL beside REST', rest, manyRoots, 200, ['GET /graphql:', 'no such table: lost']],
    [
      'of GraphQL alone',
      () => createGraphQLHandler(engine, { authenticate }),
      manyRoots,
      200,
      ['GET /graphql:', 'no such table: lost'],
    ],
    [
      'where the host cannot tell who asks',
      () => rest({ authenticate: () => Promise.reject(new Error('no keyring')) }),
      '/items/tags',
      500,
      ['no keyring'],
    ],
  ])('%s, once and with its cause', async (_title, make, path, status, says) => {
    const response = await ask(make(), path)
    expect(response.status).toBe(status)
    expect(await response.text()).not.toContain('no such table')
    expect(printed).toHaveBeenCalledTimes(1)
    const text = printed.mock.calls.flat().map((part) => (typeof part === 'string' ? part : inspect(part)))
    for (const part of says) expect(text.join(' ')).toContain(part)
  })

  it('anew for each request, and without the query string', async () => {
    const handler = rest()
    await ask(handler, '/items/lost?limit=1')
    await ask(handler, '/items/lost?limit=2')
    expect(printed.mock.calls.map(([line]) => line)).toEqual(['GET /items/lost:', 'GET /items/lost:'])
  })

  it('when a response breaks off', async () => {
    const breaking: Mount = {
      routes: () => [
        {
          path: '/breaks',
          methods: {
            GET: async () => ({
              status: 200,
              headers: {},
              body: new ReadableStream({ pull: (stream) => stream.error(new Error('half way')) }),
            }),
          },
        },
      ],
    }
    const response = await ask(rest({ mounts: [breaking] }), '/breaks')
    await expect(response.text()).rejects.toThrow('half way')
    expect(printed).toHaveBeenCalledTimes(1)
  })

  it('when Node cannot make a request of what a middleware has changed', async () => {
    const { createServer } = await import('node:http')
    const { toNode } = await import('../../src/http.ts')
    const respond = toNode(rest())
    const server = createServer((request, response) => {
      request.headers['x-user'] = 'Łukasz'
      void respond(request, response)
    })
    const wire = await overHttp(server)
    const path = '/items/tags?search="x"'
    const { status } = await wire.send({ method: 'GET', path, headers: {}, body: undefined })
    await wire.close()
    expect(status).toBe(500)
    expect(printed).toHaveBeenCalledTimes(1)
  })
})

describe('nothing is printed', () => {
  it('with an onError, which is called in its place', async () => {
    const told: unknown[] = []
    const onError = (error: unknown, { url }: Request) => told.push(url, error)
    await ask(rest({ onError }), '/items/lost')
    expect(told).toEqual(['http://localhost/items/lost', expect.objectContaining({ status: 500 })])
    expect(printed).not.toHaveBeenCalled()
  })

  it('with an onError that does nothing', async () => {
    const onError = () => {}
    for (const path of ['/items/lost', '/fails', '/fails?open', manyRoots]) await ask(rest({ onError }), path)
    await ask(createGraphQLHandler(engine, { authenticate, onError }), manyRoots)
    expect(printed).not.toHaveBeenCalled()
  })

  it('for what the caller has caused', async () => {
    for (const path of ['/items/tags?fields=nope', '/items/nope', '/items/tags/9', '/graphql?query={nope}'])
      await ask(rest(), path)
    expect(printed).not.toHaveBeenCalled()
  })
})

describe('a handler that is made without what it needs says', () => {
  const needs = 'A handler needs "authenticate", which identifies the caller.'
  it.each<readonly [string, (...given: never[]) => unknown]>([
    ['createHandler', createHandler],
    ['createGraphQLHandler', createGraphQLHandler],
  ])('%s: authenticate, and an engine', (_name, create) => {
    // As JavaScript may call it.
    const make = create as unknown as (...given: unknown[]) => unknown
    for (const options of [[], [undefined], [null], [{}]])
      expect(() => make(engine, ...options)).toThrow(needs)
    for (const given of [[], [{ authenticate }], [undefined, { authenticate }]])
      expect(() => make(...given)).toThrow('An engine is made by createEngine, and is not ')
  })
})
