// Adapter for the requests and responses of Node: Express, Koa, connect, node:http and node:http2.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Writable } from 'node:stream'
import { plainFault } from '../../errors/code-texts.ts'
import { fault, quote } from '../../errors/errors.ts'
import { printError } from '../error-report.ts'
import { errorResponse } from '../error-response.ts'
import type { Handler } from '../handler.ts'
import type { ChunkedReply } from '../messages.ts'
import { isBare, isBodiless } from './bare-response.ts'
import { transportRequest } from './node-request.ts'
import { sendChunks } from './send-chunks.ts'

interface NodeResponse extends ServerResponse {
  readonly stream?: Writable
}

/** Request listener for Node. */
export type NodeHandler = (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
) => Promise<void>

/** Converts a handler into a request listener for Node, which is also a middleware. Behind a body parser, the parsed body is used.
 *  @example import { createServer } from 'node:http'
 *
 *  const handler = createHandler(engine, { authenticate: () => ({ admin: true }), prefix: '/api' })
 *  const server = createServer(toNode(handler)) // in Express: app.use('/api', toNode(handler)) */
export function toNode(handler: Pick<Handler, 'respond'>): NodeHandler {
  if (typeof Reflect.get(Object(handler), 'respond') !== 'function')
    throw fault('INVALID_OPTIONS', `toNode takes a handler of createHandler, not ${quote(handler)}.`)
  return async (request, reply) => {
    // HTTP/2 has the properties that are used here, too.
    const [message, response] = [request as IncomingMessage, reply as ServerResponse]
    const gone = goneFrom(response)
    const { method = 'GET' } = message
    try {
      await send(await responseTo(handler, message, gone), method, response, gone)
    } catch {
      // Any error concerns this one connection.
      response.destroy()
    }
    // The rest of an unread body would block the next request of the connection.
    message.resume()
  }
}

/** Returns a signal that is aborted when the client disconnects before the response has ended. */
function goneFrom(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  const leave = () => {
    if (response.writableEnded) return
    gone.abort()
    response.destroy()
  }
  // A response of HTTP/2 is marked as finished when the client leaves, and one to HEAD never closes. Its stream does close, but if the
  // client leaves without an error, it is only aborted.
  const { stream } = response as NodeResponse
  if (stream) stream.once('close', leave).once('aborted', leave)
  else response.once('close', leave)
  return gone.signal
}

async function responseTo(
  handler: Pick<Handler, 'respond'>,
  message: IncomingMessage,
  signal: AbortSignal,
): Promise<ChunkedReply> {
  if (unsupported.has(message.method ?? 'GET')) return noMethod()
  try {
    return await handler.respond(transportRequest(message, signal))
  } catch (error) {
    const response = errorResponse(error)
    // There is no request that `onError` could be given.
    const { method = 'GET', url = '/' } = message
    if (response.status === 500) printError(error, { method, url: `http://localhost${url}` })
    return response
  }
}

/** Methods that a Web Request does not support. */
const unsupported = new Set(['CONNECT', 'TRACE', 'TRACK'])

const noMethod = () =>
  errorResponse(
    plainFault('METHOD_NOT_ALLOWED', {
      extensions: { allowed: 'GET, SEARCH, POST, PUT, PATCH, DELETE, HEAD, OPTIONS' },
    }),
  )

async function send(
  outgoing: ChunkedReply,
  method: string,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const { status, headers: own, body } = outgoing
  // The client has disconnected, or a middleware has answered meanwhile, so the body is cancelled to release its resources.
  const isGone = gone.aborted || response.destroyed || response.headersSent
  if (isGone && typeof body === 'object') await body.cancel(undefined).catch(() => undefined)
  if (isGone) return
  const hasNoBody = isBare(method, outgoing)
  // A middleware may vary its response by other headers, too, such as Origin.
  const before = response.getHeader('vary')
  const headers = before === undefined ? own : { ...own, vary: [before, own.vary ?? []].flat().join(', ') }
  if (typeof body !== 'object' || hasNoBody) {
    const text = typeof body === 'string' ? body : undefined
    const isSized = text !== undefined && !isBodiless(status)
    response.writeHead(status, isSized ? { 'content-length': Buffer.byteLength(text), ...headers } : headers)
    // Text is sent in one packet with the headers; bytes would be a second one.
    response.end(hasNoBody ? undefined : text)
    return
  }
  response.writeHead(status, headers)
  await sendChunks(body, response, gone)
}
