// One request and its answer: over a connection to an address that was looked at, or by a `fetch` of the host's.
import type { IncomingMessage, RequestOptions } from 'node:http'
import type { LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import { isEngineError } from '../../errors/errors.ts'
import { badValue, chosenError } from '../reject.ts'
import { readPublicAddresses } from './public-addresses.ts'
import { unreachableHost } from './reach.ts'

export interface OutgoingRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  readonly signal: AbortSignal
}

/** An answer whose body is not read yet. */
export interface OpenAnswer {
  readonly status: number
  readonly statusText: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: AsyncIterable<Uint8Array>
  readonly close: () => void
}

/** Sends a request, and returns the answer once its headers are there. Follows nothing. */
export type Exchange = (request: OutgoingRequest) => Promise<OpenAnswer>

/** A `fetch` of the host's. */
export type FlowFetch = (
  address: string,
  init: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: Uint8Array<ArrayBuffer>
    readonly redirect: 'manual'
    readonly signal: AbortSignal
  },
) => Promise<Response>

/** Ways of making connections: names become addresses, and some of these are called. */
export interface Connecting {
  readonly resolve: (
    name: string,
  ) => Promise<readonly { readonly address: string; readonly family: number }[]>
  readonly isPublic: (address: string) => boolean
}

/** Returns what sends requests by the `fetch` of the host, who then sees to the addresses that are called. */
export const exchangeByFetch =
  (fetch: FlowFetch): Exchange =>
  async ({ url, body, method, headers, signal }) => {
    // Bytes of ours are no shared ones.
    const sent = body && { body: body as Uint8Array<ArrayBuffer> }
    const response = await reached(() =>
      fetch(url.href, { method, headers, ...sent, redirect: 'manual', signal }),
    )
    // The answer that browsers give in place of a redirect says nothing of where it leads.
    if (response.type === 'opaqueredirect') throw notReached('OPAQUE_REDIRECT')
    const cookies = response.headers.getSetCookie()
    const reader = response.body?.getReader()
    return {
      status: response.status,
      statusText: response.statusText,
      headers: {
        ...Object.fromEntries(response.headers),
        ...(cookies.length > 0 && { 'set-cookie': cookies }),
      },
      body: chunksOf(reader),
      close: () => void reader?.cancel().catch(() => undefined),
    }
  }

async function* chunksOf(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
): AsyncGenerator<Uint8Array> {
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) yield next.value
}

/** Returns what sends requests over connections of its own. Every address of a name is looked at, and one of those that were is called: a name
 *  that means another one a moment later leads nowhere else. */
export function exchangeByNode(connecting?: Connecting): Exchange {
  let known: Promise<Connecting> | undefined
  return async (request) => {
    known ??= connecting ? Promise.resolve(connecting) : ofThisMachine()
    const { resolve, isPublic } = await known
    const { url, signal } = request
    const name = url.hostname.replace(/^\[|\]$/g, '')
    const { BlockList, isIP } = await import('node:net')
    const family = isIP(name)
    const addresses = family > 0 ? [{ address: name, family }] : await reached(() => resolve(name))
    if (addresses.length === 0) throw notReached('ENOTFOUND')
    if (!addresses.every(({ address }) => isPublic(address))) throw unreachableHost('url')
    if (signal.aborted) throw notReached('ABORTED')
    const lookup: LookupFunction = (_, { all }, found) => {
      const [{ address, family } = { address: '', family: 4 }] = addresses
      if (all === true) found(null, [...addresses])
      else found(null, address, family)
    }
    const judged = new BlockList()
    for (const { address } of addresses) judged.addAddress(address, ipVersion(isIP(address)))
    const isJudged = (address = '') => isIP(address) > 0 && judged.check(address, ipVersion(isIP(address)))
    return reached(() => answered(request, lookup, isJudged))
  }
}

const ipVersion = (family: number) => (family === 6 ? 'ipv6' : 'ipv4')

async function ofThisMachine(): Promise<Connecting> {
  const [{ lookup }, { BlockList }] = await Promise.all([import('node:dns/promises'), import('node:net')])
  return {
    resolve: (name) => lookup(name, { all: true, verbatim: true }),
    isPublic: readPublicAddresses(BlockList),
  }
}

const encodings = {
  gzip: 'createGunzip',
  'x-gzip': 'createGunzip',
  deflate: 'createInflate',
  br: 'createBrotliDecompress',
} as const

async function answered(
  { url, method, headers, body, signal }: OutgoingRequest,
  lookup: LookupFunction,
  isJudged: (address: string | undefined) => boolean,
): Promise<OpenAnswer> {
  const { request, Agent } =
    url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  const options: RequestOptions = {
    // One of Node's own: that of the host, of which `false` makes another one, may lead through a proxy that looks names up itself.
    agent: new Agent(),
    method,
    headers: {
      ...headers,
      'accept-encoding': 'gzip, br',
      // Node sends the body of a DELETE without its length, and servers take it for another request.
      ...(body && { 'content-length': String(body.byteLength) }),
    },
    lookup,
    signal,
  }
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(url, options, resolve)
    outgoing.on('error', reject)
    // A replaced agent or request may connect elsewhere. Nothing is sent there.
    outgoing.on('socket', (socket) => {
      const check = () => isJudged(socket.remoteAddress) || socket.destroy(unreachableHost('url'))
      if (socket.connecting) socket.once('connect', check)
      else check()
    })
    // A connection that ends without an answer, such as one that a server wants to use for another protocol, has no error.
    outgoing.on('close', () => reject(notReached('NO_ANSWER')))
    outgoing.end(body)
  })
  if ((incoming.statusCode ?? 0) < 200) {
    incoming.destroy()
    throw notReached('BAD_STATUS')
  }
  const { 'content-encoding': encoding = '', ...others } = incoming.headers
  return {
    status: incoming.statusCode ?? 0,
    statusText: incoming.statusMessage ?? '',
    headers: Object.fromEntries(
      Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    body: hasBody(method, incoming) ? await decoded(incoming, encoding.trim().toLowerCase()) : incoming,
    close: () => incoming.destroy(),
  }
}

/** False for an answer that has none, whatever its headers say of it. */
const hasBody = (method: string, { statusCode = 0, headers }: IncomingMessage): boolean =>
  method !== 'HEAD' && statusCode !== 204 && statusCode !== 304 && headers['content-length'] !== '0'

/** The body without its encoding. */
async function decoded(incoming: IncomingMessage, encoding: string): Promise<AsyncIterable<Uint8Array>> {
  if (encoding === '' || encoding === 'identity') return incoming
  if (!Object.hasOwn(encodings, encoding)) {
    incoming.destroy()
    throw notReached('UNKNOWN_ENCODING')
  }
  const { pipeline } = await import('node:stream')
  const zlib = await import('node:zlib')
  const unzip: Readable & NodeJS.WritableStream = zlib[encodings[encoding as keyof typeof encodings]]() // it is one of them
  // The error is that of the reader, who sees it, too.
  return pipeline(incoming, unzip, () => undefined)
}

/** Does what reaches out, and says of its failures no more than their kind. */
async function reached<Result>(reach: () => Promise<Result>): Promise<Result> {
  try {
    return await reach()
  } catch (error) {
    if (isEngineError(error)) throw error
    throw asNotReached(error)
  }
}

/** The error of a server that does not answer as it should. Whatever a library says of it may name addresses. */
export function asNotReached(error: unknown): Error {
  const code: unknown =
    Reflect.get(Object(error), 'code') ?? Reflect.get(Object(Reflect.get(Object(error), 'cause')), 'code')
  // A header or a method that the platform refuses.
  if (typeof code === 'string' && code.startsWith('ERR_INVALID'))
    return badValue('The request cannot be sent as it is.')
  return notReached(typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : 'FAILED')
}

const notReached = (reason: string) =>
  chosenError({
    code: 'SERVICE_UNAVAILABLE',
    status: 503,
    message: 'The server could not be reached, or did not answer as it should.',
    extensions: { reason },
  })
