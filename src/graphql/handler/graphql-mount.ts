import type { Engine } from '../../engine/engine.ts'
import { anything, callback, checkOptions, flag, optionNames, text } from '../../errors/check-options.ts'
import { fault, quote } from '../../errors/errors.ts'
import { prefixSegments } from '../../http/addresses.ts'
import { jsonType, type Outgoing } from '../../http/messages.ts'
import type { Mount, MountRequest, MountRoute } from '../../http/mounts/mount.ts'
import { pageResponse } from '../../pages/graphql/page-response.ts'
import type { Schema } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { answerRequest, type GraphQLAnswerOptions } from '../answer/answer-graphql.ts'
import { checkDocumentOptions, type ReceivedRequest } from '../answer/checked-request.ts'
import { checkLimits } from '../answer/graphql-limits.ts'
import { checkSchemaOptions, schemaText } from '../schema/create-graphql-schema.ts'
import type { SchemaInput } from '../schema/schema-options.ts'

/** Options of GraphQL beside REST. */
export interface GraphQLMountOptions<S = Schema>
  extends Pick<
    GraphQLAnswerOptions<S>,
    | 'names'
    | 'extend'
    | 'subscriptions'
    | 'introspection'
    | 'atomic'
    | 'limits'
    | 'documents'
    | 'onlyDocuments'
  > {
  /** Path of the endpoint, below the prefix of the handler. By default `/graphql`. */
  readonly prefix?: string | undefined
  /** True if a browser that opens the path gets a page to write and run documents, without authentication: the page holds no data. By default false. */
  readonly page?: boolean | undefined
}

export const mountKinds = {
  names: anything,
  extend: anything,
  subscriptions: flag,
  introspection: flag,
  atomic: flag,
  limits: anything,
  documents: callback,
  onlyDocuments: flag,
  prefix: text,
  page: flag,
}

/** The same options, of whatever schema. */
interface MountInput extends Omit<GraphQLMountOptions, 'extend'>, SchemaInput {}

const names = optionNames<MountInput>(mountKinds)

/** Returns GraphQL as a mount of a handler: `POST` and `GET` of its path, and `GET` of `/schema` below it.
 *  @example const handler = createHandler(engine, { authenticate: () => ({ admin: true }), mounts: [graphql()] })
 *  const response = await handler(new Request('http://localhost/graphql?query={tags(limit:1){name}}'))
 *  await response.json() // → { data: { tags: [{ name: 'hot' }] } } */
export function graphql<S extends Schema>(options: GraphQLMountOptions<S> = {}): Mount {
  checkOptions(options, names)
  return mountOf(options)
}

export const mountOf = (options: MountInput): Mount => ({
  routes: (engine) => {
    checkDocumentOptions(options)
    checkLimits(options)
    prefixSegments(options.prefix ?? '/graphql')
    checkSchemaOptions(engine, schemaIn(options))
    return routesOf(options)
  },
})

function routesOf(options: MountInput): readonly MountRoute[] {
  const { prefix = '/graphql', introspection = true, page = false } = options
  const answer = (engine: Engine, request: MountRequest) => answerTo(engine, request, options)
  const endpoint: MountRoute = {
    path: prefix,
    part: 'graphql',
    methods: { GET: answer, POST: answer },
    open: page ? pageResponse : undefined,
  }
  if (!introspection) return [endpoint]
  return [
    endpoint,
    { path: `${prefix}/schema`, methods: { GET: async (engine) => schemaPage(engine, options) } },
  ]
}

const schemaIn = ({ names, extend, subscriptions }: MountInput): SchemaInput => ({
  names,
  extend,
  subscriptions,
})

const schemaPage = (engine: Engine, options: MountInput): Outgoing => ({
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: schemaText(engine, schemaIn(options)),
})

async function answerTo(engine: Engine, request: MountRequest, options: MountInput): Promise<Outgoing> {
  const requested = await graphqlRequest(request)
  const answering = { ...options, isReadOnly: request.method !== 'POST', signal: request.signal }
  const {
    text: body,
    isRefused,
    problems,
  } = await answerRequest(engine, requested, answering, request.report)
  const isForbiddenMethod = problems?.some(({ extensions: { code } }) => code === 'METHOD_NOT_ALLOWED')
  return {
    status: isForbiddenMethod ? 405 : isRefused ? 400 : 200,
    headers: {
      'content-type': typeFor(request),
      vary: 'Accept',
      ...(isForbiddenMethod && { allow: 'POST' }),
    },
    body,
  }
}

/** The media type of GraphQL, for clients that ask for it. Others, among them the official client, expect JSON. */
function typeFor({ header }: MountRequest): string {
  const accepted = header('accept') ?? ''
  return accepted.includes('application/graphql-response+json')
    ? 'application/graphql-response+json; charset=utf-8'
    : jsonType
}

// Reads the request of GraphQL over HTTP: from the body of a POST, or from the address of a GET.

/** Returns the request. What it holds is checked where it is answered. */
async function graphqlRequest({ method, queryString, body }: MountRequest): Promise<ReceivedRequest> {
  return method === 'POST' ? inBody(await body()) : inAddress(queryString)
}

function inBody(body: unknown): ReceivedRequest {
  if (Array.isArray(body))
    throw fault('INVALID_PAYLOAD', 'A request holds one document. Several of them are several requests.')
  if (!isRecord(body)) throw fault('INVALID_PAYLOAD', `A request is an object, not ${quote(body)}.`)
  return body
}

function inAddress(queryString: string): ReceivedRequest {
  const input = new URLSearchParams(queryString)
  return {
    query: input.get('query'),
    documentId: input.get('documentId'),
    variables: parsed('variables', input),
    operationName: input.get('operationName'),
    extensions: parsed('extensions', input),
  }
}

function parsed(name: string, input: URLSearchParams): unknown {
  const text = input.get(name)
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw fault('INVALID_PAYLOAD', `"${name}" is not valid JSON.`, { path: [name], cause })
  }
}
