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

/** Who asks, and how much is taken from them. */
export interface HandlerOptions<S extends Schema = Schema> {
  /** Says who asks. It is called for each request, with null where there is no token; null from it is 401. */
  readonly authenticate: (
    token: string | null,
    request: Request,
  ) => Promise<Access<S> | null> | Access<S> | null
  /** Where the routes begin: `/` unless told otherwise. */
  readonly prefix?: string
  /** Where a token may come from besides `Authorization: Bearer …`. */
  readonly token?: (request: Request) => string | null | undefined
  /** Headers that tell callers apart, besides `Authorization` and `Cookie`: a cache keeps an answer for those alone that send the same. */
  readonly vary?: readonly string[]
  /** Origins whose pages may send forms with what a browser knows of its user, such as cookies, besides the handler's own; `*` for any. */
  readonly trustedOrigins?: readonly string[]
  /** How many bytes a body may have: 1 MiB unless told otherwise. */
  readonly bodyLimit?: number
  /** How many bytes a form with files may have: one file of the greatest size that the engine takes and 1 MiB, unless told otherwise. */
  readonly uploadLimit?: number
  /** The `Cache-Control` of files: `private, no-cache` unless told otherwise, so that a client asks each time whether it still may see it. */
  readonly cacheControl?: string
  /** Told of what went wrong and is no caller's doing, and why an answer broke off. */
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

/** Nobody could be answered without knowing who asks. */
function checkHandlerOptions(options: unknown): void {
  checkOptions(options, handlerOptions)
  if (Reflect.get(Object(options), 'authenticate') === undefined)
    throw fault('INVALID_OPTIONS', 'A handler has to be told who asks, by "authenticate".', {
      path: ['authenticate'],
      hint: 'authenticate: async (token) => … answers an access, or null for nobody.',
    })
}

/** A request, and its body where something before has read it already. */
export interface Carried {
  readonly request: Request
  readonly parsed?: { readonly body: unknown } | undefined
  /** Its bytes, where they are not in the request. */
  readonly bytes?: AsyncIterable<Uint8Array> | undefined
}

/** What a transport of ours hands over, and gets back. */
export type Carry = (carried: Carried) => Promise<Outgoing>

/** Answers a request of the Web. */
export interface Handler {
  (request: Request): Promise<Response>
  readonly carry: Carry
}

/** Answers requests of the Web: the whole collections API over an engine.
 *  @example const handler = createHandler(engine, { authenticate: (token) => (token === 'secret' ? { admin: true } : null) })
 *  const { status } = await handler(new Request('http://localhost/items/tags'))
 *  status // → 401 */
export function createHandler<S extends Schema>(engine: Engine<S>, options: HandlerOptions<S>): Handler {
  checkHandlerOptions(options)
  const carry: Carry = async (carried) => {
    const { request } = carried
    const tell = (error: unknown) => {
      // The client is answered whatever becomes of the host that should hear of it.
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

/** Nobody reads it: the client has gone. */
const closed = 499

/** A body that breaks off has been answered already, so only the host can be told, whatever it was. */
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

/** What is answered depends on who asks, and on the moment. */
const ofCaller = (answered: Outgoing, { vary = [] }: Pick<HandlerOptions, 'vary'>): Outgoing => ({
  ...answered,
  headers: {
    'cache-control': 'private, no-cache',
    ...(answered.headers['cache-control'] === undefined && { vary: [...apart, ...vary].join(', ') }),
    ...answered.headers,
  },
})

/** Headers that tell callers apart. */
const apart = ['Authorization', 'Cookie']

export const oneMebibyte = 1_048_576

const allowedBy = (methods: readonly string[]): string =>
  [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')

/** What a request is about. Its URL has been read before, and is written as every URL is. */
function targetOf(url: string): { readonly path: string; readonly search: string } {
  const [, path = '/', search = ''] = /^[^:]+:\/\/[^/?#]*([^?#]*)(\?[^#]*)?/.exec(url) ?? []
  return { path, search }
}

/** The parts of a path below the prefix, each decoded once; undefined for what lies outside, or is not text. */
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
  // A parser of forms has made an object, too.
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

/** The body as it comes, until there is too much of it. */
function bytesOf({ request, parsed, bytes }: Carried, most: number): AsyncIterable<Uint8Array> {
  // What parses forms keeps nothing of the bytes.
  if (parsed?.body !== undefined) throw readBefore()
  refusePacked(request.headers.get('content-encoding'))
  if (Number(request.headers.get('content-length') ?? 0) > most) throw tooLarge(most)
  return limited(bytes ?? request.body ?? [], most)
}

export function failed(reason: unknown): Outgoing {
  // Clients give no options: who made a mistake in them is the host.
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
