// What a mount reads of a request, and what it answers before the caller is known.
import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createHandler,
  type HandlerOptions,
  type Mount,
  type MountRequest,
  toNode,
} from '../../../src/http.ts'
import { createEngine, defineSchema, type Engine, listItems } from '../../../src/index.ts'
import { sqlite } from '../../support/databases.ts'
import { portOf } from '../../support/listening.ts'

const schema = defineSchema({ tags: { fields: { id: { type: 'integer', key: true } } } })
let engine: Engine<typeof schema>

beforeAll(async () => {
  const database = await sqlite.open()
  await database.run('create table tags (id integer primary key)', 'insert into tags values (1), (2)')
  engine = createEngine({ db: database.db, schema })
})

type Reads = (request: MountRequest) => Promise<unknown>

/** Answers what a function reads of a request. */
const reading = (reads: Reads): Mount => ({
  routes: () => [
    {
      path: '/read',
      methods: {
        POST: async (_caller, request) => ({
          status: 200,
          headers: {},
          body: JSON.stringify((await reads(request)) ?? null),
        }),
      },
    },
  ],
})

const authenticate = () => ({ admin: true })
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const json = { 'content-type': 'application/json' }

interface Sent {
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  readonly options?: Partial<HandlerOptions<typeof schema>>
  /** Stands for a body parser of the host. */
  readonly parse?: (message: IncomingMessage) => Promise<unknown>
}

/** Sends to a mount as a Web request, and over Node. */
async function sent(reads: Reads, { body, headers = json, options, parse }: Sent) {
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const handler = createHandler(engine, { authenticate, mounts: [reading(reads)], onError, ...options })
  const respond = toNode(handler)
  const server = createServer(async (message, response) => {
    if (parse) Object.assign(message, { body: await parse(message) })
    await respond(message, response)
  })
  const port = await portOf(server)
  const init = { method: 'POST', headers, ...(body !== undefined && { body }) }
  const overNode = await fetch(`http://localhost:${port}/read`, init)
  const ofNode = { status: overNode.status, answer: await overNode.json() }
  await new Promise((resolve) => server.close(resolve).closeAllConnections())
  if (parse) return { ...ofNode, errors }
  const response = await handler(new Request('http://localhost/read', init))
  expect({ status: response.status, answer: await response.json() }).toEqual(ofNode)
  return { ...ofNode, errors: errors.slice(errors.length / 2) }
}

describe('the body of a request to a mount', () => {
  it.each<[string, Reads]>([
    ['bytes, then JSON', async ({ body, bytes }) => [text(await bytes()), await body()]],
    ['JSON, then bytes', async ({ body, bytes }) => [await body(), text(await bytes())].reverse()],
    [
      'both at once',
      async ({ body, bytes }) =>
        (await Promise.all([bytes(), body()])).map((one) => (one instanceof Uint8Array ? text(one) : one)),
    ],
    [
      'both again',
      async ({ body, bytes }) => {
        await Promise.all([bytes(), body(), bytes()])
        return [text(await bytes()), await body()]
      },
    ],
  ])('is read as %s', async (_title, reads) => {
    const { status, answer } = await sent(reads, { body: '{"a": 1}' })
    expect([status, answer]).toEqual([200, ['{"a": 1}', { a: 1 }]])
  })

  it('is bytes of any type, and JSON of its own alone', async () => {
    const headers = { 'content-type': 'image/png' }
    const body = Uint8Array.of(0, 255, 1)
    expect((await sent(async ({ bytes }) => [...(await bytes())], { body, headers })).answer).toEqual([
      0, 255, 1,
    ])
    const refused = async ({ body: read }: MountRequest) => [await read()]
    expect((await sent(refused, { body, headers })).status).toBe(415)
    const late = async ({ body: read, bytes }: MountRequest) => [await bytes(), await read()]
    expect((await sent(late, { body, headers })).status).toBe(415)
  })

  it('is refused in the same way each time', async () => {
    const twice: Reads = async ({ body }) => {
      const said = async () => body().catch((error: unknown) => Reflect.get(Object(error), 'code'))
      return [await said(), await said()]
    }
    expect((await sent(twice, { body: '{' })).answer).toEqual(['INVALID_PAYLOAD', 'INVALID_PAYLOAD'])
    const large: Reads = async ({ body, bytes }) => {
      const said = async (read: () => Promise<unknown>) =>
        read().catch((error: unknown) => Reflect.get(Object(error), 'code'))
      return [await said(bytes), await said(body), await said(bytes)]
    }
    const { answer } = await sent(large, { body: '{"a": 1}', options: { bodyLimit: 7 } })
    expect(answer).toEqual(Array(3).fill('CONTENT_TOO_LARGE'))
    expect(
      (await sent(async ({ bytes }) => bytes(), { body: '12345678', options: { bodyLimit: 7 } })).status,
    ).toBe(413)
    expect(
      (await sent(async ({ bytes }) => text(await bytes()), { body: '1234567', options: { bodyLimit: 7 } }))
        .answer,
    ).toBe('1234567')
  })

  it('is empty where there is none', async () => {
    const { answer } = await sent(
      async ({ body, bytes }) => [(await bytes()).length, (await body()) ?? 'none'],
      {},
    )
    expect(answer).toEqual([0, 'none'])
  })

  it('has no bytes behind a body parser, which is told to the host', async () => {
    const parse = async (message: IncomingMessage) => JSON.parse(text(Buffer.concat(await message.toArray())))
    const body = '{"a": 1}'
    expect(await sent(async ({ body: read }) => [await read(), await read()], { body, parse })).toMatchObject(
      { status: 200, answer: [{ a: 1 }, { a: 1 }] },
    )
    const { status, errors } = await sent(async ({ bytes }) => bytes(), { body, parse })
    expect([status, errors]).toEqual([
      500,
      [
        expect.objectContaining({
          code: 'INVALID_OPTIONS',
          message: 'The body of the request was already read by a middleware, which did not keep it.',
        }),
      ],
    ])
  })

  it('has its bytes behind a parser that leaves them', async () => {
    const parse = async (message: IncomingMessage) => Buffer.concat(await message.toArray())
    expect(await sent(async ({ bytes }) => text(await bytes()), { body: '{"a": 1}', parse })).toMatchObject({
      status: 200,
      answer: '{"a": 1}',
    })
  })
})

describe('a request to a mount', () => {
  const about: Mount = {
    routes: () => [
      {
        path: '/about/:name',
        methods: {},
        open: async ({ prefix, path, isForeign }) => ({
          status: 200,
          headers: {},
          body: JSON.stringify([prefix, path, isForeign()]),
        }),
      },
    ],
  }
  const told = async (
    options: Partial<HandlerOptions<typeof schema>>,
    address: string,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const handler = createHandler(engine, { authenticate, mounts: [about], ...options })
    const response = await handler(new Request(`http://localhost${address}`, { headers }))
    return response.json()
  }

  it('says the prefix of its handler', async () => {
    expect(await told({}, '/about/a')).toEqual(['', '/about/a', false])
    expect(await told({ prefix: 'my api/v1' }, '/my%20api/v1/about/a')).toEqual([
      '/my%20api/v1',
      '/about/a',
      false,
    ])
  })

  it('says whether a page of another origin may have sent it with cookies', async () => {
    const isForeign = async (
      headers: Readonly<Record<string, string>>,
      trustedOrigins: readonly string[] = [],
    ) => Object(await told({ trustedOrigins }, '/about/a', headers))[2]
    const cookie = 'session=1'
    const origin = 'https://evil.example'
    expect(await isForeign({ cookie, 'sec-fetch-site': 'cross-site' })).toBe(true)
    expect(await isForeign({ cookie, 'sec-fetch-site': 'same-site' })).toBe(true)
    expect(await isForeign({ cookie, origin })).toBe(true)
    // Older browsers say nothing of the page that has a link or a picture.
    expect(await isForeign({ cookie })).toBe(true)
    expect(await isForeign({ cookie, 'sec-fetch-site': 'same-origin' })).toBe(false)
    expect(await isForeign({ cookie, 'sec-fetch-site': 'none' })).toBe(false)
    expect(await isForeign({ cookie, origin: 'http://localhost' })).toBe(false)
    expect(await isForeign({})).toBe(false)
    expect(await isForeign({ cookie, origin, authorization: 'Bearer x' })).toBe(false)
    expect(await isForeign({ cookie, origin, 'sec-fetch-site': 'cross-site' }, [origin])).toBe(false)
  })
})

describe('a mount that is open', () => {
  const secret = 'of both'
  const sign = (body: string) => createHmac('sha256', secret).update(body).digest('hex')

  /** A webhook that is signed, or of a caller. */
  const webhook: Mount = {
    routes: () => [
      {
        path: '/hooks/:name',
        methods: {
          POST: async (caller, { parameters, body }) => ({
            status: 200,
            headers: {},
            body: JSON.stringify([parameters, await body(), caller === engine]),
          }),
        },
        open: async ({ header, bytes, body, parameters, engine: whole, signal, report }) => {
          const signature = header('x-signature')
          if (signature === undefined) return undefined
          if (signature !== sign(text(await bytes()))) return { status: 403, headers: {}, body: '' }
          report(new Error(`of ${parameters.name}, ${signal.aborted}`))
          const { data } = await listItems(whole as typeof engine, 'tags')
          return { status: 200, headers: {}, body: JSON.stringify([await body(), data]) }
        },
      },
    ],
  }
  const errors: unknown[] = []
  const post = async (headers: Readonly<Record<string, string>>, body: string) => {
    const handler = createHandler(engine, {
      authenticate: (token) => (token === 'secret' ? {} : null),
      mounts: [webhook],
      onError: (error) => errors.push(error),
    })
    const response = await handler(
      new Request('http://localhost/hooks/new%2Fone', {
        method: 'POST',
        headers: { ...json, ...headers },
        body,
      }),
    )
    return [response.status, await response.text()]
  }

  it('has the body, its bytes, parameters and the engine of the host, before anybody is authenticated', async () => {
    expect(await post({ 'x-signature': sign('{"a":1}') }, '{"a":1}')).toEqual([
      200,
      '[{"a":1},[{"id":1},{"id":2}]]',
    ])
    expect(errors).toEqual([new Error('of new/one, false')])
    expect((await post({ 'x-signature': sign('{"a":2}') }, '{"a":1}'))[0]).toBe(403)
  })

  it('leaves the rest to those who are authenticated', async () => {
    expect((await post({}, '{}'))[0]).toBe(401)
    expect(await post({ authorization: 'Bearer secret' }, '{"a":1}')).toEqual([
      200,
      '[{"name":"new/one"},{"a":1},false]',
    ])
  })
})

it('lets a mount ask again who the caller is', async () => {
  const allowed = new Set(['one'])
  const asking: Mount = {
    routes: () => [
      {
        path: '/asking',
        methods: {
          GET: async (_caller, { authenticate: ask }) => {
            const before = await ask()
            allowed.clear()
            const names = [...(before?.schema.collections.keys() ?? [])]
            return { status: 200, headers: {}, body: JSON.stringify([names, await ask()]) }
          },
        },
        open: async ({ queryString, authenticate: ask }) =>
          queryString === '?open'
            ? { status: 200, headers: {}, body: JSON.stringify((await ask()) === null) }
            : undefined,
      },
    ],
  }
  const handler = createHandler(engine, {
    authenticate: (token) => (allowed.has(token ?? '') ? { rules: { tags: { read: true } } } : null),
    mounts: [asking],
  })
  const headers = { authorization: 'Bearer one' }
  const ask = async (path: string, init = {}) =>
    (await handler(new Request(`http://localhost${path}`, init))).text()
  expect(await ask('/asking?open')).toBe('true')
  expect(await ask('/asking?open', { headers })).toBe('false')
  expect(await ask('/asking', { headers })).toBe('[["tags"],null]')
})

describe('what tells callers apart', () => {
  it.each([
    [{}, 'private, no-cache', 'Authorization, Cookie, X-Tenant'],
    [{ 'cache-control': 'max-age=60' }, 'max-age=60', 'Authorization, Cookie, X-Tenant'],
    [{ 'cache-control': 'no-store', vary: 'Accept' }, 'no-store', 'Authorization, Cookie, X-Tenant, Accept'],
  ])('is in Vary, whatever a mount says of caches: %j', async (headers, cacheControl, vary) => {
    const answer = async () => ({ status: 200, headers, body: '' })
    const mount: Mount = {
      routes: () => [
        { path: '/a', methods: { GET: answer } },
        { path: '/b', methods: {}, open: answer },
      ],
    }
    const handler = createHandler(engine, { authenticate, vary: ['X-Tenant'], mounts: [mount] })
    for (const path of ['a', 'b']) {
      const { headers: had } = await handler(new Request(`http://localhost/${path}`))
      expect([had.get('cache-control'), had.get('vary')]).toEqual([cacheControl, vary])
    }
  })
})

describe('an engine for each request', () => {
  const tenants = async () => {
    const other = await sqlite.open()
    await other.run('create table tags (id integer primary key)', 'insert into tags values (7)')
    return { other, second: createEngine({ db: other.db, schema }) }
  }

  it('answers REST and mounts by the engine of a tenant, whose mounts are made once', async () => {
    const { second } = await tenants()
    const events: string[] = []
    const nameOf = (one: unknown) => (one === engine ? 'first' : one === second ? 'second' : 'another')
    const ofTenant = (made: Engine): Mount => {
      events.push(`made for ${nameOf(made)}`)
      return {
        engine: made,
        routes: (routed) => {
          events.push(`routes of ${nameOf(routed)}`)
          return [
            {
              path: '/tenant',
              methods: { GET: async () => ({ status: 200, headers: {}, body: nameOf(made) }) },
            },
          ]
        },
        start: (started) => void events.push(`start of ${nameOf(started)}`),
        stop: (stopped) => void events.push(`stop of ${nameOf(stopped)}`),
      }
    }
    const handler = createHandler(
      (request) => (request.headers.get('x-tenant') === 'second' ? second : engine),
      { authenticate, vary: ['X-Tenant'], mounts: [ofTenant] },
    )
    const ask = async (path: string, tenant: string) =>
      (await handler(new Request(`http://localhost${path}`, { headers: { 'x-tenant': tenant } }))).text()
    expect(events).toEqual([])
    expect(await ask('/tenant', 'first')).toBe('first')
    await handler.start()
    expect(await ask('/tenant', 'second')).toBe('second')
    expect(await ask('/tenant', 'first')).toBe('first')
    expect(await ask('/items/tags', 'second')).toBe('{"data":[{"id":7}]}')
    expect(await ask('/items/tags', 'first')).toBe('{"data":[{"id":1},{"id":2}]}')
    await handler.stop()
    expect(events.slice(0, -2)).toEqual([
      ...['made for first', 'routes of first', 'made for second', 'routes of second'],
      ...['start of second', 'start of first'],
    ])
    expect(events.slice(-2).sort()).toEqual(['stop of first', 'stop of second'])
  })

  it('refuses a mount of another engine, and what is no engine', async () => {
    const { second } = await tenants()
    const mount: Mount = { engine: second, routes: () => [] }
    expect(() => createHandler(engine, { authenticate, mounts: [mount] })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTIONS',
        message: 'The mount was made for another engine than the handler.',
      }),
    )
    const errors: unknown[] = []
    const options = { authenticate, mounts: [mount], onError: (error: unknown) => void errors.push(error) }
    const handler = createHandler(
      ({ url }) => (url.endsWith('none') ? (undefined as never) : engine),
      options,
    ) // what JavaScript may return
    expect((await handler(new Request('http://localhost/'))).status).toBe(500)
    expect((await handler(new Request('http://localhost/none'))).status).toBe(500)
    expect(errors).toEqual([
      expect.objectContaining({ code: 'INVALID_OPTIONS', path: ['mounts', 0] }),
      expect.objectContaining({ code: 'INVALID_OPTIONS', path: ['engine'] }),
    ])
  })
})
