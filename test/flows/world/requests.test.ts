// Requests of flows, over connections: which addresses they reach, what they follow, and where they end.
import { once } from 'node:events'
import http from 'node:http'
import https, { createServer as createSecureServer } from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import { type AddressInfo, BlockList, connect, createServer, type Socket } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { type Connecting, type Exchange, exchangeByNode } from '../../../src/flows/world/exchange.ts'
import { type FlowRequest, followRedirects } from '../../../src/flows/world/follow-redirects.ts'
import { readPublicAddresses } from '../../../src/flows/world/public-addresses.ts'
import { isEngineError } from '../../../src/index.ts'
import { portOf } from '../../support/listening.ts'
import { ownCertificate, ownKey } from '../../support/own-certificate.ts'
import { type Answering, echo, serve, serveNames } from './servers.ts'

const isPublic = readPublicAddresses(BlockList)
/** Of this machine the addresses from 127.0.0.2 on are those of servers on the internet. */
const isOutside = (address: string): boolean => isPublic(address) || /^127\.0\.0\.([2-9])$/.test(address)

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

async function server(answer: Answering, address?: string, port?: number) {
  const made = await serve(answer, address, port)
  open.push(made.close)
  return made
}

/** Starts a server that writes what it likes into its connections. */
async function rawServer(write: (socket: Socket) => void): Promise<string> {
  const made = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => write(socket))
  })
  return `http://127.0.0.2:${await portOf(made, '127.0.0.2')}/`
}

/** Starts a server that redirects to a place, and returns its address. */
const redirecting = (location: string): Promise<string> =>
  rawServer((socket) =>
    socket.end(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`),
  )

interface Calling extends Partial<FlowRequest> {
  readonly resolve?: Connecting['resolve']
  readonly mayFollow?: (origin: string) => boolean
  readonly secret?: string
  readonly signal?: AbortSignal
  readonly isReal?: boolean
}

const unknownName: Connecting['resolve'] = () =>
  Promise.reject(Object.assign(new Error('no name'), { code: 'ENOTFOUND' }))

function call(url: string, calling: Calling = {}) {
  const { resolve = unknownName, mayFollow = () => true, secret, isReal, signal, ...request } = calling
  return followRedirects(
    { url, method: 'GET', headers: {}, body: undefined, ...request },
    {
      exchange: isReal ? exchangeByNode() : exchangeByNode({ resolve, isPublic: isOutside }),
      mayFollow,
      holdsSecret: (text) => secret !== undefined && text.includes(secret),
      signal: signal ?? new AbortController().signal,
    },
  )
}

/** The code of an error, and what it says. */
async function refusal(answer: Promise<unknown>): Promise<readonly [string, string, unknown]> {
  const error: unknown = await answer.then(
    (found) => expect.fail(JSON.stringify(found)),
    (error: unknown) => error,
  )
  if (!isEngineError(error)) throw error
  return [error.code, error.message, error.extensions.reason]
}

const forbidden = ['FORBIDDEN', 'This address may not be called by a flow.', undefined]
const sent = (text: string) => Buffer.from(text)

describe('a connection', () => {
  /** Agents that lead each request to a server of this machine, as those of proxies do. */
  const agentsTo = (port: number) => {
    const lead = () => connect(port, '127.0.0.1')
    return {
      http: class extends http.Agent {
        override createConnection = lead
      },
      https: class extends https.Agent {
        override createConnection = lead
      },
    }
  }
  const { globalAgent: plainAgent, Agent } = http
  const { globalAgent: secureAgent } = https
  const { createConnection } = Agent.prototype
  afterEach(() => {
    http.globalAgent = plainAgent
    https.globalAgent = secureAgent
    Agent.prototype.createConnection = createConnection
    http.Agent = Agent
    syncBuiltinESMExports()
  })

  it('is led nowhere by the agent of the host', async () => {
    const proxy = await server(echo, '127.0.0.1')
    const { port, requests } = await server(echo)
    const led = agentsTo(proxy.port)
    http.globalAgent = new led.http()
    https.globalAgent = new led.https()
    expect((await call(`http://127.0.0.2:${port}/own`)).status).toBe(200)
    // No server speaks TLS there, which is said of the address that was asked for.
    const secure = await refusal(call(`https://127.0.0.2:${port}/own`))
    expect(secure[0]).toBe('SERVICE_UNAVAILABLE')
    expect([requests, proxy.requests]).toEqual([['GET /own'], []])
  })

  it.each([
    'the class of agents is another',
    'their connections are others',
    'the connection is an open one',
  ])('to an address that was not looked at is ended before anything is sent: %s', async (way) => {
    const received: string[] = []
    const inside = createServer((socket) => socket.on('data', (data) => received.push(data.toString())))
    const port = await portOf(inside)
    const led = connect(port, '127.0.0.1')
    open.push(() => led.destroy())
    if (way.startsWith('the class')) http.Agent = agentsTo(port).http
    else if (way.startsWith('their')) Agent.prototype.createConnection = () => connect(port, '127.0.0.1')
    else {
      await once(led, 'connect')
      Agent.prototype.createConnection = () => led
    }
    syncBuiltinESMExports()
    expect(await refusal(call('http://127.0.0.2:1/', { headers: { authorization: 'x' } }))).toEqual(forbidden)
    expect(received).toEqual([])
  })
})

describe('a request', () => {
  it('has its method, its headers and its body, and gets those of the answer', async () => {
    const { port } = await server(echo)
    const { status, statusText, headers, text } = await call(`http://127.0.0.2:${port}/a?b=c#d`, {
      method: 'POST',
      headers: { authorization: 'Bearer x', 'x-own': 'y' },
      body: sent('body'),
    })
    expect([status, statusText, headers['x-echo']]).toEqual([200, 'OK', 'Bearer x'])
    expect(JSON.parse(text)).toMatchObject({
      method: 'POST',
      url: '/a?b=c',
      headers: { host: `127.0.0.2:${port}`, 'x-own': 'y', 'content-length': '4', connection: 'close' },
      body: 'body',
    })
  })

  it('keeps cookies apart', async () => {
    const { port } = await server((_, response) => response.setHeader('set-cookie', ['a=1', 'b=2']).end())
    expect((await call(`http://127.0.0.2:${port}`)).headers['set-cookie']).toEqual(['a=1', 'b=2'])
  })

  it.each([
    ['gzip', gzipSync('Tea')],
    ['x-gzip', gzipSync('Tea')],
    ['br', brotliCompressSync('Tea')],
    ['identity', Buffer.from('Tea')],
  ])('reads %s', async (encoding, bytes) => {
    const { port } = await server((_, response) =>
      response.setHeader('content-encoding', encoding).end(bytes),
    )
    const { text, headers } = await call(`http://127.0.0.2:${port}`)
    expect([text, headers['content-encoding']]).toEqual(['Tea', undefined])
  })

  it.each([['gzip, gzip'], ['compress'], ['toString']])('reads no %s', async (encoding) => {
    const { port } = await server((_, response) =>
      response.setHeader('content-encoding', encoding).end('Tea'),
    )
    expect(await refusal(call(`http://127.0.0.2:${port}`))).toEqual([
      'SERVICE_UNAVAILABLE',
      'The server could not be reached, or did not answer as it should.',
      'UNKNOWN_ENCODING',
    ])
  })

  it('reads no broken gzip', async () => {
    const { port } = await server((_, response) =>
      response.setHeader('content-encoding', 'gzip').end(gzipSync('Tea').subarray(0, 15)),
    )
    expect((await refusal(call(`http://127.0.0.2:${port}`)))[2]).toBe('Z_BUF_ERROR')
  })

  it.each(['HEAD', 'GET'])('of the method %s takes an encoding of nothing', async (method) => {
    const { port } = await server((_, response) => {
      response
        .setHeader('content-encoding', 'gzip')
        .writeHead(method === 'HEAD' ? 200 : 204)
        .end()
    })
    expect((await call(`http://127.0.0.2:${port}`, { method })).text).toBe('')
  })
})

describe('a server of https', () => {
  /** Starts one whose certificate nobody knows. */
  async function secure() {
    const made = createSecureServer({ key: ownKey, cert: ownCertificate }, (_, response) =>
      response.end('there'),
    )
    made.on('tlsClientError', () => undefined)
    made.on('connection', (socket) => socket.on('error', () => undefined))
    const server = made.listen(0, '127.0.0.2')
    await once(server, 'listening')
    open.push(() => server.close())
    return { port: (server.address() as AddressInfo).port }
  }

  it('is called under its name, and is known by its certificate', async () => {
    const { port } = await secure()
    const resolve = async () => [{ address: '127.0.0.2', family: 4 }]
    const [code, message, reason] = await refusal(call(`https://secure.example.com:${port}/`, { resolve }))
    expect([code, reason]).toEqual(['SERVICE_UNAVAILABLE', 'DEPTH_ZERO_SELF_SIGNED_CERT'])
    expect(message).not.toContain('127.0.0.2')
  })

  it('is not left for one without', async () => {
    const exchange: Exchange = async () => ({
      status: 302,
      statusText: 'Found',
      headers: { location: 'http://secure.example.com/' },
      body: (async function* () {})(),
      close: () => undefined,
    })
    const { signal } = new AbortController()
    const answer = followRedirects(
      { url: 'https://secure.example.com/', method: 'GET', headers: {}, body: undefined },
      { exchange, signal, mayFollow: () => true, holdsSecret: () => false },
    )
    expect(await refusal(answer)).toEqual([
      'INVALID_PAYLOAD',
      'The server has redirected from https to http.',
      undefined,
    ])
  })
})

describe('an address that leads inside', () => {
  it.each([
    'http://localhost/',
    'http://LOCALHOST:8080/x',
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://0/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:7f00:1::]/',
    'http://169.254.169.254/latest/meta-data',
    'http://10.0.0.1/',
    'http://①②⑦.0.0.1/',
    'http://127。0。0。1/',
    'http:\\\\127.0.0.1\\',
    'http:/127.0.0.1',
    'http://%31%32%37.0.0.1/',
  ])('is not called: %s', async (url) => {
    const answer = await refusal(call(url, { isReal: true }))
    expect(answer).toEqual(forbidden)
  })

  it('is not called where a name has a public one, too', async () => {
    const names = await serveNames({ 'both.example.com': [['127.0.0.2', '127.0.0.1']] })
    open.push(names.close)
    const { port, requests } = await server(echo, '127.0.0.2')
    expect(await refusal(call(`http://both.example.com:${port}/`, names))).toEqual(forbidden)
    expect(requests).toEqual([])
  })

  it('is not called by a name that had a public one a moment before', async () => {
    const names = await serveNames({ 'turns.example.com': [['127.0.0.2'], ['127.0.0.1']] })
    open.push(names.close)
    const outside = await server(echo, '127.0.0.2')
    const inside = await server(echo, '127.0.0.1', outside.port)
    const url = `http://turns.example.com:${outside.port}/`
    expect(JSON.parse((await call(url, names)).text).headers.host).toBe(`turns.example.com:${outside.port}`)
    // The name was asked for once: what was looked at is what was called.
    expect(names.queries).toEqual(['turns.example.com'])
    expect(await refusal(call(url, names))).toEqual(forbidden)
    expect([outside.requests.length, inside.requests]).toEqual([1, []])
  })

  it('is not called after a redirect, by a name that turns', async () => {
    const names = await serveNames({ 'turns.example.com': [['127.0.0.2'], ['127.0.0.1']] })
    open.push(names.close)
    const outside = await server((_, response) => response.writeHead(302, { location: '/again' }).end())
    const inside = await server(echo, '127.0.0.1', outside.port)
    expect(await refusal(call(`http://turns.example.com:${outside.port}/`, names))).toEqual(forbidden)
    expect([outside.requests, inside.requests]).toEqual([['GET /'], []])
  })

  it.each([
    'http://127.0.0.1/',
    'http://[::ffff:7f00:1]/',
    '//localhost/',
    'http://0x7f000001/',
    'http://169.254.169.254/',
  ])('is not called after a redirect: %s', async (location) => {
    const { port } = await server((_, response) => response.writeHead(302, { location }).end('moved'))
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    expect(await refusal(call(`http://127.0.0.2:${port}`, { resolve }))).toEqual(forbidden)
  })

  it('is one of a name that has none', async () => {
    expect((await refusal(call('http://nowhere.example.com/')))[2]).toBe('ENOTFOUND')
    expect((await refusal(call('http://nowhere.example.com/', { resolve: async () => [] })))[2]).toBe(
      'ENOTFOUND',
    )
  })
})

describe('an address that is none', () => {
  it.each([
    ['nonsense', 'This is no address.'],
    ['http://', 'This is no address.'],
    ['http://127.0.0.2:99999/', 'This is no address.'],
    ['ftp://127.0.0.2/', 'An address begins with https:// or http://.'],
    ['file:///etc/passwd', 'An address begins with https:// or http://.'],
    ['data:text/plain,Tea', 'An address begins with https:// or http://.'],
    ['http://user@127.0.0.2/', 'An address has no user and no password: these stand in a header.'],
    ['http://user:password@127.0.0.2/', 'An address has no user and no password: these stand in a header.'],
    ['http://127.0.0.2:0/', 'There is no port 0.'],
  ])('is refused: %s', async (url, message) => {
    expect(await refusal(call(url))).toEqual(['INVALID_PAYLOAD', message, undefined])
    const { port } = await server((_, response) => response.writeHead(302, { location: url }).end())
    if (url !== 'nonsense')
      expect(await refusal(call(`http://127.0.0.2:${port}`))).toEqual([
        'INVALID_PAYLOAD',
        message.replace('This is no address.', 'The server has redirected to what is no address.'),
        undefined,
      ])
  })
})

describe('a redirect', () => {
  /** Redirects as often as the address says. */
  const counting: Answering = ({ url = '' }, response) => {
    const left = Number(url.slice(1))
    if (left === 0) response.end('there')
    else response.writeHead(302, { location: `/${left - 1}` }).end()
  }

  it('is followed five times', async () => {
    const { port } = await server(counting)
    expect((await call(`http://127.0.0.2:${port}/5`)).text).toBe('there')
    expect(await refusal(call(`http://127.0.0.2:${port}/6`))).toEqual([
      'INVALID_PAYLOAD',
      'A request is redirected 5 times at most.',
      undefined,
    ])
  })

  it.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [302, 'PUT', 'PUT', 'body'],
    [303, 'PUT', 'GET', ''],
    [303, 'HEAD', 'HEAD', ''],
    [307, 'POST', 'POST', 'body'],
    [308, 'DELETE', 'DELETE', 'body'],
  ])('of %i makes a %s a %s', async (status, method, next, body) => {
    const seen: unknown[] = []
    const { port } = await server((request, response, text) => {
      if (request.url === '/') response.writeHead(status, { location: '/next' }).end()
      else {
        seen.push(request.method, text, request.headers['content-type'])
        response.end()
      }
    })
    const own = method === 'HEAD' ? {} : { body: sent('body'), headers: { 'content-type': 'text/plain' } }
    await call(`http://127.0.0.2:${port}`, { method, ...own })
    expect(seen).toEqual([next, body, body === '' ? undefined : 'text/plain'])
  })

  it('takes no header along that is about a body which it has no more', async () => {
    const { port } = await server((request, response) => {
      if (request.url === '/') response.writeHead(303, { location: '/next' }).end()
      else
        response.end(JSON.stringify(Object.keys(request.headers).filter((name) => /^content|^x-/.test(name))))
    })
    const headers = {
      'content-type': 'text/plain',
      'content-language': 'de',
      'content-encoding': 'gzip',
      'x-own': '1',
    }
    const answer = await call(`http://127.0.0.2:${port}`, { method: 'POST', body: sent('body'), headers })
    expect(JSON.parse(answer.text)).toEqual(['x-own'])
  })

  it('leads to the letters that the server has written, and not to their bytes', async () => {
    const found = await Promise.all(
      ['/tea/grün?ä=é', '/tea/%C3%A4'].map(async (place) => {
        let path = ''
        const { port } = await server((request, response) => {
          if (request.url === '/') {
            const location = Buffer.from(place).toString('latin1')
            response.writeHead(302, { location }).end()
            return
          }
          path = decodeURI(request.url ?? '')
          response.end()
        })
        await call(`http://127.0.0.2:${port}`)
        return path
      }),
    )
    expect(found).toEqual(['/tea/grün?ä=é', '/tea/ä'])
  })

  it('takes headers along where it stays at its origin, and only those that say nothing elsewhere', async () => {
    const other = await server(echo, '127.0.0.3')
    const { port } = await server((request, response, body) => {
      if (request.url === '/same') response.writeHead(307, { location: '/echo' }).end()
      else if (request.url === '/other')
        response.writeHead(307, { location: `http://127.0.0.3:${other.port}/echo` }).end()
      else echo(request, response, body)
    })
    const headers = {
      authorization: 'Bearer x',
      cookie: 'c',
      'x-api-key': 'k',
      'idempotency-key': 'i',
      accept: 'a/b',
      'content-type': 'c/d',
      'user-agent': 'u',
    }
    const request = { method: 'POST', headers, body: sent('body') }
    const same = JSON.parse((await call(`http://127.0.0.2:${port}/same`, request)).text)
    const elsewhere = JSON.parse((await call(`http://127.0.0.2:${port}/other`, request)).text)
    expect(same.headers).toMatchObject(headers)
    expect(elsewhere.headers).toEqual({
      accept: 'a/b',
      'accept-encoding': 'gzip, br',
      connection: 'close',
      'content-length': '4',
      'content-type': 'c/d',
      host: `127.0.0.3:${other.port}`,
      'user-agent': 'u',
    })
    expect(elsewhere.body).toBe('body')
  })

  it('carries no secret to another origin, in its body or its address', async () => {
    const other = await server(echo, '127.0.0.3')
    const to = (path: string) => `http://127.0.0.3:${other.port}${path}`
    const { port } = await server(({ url }, response) =>
      response.writeHead(307, { location: url === '/body' ? to('/') : to('/?k=a%2Dsecret') }).end(),
    )
    // Escapes that are none hide no others, and a host has no capitals.
    for (const path of ['/?k=%ZZa%2dsecret', '/?k=%E0a%2Dsecret', '/?k=a-secret#%'])
      expect(await refusal(call(await redirecting(to(path)), { secret: 'a-secret' })), path).toEqual(
        forbidden,
      )
    const inHost = await redirecting(`http://A-Secret.example.com:${other.port}/`)
    expect(await refusal(call(inHost, { secret: 'A-Secret' }))).toEqual(forbidden)
    const body = { method: 'POST', body: sent('{"key":"a-secret"}'), secret: 'a-secret' }
    expect(await refusal(call(`http://127.0.0.2:${port}/body`, body))).toEqual(forbidden)
    expect(await refusal(call(`http://127.0.0.2:${port}/url`, { secret: 'a-secret' }))).toEqual(forbidden)
    const headers = { accept: 'a/b', 'user-agent': 'is a-secret' }
    expect(await refusal(call(`http://127.0.0.2:${port}/body`, { headers, secret: 'a-secret' }))).toEqual(
      forbidden,
    )
    expect(other.requests).toEqual([])
  })

  it('leads only where it may', async () => {
    const other = await server(echo, '127.0.0.3')
    const { port } = await server((_, response) =>
      response.writeHead(302, { location: `http://127.0.0.3:${other.port}/` }).end(),
    )
    const mayFollow = (origin: string) => !origin.includes('127.0.0.3')
    expect(await refusal(call(`http://127.0.0.2:${port}`, { mayFollow }))).toEqual(forbidden)
    expect(other.requests).toEqual([])
  })

  it.each([
    '//127.0.0.1/',
    '///127.0.0.1/',
    '\\\\127.0.0.1\\',
    'http:///127.0.0.1',
    ' http://127.0.0.1/',
    'http:\t//127.0.0.1/',
    'http://127.1/',
    'http://0177.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://0/',
    'http://127.0.0.1./',
    'http://127%2e0%2e0%2e1/',
    'http://[::]/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://168.63.129.16/',
  ])('leads into no network, however it is written: %j', async (location) => {
    expect(await refusal(call(await redirecting(location)))).toEqual(forbidden)
  })

  it.each(['//a@127.0.0.3/', 'http://a:b@127.0.0.3/', 'javascript:alert(1)', 'unix:/var/run/docker.sock'])(
    'leads to no address that a definition may not have: %s',
    async (location) => {
      expect((await refusal(call(await redirecting(location))))[0]).toBe('INVALID_PAYLOAD')
    },
  )

  it('to nowhere is an answer', async () => {
    const { port } = await server((_, response) => response.writeHead(302).end('no place'))
    expect(await call(`http://127.0.0.2:${port}`)).toMatchObject({ status: 302, text: 'no place' })
  })

  it('with a body that is compressed and broken is followed', async () => {
    const { port } = await server(({ url }, response) => {
      if (url === '/')
        response.writeHead(302, { location: '/next', 'content-encoding': 'gzip' }).end('no gzip')
      else response.end('there')
    })
    expect((await call(`http://127.0.0.2:${port}/`)).text).toBe('there')
  })
})

describe('an answer', () => {
  const head = 'HTTP/1.1 200 OK\r\n'
  const endless = (socket: Socket, text: string | Buffer) => {
    const timer = setInterval(() => socket.write(text), 1)
    socket.on('close', () => clearInterval(timer))
  }

  it.each<[string, string, string]>([
    [
      'that is another protocol',
      'HTTP/1.1 101 Else\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'NO_ANSWER',
    ],
    ['of no status', 'HTTP/1.1 000 X\r\n\r\n', 'BAD_STATUS'],
    ['that is no HTTP', 'nonsense\r\n\r\n', 'HPE_INVALID_CONSTANT'],
    ['of HTTP 2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'HPE_INVALID_CONSTANT'],
    ['that is shorter than it says', `${head}content-length: 9\r\n\r\nTea`, 'ECONNRESET'],
    [
      'of two lengths',
      `${head}content-length: 3\r\ncontent-length: 4\r\n\r\nTea!`,
      'HPE_UNEXPECTED_CONTENT_LENGTH',
    ],
    [
      'of a length and parts',
      `${head}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n3\r\nTea\r\n0\r\n\r\n`,
      'HPE_INVALID_TRANSFER_ENCODING',
    ],
  ])('%s is a failure', async (_, text, reason) => {
    const url = await rawServer((socket) => socket.end(text))
    expect(await refusal(call(url))).toEqual([
      'SERVICE_UNAVAILABLE',
      'The server could not be reached, or did not answer as it should.',
      reason,
    ])
  })

  it.each<[string, (socket: Socket) => void]>([
    [
      'headers',
      (socket) => {
        socket.write(head)
        endless(socket, `x-a: ${'y'.repeat(1_000)}\r\n`)
      },
    ],
    [
      'the extension of a part',
      (socket) => {
        socket.write(`${head}transfer-encoding: chunked\r\n\r\n1;`)
        endless(socket, 'x'.repeat(10_000))
      },
    ],
    [
      'trailers',
      (socket) => {
        socket.write(`${head}transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n`)
        endless(socket, `x-a: ${'y'.repeat(1_000)}\r\n`)
      },
    ],
  ])('with %s without end is left', async (_, write) => {
    expect((await refusal(call(await rawServer(write))))[0]).toBe('SERVICE_UNAVAILABLE')
  })

  it.each<[string, (socket: Socket) => void]>([
    ['of hints that another will come', (socket) => endless(socket, 'HTTP/1.1 103 Early\r\nlink: x\r\n\r\n')],
    [
      'of parts of nothing',
      (socket) => {
        socket.write(`${head}content-encoding: gzip\r\n\r\n`)
        endless(socket, gzipSync(''))
      },
    ],
    ['of nothing', () => undefined],
  ])('%s ends with the signal, and is no success', async (_, write) => {
    const signal = AbortSignal.timeout(300)
    expect((await refusal(call(await rawServer(write), { signal })))[0]).toBe('SERVICE_UNAVAILABLE')
  })

  it('of no handshake ends with the signal, and with its connection', async () => {
    const sockets: Socket[] = []
    const url = await rawServer((socket) => sockets.push(socket))
    const ending = new AbortController()
    const secure = refusal(call(url.replace('http:', 'https:'), { signal: ending.signal }))
    await expect.poll(() => sockets.length, { timeout: 60_000 }).toBe(1)
    ending.abort()
    expect((await secure)[0]).toBe('SERVICE_UNAVAILABLE')
    await expect.poll(() => sockets.map(({ closed }) => closed), { timeout: 60_000 }).toEqual([true])
  })

  it('is read as far as it says, and hints before it are none', async () => {
    const url = await rawServer((socket) =>
      socket.end(`HTTP/1.1 100 Continue\r\n\r\n${head}content-length: 3\r\n\r\nTea and cake`),
    )
    expect(await call(url)).toMatchObject({ status: 200, text: 'Tea' })
  })
})

describe('a text', () => {
  it.each([
    ['text/plain; charset=iso-8859-1', Buffer.from('grün', 'latin1')],
    ['application/json; Charset="UTF-16LE"', Buffer.from('grün', 'utf16le')],
    ['text/plain; charset=of-nobody', Buffer.from('grün')],
    ['text/plain; charset=', Buffer.from('grün')],
    ['', Buffer.from('\ufeffgrün')],
  ])('is read in the characters that its type names: %s', async (type, bytes) => {
    const { port } = await server((_, response) =>
      response.writeHead(200, { 'content-type': type }).end(bytes),
    )
    expect((await call(`http://127.0.0.2:${port}`)).text).toBe('grün')
  })
})

describe('a body', () => {
  const mebibyte = 1024 * 1024
  it.each([[undefined], ['gzip']])('has 1 MiB at most (%s)', async (encoding) => {
    const { port } = await server(({ url = '' }, response) => {
      const bytes = Buffer.alloc(Number(url.slice(1)), 'a')
      if (encoding) response.setHeader('content-encoding', encoding).end(gzipSync(bytes))
      else response.end(bytes)
    })
    expect((await call(`http://127.0.0.2:${port}/${mebibyte}`)).text).toHaveLength(mebibyte)
    expect(await refusal(call(`http://127.0.0.2:${port}/${mebibyte + 1}`))).toEqual([
      'CONTENT_TOO_LARGE',
      'The answer has more than 1,048,576 bytes.',
      undefined,
    ])
  })

  it('of 10 GiB in 10 MiB is left where it passes 1 MiB, and none of it is held', async () => {
    // Parts of gzip follow each other in one body.
    const part = gzipSync(Buffer.alloc(64 * mebibyte), { level: 9 })
    const bomb = Buffer.concat(Array<Buffer>(160).fill(part))
    expect(bomb.length).toBeLessThan(11 * mebibyte)
    const { port } = await server((_, response) => {
      response.setHeader('content-encoding', 'gzip').end(bomb)
    })
    const held = () => process.memoryUsage().arrayBuffers
    const before = held()
    let most = before
    const looking = setInterval(() => {
      most = Math.max(most, held())
    }, 1)
    open.push(() => clearInterval(looking))
    expect((await refusal(call(`http://127.0.0.2:${port}`)))[0]).toBe('CONTENT_TOO_LARGE')
    // What was read and is no garbage for sure, with room for what the collector has not come to.
    expect(Math.max(most, held()) - before).toBeLessThan(128 * mebibyte)
  })

  it('that comes byte by byte ends with the signal', async () => {
    const timers: ReturnType<typeof setInterval>[] = []
    open.push(() => timers.forEach(clearInterval))
    const { port } = await server((_, response) => {
      timers.push(setInterval(() => response.write('a'), 20))
    })
    const ending = new AbortController()
    const answer = refusal(call(`http://127.0.0.2:${port}`, { signal: ending.signal }))
    setTimeout(() => ending.abort(), 100)
    expect((await answer)[0]).toBe('SERVICE_UNAVAILABLE')
  })

  it('that breaks off is a failure', async () => {
    const { port } = await server((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('a', () => response.destroy())
    })
    expect((await refusal(call(`http://127.0.0.2:${port}`)))[2]).toBe('ECONNRESET')
  })

  it('of a server that is not there is a failure', async () => {
    const gone = await serve(echo)
    await gone.close()
    expect((await refusal(call(`http://127.0.0.2:${gone.port}`)))[2]).toBe('ECONNREFUSED')
  })
})
