import { type Engine, internalsOf } from '../../engine/engine.ts'
import { anything, callback, checkOptions, flag, optionNames, text } from '../../errors/check-options.ts'
import { fault } from '../../errors/errors.ts'
import { attempt, warn } from '../../execution/report-errors.ts'
import { splitUrl } from '../../http/addresses.ts'
import { errorResponse } from '../../http/error-response.ts'
import { closedByClient, engineOfCaller, type Handler, type Respond, toResponse } from '../../http/handler.ts'
import type { HandlerOptions } from '../../http/handler-options.ts'
import { allowedMethods, jsonType, type Outgoing, type TransportRequest } from '../../http/messages.ts'
import { refuseForeign } from '../../http/origins.ts'
import { oneMebibyte } from '../../http/request-body.ts'
import type { Schema } from '../../schema/model.ts'
import { answerRequest, type GraphQLAnswerOptions } from '../answer/answer-graphql.ts'
import { printGraphQLSchema } from '../schema/create-graphql-schema.ts'
import { schemaSettings } from '../schema/schema-options.ts'
import { graphqlRequest } from './graphql-request.ts'

/** Options of a GraphQL handler. */
export interface GraphQLHandlerOptions<S extends Schema = Schema>
  extends Pick<HandlerOptions<S>, 'authenticate' | 'token' | 'trustedOrigins' | 'bodyLimit' | 'onError'>,
    Pick<GraphQLAnswerOptions, 'names' | 'introspection' | 'atomic' | 'limits'> {
  /** Path of the endpoint. By default `/graphql`. */
  readonly prefix?: string
}

const kinds = optionNames<GraphQLHandlerOptions>({
  authenticate: callback,
  token: callback,
  trustedOrigins: anything,
  bodyLimit: anything,
  onError: callback,
  names: anything,
  introspection: flag,
  atomic: flag,
  limits: anything,
  prefix: text,
})

/** Creates an HTTP handler for GraphQL over an engine: `POST` and `GET` of the prefix, and `GET <prefix>/schema`.
 *  @example const handler = createGraphQLHandler(engine, { authenticate: (token) => (token === 'secret' ? { admin: true } : null) })
 *  const { status } = await handler(new Request('http://localhost/graphql?query={tags{id}}'))
 *  status // → 401 */
export function createGraphQLHandler<S extends Schema>(
  engine: Engine<S>,
  options: GraphQLHandlerOptions<S>,
): Handler {
  checkOptions(options, kinds)
  if (options.authenticate === undefined)
    throw fault('INVALID_OPTIONS', 'A handler needs "authenticate", which identifies the caller.', {
      path: ['authenticate'],
    })
  schemaSettings(namesIn(options), internalsOf(engine).whole().schema)
  const respond: Respond = (received) => respondTo(received, engine, options)
  const handler = async (request: Request) => toResponse(await respond({ request }), request)
  return Object.assign(handler, { respond })
}

const namesIn = ({ names }: Pick<GraphQLHandlerOptions, 'names'>) => (names === undefined ? {} : { names })

async function respondTo<S extends Schema>(
  received: TransportRequest,
  engine: Engine<S>,
  options: GraphQLHandlerOptions<S>,
): Promise<Outgoing> {
  const { request } = received
  const report = (error: unknown) => {
    if (!request.signal.aborted) void attempt(() => options.onError?.(error, request), undefined, warn)
  }
  try {
    return await handle(received, engine, options, report)
  } catch (error) {
    if (request.signal.aborted) return { status: closedByClient, headers: {} }
    const response = errorResponse(error)
    if (response.status === 500) report(error)
    return response
  }
}

async function handle<S extends Schema>(
  received: TransportRequest,
  engine: Engine<S>,
  options: GraphQLHandlerOptions<S>,
  report: (error: unknown) => void,
): Promise<Outgoing> {
  const { request } = received
  refuseForeign(request, options.trustedOrigins ?? [])
  const scoped = await engineOfCaller(request, engine, options)
  const prefix = options.prefix ?? '/graphql'
  const path = withoutSlash(splitUrl(request.url).path)
  if (path === `${withoutSlash(prefix)}/schema`) return schemaText(request, scoped, options)
  if (path !== withoutSlash(prefix)) throw fault('NOT_FOUND', 'There is no such path.')
  return answerTo(received, scoped, options, report)
}

const withoutSlash = (path: string): string => path.replace(/\/$/, '')

function schemaText(
  request: Request,
  engine: Engine,
  options: Pick<GraphQLHandlerOptions, 'names' | 'introspection'>,
): Outgoing {
  refuseMethod(request, ['GET', 'HEAD'])
  if (options.introspection === false) throw fault('NOT_FOUND', 'There is no such path.')
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...perCaller },
    body: printGraphQLSchema(engine, namesIn(options)),
  }
}

async function answerTo(
  received: TransportRequest,
  engine: Engine,
  {
    names,
    introspection,
    atomic,
    limits,
    bodyLimit = oneMebibyte,
  }: Omit<GraphQLHandlerOptions, 'authenticate'>,
  report: (error: unknown) => void,
): Promise<Outgoing> {
  const { request } = received
  refuseMethod(request, ['GET', 'POST'])
  const asked = await graphqlRequest(received, bodyLimit)
  const { text: body, isRefused } = await answerRequest(
    engine,
    asked,
    {
      names,
      introspection,
      atomic,
      limits,
      isReadOnly: request.method === 'GET',
      signal: request.signal,
    },
    report,
  )
  return { status: isRefused ? 400 : 200, headers: { 'content-type': typeFor(request), ...perCaller }, body }
}

/** The media type of GraphQL, for clients that ask for it. Others, among them the official client, expect JSON. */
function typeFor(request: Request): string {
  const accepted = request.headers.get('accept') ?? ''
  return accepted.includes('application/graphql-response+json')
    ? 'application/graphql-response+json; charset=utf-8'
    : jsonType
}

const perCaller = { 'cache-control': 'private, no-cache', vary: 'Authorization, Cookie' }

function refuseMethod(request: Request, allowed: readonly string[]): void {
  if (!allowed.includes(request.method))
    throw fault('METHOD_NOT_ALLOWED', undefined, { extensions: { allowed: allowedMethods(allowed) } })
}
