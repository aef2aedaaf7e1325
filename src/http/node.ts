// Node's own requests and responses, for Express, Koa, connect and node:http.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Handler } from './handler.ts'
import type { Outgoing } from './messages.ts'

/** What Express and Koa add to a request. */
interface Carrying extends IncomingMessage {
  /** The path as the client sent it, where a router has cut off its beginning. */
  readonly originalUrl?: string
  /** The body, where a parser has read it. */
  readonly body?: unknown
}

export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Lets a handler answer Node's own requests. Behind a body parser, the body that it has read is used.
 *  @example app.use('/api', toNode(createHandler(engine, { authenticate, prefix: '/api' }))) */
export function toNode(handler: Handler): NodeHandler {
  return async (message, response) => {
    const gone = new AbortController()
    response.once('close', () => {
      if (!response.writableFinished) gone.abort()
    })
    const request = requestOf(message, gone.signal)
    const { body } = message as Carrying
    const parsed =
      body === undefined || !message.readableEnded ? undefined : { body: hasBody(message) ? body : undefined }
    await send(await handler.carry({ request, parsed }), message.method ?? 'GET', response)
  }
}

/** A parser makes an empty object of nothing. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

function requestOf(message: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', headers, url = '/' } = message
  const path = (message as Carrying).originalUrl ?? url
  const carries = method !== 'GET' && method !== 'HEAD' && hasBody(message) && !message.readableEnded
  return new Request(new URL(path, 'http://localhost'), {
    method,
    signal,
    headers: headersOf(headers),
    ...(carries && { body: Readable.toWeb(message) as ReadableStream<Uint8Array>, duplex: 'half' }),
  })
}

function headersOf(headers: IncomingMessage['headers']): Headers {
  const made = new Headers()
  for (const [name, value] of Object.entries(headers))
    for (const one of Array.isArray(value) ? value : [value ?? '']) made.append(name, one)
  return made
}

async function send(
  { status, headers, body }: Outgoing,
  method: string,
  response: ServerResponse,
): Promise<void> {
  if (response.destroyed) return
  const isBare = method === 'HEAD' || status === 204 || status === 304
  if (typeof body !== 'object' || isBare) {
    const text = typeof body === 'string' ? Buffer.from(body) : undefined
    const sized = text && status !== 304 ? { 'content-length': text.byteLength } : {}
    response.writeHead(status, { ...headers, ...sized })
    response.end(isBare ? undefined : text)
    return
  }
  response.writeHead(status, headers)
  // A file that breaks off is broken off, and not ended as if it were whole.
  await pipeline(Readable.fromWeb(body as never), response).catch(() => response.destroy())
}
