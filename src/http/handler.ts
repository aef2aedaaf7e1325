import { type Engine, internalsOf } from '../engine/engine.ts'
import { type EngineError, fault } from '../errors/errors.ts'
import type { Schema } from '../schema/model.ts'
import { prefixSegments, segmentsOf, splitUrl } from './addresses.ts'
import { Admission, type RequestPlace } from './admission.ts'
import { authenticated, engineOfCaller } from './authenticate.ts'
import { withCacheHeaders } from './cache-headers.ts'
import { refuseIfMatch, withEntityTag } from './conditional.ts'
import { originsOfForms, respondAcrossOrigins } from './cors.ts'
import { anyErrorReporter, errorReporter } from './error-report.ts'
import { errorResponse } from './error-response.ts'
import { type HandlerLife, lifeOf, OpenReplies } from './handler-life.ts'
import { checkHandlerOptions, type HandlerOptions } from './handler-options.ts'
import {
  type ChunkedReply,
  functionFor,
  headerOf,
  type Incoming,
  optionsOf,
  type Reply,
  type RequestHead,
  type RequestWithHead,
  type TransportRequest,
} from './messages.ts'
import { type EngineOfRequest, HandlerMounts, type ServedEngine, servedFor } from './mounts/handler-mounts.ts'
import type { Mount } from './mounts/mount.ts'
import { replyOfMount } from './mounts/mounted-routes.ts'
import { isBare, withoutStream } from './node/bare-response.ts'
import { refuseForeign } from './origins.ts'
import { findRoute, type RouteRequest } from './overview/host-routes.ts'
import { reportBrokenBody, streamOfReply } from './report-broken-body.ts'
import { bytesOf, jsonOf, oneMebibyte } from './request-body.ts'
import { conditional, type MatchedRoute } from './routes.ts'
import { signedRequest, unshared } from './signed/signed-address.ts'

/** Returns the response to a request of one of our transports. */
export type Respond = (received: TransportRequest) => Promise<ChunkedReply>

/** HTTP handler for a Web `Request`. */
export interface Handler extends HandlerLife {
  (request: Request): Promise<Response>
  readonly respond: Respond
}

/** Creates an HTTP handler for Web requests: the whole REST API of collections over an engine, or over the one that a function returns for
 *  a request.
 *  @example const handler = createHandler(engine, { authenticate: (token) => (token === 'secret' ? { admin: true } : null) })
 *  const { status } = await handler(new Request('http://localhost/items/tags'))
 *  status // → 401 */
export function createHandler<S extends Schema>(
  engine: Engine<S> | EngineOfRequest<S>,
  options: HandlerOptions<S>,
): Handler {
  // JavaScript may leave out either.
  if (typeof engine !== 'function') internalsOf(engine)
  checkHandlerOptions(options)
  // Its callbacks get accesses back that the host has given.
  const allowed = options as Pick<HandlerOptions, 'explain' | 'signed'>
  return handlerOf(engine, options, {
    mounts: new HandlerMounts(options.mounts ?? []),
    findRest: (segments, by, prefix) => findRoute(segments, by, allowed, prefix),
  })
}

/** Creates a handler that answers a mount, and no REST. Its options are checked before. */
export function createMountHandler<S extends Schema>(
  engine: Engine<S>,
  options: HandlerOptions<S>,
  mount: Mount,
): Handler {
  return handlerOf(engine, options, { mounts: new HandlerMounts([mount]), findRest: () => undefined })
}

/** Finds the route of REST below the prefix, which depends on the caller. */
type FindRest = (
  segments: readonly string[],
  by: RouteRequest,
  prefix: readonly string[],
) => MatchedRoute | undefined

interface Serving<S extends Schema> {
  readonly options: HandlerOptions<S>
  readonly prefix: readonly string[]
  readonly findRest: FindRest
  /** Returns the engine of a request, with the mounts over it. */
  readonly servedAt: (request: () => Request) => ServedEngine<S> | Promise<ServedEngine<S>>
  readonly replies: OpenReplies
  readonly admission: Admission
}

function handlerOf<S extends Schema>(
  engine: Engine<S> | EngineOfRequest<S>,
  options: HandlerOptions<S>,
  { mounts, findRest }: { readonly mounts: HandlerMounts; readonly findRest: FindRest },
): Handler {
  const prefix = prefixSegments(options.prefix ?? '/')
  const replies = new OpenReplies()
  const single = typeof engine === 'function' ? undefined : engine
  const servedAt = servedFor(engine, mounts)
  const admission = new Admission(options.maxRequests)
  const serving = { options, prefix, findRest, servedAt, replies, admission }
  const { cors, vary } = options
  const respond: Respond = ({ head: known, request, parsed, bytes, whole }) => {
    const head = known ?? headOf(request())
    const respondAny = () => respondTo({ head, request, parsed, bytes, whole }, serving)
    return cors ? respondAcrossOrigins(head, { cors, vary }, respondAny) : respondAny()
  }
  const handler = async (request: Request) => toResponse(await respond({ request: () => request }), request)
  return Object.assign(handler, { respond, ...lifeOf(mounts, single, replies) })
}

/** Handles a request, and turns errors into responses. */
async function respondTo<S extends Schema>(
  received: RequestWithHead,
  serving: Serving<S>,
): Promise<ChunkedReply> {
  const { head } = received
  const { options, prefix, replies, admission } = serving
  let place: RequestPlace | undefined
  const report = errorReporter(options, head, received.request)
  const reportUncancelled = anyErrorReporter(options, head, received.request)
  replies.enter()
  try {
    replies.refuseIfStopping()
    const segments = segmentsOf(head.url, prefix)
    place = admission.enter(head, segments)
    const handled = await handle(
      { received: place?.watched(received) ?? received, segments, place },
      serving,
      report,
    )
    const { status, headers, body } = withoutStream(head.method, handled, report)
    if (typeof body !== 'object') return { status, headers, body }
    return replies.withOpenBody({ status, headers, body: reportBrokenBody(body, report, reportUncancelled) })
  } catch (error) {
    if (head.signal.aborted) return { status: closedByClient, headers: {} }
    const response = errorResponse(error)
    if (response.status === 500) report(error)
    return response
  } finally {
    place?.leave()
    replies.leave()
  }
}

const headOf = ({ method, url, headers, signal }: Request): RequestHead => ({
  method,
  url,
  header: (name) => headers.get(name),
  signal,
})

/** Status for a client that has closed the connection; it is never read. */
const closedByClient = 499

interface AdmittedRequest {
  readonly received: RequestWithHead
  readonly segments: readonly string[] | undefined
  readonly place: RequestPlace | undefined
}

async function handle<S extends Schema>(
  { received, segments, place }: AdmittedRequest,
  { options, prefix, findRest, servedAt }: Serving<S>,
  report: Incoming['report'],
): Promise<Reply> {
  const { head, request } = received
  const trusted = originsOfForms(options)
  refuseForeign(head, trusted)
  const { engine, findMounted, installed } = await servedAt(request)
  const behindGate = (caller: Engine | null) =>
    caller && place?.isCrowded ? internalsOf(caller).behind(place).asEngine() : caller
  const authenticate = async () => behindGate(await engineOfCaller(received, engine, options))
  const mounted = segments && findMounted(segments)
  if (mounted) {
    const { bodyLimit = oneMebibyte } = options
    const call = { received, engine, bodyLimit, report, authenticate, prefix, trusted }
    return withCacheHeaders(await replyOfMount(mounted, call), options, true)
  }
  const { signed } = options
  const bySignature =
    signed && segments && (await signedRequest(received, segments, engine, { options: signed, prefix }))
  const scoped = authenticated(bySignature ? behindGate(bySignature.caller) : await authenticate())
  const isMounted = (path: readonly string[]) => findMounted(path) !== undefined
  const route = segments && findRest(segments, { scoped, request, isMounted }, prefix)
  if (!route) throw noPath(segments ?? [], scoped)
  if (head.method === 'OPTIONS') return optionsOf(route.methods)
  const answer = functionFor(head.method, route.methods)
  const settings = { options, engine, report, installed }
  const incoming = readIncoming(bySignature?.received ?? received, route, settings)
  if (!conditional.has(answer)) refuseIfMatch(incoming)
  const outgoing = withEntityTag(incoming, await answer(scoped, incoming))
  const reply = withCacheHeaders(outgoing, options, outgoing.headers['cache-control'] === undefined)
  return bySignature ? unshared(reply) : reply
}

/** The error for a path that nothing stands at. One that begins with a collection lacks "items". */
function noPath([name = '']: readonly string[], { schema }: Engine): EngineError {
  const hint = schema.collections.has(name) ? `Items of "${name}" are at "items/${name}".` : undefined
  return fault('NOT_FOUND', 'There is no such path.', { hint })
}

interface ReadingSettings<S extends Schema> extends Pick<Incoming, 'report' | 'installed'> {
  readonly options: HandlerOptions<S>
  readonly engine: Engine<S>
}

/** Returns a request as the routes see it. Its body is read on demand. */
function readIncoming<S extends Schema>(
  received: RequestWithHead,
  { collection, key, id, filename }: MatchedRoute,
  { options, engine, report, installed }: ReadingSettings<S>,
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
    header: headerOf(head),
    body: () => jsonOf(received, head, options.bodyLimit ?? oneMebibyte),
    bytes: () => bytesOf(received, head, options.uploadLimit ?? (files?.maxBytes ?? 0) + oneMebibyte),
    cacheControl: options.cacheControl ?? 'private, no-cache',
    options: { signal: head.signal },
    report,
    installed,
  }
}

function toResponse(answer: ChunkedReply, { method }: Request): Response {
  const { status, headers, body } = answer
  const sent = typeof body === 'object' ? streamOfReply(body) : (body ?? null)
  return new Response(isBare(method, answer) ? null : sent, { status, headers })
}
