// The Web Request that callbacks of the host see. It is made only where one of them may look at it.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { maySeeRequest } from '../../src/http/may-see-request.ts'
import { createHandler, type HandlerOptions, toNode } from '../../src/http.ts'
import { createEngine, defineSchema } from '../../src/index.ts'
import { openSqlite } from '../support/databases.ts'

const admin = { admin: true } as const
const seen: unknown[] = []
const note = (request: unknown) => {
  seen.push(request)
  return admin
}

type Authenticate = HandlerOptions['authenticate']

class Host {
  authenticate(_token: string | null, request: Request) {
    return note(request)
  }
}

/** Callbacks that can see the request, however they are written. */
const seeing: Readonly<Record<string, Authenticate>> = {
  'an arrow with two parameters': (_token, request) => note(request),
  'an arrow whose second parameter has a default': (_token, request: Request | null = null) => note(request),
  'an arrow with a rest': (...given) => note(given[1]),
  'an arrow with one parameter and a rest': (_token, ...given) => note(given[0]),
  'a function that looks at its arguments': function () {
    // biome-ignore lint/complexity/noArguments: the host may do so
    return note(arguments[1])
  },
  'a method': new Host().authenticate,
  'a bound function': new Host().authenticate.bind(null),
  'a proxy of an arrow': new Proxy((_token: string | null) => admin, {
    apply: (_, __, given) => note(given[1]),
  }),
}

/** Callbacks that cannot. */
const blind: Readonly<Record<string, Authenticate>> = {
  'an arrow without parameters': () => admin,
  'an arrow with one parameter': (token) => (token === null ? admin : null),
  'an async arrow with one parameter': async (token) => (token === null ? admin : null),
}

const schema = defineSchema({ tags: { fields: { id: { type: 'integer', key: true } } } })
const servers: Server[] = []

afterEach(() => {
  seen.length = 0
  for (const server of servers.splice(0)) server.close()
})

async function answer(options: HandlerOptions, path: string): Promise<Response> {
  const { db } = await openSqlite()
  const handler = createHandler(createEngine({ db, schema }), options)
  const server = createServer(toNode(handler)).listen(0, '127.0.0.1')
  servers.push(server)
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-of-host': 'yes' } })
}

describe.each(Object.entries(seeing))('%s', (_, authenticate) => {
  it('gets the whole Web Request behind a server of Node', async () => {
    const response = await answer({ authenticate }, '/nothing?fields=id')
    expect(response.status).toBe(404)
    const [request] = seen
    expect(request).toBeInstanceOf(Request)
    const { method, url, headers, signal } = request as Request
    expect({ method, url, own: headers.get('x-of-host') }).toEqual({
      method: 'GET',
      url: 'http://localhost/nothing?fields=id',
      own: 'yes',
    })
    expect(signal).toBeInstanceOf(AbortSignal)
    expect(new Request(request as Request).headers.get('x-of-host')).toBe('yes')
  })
})

describe.each(Object.entries(blind))('%s', (_, authenticate) => {
  it('cannot see the request', () => {
    expect(maySeeRequest(authenticate)).toBe(false)
  })

  it('is asked with the token alone, and answers all the same', async () => {
    const response = await answer({ authenticate }, '/nothing')
    expect(response.status).toBe(404)
  })
})

describe('other callbacks of the host', () => {
  it('get the Web Request though "authenticate" cannot see it', async () => {
    const token = (request: Request) => request.headers.get('x-of-host')
    const tokens: (string | null)[] = []
    await answer({ authenticate: (given) => (tokens.push(given) ? admin : null), token }, '/nothing')
    expect(tokens).toEqual(['yes'])
  })

  it('are told of errors with the same request that "authenticate" has seen', async () => {
    const told: unknown[] = []
    const response = await answer(
      {
        authenticate: (_token, request) => {
          note(request)
          throw new Error('The host fails.')
        },
        onError: (_error, request) => told.push(request),
      },
      '/nothing',
    )
    expect(response.status).toBe(500)
    expect(told).toHaveLength(1)
    expect(told[0]).toBe(seen[0])
  })
})
