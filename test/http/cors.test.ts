// Which pages of other origins may read the responses in a browser, and that nobody else gets another response.
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { createGraphQLHandler, graphql } from '../../src/graphql.ts'
import { type CorsOptions, createHandler, type Handler } from '../../src/http.ts'
import { createEngine, createItems, defineSchema, type Engine, type Schema } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage.ts'
import { openSqlite } from '../support/databases.ts'
import { refusalOf } from '../support/outcome.ts'
import { transports } from './transports.ts'

const schema = defineSchema({
  notes: { fields: { id: { type: 'integer', key: true }, text: { type: 'string', nullable: true } } },
})
const listed = 'https://app.example'
const strange = 'https://other.example'
const names = [
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-expose-headers',
]

let engine: Engine<typeof schema>
beforeAll(async () => {
  const opened = await openSqlite()
  await sql`create table notes (id integer primary key, text text)`.execute(opened.db)
  engine = createEngine({ db: opened.db, schema, storage: memoryStorage() })
  await engine.install()
  await createItems(engine, 'notes', [{ text: 'milk' }, { text: 'bread' }])
})

const handlerWith = (cors: CorsOptions | undefined, vary?: readonly string[]): Handler =>
  createHandler(engine, {
    authenticate: (token) => (token === 'secret' ? { admin: true } : null),
    mounts: [graphql()],
    ...(cors && { cors }),
    ...(vary && { vary }),
  })

const ask = (
  handler: Handler,
  path: string,
  { method = 'GET', body, ...headers }: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  handler(
    new Request(`https://api.example${path}`, {
      method,
      headers: { authorization: 'Bearer secret', ...headers },
      ...(body !== undefined && { body }),
    }),
  )

const ofCors = ({ headers }: Response): readonly (string | null)[] => names.map((name) => headers.get(name))

const preflight = (handler: Handler, headers: Readonly<Record<string, string>>, path = '/items/notes') =>
  handler(
    new Request(`https://api.example${path}`, {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'SEARCH', ...headers },
    }),
  )

const exposed =
  'Accept-Ranges, Allow, Content-Disposition, Content-Range, ETag, Preference-Applied, Quernel-Position, Retry-After, WWW-Authenticate, X-Truncated'

describe('a page of a listed origin', () => {
  const handler = () =>
    handlerWith({ origins: [listed, 'http://localhost:5173'], credentials: true, maxAge: 60 })

  it.each([
    ['a list', '/items/notes', {}],
    ['a list as a stream', '/items/notes?export=csv', {}],
    [
      'a list of a body',
      '/items/notes',
      { method: 'SEARCH', 'content-type': 'application/json', body: '{"query":{}}' },
    ],
    ['a head', '/items/notes', { method: 'HEAD' }],
    ['a mistake', '/items/notes?limit=x', {}],
    ['a path that is not there', '/nowhere', {}],
    ['a method that is not there', '/items/notes/1', { method: 'POST' }],
    ['a wrong token', '/items/notes', { authorization: 'Bearer wrong' }],
    ['a mount', '/graphql?query={notes{id}}', {}],
    ['other OPTIONS', '/items/notes', { method: 'OPTIONS' }],
  ])('may read %s', async (_, path, sent: Readonly<Record<string, string>>) => {
    const plain = await ask(handlerWith(undefined), path, sent)
    const response = await ask(handler(), path, { ...sent, origin: listed })
    expect(ofCors(response)).toEqual([listed, 'true', exposed])
    expect(response.headers.get('vary')?.split(', ')).toContain('Origin')
    expect([response.status, await response.text()]).toEqual([plain.status, await plain.text()])
  })

  it('may read what has not changed', async () => {
    const etag = (await ask(handler(), '/items/notes')).headers.get('etag') ?? ''
    const response = await ask(handler(), '/items/notes', { origin: listed, 'if-none-match': etag })
    expect([response.status, ...ofCors(response)]).toEqual([304, listed, 'true', exposed])
  })

  it('is told before it has a token what it may send', async () => {
    const response = await preflight(handler(), {
      origin: listed,
      'access-control-request-headers': 'authorization, traceparent, content-type, b\u00e4d',
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-methods')?.split(', ').sort()).toEqual(
      ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'SEARCH'].sort(),
    )
    expect(response.headers.get('access-control-allow-headers')).toBe(
      'Accept, authorization, content-type, If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Prefer, Quernel-Position, Range, traceparent',
    )
    expect(response.headers.get('access-control-max-age')).toBe('60')
    expect(response.headers.get('vary')).toBe('Access-Control-Request-Headers, Origin')
    expect(ofCors(response).slice(0, 2)).toEqual([listed, 'true'])
  })

  it('may send the headers that identify callers', async () => {
    const response = await preflight(handlerWith({ origins: [listed] }, ['X-Tenant']), { origin: listed })
    expect(response.headers.get('access-control-allow-headers')).toMatch(/, X-Tenant$/)
    expect(response.headers.get('access-control-max-age')).toBeNull()
    expect(ofCors(response)[1]).toBeNull()
  })

  it('is told the same on every path', async () => {
    for (const path of ['/items/none', '/nowhere', '/graphql', '/'])
      expect((await preflight(handler(), { origin: listed }, path)).status).toBe(204)
  })
})

describe('a page of any other origin', () => {
  it.each([
    strange,
    'null',
    'https://app.example:8443',
    'http://app.example',
    'https://app.example.evil',
    '',
  ])('at "%s" gets the same response without the headers', async (origin) => {
    const handler = handlerWith({ origins: [listed], credentials: true })
    for (const path of ['/items/notes', '/items/none', '/graphql?query={notes{id}}']) {
      const plain = await ask(handler, path)
      const response = await ask(handler, path, { origin })
      expect(ofCors(response)).toEqual([null, null, null])
      expect([...response.headers]).toEqual([...plain.headers])
      expect([response.status, await response.text()]).toEqual([plain.status, await plain.text()])
    }
    const asked = await preflight(handler, { origin })
    expect(asked.status).toBe(204)
    expect([...asked.headers]).toEqual([['vary', 'Access-Control-Request-Headers, Origin']])
  })

  it('may read if all may', async () => {
    const response = await ask(handlerWith({ origins: ['*'] }), '/items/notes', { origin: strange })
    expect(ofCors(response)).toEqual(['*', null, exposed])
    expect(response.headers.get('vary')).toContain('Origin')
  })
})

it('a request of no page varies by its origin, too', async () => {
  const response = await ask(handlerWith({ origins: [listed] }), '/items/notes')
  expect(response.headers.get('vary')).toBe('Authorization, Cookie, Origin')
  expect(ofCors(response)).toEqual([null, null, null])
})

it('nothing is said without the option', async () => {
  const response = await ask(handlerWith(undefined), '/items/notes', { origin: listed })
  expect(ofCors(response)).toEqual([null, null, null])
  expect(response.headers.get('vary')).toBe('Authorization, Cookie')
  expect((await preflight(handlerWith(undefined), { origin: listed })).status).toBe(401)
})

it('forms with credentials are taken from listed origins if these may send credentials', async () => {
  const form = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nTea\r\n--x--\r\n'
  const send = async (cors: CorsOptions, origin: string) => {
    const handler = createHandler(engine, { authenticate: () => ({ admin: true }), cors })
    const sent = { method: 'POST', body: form, authorization: '', origin, 'sec-fetch-site': 'cross-site' }
    return (await ask(handler, '/files', { ...sent, 'content-type': 'multipart/form-data; boundary=x' }))
      .status
  }
  expect(await send({ origins: [listed], credentials: true }, listed)).toBe(200)
  expect(await send({ origins: [listed], credentials: true }, strange)).toBe(403)
  expect(await send({ origins: [listed] }, listed)).toBe(403)
  expect(await send({ origins: ['*'] }, listed)).toBe(403)
})

it('GraphQL alone takes the option, too', async () => {
  const handler = createGraphQLHandler(engine, {
    authenticate: () => ({ admin: true }),
    cors: { origins: [listed] },
  })
  expect((await preflight(handler, { origin: listed }, '/graphql')).status).toBe(204)
  expect(ofCors(await ask(handler, '/graphql?query={notes{id}}', { origin: listed }))[0]).toBe(listed)
  expect(ofCors(await ask(handler, '/graphql?query={none}', { origin: listed }))[0]).toBe(listed)
  expect(() => createGraphQLHandler(engine, { authenticate: () => null, cors: { origins: ['x'] } })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS' }),
  )
})

it.each(transports)('$title the headers arrive', async ({ open }) => {
  const handler = createHandler(engine, {
    authenticate: () => ({ admin: true }),
    prefix: '/api',
    cors: { origins: [listed] },
  })
  const wire = await open(handler)
  const sent = { path: '/api/items/notes', headers: { origin: listed }, body: undefined }
  const read = await wire.send({ ...sent, method: 'GET' })
  expect([read.status, read.headers['access-control-allow-origin']]).toEqual([200, listed])
  expect(read.headers.vary).toContain('Origin')
  const headers = { origin: listed, 'access-control-request-method': 'PATCH' }
  const asked = await wire.send({ ...sent, method: 'OPTIONS', headers })
  expect([asked.status, asked.headers['access-control-allow-origin'], asked.text]).toEqual([204, listed, ''])
})

describe('options', () => {
  it.each([
    [{}, ['cors', 'origins'], "cors: { origins: ['https://app.example.org'] }"],
    [{ origins: 'https://a.example' }, ['cors', 'origins'], undefined],
    [{ origins: [listed], maxAge: -1 }, ['cors', 'maxAge'], undefined],
    [{ origins: [listed], maxAge: 1.5 }, ['cors', 'maxAge'], undefined],
    [{ origins: [listed], credential: true }, ['cors', 'credential'], 'credentials'],
    [{ origins: [`${listed}/`] }, ['cors', 'origins', 0], listed],
    [{ origins: [listed, 'https://a.example/app?x#y'] }, ['cors', 'origins', 1], 'https://a.example'],
    [{ origins: ['https://user:word@a.example'] }, ['cors', 'origins', 0], 'https://a.example'],
    [{ origins: ['HTTPS://A.example:443'] }, ['cors', 'origins', 0], 'https://a.example'],
    [{ origins: ['a.example'] }, ['cors', 'origins', 0], 'https://app.example.org'],
    [{ origins: ['null'] }, ['cors', 'origins', 0], 'https://app.example.org'],
    [{ origins: [null] }, ['cors', 'origins', 0], 'https://app.example.org'],
    [{ origins: ['https://*.example'] }, ['cors', 'origins', 0], 'https://app.example.org'],
    [{ origins: [''] }, ['cors', 'origins', 0], 'https://app.example.org'],
    [{ origins: ['*'], credentials: true }, ['cors', 'origins', 0], 'Name the origins.'],
    [{ origins: ['*', listed] }, ['cors', 'origins', 0], "origins: ['*']"],
  ] as const)('refuses %j', (cors, path, hint) => {
    const refusal = refusalOf(() =>
      createHandler(engine as unknown as Engine<Schema>, { authenticate: () => null, cors: cors as never }),
    )
    const [problem = refusal] = refusal.errors ?? []
    expect(problem).toMatchObject({ code: 'INVALID_OPTIONS', path })
    if (hint !== undefined) expect(problem.hint).toContain(hint)
  })

  it.each([
    [listed],
    ['http://localhost:5173'],
    ['http://[::1]:3000'],
    ['capacitor://localhost'],
    ['tauri://localhost'],
    ['chrome-extension://abcdef'],
  ])('takes %s', (origin) => {
    expect(() =>
      createHandler(engine, { authenticate: () => null, cors: { origins: [origin] } }),
    ).not.toThrow()
  })
})
