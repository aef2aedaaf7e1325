import { createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { replaceFile, uploadFile } from '../../src/client/upload.ts'
import {
  assetUrl,
  type ClientOptions,
  connect,
  createItem,
  createItems,
  deleteByQuery,
  deleteFile,
  deleteItems,
  getFile,
  getItem,
  listItems,
  listVersions,
  liveList,
  pages,
  promoteVersion,
  streamItems,
  updateByQuery,
  updateEach,
  updateFile,
  updateItems,
  upsertItem,
  upsertItems,
  watchItems,
} from '../../src/client.ts'
import { portOf } from '../support/listening.ts'
import { rejectionOf as errorOf } from '../support/outcome.ts'

const json = { 'content-type': 'application/json' }
const list = () => new Response('{"data":[{"id":1}]}', { headers: json })
const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ errors: [{ message: 'No.', extensions: { code } }] }), {
    status,
    headers: { ...json, ...headers },
  })

function answeredBy(
  answer: (number: number, request: Request) => Response | Promise<Response>,
  options: ClientOptions = {},
) {
  const sent: Request[] = []
  const api = connect('http://api.test/v1', {
    fetch: async (input, init) => {
      const request = new Request(input, init)
      sent.push(request)
      return answer(sent.length, request)
    },
    ...options,
  })
  return { api, sent }
}

describe('the address of an API', () => {
  const right = {
    'http://localhost:8055': 'http://localhost:8055',
    'http://localhost:8055/': 'http://localhost:8055',
    'https://example.org/api/': 'https://example.org/api',
    'https://example.org/a/b//': 'https://example.org/a/b',
    'HTTPS://EXAMPLE.org/Api': 'https://example.org/Api',
  }
  it.each(Object.entries(right))('%s is %s', async (input, url) => {
    const asked: string[] = []
    const fetch: ClientOptions['fetch'] = async (address) => {
      asked.push(String(address))
      return list()
    }
    const api = connect(input, { fetch })
    await listItems(api, 'notes', { limit: 1 })
    expect([api.url, asked]).toEqual([url, [`${url}/items/notes?limit=1`]])
    expect(connect(new URL(input)).url).toBe(url)
  })

  const wrong = [
    '',
    '/api',
    'example.org',
    'localhost:8055',
    'ftp://example.org',
    'https://example.org/api?key=1',
    'https://example.org/api#top',
    'https://me:secret@example.org/api',
    'javascript:alert(1)',
  ]
  it.each(wrong)('is not %j', (input) => {
    expect(() => connect(input)).toThrow('An address is like https://example.org/api, without a query.')
  })
})

describe('options', () => {
  it('that are misspelt are refused', async () => {
    expect(() => connect('http://api.test', { tokn: 'x' } as never)).toThrow('There is no option "tokn".')
    expect(() => connect('http://api.test', { retry: 4 })).toThrow('"retry" is 0, 1, 2 or 3.')
    expect(() => connect('http://api.test', { timeoutMs: 0 })).toThrow('"timeoutMs" is above 0.')
    const { api, sent } = answeredBy(list)
    for (const options of [{ sgnal: 1 }, { timeoutMs: -1 }, { timeoutMs: Number.NaN }])
      expect(await errorOf(() => listItems(api, 'notes', {}, options as never))).toMatchObject({
        code: 'INVALID_OPTIONS',
      })
    expect((await errorOf(() => listItems({} as never, 'notes'))).message).toBe(
      'The first argument is what connect returns.',
    )
    expect(sent).toEqual([])
  })
})

describe('a query', () => {
  it('leaves out parameters that are undefined, and refuses conditions that are', async () => {
    const { api, sent } = answeredBy(list)
    await listItems(api, 'notes', { limit: undefined, sort: 'id' } as never)
    expect(sent.map(({ url }) => url)).toEqual(['http://api.test/v1/items/notes?sort=id'])
    const error = await errorOf(() => listItems(api, 'notes', { filter: { owner: undefined } } as never))
    expect(error).toMatchObject({ code: 'INVALID_QUERY', path: ['filter', 'owner'] })
    expect(error.message).toBe('"owner" is undefined; to say nothing about it, leave it out.')
  })

  it('of 1 MB goes in a body', async () => {
    const { api, sent } = answeredBy(list)
    const filter = { text: { _in: Array.from({ length: 100_000 }, (_, index) => `word ${index}`) } }
    await listItems(api, 'notes', { filter })
    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST http://api.test/v1/items/notes/search',
    ])
    const [text = ''] = await Promise.all(sent.map((request) => request.text()))
    expect(JSON.parse(text)).toEqual({ query: { filter } })
  })

  it('that goes round in a circle, or a key with half of a letter, is the mistake of its caller', async () => {
    const { api, sent } = answeredBy(list)
    const filter: Record<string, unknown> = {}
    filter._and = [filter]
    let deep: unknown[] = []
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    for (const work of [() => listItems(api, 'notes', { filter }), () => createItem(api, 'notes', { deep })])
      expect(await errorOf(work)).toMatchObject({ code: 'INVALID_PAYLOAD', message: 'This cannot be sent.' })
    for (const key of [undefined, null, {}, true, [1, null], [], '\ud83d', ['a', 'b\ude00']])
      expect((await errorOf(() => getItem(api, 'notes', key as never))).message).toBe(
        'A key is a text, a number or a list.',
      )
    expect(sent).toEqual([])
  })
})

describe('a token', () => {
  const authorizations = (sent: readonly Request[]) => sent.map(({ headers }) => headers.get('authorization'))

  it('is sent with each request, and none if there is none', async () => {
    const named = answeredBy(list, { token: 'abc' })
    await listItems(named.api, 'notes')
    const nobody = answeredBy(list, { token: () => null })
    await listItems(nobody.api, 'notes')
    expect([...authorizations(named.sent), ...authorizations(nobody.sent)]).toEqual(['Bearer abc', null])
  })

  it.each(['a\nb', 'ab\n', ' ab', 'a b', '', 'schlüssel', 7])('is not %j', async (token) => {
    const { api, sent } = answeredBy(list, { token: () => token as string })
    const error = await errorOf(() => listItems(api, 'notes'))
    expect(error).toMatchObject({ code: 'INVALID_OPTIONS', message: 'A token is visible ASCII.' })
    expect(sent).toEqual([])
  })

  it('is asked for once more by three calls that are refused', async () => {
    let calls = 0
    const token = async () => `token-${++calls}`
    const { api, sent } = answeredBy(
      (_, { headers }) =>
        headers.get('authorization') === 'Bearer token-1' ? refusal(401, 'TOKEN_EXPIRED') : list(),
      { token },
    )
    const notes = () => listItems(api, 'notes')
    await Promise.all([notes(), notes(), notes()])
    await notes()
    expect(calls).toBe(2)
    expect(authorizations(sent).sort()).toEqual([
      ...Array(3).fill('Bearer token-1'),
      ...Array(4).fill('Bearer token-2'),
    ])
  })

  it('that is refused twice is an error, and one that cannot be had fails all that wait', async () => {
    const refused = answeredBy(() => refusal(401, 'INVALID_CREDENTIALS'), { token: () => 'x' })
    expect(await errorOf(() => listItems(refused.api, 'notes'))).toMatchObject({ status: 401 })
    expect(refused.sent).toHaveLength(2)
    const fixed = answeredBy(() => refusal(401, 'INVALID_CREDENTIALS'), { token: 'x' })
    await errorOf(() => listItems(fixed.api, 'notes'))
    expect(fixed.sent).toHaveLength(1)

    let calls = 0
    const token = async () => {
      calls++
      throw new Error('signed out')
    }
    const gone = answeredBy(list, { token })
    const all = [1, 2, 3].map(() => listItems(gone.api, 'notes').catch(String))
    expect(await Promise.all(all)).toEqual(Array(3).fill('Error: signed out'))
    expect(calls).toBe(1)
    await listItems(gone.api, 'notes').catch(() => undefined)
    expect([calls, gone.sent]).toEqual([2, []])
  })
})

describe('a read', () => {
  const again = { 'retry-after': '0' }

  it('is sent again, at most three times', async () => {
    const busy = answeredBy((number) => (number < 4 ? refusal(503, 'SERVICE_UNAVAILABLE', again) : list()))
    expect(await listItems(busy.api, 'notes')).toEqual({ data: [{ id: 1 }] })
    expect(busy.sent).toHaveLength(4)
    const down = answeredBy(() => refusal(503, 'SERVICE_UNAVAILABLE', again))
    expect(await errorOf(() => listItems(down.api, 'notes'))).toMatchObject({ status: 503, message: 'No.' })
    expect(down.sent).toHaveLength(4)
    const once = answeredBy(() => refusal(503, 'SERVICE_UNAVAILABLE', again), { retry: 0 })
    await errorOf(() => listItems(once.api, 'notes'))
    expect(once.sent).toHaveLength(1)
  })

  it('is sent again after a broken connection, an empty 502, and a 429 that says when', async () => {
    const answers = [
      () => Promise.reject(new TypeError('fetch failed')),
      () => new Response(null, { status: 502 }),
      () => refusal(429, 'TOO_MANY_REQUESTS', { 'retry-after': new Date(0).toUTCString() }),
      () => refusal(429, 'TOO_MANY_REQUESTS', again),
    ]
    const { api, sent } = answeredBy((number) => answers[number - 1]?.() ?? list())
    expect(await errorOf(() => listItems(api, 'notes'))).toMatchObject({ status: 429 })
    expect(sent).toHaveLength(3)
  })

  it('is not sent again where that is in vain, or would take too long', async () => {
    const answers = [
      refusal(429, 'TOO_MANY_REQUESTS'),
      refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '31' }),
      refusal(500, 'INTERNAL_SERVER_ERROR'),
      refusal(404, 'NOT_FOUND'),
    ]
    for (const answer of answers) {
      const { api, sent } = answeredBy(() => answer)
      expect(await errorOf(() => listItems(api, 'notes'))).toMatchObject({ status: answer.status })
      expect(sent).toHaveLength(1)
    }
  })

  it('ends with the signal of its caller, before it and while it waits', async () => {
    const { api, sent } = answeredBy(() => refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '20' }))
    const before = AbortSignal.abort('enough')
    expect(await listItems(api, 'notes', {}, { signal: before }).catch((reason: unknown) => reason)).toBe(
      'enough',
    )
    expect(sent).toEqual([])
    const controller = new AbortController()
    const waiting = listItems(api, 'notes', {}, { signal: controller.signal })
    await expect.poll(() => sent.length).toBe(1)
    controller.abort('left')
    expect(await waiting.catch((reason: unknown) => reason)).toBe('left')
  })

  it('ends in its time, whoever is silent', async () => {
    const silent = answeredBy(() => new Promise(() => undefined), { timeoutMs: 20 })
    const endless = answeredBy(() => new Response(new ReadableStream({}), { headers: json }))
    const unsigned = answeredBy(list, { token: () => new Promise(() => undefined) })
    for (const { api } of [silent, endless, unsigned])
      expect(await errorOf(() => listItems(api, 'notes', {}, { timeoutMs: 20 }))).toMatchObject({
        code: 'OUT_OF_TIME',
        message: 'No whole answer within 20 ms.',
        extensions: {},
      })
  })
})

describe('a write', () => {
  const note = { text: 'milk' }

  it('is never sent again, and says that it may be stored', async () => {
    const uncertain = [
      () => Promise.reject(new TypeError('fetch failed')),
      () => new Response(null, { status: 502 }),
      () => new Response('<h1>Hello'),
      () => new Response('{"data":{"id"', { headers: json }),
      () => new Response(new ReadableStream({}), { headers: json }),
    ]
    for (const answer of uncertain) {
      const { api, sent } = answeredBy(answer)
      const error = await errorOf(() => createItem(api, 'notes', note, {}, { timeoutMs: 50 }))
      expect(error.extensions).toMatchObject({ mayBeStored: true })
      expect(sent).toHaveLength(1)
    }
  })

  it('that was refused is not stored', async () => {
    const refused = [
      () => refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' }),
      () => refusal(400, 'INVALID_PAYLOAD'),
      () => new Response('<h1>413', { status: 413 }),
      () => new Response(null, { status: 301, headers: { location: 'https://api.test/' } }),
    ]
    for (const answer of refused) {
      const { api, sent } = answeredBy(answer)
      const error = await errorOf(() => createItem(api, 'notes', note))
      expect(error.extensions).not.toHaveProperty('mayBeStored')
      expect(sent.map(({ redirect }) => redirect)).toEqual(['manual'])
    }
  })

  it('is sent once more with another token, as nothing was done', async () => {
    const tokens = ['old', 'new']
    const { api, sent } = answeredBy((number) => (number === 1 ? refusal(401, 'TOKEN_EXPIRED') : list()), {
      token: () => tokens.shift() ?? null,
    })
    await createItem(api, 'notes', note)
    expect(await Promise.all(sent.map((request) => request.json()))).toEqual([note, note])
  })

  it('of one is no list, and one of many no item', async () => {
    const { api, sent } = answeredBy(list)
    expect((await errorOf(() => createItem(api, 'notes', [note, note] as never))).message).toBe(
      'An item is an object of its fields, not a list.',
    )
    for (const work of [
      () => createItems(api, 'notes', { keys: [1], data: note } as never),
      () => updateEach(api, 'notes', { keys: [1], data: note } as never),
    ])
      expect((await errorOf(work)).message).toBe('Items stand in a list.')
    expect(sent).toEqual([])
  })

  it('by a query leaves out no condition', async () => {
    const { api, sent } = answeredBy(list)
    const query = { filter: { text: 'milk', owner: undefined } } as never
    for (const work of [
      () => deleteByQuery(api, 'notes', query),
      () => deleteItems(api, 'notes', undefined, query),
      () => deleteItems(api, 'notes', { query }, undefined, { dryRun: true }),
      () => updateByQuery(api, 'notes', query, note),
      () => deleteByQuery(api, 'notes', { limit: 1 }, { dryRn: true } as never),
    ])
      expect((await errorOf(work)).message).toMatch(/^"owner" is undefined|^There is no option "dryRn"/)
    expect(sent).toEqual([])
    await deleteByQuery(api, 'notes', { limit: 1 }, { dryRun: true })
    await updateByQuery(api, 'notes', { limit: 1 }, { text: undefined })
    expect(await Promise.all(sent.map((request) => request.json()))).toEqual([
      { query: { limit: 1 }, dryRun: true },
      { query: { limit: 1 }, data: {} },
    ])
    expect(sent.map(({ headers }) => headers.get('prefer'))).toEqual(Array(2).fill('return=representation'))
  })
})

describe('what chooses the items of a write', () => {
  const note = { text: 'milk' }
  const parameters = ['filter', 'search', 'sort', 'limit', 'offset']
  it.each(parameters)('has no %s that is undefined', async (name) => {
    const { api, sent } = answeredBy(list)
    const query = { limit: 2, [name]: undefined } as never
    for (const work of [
      () => deleteByQuery(api, 'notes', query),
      () => deleteItems(api, 'notes', { query }),
      () => deleteItems(api, 'notes', undefined, query),
      () => deleteItems(api, 'notes', [1], query),
      () => updateByQuery(api, 'notes', query, note),
    ]) {
      const error = await errorOf(work)
      expect(error).toMatchObject({ code: 'INVALID_QUERY', path: [name] })
      expect(error.message).toBe(`"${name}" is undefined; to say nothing about it, leave it out.`)
    }
    expect(sent).toEqual([])
  })

  const selectors = [
    { keys: [1, 2], dryRun: true },
    { query: { limit: 1 }, dryRun: true },
    { keys: [1], query: { limit: 1 } },
    { keys: undefined },
    { query: undefined },
    { filter: { text: 'milk' } },
    {},
    'all',
    5,
    true,
    Promise.resolve([1]),
  ]
  it.each(selectors)('is not %j', async (selector) => {
    const { api, sent } = answeredBy(list)
    for (const query of [undefined, { limit: 2 }])
      expect(await errorOf(() => deleteItems(api, 'notes', selector as never, query))).toMatchObject({
        code: 'INVALID_PAYLOAD',
        message: 'Select by keys or a query.',
      })
    expect(sent).toEqual([])
  })

  it('is sent as it is given', async () => {
    const { api, sent } = answeredBy(list)
    await deleteItems(api, 'notes', [1, 2])
    await deleteItems(api, 'notes', [1, 2], undefined, { dryRun: true })
    await deleteItems(api, 'notes', { keys: [1, 2] }, undefined, { dryRun: false })
    await deleteItems(api, 'notes', { keys: [1], query: undefined } as never)
    await updateItems(api, 'notes', [1], note)
    expect(await Promise.all(sent.map((request) => request.json()))).toEqual([
      [1, 2],
      { keys: [1, 2], dryRun: true },
      { keys: [1, 2], dryRun: false },
      { keys: [1] },
      { keys: [1], data: note },
    ])
    for (const keys of [undefined, { keys: [1] }])
      expect((await errorOf(() => updateItems(api, 'notes', keys as never, note))).message).toBe(
        'Items stand in a list.',
      )
    expect(sent).toHaveLength(5)
  })
})

describe('what no request holds', () => {
  class Item {
    readonly text = 'milk'
  }
  const values = {
    'a function': () => 5,
    'a symbol': Symbol('x'),
    'an invalid date': new Date(Number.NaN),
    'a promise': Promise.resolve(5),
    'a set': new Set([1]),
    'a map': new Map([[1, 2]]),
    'a pattern': /x/,
    'an item of a class': new Item(),
    'numbers that are no bytes': new Uint16Array(1),
    'what says nothing': { toJSON: () => undefined },
    'what says a map': { toJSON: () => new Map() },
  }
  it.each(Object.entries(values))('is refused where it stands: %s', async (_, value) => {
    const { api, sent } = answeredBy(list)
    const query = { filter: { owner: 1, _or: [{ id: 1 }, { id: { _in: [1, value] } }] } } as never
    const data = { text: 'milk', more: [{ value }] } as never
    const inQuery = ['filter', '_or', 1, 'id', '_in', 1]
    const inData = ['more', 0, 'value']
    const works: (readonly [path: (string | number)[], work: () => Promise<unknown>])[] = [
      [inQuery, () => deleteByQuery(api, 'notes', query)],
      [inQuery, () => deleteItems(api, 'notes', undefined, query)],
      [inQuery, () => updateByQuery(api, 'notes', query, { text: 'x' })],
      [inQuery, () => listItems(api, 'notes', query)],
      [inData, () => updateByQuery(api, 'notes', { limit: 1 }, data)],
      [inData, () => updateItems(api, 'notes', [1], data)],
      [inData, () => createItem(api, 'notes', data)],
      [[1, ...inData], () => createItems(api, 'notes', [{ text: 'x' }, data])],
      [[1], () => deleteItems(api, 'notes', [1, value] as never)],
      [['keys', 1], () => deleteItems(api, 'notes', { keys: [1, value] } as never)],
      [['keys', 0], () => updateItems(api, 'notes', [value] as never, { text: 'x' })],
    ]
    for (const [path, work] of works) {
      const error = await errorOf(work)
      expect(error).toMatchObject({ code: path[0] === 'filter' ? 'INVALID_QUERY' : 'INVALID_PAYLOAD', path })
      expect(error.message).toBe(`"${path.join('.')}" is no JSON, date or bytes.`)
    }
    expect(sent).toEqual([])
  })

  it('is refused as a whole', async () => {
    const { api, sent } = answeredBy(list)
    const query = Promise.resolve({ filter: { id: 1 } }) as never
    const works = {
      query: [
        () => listItems(api, 'notes', query),
        () => pages(api, 'notes', query).next(),
        () => streamItems(api, 'notes', query).next(),
        () => upsertItem(api, 'notes', { id: 1 }, query),
        () => upsertItems(api, 'notes', [{ id: 1 }], query, { on: 'id' }),
        () => listVersions(api, 'notes', 1, query),
        () => promoteVersion(api, 'notes', 1, 'draft', { mainHash: 'x' }, query),
        () => watchItems(api, 'notes', query).next(),
        async () => liveList(api, 'notes', query),
      ],
      selector: [() => deleteItems(api, 'notes', undefined, query), () => deleteByQuery(api, 'notes', query)],
      data: [() => createItem(api, 'notes', Promise.resolve({}) as never)],
    }
    for (const [role, whole] of Object.entries(works))
      for (const work of whole)
        expect((await errorOf(work)).message).toBe(`"${role}" is no JSON, date or bytes.`)
    expect(sent).toEqual([])
  })

  it('is none of what JSON, dates and bytes hold', async () => {
    const { api, sent } = answeredBy(list)
    const shared = { a: [1, null] }
    const data = {
      at: new Date(0),
      bytes: new Uint8Array([1]),
      link: new URL('http://a.test/'),
      bare: Object.assign(Object.create(null), { one: 1n }),
      left: undefined,
      both: [shared, shared],
    } as never
    await createItem(api, 'notes', data)
    expect(await sent[0]?.json()).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      bytes: 'data:;base64,AQ==',
      link: 'http://a.test/',
      bare: { one: '1' },
      both: [shared, shared],
    })
  })
})

describe('an error', () => {
  it('is the one of the server, with all its problems', async () => {
    const errors = [
      { message: 'One.', extensions: { code: 'INVALID_QUERY', path: ['limit'], hint: 'More.', note: 1 } },
      { message: 'Two.', extensions: { code: 'INVALID_QUERY', path: ['page'] } },
    ]
    const { api } = answeredBy(() => new Response(JSON.stringify({ errors }), { status: 400, headers: json }))
    const error = await errorOf(() => listItems(api, 'notes'))
    expect(error).toMatchObject({
      code: 'INVALID_QUERY',
      status: 400,
      message: 'One. (and 1 more problem)',
      path: ['limit'],
      hint: 'More.',
      extensions: { note: 1 },
    })
    expect(error.errors?.map(({ message }) => message)).toEqual(['One.', 'Two.'])
  })

  it('of a newer server keeps its code and its status', async () => {
    const { api } = answeredBy(() => refusal(418, 'TEAPOT'))
    expect(await errorOf(() => listItems(api, 'notes'))).toMatchObject({ code: 'TEAPOT', status: 418 })
  })

  const html = { 'content-type': 'text/html' }
  const strange = {
    'HTML of a proxy': [() => new Response('<h1>Hello', { headers: html }), 'INTERNAL_SERVER_ERROR'],
    'a page that is not found': [
      () => new Response('<h1>404', { status: 404, headers: html }),
      'INTERNAL_SERVER_ERROR',
    ],
    'a gateway that refuses a body': [
      () => new Response('<h1>413', { status: 413, headers: html }),
      'CONTENT_TOO_LARGE',
    ],
    'a limit of requests': [() => new Response('slow down', { status: 429 }), 'TOO_MANY_REQUESTS'],
    'an empty 502': [() => new Response(null, { status: 502 }), 'SERVICE_UNAVAILABLE'],
    'a sign-in page': [() => new Response('<form>', { status: 401, headers: html }), 'INVALID_CREDENTIALS'],
    nothing: [() => new Response('', { headers: json }), 'INTERNAL_SERVER_ERROR'],
    'half of an answer': [() => new Response('{"data":[{"id"', { headers: json }), 'INTERNAL_SERVER_ERROR'],
    'JSON of somebody else': [() => new Response('{"items":[]}', { headers: json }), 'INTERNAL_SERVER_ERROR'],
    'an error of somebody else': [
      () => new Response('{"errors":["x"]}', { status: 400, headers: json }),
      'INTERNAL_SERVER_ERROR',
    ],
    'no list of errors': [() => new Response('{"errors":[]}', { status: 403, headers: json }), 'FORBIDDEN'],
  } as const
  it.each(Object.entries(strange))('tells what is no answer: %s', async (_, [answer, code]) => {
    const { api } = answeredBy(answer, { retry: 0 })
    const { status } = answer()
    const error = await errorOf(() => listItems(api, 'notes'))
    expect(error).toMatchObject({ code, extensions: { status }, cause: { status } })
    expect(error.message).toContain('This is no answer of Quernel')
  })
})

/** A server that sends some bytes and breaks the connection. */
async function cutting(bytes: string, length: number) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => socket.write(bytes.slice(0, length), () => socket.destroy()))
  })
  const port = await portOf(server)
  return {
    api: connect(`http://127.0.0.1:${port}`, { retry: 0 }),
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

describe('a connection that is cut', () => {
  const items = JSON.stringify({
    data: [
      { id: 1, text: 'milk' },
      { id: 2, text: 'bread' },
    ],
  })
  const refused = '{"errors":[{"message":"No.","extensions":{"code":"NOT_FOUND"}}]}'
  const answers = {
    'with a length': `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${items.length}\r\n\r\n${items}`,
    'in parts': `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${items.length.toString(16)}\r\n${items}\r\n0\r\n\r\n`,
    'with an error': `HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: ${refused.length}\r\n\r\n${refused}`,
  }
  it.each(Object.entries(answers))('is told at each byte of an answer %s', async (_, bytes) => {
    // The last sign of an answer in parts is missed by none.
    const end = bytes.includes('chunked') ? bytes.length - 1 : bytes.length
    for (let length = 0; length < end; length++) {
      const { api, close } = await cutting(bytes, length)
      const error = await errorOf(() => listItems(api, 'notes'))
      close()
      expect({ length, code: error.code }).toEqual({ length, code: 'SERVICE_UNAVAILABLE' })
      expect(error.cause).toBeDefined()
    }
  })

  it('ends no stream early', async () => {
    const rows = ['{"id":1}\n', '{"id":2}\n', '{"id":3}\n'].map((row) => `9\r\n${row}\r\n`).join('')
    const bytes = `HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n${rows}0\r\n\r\n`
    const seen = new Set<number>()
    for (let length = 0; length < bytes.length - 1; length++) {
      const { api, close } = await cutting(bytes, length)
      let items = 0
      const error = await errorOf(async () => {
        for await (const _ of streamItems(api, 'notes')) items++
      })
      close()
      seen.add(items)
      expect({ length, code: error.code }).toEqual({ length, code: 'SERVICE_UNAVAILABLE' })
    }
    expect([...seen]).toEqual([0, 1, 2, 3])
  })
})

describe('an answer without an end', () => {
  it('ends in its time, and its connection is closed', async () => {
    let isClosed = false
    const server = createServer((socket) => {
      const more = () => socket.write(' '.repeat(10_000), () => !socket.destroyed && setImmediate(more))
      socket.on('error', () => undefined).on('close', () => (isClosed = true))
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"data":[')
        more()
      })
    })
    const api = connect(`http://127.0.0.1:${await portOf(server)}`)
    expect(await errorOf(() => listItems(api, 'notes', {}, { timeoutMs: 200 }))).toMatchObject({
      code: 'OUT_OF_TIME',
      message: 'No whole answer within 200 ms.',
    })
    await expect.poll(() => isClosed).toBe(true)
    server.close()
  })
})

describe('a stream', () => {
  const rows = (text: string) => new Response(text, { headers: { 'content-type': 'application/x-ndjson' } })
  const read = async (answer: () => Response, options = {}) => {
    const items: unknown[] = []
    const { api, sent } = answeredBy(answer, { retry: 0 })
    for await (const item of streamItems(api, 'notes', {}, options)) items.push(item)
    return { items, url: sent[0]?.url }
  }

  it('has all items, however its parts are cut, and no default limit', async () => {
    const text = Array.from({ length: 50 }, (_, id) => `${JSON.stringify({ id, text: '€👩‍🚀' })}\n`).join('')
    const bytes = new TextEncoder().encode(text)
    for (const size of [1, 2, 3, 7, 1_000]) {
      let at = 0
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (at >= bytes.length) return controller.close()
          controller.enqueue(bytes.slice(at, at + size))
          at += size
        },
      })
      const { items, url } = await read(
        () => new Response(body, { headers: { 'content-type': 'application/x-ndjson' } }),
      )
      expect(items).toEqual(Array.from({ length: 50 }, (_, id) => ({ id, text: '€👩‍🚀' })))
      expect(url).toBe('http://api.test/v1/items/notes?limit=-1&export=ndjson')
    }
    expect((await read(() => rows(''))).items).toEqual([])
  })

  it('that ends within an item, or is none, throws', async () => {
    expect(await errorOf(() => read(() => rows('{"id":1}\n{"id"')))).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'The connection failed.',
      cause: '{"id"',
    })
    expect((await errorOf(() => read(list))).message).toContain('This is no answer of Quernel')
  })

  it('whose line has no end is kept to a bound', async () => {
    const piece = new Uint8Array(2 ** 20).fill(120)
    let pieces = 0
    const endless = (type: string) => () => {
      pieces = 0
      const body = new ReadableStream({
        pull: (controller) => {
          pieces++
          controller.enqueue(piece)
        },
      })
      return new Response(body, { headers: { 'content-type': type } })
    }
    const tooLong = {
      code: 'CONTENT_TOO_LARGE',
      status: 413,
      message: 'A line is longer than 64 MB.',
    }
    expect(await errorOf(() => read(endless('application/x-ndjson')))).toMatchObject(tooLong)
    expect(pieces).toBeLessThan(80)
    const { api, sent } = answeredBy(endless('text/event-stream'))
    expect(await errorOf(() => watchItems(api, 'notes').next())).toMatchObject(tooLong)
    expect([pieces < 80, sent.length]).toEqual([true, 1])
  })

  it('that falls silent ends in its time, and is left when its reader leaves', async () => {
    let isLeft = false
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => controller.enqueue(new TextEncoder().encode('{"id":1}\n{"id":2}\n')),
        cancel: () => {
          isLeft = true
        },
      },
      { highWaterMark: 0 },
    )
    const answer = () => new Response(body, { headers: { 'content-type': 'application/x-ndjson' } })
    expect(await errorOf(() => read(answer, { timeoutMs: 20 }))).toMatchObject({ code: 'OUT_OF_TIME' })
    await expect.poll(() => isLeft).toBe(true)
  })
})

describe('an upload of a browser', () => {
  class Sent {
    static last: Sent | undefined
    status = 200
    responseURL = ''
    responseText = '{"data":{"id":"x"}}'
    upload: { onprogress: ((event: object) => void) | null } = { onprogress: null }
    onload = () => {}
    onerror = () => {}
    onabort = () => {}
    headers: Record<string, string> = {}
    opened: readonly string[] = []
    isAborted = false
    constructor() {
      Sent.last = this
    }
    open(...opened: readonly string[]) {
      this.opened = opened
    }
    setRequestHeader(name: string, value: string) {
      this.headers[name] = value
    }
    getResponseHeader = (name: string) => (name === 'content-type' ? 'application/json' : null)
    send() {}
    abort() {
      this.isAborted = true
      this.onabort()
    }
  }
  afterEach(() => void vi.unstubAllGlobals())

  it('tells its progress, has its token, and is aborted', async () => {
    vi.stubGlobal('XMLHttpRequest', Sent)
    const api = connect('http://api.test/v1', { token: 'abc' })
    const seen: unknown[] = []
    const onProgress = (progress: unknown) => seen.push(progress)
    const controller = new AbortController()
    const options = { onProgress, signal: controller.signal }
    const upload = () => uploadFile(api, new Blob(['x']), { filename: 'x.txt' }, { fields: ['id'] }, options)
    const done = upload()
    await expect
      .poll(() => Sent.last?.opened)
      .toEqual(['POST', 'http://api.test/v1/files?fields=%5B%22id%22%5D'])
    Sent.last?.upload.onprogress?.({ loaded: 1, total: 2 })
    Sent.last?.onload()
    expect(await done).toEqual({ id: 'x' })
    expect([seen, Sent.last?.headers]).toEqual([[{ sent: 1, total: 2 }], { authorization: 'Bearer abc' }])

    Sent.last = undefined
    const broken = errorOf(upload)
    await expect.poll(() => Sent.last).toBeDefined()
    ;(Sent.last as Sent | undefined)?.onerror()
    expect(await broken).toMatchObject({ code: 'SERVICE_UNAVAILABLE', extensions: { mayBeStored: true } })

    Sent.last = undefined
    const left = upload().catch((reason: unknown) => reason)
    await expect.poll(() => Sent.last).toBeDefined()
    controller.abort('left')
    expect(await left).toBe('left')
    expect((Sent.last as Sent | undefined)?.isAborted).toBe(true)
  })

  const uploadTo = (api: ReturnType<typeof connect>, signal?: AbortSignal) =>
    uploadFile(api, new Blob(['x']), { filename: 'x.txt' }, {}, { onProgress: () => undefined, signal })

  it('is not sent if it was aborted while its token came', async () => {
    vi.stubGlobal('XMLHttpRequest', Sent)
    Sent.last = undefined
    let give = (_: string) => {}
    const coming = new Promise<string>((resolve) => {
      give = resolve
    })
    const controller = new AbortController()
    const left = uploadTo(connect('http://api.test/v1', { token: () => coming }), controller.signal)
    controller.abort('left')
    expect(await left.catch((reason: unknown) => reason)).toBe('left')
    give('abc')
    await new Promise((resolve) => setTimeout(resolve))
    expect(Sent.last).toBeUndefined()
  })

  it('that was redirected has no answer', async () => {
    vi.stubGlobal('XMLHttpRequest', Sent)
    const addresses = ['http://api.test/v1/files', 'http://api.test/login']
    const outcomes: unknown[] = []
    for (const responseURL of addresses) {
      Sent.last = undefined
      const done = uploadTo(connect('http://api.test/v1')).catch((error: unknown) => error)
      await expect.poll(() => Sent.last).toBeDefined()
      Object.assign(Object(Sent.last), { responseURL })
      ;(Sent.last as Sent | undefined)?.onload()
      outcomes.push(await done)
    }
    expect(outcomes[0]).toEqual({ id: 'x' })
    expect(outcomes[1]).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      extensions: { mayBeStored: true },
      cause: { message: 'The request was redirected.' },
    })
  })
})

describe('an id of a file', () => {
  it.each(['', '.', '..', undefined, []])('is not %j', async (id) => {
    const { api, sent } = answeredBy(list)
    const file = { filename: 'x.txt' }
    for (const work of [
      () => getFile(api, id as never),
      () => updateFile(api, id as never, {}),
      () => deleteFile(api, id as never),
      () => replaceFile(api, id as never, new Blob(['x']), file),
      async () => assetUrl(api, id as never),
    ])
      expect(await errorOf(work)).toMatchObject({
        code: 'INVALID_PAYLOAD',
        message: 'An id of a file is a text other than "", "." and "..".',
      })
    expect(sent).toEqual([])
  })
})
