// Requests of Node as the handler takes them: what it reads of most requests is read from Node's own message, and the Web `Request` is
// made when a callback of the host looks at it.
import type { IncomingMessage } from 'node:http'
import { once } from '../../values/memo.ts'
import { refuseClimbing } from '../addresses.ts'
import type { RequestHead, TransportRequest } from '../messages.ts'
import { bodyConsumed } from '../request-body.ts'
import { lazyRequest } from './lazy-request.ts'

/** Properties that Express and Koa add to a request. */
interface ParsedMessage extends IncomingMessage {
  /** Path as the client sent it, if a router has removed its prefix. */
  readonly originalUrl?: string
  /** Body, if a middleware has parsed it. */
  readonly body?: unknown
  readonly stream?: { readonly endAfterHeaders: boolean }
}

export function transportRequest(message: IncomingMessage, signal: AbortSignal): TransportRequest {
  const { originalUrl, url = '/' } = message as ParsedMessage
  const target = originalUrl ?? url
  refuseClimbing(target)
  const head = plainHead(message, target, signal)
  const make = requestFor(message, target, signal)
  // One that cannot be made is refused here.
  const request = once(head ? () => lazyRequest(make) : make)
  if (!head) request()
  return { request, head, ...bodyOf(message) }
}

function bodyOf(message: IncomingMessage): Pick<TransportRequest, 'parsed' | 'bytes' | 'whole'> {
  // A parser makes an empty object of an empty body.
  if (!hasBody(message)) return { parsed: { body: undefined } }
  const { body } = message as ParsedMessage
  if (!message.readableEnded)
    return { bytes: message.iterator({ destroyOnReturn: false }), whole: () => wholeIn(message) }
  return body === undefined ? { bytes: consumed } : { parsed: { body } }
}

/** Returns the bytes of a body that has come whole, as most have when they are asked for; undefined for others. An iterator would listen to six events. */
function wholeIn(message: IncomingMessage): Uint8Array | undefined {
  const { complete, headers, httpVersionMajor, readableLength, readableEncoding } = message
  // HTTP/2 calls a request complete whose client has left. HTTP/1 calls one complete a turn after its last byte.
  const isWhole = complete || Number(headers['content-length']) === readableLength
  if (!isWhole || httpVersionMajor !== 1 || readableLength === 0 || readableEncoding !== null)
    return undefined
  const chunks: Uint8Array[] = []
  for (let chunk = message.read(); chunk !== null; chunk = message.read()) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function hasBody(message: IncomingMessage): boolean {
  const { headers, stream } = message as ParsedMessage
  if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0) return true
  // HTTP/2 requests need no content length.
  return stream?.endAfterHeaders === false && headers['content-length'] === undefined
}

const consumed: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({
    next: async () => {
      throw bodyConsumed()
    },
  }),
}

/** Returns what a Web Request would say, without making one, which takes longer than a small read. Undefined for a request that a Web
 *  Request may show otherwise. */
function plainHead(
  { method = 'GET', headers, httpVersionMajor }: IncomingMessage,
  target: string,
  signal: AbortSignal,
): RequestHead | undefined {
  if (httpVersionMajor !== 1 || !plainMethods.has(method) || !plainTarget.test(target)) return undefined
  const header = (name: string): string | null => {
    if (!Object.hasOwn(headers, name)) return null
    const { [name]: value = '' } = headers
    return Array.isArray(value) ? value.join(', ') : value
  }
  return { method, url: `http://localhost${target}`, header, signal }
}

const plainMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'SEARCH',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])

/** Matches the path and query string that a URL keeps as they are. */
const plainTarget = /^\/[\w\-.~!$&()*+,;=:@/%]*(?:\?[\w\-.~!$&()*+,;=:@/%?[\]]*)?$/

/** Returns a function that makes the Web Request, also when the message has been answered. It has no body: that is the handler's to read. */
function requestFor(
  { method = 'GET', headers }: IncomingMessage,
  target: string,
  signal: AbortSignal,
): () => Request {
  return () => {
    const request = new Request(urlOf(target), { method, headers: headersOf(headers) })
    // A Request has a signal of its own that would have to follow this one, which takes as long as the rest of a request.
    return Object.defineProperty(request, 'signal', { value: signal, enumerable: true })
  }
}

/** Returns the URL of a target, which is a path, seldom a whole URL, and may be invalid. Two slashes at its beginning are a path, too, and
 *  no host. */
function urlOf(target: string): string {
  if (target.startsWith('/')) return `http://localhost${target}`
  if (!URL.canParse(target)) return `http://localhost/${encodeURIComponent(target)}`
  // A Web Request does not accept a URL with a user in it.
  return Object.assign(new URL(target), { username: '', password: '' }).href
}

function headersOf(headers: IncomingMessage['headers']): [string, string][] {
  return Object.entries(headers).flatMap(([name, value = '']) => {
    // HTTP/2 has the method and the path among its headers, and names the host differently.
    if (name === ':authority' && headers.host === undefined) return [['host', String(value)]]
    if (name.startsWith(':')) return []
    return Array.isArray(value) ? value.map((one): [string, string] => [name, one]) : [[name, value]]
  })
}
