// The operation `request` in flows: what it sends and answers, and what stays where it is.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createFlows,
  defineFlow,
  defineOperation,
  type FlowDefinition,
  type Flows,
  type FlowsOptions,
  operationTypes,
} from '../../../src/flows.ts'
import {
  createEngine,
  defineSchema,
  type Engine,
  type EngineError,
  isEngineError,
} from '../../../src/index.ts'
import { openSqlite } from '../../support/databases.ts'
import { rowsOf } from '../../support/titled.ts'
import { echo, serve, type TestServer } from './servers.ts'

let engine: Engine
let server: TestServer
let flows: Flows | undefined
beforeAll(async () => {
  const opened = await openSqlite()
  const schema = defineSchema({ notes: { fields: { id: { type: 'integer', key: true } } } })
  engine = createEngine({ db: opened.db, schema }) as unknown as Engine
  server = await serve((request, response, body) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    response.statusCode = Number(searchParams.get('status') ?? 200)
    const type = searchParams.get('type')
    if (pathname === '/text') response.end(searchParams.get('text'))
    else if (pathname === '/moved') response.writeHead(302, { location: '/echo' }).end()
    else if (type) response.setHeader('content-type', type).end(body)
    else echo(request, response, body)
  }, '127.0.0.1')
})
afterEach(() => flows?.stop())
afterAll(() => server.close())

const fetched = { fetch: globalThis.fetch as NonNullable<FlowsOptions['fetch']> }
const at = (path: string) => `http://127.0.0.1:${server.port}${path}`

const calling = (options: object, members: object = {}): FlowDefinition =>
  ({
    name: 'call',
    trigger: { on: 'flow' },
    access: 'nobody',
    first: 'called',
    operations: { called: { type: 'request', options, ...members } },
  }) as FlowDefinition // options are tried that are none

async function run(
  options: object,
  { payload = {}, ...more }: { payload?: unknown } & Partial<FlowsOptions> = {},
) {
  flows = createFlows(engine, { ...fetched, ...more, flows: [calling(options)] })
  return flows.run('call', payload, { inline: true })
}

interface RequestResult {
  readonly status: number
  readonly data: {
    readonly method: string
    readonly url: string
    readonly body: string
    readonly headers: Readonly<Record<string, string>>
  }
}

async function answer(
  options: object,
  more: { payload?: unknown } & Partial<FlowsOptions> = {},
): Promise<RequestResult> {
  const end = await run(options, more)
  if (end.state === 'failed') throw new Error(JSON.stringify(end.error))
  return end.result as RequestResult // of a request to the echo
}

async function rejected(options: object, more: { payload?: unknown } & Partial<FlowsOptions> = {}) {
  const end = await run(options, more)
  if (end.state === 'succeeded') throw new Error(JSON.stringify(end.result))
  return end.error
}

const problems = (act: () => unknown): readonly (readonly unknown[])[] => {
  try {
    act()
  } catch (error) {
    if (!isEngineError(error)) throw error
    return (error.errors ?? [error]).map(({ path = [], message, hint }: EngineError) => [
      path.slice(-1)[0],
      message,
      hint,
    ])
  }
  return []
}

describe('an answer', () => {
  it('is its status, its headers and its data', async () => {
    expect(await answer({ url: at('/a?b=c') })).toMatchObject({
      status: 200,
      statusText: 'OK',
      headers: { 'content-type': 'application/json', 'x-echo': 'none' },
      data: { method: 'GET', url: '/a?b=c', headers: { accept: '*/*', 'user-agent': 'quernel' }, body: '' },
    })
  })

  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['[1, 2]', [1, 2]],
    ['{"a":', '{"a":'],
    ['12', 12],
    ['null', null],
  ])('is JSON where its text is: %s', async (text, data) => {
    expect((await answer({ url: at(`/text?text=${encodeURIComponent(text)}`) })).data).toEqual(data)
  })

  it('is that of the last server', async () => {
    expect((await answer({ url: at('/moved') })).data.url).toBe('/echo')
  })

  it.each([400, 404, 429, 500, 503])('of the status %i is a reject with all of it', async (status) => {
    const error = await rejected({ url: at(`/text?text=no&status=${status}`) })
    expect(error).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      status: 503,
      message: `The server has answered with the status ${status}.`,
      extensions: { status, data: 'no', headers: { connection: 'keep-alive' } },
    })
  })

  it.each(['http://localhost/', 'http://[::ffff:7f00:1]/', 'http://0x7f000001/', 'http://169.254.169.254/'])(
    'of an address inside is a reject, unless the host has a fetch: %s',
    async (url) => {
      flows = createFlows(engine, { flows: [calling({ url })] })
      expect(await flows.run('call', {}, { inline: true })).toMatchObject({
        state: 'failed',
        error: {
          code: 'FORBIDDEN',
          status: 403,
          message: 'This address may not be called by a flow.',
          extensions: { path: ['url'] },
        },
      })
    },
  )

  it('that takes longer than ten seconds is a reject', { timeout: 60_000 }, async () => {
    const timers: ReturnType<typeof setInterval>[] = []
    const slow = await serve((_, response) => {
      timers.push(setInterval(() => response.write('a'), 1_000))
    }, '127.0.0.1')
    expect(await rejected({ url: `http://127.0.0.1:${slow.port}/` })).toMatchObject({
      code: 'OUT_OF_TIME',
      message: '"request" has not ended within 10,000 ms.',
    })
    timers.forEach(clearInterval)
    await slow.close()
  })
})

describe('a fetch of the host', () => {
  const url = 'https://example.com/a'
  it('gets requests one by one, and follows nothing', async () => {
    const calls: unknown[] = []
    const fetch: FlowsOptions['fetch'] = async (address, { signal, body, ...init }) => {
      calls.push([address, init, body && Buffer.from(body).toString(), signal.aborted])
      if (calls.length > 1) return Response.json({ n: 1 }, { headers: { 'set-cookie': 'a=1' } })
      return new Response(null, { status: 307, headers: { location: '/b' } })
    }
    const options = { url, method: 'POST', body: 'x', headers: [{ header: 'A', value: 'b' }] }
    expect(await answer(options, { fetch })).toMatchObject({
      data: { n: 1 },
      headers: { 'set-cookie': ['a=1'] },
    })
    const headers = {
      accept: '*/*',
      'user-agent': 'quernel',
      'content-type': 'text/plain; charset=utf-8',
      a: 'b',
    }
    const init = { method: 'POST', headers, redirect: 'manual' }
    expect(calls).toEqual([
      [url, init, 'x', false],
      ['https://example.com/b', init, 'x', false],
    ])
  })

  it.each([
    ['throws', () => Promise.reject(new TypeError('https://example.com/a is not there')), 'FAILED'],
    [
      'has redirected where nobody sees',
      () => Promise.resolve(Object.create(Response.prototype, { type: { value: 'opaqueredirect' } })),
      'OPAQUE_REDIRECT',
    ],
  ])('that %s is a reject', async (_, fetch, reason) => {
    expect(await rejected({ url }, { fetch })).toEqual({
      code: 'SERVICE_UNAVAILABLE',
      status: 503,
      message: 'The server could not be reached, or did not answer as it should.',
      extensions: { reason },
    })
  })

  it('gives no more than 1 MiB, either', async () => {
    const fetch = async () => new Response('a'.repeat(1024 * 1024 + 1))
    expect(await rejected({ url }, { fetch })).toMatchObject({ code: 'CONTENT_TOO_LARGE' })
  })
})

describe('what is sent', () => {
  it.each([
    [{ a: [1] }, '{"a":[1]}', 'application/json'],
    [[], '[]', 'application/json'],
    [0, '0', 'application/json'],
    [false, 'false', 'application/json'],
    ['{"a":1}', '{"a":1}', 'application/json'],
    ['a=1', 'a=1', 'text/plain; charset=utf-8'],
    ['', '', undefined],
    [null, '', undefined],
  ])('is a text, or JSON: %j', async (body, text, type) => {
    const { data } = await answer({ url: at('/'), method: 'post', body })
    expect([data.method, data.body, data.headers['content-type']]).toEqual(['POST', text, type])
  })

  it('has the headers that are written', async () => {
    const headers = [
      { header: 'X-Own', value: 1 },
      { header: 'content-type', value: 'a/b' },
      { header: 'Accept', value: 'c/d' },
    ]
    const { data } = await answer({ url: at('/'), method: 'PUT', body: 'x', headers })
    expect(data.headers).toMatchObject({ 'x-own': '1', 'content-type': 'a/b', accept: 'c/d' })
  })

  it.each(
    rowsOf({
      'a line break in a header': [
        { headers: [{ header: 'x', value: 'a\r\nb: c' }] },
        'The header "x" holds a character that no header may have.',
      ],
      'a line feed in a header': [
        { headers: [{ header: 'x', value: 'a\nb: c' }] },
        'The header "x" holds a character that no header may have.',
      ],
      'a letter that no header has': [
        { headers: [{ header: 'x', value: 'ł' }] },
        'The header "x" holds a character that no header may have.',
      ],
      'the name of a host': [
        { headers: [{ header: 'Host', value: 'a' }] },
        'The header "host" is not written by a flow.',
      ],
      'the length of a body': [
        { headers: [{ header: 'content-length', value: 1 }] },
        'The header "content-length" is not written by a flow.',
      ],
      'a header twice': [
        {
          headers: [
            { header: 'a', value: 1 },
            { header: 'A', value: 2 },
          ],
        },
        'The header "a" is written twice.',
      ],
      'a body of a GET': [{ body: 'x' }, 'A request of the method GET has no body.'],
      'a user in the address': [
        { url: 'http://user:password@example.com/' },
        'An address has no user and no password: these stand in a header.',
      ],
      'another scheme': [{ url: 'ftp://example.com/' }, 'An address begins with https:// or http://.'],
      'a port that is none': [{ url: 'http://example.com:0/' }, 'There is no port 0.'],
      'no address': [{ url: 'nonsense' }, 'This is no address.'],
    }),
  )('is refused: %s', async (_, options, message) => {
    expect(await rejected({ url: at('/'), ...options })).toMatchObject({
      code: 'INVALID_PAYLOAD',
      status: 400,
      message,
    })
  })

  it.each([
    ['method', { method: 'FETCH' }],
    ['method', { method: 'CONNECT' }],
    ['method', { method: 'GET\r\n' }],
    ['headers', { headers: [{ header: 'a b', value: 1 }] }],
    ['headers', { headers: [{ header: 'a:\r\n', value: 1 }] }],
    ['headers', { headers: { a: 1 } }],
    ['url', { url: '' }],
  ])('is refused at definition, or by its value: %s', async (name, options) => {
    const [[, message] = []] = problems(() => defineFlow(calling({ url: at('/'), ...options }) as never))
    expect(message).toMatch(new RegExp(`^"${name}": `))
    const templates = Object.fromEntries(Object.keys(options).map((one) => [one, `{{ $trigger.${one} }}`]))
    const error = await rejected({ url: at('/'), ...templates }, { payload: options, hosts: ['example.com'] })
    expect(error).toMatchObject({ code: 'INVALID_PAYLOAD' })
  })
})

describe('an address', () => {
  it.each([
    ['a&b=c', '/a%26b%3Dc?q=a%26b%3Dc'],
    ['a/../b', '/a%2F..%2Fb?q=a%2F..%2Fb'],
    ['ä ł', '/%C3%A4%20%C5%82?q=%C3%A4%20%C5%82'],
    ['#?@', '/%23%3F%40?q=%23%3F%40'],
    ['%2e%2e', '/%252e%252e?q=%252e%252e'],
    ['\\\r\n', '/%5C%0D%0A?q=%5C%0D%0A'],
    [7, '/7?q=7'],
    [{ a: 1 }, '/%7B%22a%22%3A1%7D?q=%7B%22a%22%3A1%7D'],
    ['\ud800', '/%EF%BF%BD?q=%EF%BF%BD'],
  ])('has values that are parts of it: %j', async (value, url) => {
    const options = { url: at('/{{ $trigger.value }}?q={{ $trigger.value }}') }
    expect((await answer(options, { payload: { value } })).data.url).toBe(url)
  })

  it.each(['.', '..'])('has no value that is another folder: %s', async (value) => {
    for (const url of [
      '/a/{{ $trigger.value }}/b',
      '/a/{{ $trigger.value }}',
      '/a/{{ $trigger.value }}?b',
      '/a/.{{ $trigger.value }}',
    ])
      if (value === '.' || !url.includes('/.'))
        expect(await rejected({ url: at(url) }, { payload: { value } })).toMatchObject({
          code: 'INVALID_PAYLOAD',
          message: 'A value of this address is "." or "..", which names another folder.',
        })
  })

  it('has no value that is empty where it names what is called', async () => {
    const payload = { value: '', one: 'a' }
    for (const url of [
      '/a/{{ $trigger.value }}',
      '/a/{{ $trigger.value }}/b',
      '/a/{{ $trigger.value }}{{ $trigger.value }}?b',
    ])
      expect(await rejected({ url: at(url) }, { payload })).toMatchObject({
        code: 'INVALID_PAYLOAD',
        message: 'A value of this address is empty, and without it the address is another one.',
      })
    const fine = {
      url: at('/a{{ $trigger.value }}/{{ $trigger.value }}{{ $trigger.one }}?q=/{{ $trigger.value }}'),
    }
    expect((await answer(fine, { payload })).data.url).toBe('/a/a?q=/')
  })

  const open = [
    '{{ $trigger.url }}',
    '{{ $trigger.scheme }}://example.com/',
    'https://{{ $trigger.host }}/',
    'https://{{ $trigger.host }}.example.com/',
    'https://example.com{{ $trigger.path }}',
    'https://example.com:{{ $trigger.port }}/',
    'https://example.com\\{{ $trigger.path }}',
    'https://a@{{ $trigger.host }}/',
    'https:/{{ $trigger.host }}/',
    ' https://example.com/{{ $trigger.path }}',
  ]
  it.each(open)('whose host a template names wants hosts: %s', (url) => {
    const definition = calling({ url })
    expect(problems(() => defineFlow(definition as never))).toEqual([])
    expect(problems(() => createFlows(engine, { flows: [definition] }))).toEqual([
      [
        'url',
        'A template names the host of this address, and no hosts are listed for that.',
        'Write the host out, or give createFlows "hosts": ["api.example.com"].',
      ],
    ])
  })

  it('whose host is a value leads to those that are listed alone', async () => {
    const hosts = ['api.example.com', `http://127.0.0.1:${server.port}`]
    const options = { url: '{{ $trigger.url }}' }
    expect((await answer(options, { payload: { url: at('/a b') }, hosts })).data.url).toBe('/a%20b')
    for (const url of [
      'https://example.com/',
      'http://api.example.com/',
      'https://api.example.com:8443/',
      'https://api.example.com.evil.example/',
      `http://127.0.0.1:${server.port + 1}/`,
      `https://127.0.0.1:${server.port}/`,
      `http://127.0.0.1:${server.port}@evil.example/`,
      'https://evil.example\\@api.example.com/',
    ])
      expect(await rejected(options, { payload: { url }, hosts }), url).toMatchObject({
        code: 'FORBIDDEN',
        message: 'This address may not be called by a flow.',
        extensions: { path: ['url'] },
      })
  })

  it('has encoded parts behind a host that is a value', async () => {
    const options = { url: '{{ $trigger.base }}/a/{{ $trigger.part }}' }
    const payload = { base: at(''), part: 'b/../c' }
    expect((await answer(options, { payload, hosts: [at('')] })).data.url).toBe('/a/b%2F..%2Fc')
  })

  it.each([
    [['']],
    [['https://']],
    [['a b']],
    [['ftp://example.com']],
    [['example.com/']],
    [['example.com/path']],
    [['https://user@example.com']],
    [['*.example.com']],
    [['example.com:0']],
    [['*.example.com/']],
    [[7]],
  ])('is none of hosts: %j', (hosts) => {
    const [[name, message] = []] = problems(() => createFlows(engine, { flows: [], hosts: hosts as never }))
    expect([name, message]).toEqual([
      0,
      `A host is named like "api.example.com", and not ${JSON.stringify(hosts[0])}.`,
    ])
  })

  it('is one for operations of the host, too', async () => {
    const ping = defineOperation({
      kind: 'outside',
      doc: 'Pings.',
      options: { url: { schema: z.string(), role: 'url', doc: 'The address.' } },
      run: ({ url }) => url,
    })
    flows = createFlows(engine, {
      operationTypes: { ...operationTypes, ping },
      hosts: ['example.com'],
      flows: [
        {
          ...calling({}),
          operations: { called: { type: 'ping', options: { url: 'https://{{ $trigger.host }}/' } } },
        } as FlowDefinition,
      ],
    })
    const ran = async (host: string) => flows?.run('call', { host }, { inline: true })
    expect(await ran('example.com')).toMatchObject({ result: 'https://example.com/' })
    expect(await ran('evil.example')).toMatchObject({ error: { code: 'FORBIDDEN' } })
  })
})
