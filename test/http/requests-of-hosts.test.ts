// The Web Request that callbacks of the host see. Behind a server of Node it is made when one of them looks at it.
import { createServer } from 'node:http'
import { inspect } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { lazyRequest } from '../../src/http/node/lazy-request.ts'
import { createHandler, type HandlerOptions, toNode } from '../../src/http.ts'
import { createEngine, defineSchema } from '../../src/index.ts'
import { openSqlite } from '../support/databases.ts'
import { portOf } from '../support/listening.ts'

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

const schema = defineSchema({ tags: { fields: { id: { type: 'integer', key: true } } } })

afterEach(() => void seen.splice(0))

async function answer(options: HandlerOptions, path: string): Promise<Response> {
  const { db } = await openSqlite()
  const handler = createHandler(createEngine({ db, schema }), options)
  const port = await portOf(createServer(toNode(handler)))
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

describe('a request behind a server of Node', () => {
  /** Answers a request whose callback keeps the Web Request, unlooked at. */
  const kept = async (path = '/nothing?fields=id') => {
    await answer({ authenticate: (_token, request) => note(request) }, path)
    // "note" has put it there.
    return seen[0] as Request
  }

  it('is whole when it is first looked at after the answer', async () => {
    const request = await kept()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(request.headers.get('x-of-host')).toBe('yes')
    expect(request.headers).toBe(request.headers)
    expect([request.method, request.url]).toEqual(['GET', 'http://localhost/nothing?fields=id'])
  })

  it('has no body, however late it is read', async () => {
    const request = await kept()
    expect(request.body).toBe(null)
    expect(await request.text()).toBe('')
  })

  it('stands for itself where another is made of it', async () => {
    const request = await kept()
    const made = [request.clone(), new Request(request), new Request(request, { headers: { 'x-more': '1' } })]
    expect(made.map(({ url, headers }) => [url, headers.get('x-of-host')])).toEqual([
      ['http://localhost/nothing?fields=id', 'yes'],
      ['http://localhost/nothing?fields=id', 'yes'],
      ['http://localhost/nothing?fields=id', null],
    ])
  })

  it('looks like any other', async () => {
    const request = await kept()
    const other = new Request('http://localhost/nothing')
    expect(request).toBeInstanceOf(Request)
    expect(request.constructor).toBe(Request)
    expect(String(request)).toBe('[object Request]')
    const namesOf = (object: object) => {
      const names: string[] = []
      for (const name in object) names.push(name)
      return names.sort()
    }
    expect(namesOf(request)).toEqual(namesOf(other))
    expect(inspect(request)).toMatch(/^Request \{\s+method: 'GET',\s+url: 'http:/)
    expect(Object.assign(request, { visitor: 7 }).visitor).toBe(7)
  })

  it('says when the client has left', async () => {
    const { signal } = await kept()
    expect(signal).toBeInstanceOf(AbortSignal)
    expect(signal.aborted).toBe(false)
  })

  it('is seen by all callbacks as one', async () => {
    const token = (request: Request) => {
      note(request)
      return request.headers.get('x-of-host')
    }
    await answer({ authenticate: (_token, request) => note(request), token }, '/nothing')
    expect(seen).toHaveLength(2)
    expect(seen[0]).toBe(seen[1])
  })
})

describe('a request that nobody has looked at', () => {
  // From 7 on, undici knows a request by its private fields, so that nothing can stand for one.
  const isPossible = Number(process.versions.undici?.split('.')[0]) < 7
  const makings = { count: 0 }
  const counted = () =>
    lazyRequest(() => {
      makings.count += 1
      return new Request('http://localhost/', { method: 'POST', body: 'Hello', headers: { 'x-a': 'b' } })
    })
  afterEach(() => {
    makings.count = 0
  })

  it('is not made, where another object can stand for it', () => {
    expect(counted()).toBeInstanceOf(Request)
    expect(makings.count).toBe(isPossible ? 0 : 1)
  })

  it('is made once', async () => {
    const request = counted()
    expect(request.headers.get('x-a')).toBe('b')
    expect(await request.clone().text()).toBe('Hello')
    expect(await request.text()).toBe('Hello')
    expect([request.bodyUsed, makings.count]).toEqual([true, 1])
  })

  it('is one of the class that a package has put in the place of its own', async () => {
    counted()
    const { Request: own } = globalThis
    class Other extends own {
      get visitor() {
        return `${this.method} by another`
      }
    }
    globalThis.Request = Other
    try {
      const request = counted()
      expect(request).toBeInstanceOf(Other)
      expect(Reflect.get(request, 'visitor')).toBe('POST by another')
      expect(await new Other(request).text()).toBe('Hello')
    } finally {
      globalThis.Request = own
    }
  })

  it('is made for whoever makes another of it', async () => {
    const request = new Request(counted(), { headers: { 'x-c': 'd' } })
    expect([request.method, request.headers.get('x-c'), await request.text()]).toEqual(['POST', 'd', 'Hello'])
    expect(makings.count).toBe(1)
  })
})

describe('other callbacks of the host', () => {
  it('get the Web Request though "authenticate" looks at the token alone', async () => {
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
