import { type Engine, internalsOf } from '../engine/engine.ts'
import { plainFault } from '../errors/code-texts.ts'
import { fault } from '../errors/errors.ts'
import type { Schema } from '../schema/model.ts'
import { prefixSegments, segmentsOf, splitUrl } from './addresses.ts'
import { bearerOf } from './bearer.ts'
import { withEntityTag } from './conditional.ts'
import { originsOfForms, respondAcrossOrigins } from './cors.ts'
import { anyErrorReporter, errorReporter } from './error-report.ts'
import { errorResponse } from './error-response.ts'
import { checkHandlerOptions, type HandlerOptions } from './handler-options.ts'
import {
  allowedMethods,
  type ChunkedReply,
  type Incoming,
  type Reply,
  type RequestHead,
  type RouteFunction,
  type TransportRequest,
} from './messages.ts'
import { type FindMounted, type Mount, type MountedRoute, mountsOver } from './mounts.ts'
import { isBare, withoutStream } from './node/bare-response.ts'
import { refuseForeign } from './origins.ts'
import { matchOverview } from './overview.ts'
import { reportBrokenBody, streamOfAnswer } from './report-broken-body.ts'
import { bytesOf, jsonOf, oneMebibyte } from './request-body.ts'
import { type MatchedRoute, matchRoute } from './routes.ts'

/** Returns the response to a request of one of our transports. */
export type Respond = (received: TransportRequest) => Promise<ChunkedReply>

/** HTTP handler for a Web `Request`. */
export interface Handler {
  (request: Request): Promise<Response>
  readonly respond: Respond
}

/** Creates an HTTP handler for Web requests: the whole REST API of collections over an engine.
 *  @example const handler = createHandler(engine, { authenticate: (token) => (token === 'secret' ? { admin: true } : null) })
 *  const { status } = await handler(new Request('http://localhost/items/tags'))
 *  status // → 401 */
export function createHandler<S extends Schema>(engine: Engine<S>, options: HandlerOptions<S>): Handler {
  // JavaScript may leave out either.
  internalsOf(engine)
  checkHandlerOptions(options)
  return handlerOf(engine, options, {
    findMounted: mountsOver(engine, options.mounts ?? []),
    findRest: (segments, scoped) => matchRoute(segments, scoped) ?? matchOverview(segments),
  })
}

/** Creates a handler that answers a mount, and no REST. Its options are checked before. */
export function createMountHandler<S extends Schema>(
  engine: Engine<S>,
  options: HandlerOptions<S>,
  mount: Mount,
): Handler {
  return handlerOf(engine, options, { findMounted: mountsOver(engine, [mount]), findRest: () => undefined })
}

/** Target of a path below the prefix: a mount, which anybody finds, or REST, whose routes depend on the caller. */
interface FindRoute {
  readonly prefix: readonly string[]
  readonly findMounted: FindMounted
  readonly findRest: (segments: readonly string[], scoped: Engine) => MatchedRoute | undefined
}

function handlerOf<S extends Schema>(
  engine: Engine<S>,
  options: HandlerOptions<S>,
  findBelow: Omit<FindRoute, 'prefix'>,
): Handler {
  const findRoute = { ...findBelow, prefix: prefixSegments(options.prefix ?? '/') }
  const { cors, vary } = options
  const respond: Respond = (received) => {
    const head = received.head ?? headOf(received.request())
    const respondAny = () => respondTo({ ...received, head }, engine, options, findRoute)
    return cors ? respondAcrossOrigins(head, { cors, vary }, respondAny) : respondAny()
  }
  const handler = async (request: Request) => toResponse(await respond({ request: () => request }), request)
  return Object.assign(handler, { respond })
}

/** Handles a request, and turns errors into responses. */
async function respondTo<S extends Schema>(
  received: ReceivedRequest,
  engine: Engine<S>,
  options: HandlerOptions<S>,
  findRoute: FindRoute,
): Promise<ChunkedReply> {
  const { head } = received
  const report = errorReporter(options, head, received.request)
  const reportUncancelled = anyErrorReporter(options, head, received.request)
  try {
    const handled = await handle(received, engine, options, { findRoute, report })
    const { status, headers, body } = withoutStream(head.method, handled, report)
    return {
      status,
      headers,
      body: typeof body === 'object' ? reportBrokenBody(body, report, reportUncancelled) : body,
    }
  } catch (error) {
    if (head.signal.aborted) return { status: closedByClient, headers: {} }
    const response = errorResponse(error)
    if (response.status === 500) report(error)
    return response
  }
}

const headOf = ({ method, url, headers, signal }: Request): RequestHead => ({
  method,
  url,
  header: (name) => headers.get(name),
  signal,
})

/** A request whose method, URL and headers are known. */
interface ReceivedRequest extends TransportRequest {
  readonly head: RequestHead
}

/** Status for a client that has closed the connection; it is never read. */
const closedByClient = 499

async function handle<S extends Schema>(
  received: ReceivedRequest,
  engine: Engine<S>,
  options: HandlerOptions<S>,
  { findRoute, report }: { readonly findRoute: FindRoute; readonly report: Incoming['report'] },
): Promise<Reply> {
  const { head } = received
  const segments = segmentsOf(head.url, findRoute.prefix)
  refuseForeign(head, originsOfForms(options))
  const mounted = segments && findRoute.findMounted(segments)
  const open = mounted?.open && (await openAnswer(head, mounted.open))
  if (open) return withCacheHeaders(open, options)
  const scoped = await engineOfCaller(received, engine, options)
  const route = mounted ?? (segments && findRoute.findRest(segments, scoped))
  if (!route) throw fault('NOT_FOUND', 'There is no such path.')
  if (head.method === 'OPTIONS')
    return { status: 204, headers: { allow: allowedMethods(Object.keys(route.methods)) } }
  const call = functionFor(head.method, route)
  const incoming = readIncoming(received, route, engine, { ...options, report })
  const outgoing = withEntityTag(incoming, await call(scoped, incoming))
  return withCacheHeaders(outgoing, options)
}

/** Returns what a mount shows to anybody; undefined if the caller has to be known. */
async function openAnswer(
  { method, url, header: find }: RequestHead,
  open: NonNullable<MountedRoute['open']>,
): Promise<Reply | undefined> {
  const header = headerOf(find)
  const outgoing = await open({ method, queryString: splitUrl(url).search, header })
  return outgoing && withEntityTag({ method, header }, outgoing)
}

/** Returns the engine of the caller; nothing is disclosed to those who are not authenticated, not even which paths exist. */
async function engineOfCaller<S extends Schema>(
  { request, head }: ReceivedRequest,
  engine: Engine<S>,
  options: Pick<HandlerOptions<S>, 'authenticate' | 'token'>,
): Promise<Engine> {
  const token = bearerOf(head.header('authorization')) ?? options.token?.(request()) ?? null
  const access = await options.authenticate(token, request())
  if (!access) throw plainFault('INVALID_CREDENTIALS')
  const caller = engine.as(access)
  // An access that has ended is none: not even the paths are disclosed to it.
  internalsOf(caller)
  return caller
}

function functionFor(method: string, { methods }: MatchedRoute): RouteFunction {
  const name = method === 'HEAD' ? 'GET' : method
  const found = Object.hasOwn(methods, name) ? methods[name] : undefined
  if (found) return found
  throw plainFault('METHOD_NOT_ALLOWED', {
    extensions: { allowed: allowedMethods(Object.keys(methods)) },
  })
}

/** Returns a lookup of headers as the routes use it: by names of any case. */
const headerOf =
  (find: RequestHead['header']): Incoming['header'] =>
  (name) =>
    find(name.toLowerCase()) ?? undefined

/** Returns a request as the routes see it. Its body is read on demand. */
function readIncoming(
  received: ReceivedRequest,
  { collection, key, id, filename }: MatchedRoute,
  engine: Engine,
  {
    bodyLimit,
    uploadLimit,
    cacheControl,
    report,
  }: Pick<HandlerOptions, 'bodyLimit' | 'uploadLimit' | 'cacheControl'> & Pick<Incoming, 'report'>,
): Incoming {
  const { head } = received
  const { files } = internalsOf(engine)
  const address = splitUrl(head.url)
  return {
    method: head.method,
    collection,
    key,
    id,
    filename,
    path: address.path,
    queryString: address.search,
    header: headerOf(head.header),
    body: () => jsonOf(received, head, bodyLimit ?? oneMebibyte),
    bytes: () => bytesOf(received, head, uploadLimit ?? (files?.maxBytes ?? 0) + oneMebibyte),
    cacheControl: cacheControl ?? 'private, no-cache',
    options: { signal: head.signal },
    report,
  }
}

/** Adds headers for caches: a response depends on the caller, and on the time. Files set `Cache-Control` and `Vary` by themselves. */
const withCacheHeaders = (outgoing: Reply, { vary = [] }: Pick<HandlerOptions, 'vary'>): Reply => ({
  ...outgoing,
  headers: {
    'cache-control': 'private, no-cache',
    ...outgoing.headers,
    ...(outgoing.headers['cache-control'] === undefined && {
      vary: [
        ...identifying,
        ...vary,
        ...(outgoing.headers.vary === undefined ? [] : [outgoing.headers.vary]),
      ].join(', '),
    }),
  },
})

/** Headers that identify a caller. */
const identifying = ['Authorization', 'Cookie']

function toResponse(answer: ChunkedReply, { method }: Request): Response {
  const { status, headers, body } = answer
  const sent = typeof body === 'object' ? streamOfAnswer(body) : (body ?? null)
  return new Response(isBare(method, answer) ? null : sent, { status, headers })
}
