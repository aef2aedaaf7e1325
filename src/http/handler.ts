import type { Access } from '../access/access.ts'
import type { Engine } from '../engine/engine.ts'
import { anything, callback, checkOptions, list, optionNames, text } from '../errors/check-options.ts'
import { fault, isEngineError, toErrorBody } from '../errors/errors.ts'
import { attempt, warn } from '../execution/report-errors.ts'
import type { Schema } from '../schema/model.ts'
import { bearerOf } from './bearer.ts'
import { conditional } from './conditional.ts'
import { type Incoming, jsonType, type Outgoing } from './messages.ts'
import { refuseForeign } from './origins.ts'
import {
  limited,
  parseJson,
  readBefore,
  readText,
  refusePacked,
  refuseType,
  tooLarge,
} from './request-body.ts'
import { methodsAt } from './routes.ts'

/** Options of an HTTP handler: authentication, limits and headers. */
export interface HandlerOptions<S extends Schema = Schema> {
  /** Authenticates a request. Called with its token, or null if there is none; returns the access of the caller, or null for status 401. */
  readonly authenticate: (
    token: string | null,
    request: Request,
  ) => Promise<Access<S> | null> | Access<S> | null
  /** Path prefix of the routes. By default `/`. */
  readonly prefix?: string
  /** Returns the token of a request, for sources besides `Authorization: Bearer …`. */
  readonly token?: (request: Request) => string | null | undefined
  /** Headers that identify a caller, besides `Authorization` and `Cookie`. They become part of `Vary`, so that a cache returns a response
   *  only to requests with the same values. */
  readonly vary?: readonly string[]
  /** Origins whose pages may send forms with a user's credentials, such as cookies, besides the handler's own; `*` for any. */
  readonly trustedOrigins?: readonly string[]
  /** Maximum size of a body in bytes. By default 1 MiB. */
  readonly bodyLimit?: number
  /** Maximum size of a form with files in bytes. By default one file of the engine's greatest size and 1 MiB. */
  readonly uploadLimit?: number
  /** `Cache-Control` header of files. By default `private, no-cache`, so that a client checks each time whether it still may see them. */
  readonly cacheControl?: string
  /** Callback for errors that are not the caller's mistake, and for responses that break off. */
  readonly onError?: (error: unknown, request: Request) => void
}

const handlerOptions = optionNames<HandlerOptions>({
  authenticate: callback,
  prefix: text,
  token: callback,
  vary: list,
  trustedOrigins: list,
  bodyLimit: anything,
  uploadLimit: anything,
  cacheControl: text,
  onError: callback,
})

/** Checks the options. Without `authenticate` the caller of a request would be unknown. */
function checkHandlerOptions(options: unknown): void {
  checkOptions(options, handlerOptions)
  if (Reflect.get(Object(options), 'authenticate') === undefined)
    throw fault('INVALID_OPTIONS', 'A handler has to be told who asks, by "authenticate".', {
      path: ['authenticate'],
      hint: 'authenticate: async (token) => … answers an access, or null for nobody.',
    })
}

/** A request, with its body if a middleware has parsed it already. */
export interface Carried {
  readonly request: Request
  readonly parsed?: { readonly body: unknown } | undefined
  /** Bytes of the body, if they are not in the request. */
  readonly bytes?: AsyncIterable<Uint8Array> | undefined
}

/** Handles the request of one of our transports, and returns the response. */
export type Carry = (carried: Carried) => Promise<Outgoing>

/** HTTP handler for a Web `Request`. */
export interface Handler {
  (request: Request): Promise<Response>
  readonly carry: Carry
}

/** Creates an HTTP handler for Web requests: the whole REST API of collections over an engine.
 *  @example const handler = createHandler(engine, { authenticate: (token) => (token === 'secret' ? { admin: true } : null) })
 *  const { status } = await handler(new Request('http://localhost/items/tags'))
 *  status // → 401 */
export function createHandler<S extends Schema>(engine: Engine<S>, options: HandlerOptions<S>): Handler {
  checkHandlerOptions(options)
  const carry: Carry = async (carried) => {
    const { request } = carried
    const tell = (error: unknown) => {
      // The client gets its response even if the host's callback fails.
      if (!request.signal.aborted) void attempt(() => options.onError?.(error, request), undefined, warn)
    }
    try {
      const { body, ...head } = await answer(engine, options, carried)
      return { ...head, body: typeof body === 'object' ? watched(body, tell) : body }
    } catch (error) {
      if (request.signal.aborted) return { status: closed, headers: {} }
      const answered = failed(error)
      if (answered.status === 500) tell(error)
      return answered
    }
  }
  const handler = async (request: Request) => toResponse(await carry({ request }), request)
  return Object.assign(handler, { carry })
}

/** Status for a client that has closed the connection; it is never read. */
const closed = 499

/** Reports a body that breaks off to the host. The client has its status already, so any error counts. */
function watched(body: ReadableStream<Uint8Array>, tell: (error: unknown) => void): typeof body {
  const reader = body.getReader()
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    } catch (error) {
      tell(error)
      controller.error(error)
    }
  }
  return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 })
}

async function answer<S extends Schema>(
  engine: Engine<S>,
  options: HandlerOptions<S>,
  carried: Carried,
): Promise<Outgoing> {
  const { request } = carried
  const { path, search } = targetOf(request.url)
  const segments = segmentsOf(path, options.prefix ?? '/')
  refuseForeign(request, options.trustedOrigins ?? [])
  const access = await options.authenticate(tokenOf(request, options), request)
  if (!access) throw fault('INVALID_CREDENTIALS')
  const mine: Engine = engine.as(access)
  const methods = segments && methodsAt(segments, mine)
  if (!methods) throw fault('NOT_FOUND', 'There is no such path.')
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const allowed = allowedBy(Object.keys(methods))
  if (method === 'OPTIONS') return { status: 204, headers: { allow: allowed } }
  const found = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (!found) throw fault('METHOD_NOT_ALLOWED', undefined, { extensions: { allowed } })
  const incoming: Incoming = {
    method: request.method,
    segments,
    search,
    header: (name) => request.headers.get(name) ?? undefined,
    body: () => bodyOf(carried, options.bodyLimit ?? oneMebibyte),
    bytes: () => bytesOf(carried, options.uploadLimit ?? (engine.files?.maxBytes ?? 0) + oneMebibyte),
    cacheControl: options.cacheControl ?? 'private, no-cache',
    options: { signal: request.signal },
  }
  return ofCaller(conditional(incoming, await found(mine, incoming)), options)
}

/** Adds headers for caches: a response depends on the caller, and on the time. */
const ofCaller = (answered: Outgoing, { vary = [] }: Pick<HandlerOptions, 'vary'>): Outgoing => ({
  ...answered,
  headers: {
    'cache-control': 'private, no-cache',
    ...(answered.headers['cache-control'] === undefined && { vary: [...apart, ...vary].join(', ') }),
    ...answered.headers,
  },
})

/** Headers that identify a caller. */
const apart = ['Authorization', 'Cookie']

export const oneMebibyte = 1_048_576

const allowedBy = (methods: readonly string[]): string =>
  [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')

/** Returns path and query of a URL, which was parsed before and is normalized. */
function targetOf(url: string): { readonly path: string; readonly search: string } {
  const [, path = '/', search = ''] = /^[^:]+:\/\/[^/?#]*([^?#]*)(\?[^#]*)?/.exec(url) ?? []
  return { path, search }
}

/** Returns the segments of a path below the prefix, each decoded once; undefined for a path that is outside, or no text. */
function segmentsOf(path: string, prefix: string): readonly string[] | undefined {
  const start = `/${prefix.split('/').filter(Boolean).join('/')}`
  const inside = start === '/' ? path : path.startsWith(`${start}/`) ? path.slice(start.length) : undefined
  if (inside === undefined) return undefined
  try {
    return inside.replace(/\/$/, '').split('/').slice(1).map(decodeURIComponent)
  } catch {
    return undefined
  }
}

function tokenOf(request: Request, { token }: Pick<HandlerOptions, 'token'>): string | null {
  return bearerOf(request.headers.get('authorization')) ?? token?.(request) ?? null
}

async function bodyOf({ request, parsed, bytes }: Carried, most: number): Promise<unknown> {
  const type = request.headers.get('content-type') ?? undefined
  // A form parser yields an object, too.
  if (parsed?.body !== undefined) refuseType(type)
  if (parsed) return parsed.body
  const body = bytes ?? request.body
  if (!body) return undefined
  refusePacked(request.headers.get('content-encoding'))
  const text = await readText(body, most)
  if (text === '') return undefined
  refuseType(type)
  return parseJson(text)
}

/** Returns the bytes of the body, up to a limit. */
function bytesOf({ request, parsed, bytes }: Carried, most: number): AsyncIterable<Uint8Array> {
  // A form parser does not keep the bytes.
  if (parsed?.body !== undefined) throw readBefore()
  refusePacked(request.headers.get('content-encoding'))
  if (Number(request.headers.get('content-length') ?? 0) > most) throw tooLarge(most)
  return limited(bytes ?? request.body ?? [], most)
}

export function failed(reason: unknown): Outgoing {
  // Clients give no options, so a mistake in them is the host's.
  const isHosts = isEngineError(reason) && reason.code === 'INVALID_OPTIONS'
  const error = isHosts ? fault('INTERNAL_SERVER_ERROR', undefined, { cause: reason }) : reason
  const status = isEngineError(error) ? error.status : 500
  const headers: Record<string, string> = { 'content-type': jsonType, 'cache-control': 'no-store' }
  if (status === 401) headers['www-authenticate'] = 'Bearer'
  if (status === 503) headers['retry-after'] = '1'
  if (isEngineError(error) && error.code === 'METHOD_NOT_ALLOWED')
    headers.allow = String(error.extensions.allowed)
  if (isEngineError(error) && error.code === 'RANGE_NOT_SATISFIABLE')
    headers['content-range'] = `bytes */${error.extensions.size ?? '*'}`
  return { status, headers, body: JSON.stringify(toErrorBody(error)) }
}

function toResponse({ status, headers, body }: Outgoing, { method }: Request): Response {
  const isBare = method === 'HEAD' || status === 204 || status === 304
  return new Response(isBare ? null : (body ?? null), { status, headers })
}
