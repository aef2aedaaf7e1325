import { createHash, timingSafeEqual } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { inspect } from 'node:util'
import type { Access } from '../access/access.ts'
import { createEngine } from '../create-engine.ts'
import type { Engine } from '../engine/engine.ts'
import { fault, quote } from '../errors/errors.ts'
import type { GraphQLNameRemark } from '../graphql/schema/names/name-claims.ts'
import { errorResponse } from '../http/error-response.ts'
import { createHandler } from '../http/handler.ts'
import { json, type Outgoing } from '../http/messages.ts'
import type { Mount } from '../http/mounts/mount.ts'
import { toNode } from '../http/node/node.ts'
import { describeApi } from '../http/openapi/describe-api.ts'
import { limitsFromEnvironment } from '../query/limits.ts'
import type { Schema } from '../schema/model.ts'
import type { ServeArguments } from './arguments.ts'
import { shownPlace } from './database-place.ts'
import { withDatabase } from './open-database.ts'
import { readSchema } from './read-schema.ts'
import { failure, misuse, type Terminal } from './terminal.ts'
import { welcome } from './welcome.ts'

/** Serves a database until the process gets a signal to end. */
export async function serve(words: ServeArguments, terminal: Terminal): Promise<void> {
  const { database, host, token, isReadonly } = words
  if (token === undefined && !isLoopback(host))
    throw misuse(
      `On ${host}, others than you can reach the server, so it needs a token.`,
      'Give one with --token, or in QUERNEL_TOKEN.',
    )
  await withDatabase(database, { isReadonly, readers: 1 }, terminal, async (db) => {
    const schema = await readSchema(words, db, terminal)
    const engine = createEngine({ db, schema, limits: limitsFromEnvironment(terminal.environment) })
    const language = await loadGraphQL()
    const mounts = language ? [language.graphql({ page: true })] : []
    const server = createServer(listener(engine, mounts, words, terminal))
    const url = await listen(server, words)
    if (token === undefined) terminal.print(warning(isReadonly))
    if (language) terminal.print(namesText(language.reportGraphQLNames(engine)))
    const place = shownPlace(database)
    const isGuarded = token !== undefined
    terminal.out(welcome({ schema, place, url, isReadonly, isGuarded, hasGraphQL: mounts.length > 0 }))
    await untilEnded()
    await close(server)
  })
}

const warning = (isReadonly: boolean): string =>
  `WARNING: there is no token, so everyone on this machine may read${isReadonly ? '' : ', change and delete'} everything in this database.\n`

function listener(
  engine: Engine,
  mounts: readonly Mount[],
  { token, isReadonly, origins }: ServeArguments,
  { print }: Terminal,
): RequestListener {
  const access = accessFor(engine.schema, isReadonly)
  const authenticate = authentication(access, token)
  // With its cause, which is the database's error.
  const onError = (error: unknown) => print(`${inspect(error)}\n`)
  const cors = origins.length === 0 ? undefined : { origins, maxAge: 600 }
  const answer = toNode(
    createHandler(engine, {
      authenticate,
      onError,
      cors,
      mounts: [...mounts, documentMount(engine.as(access))],
    }),
  )
  return (request, response) => {
    if (token === undefined && !isForLoopback(request))
      return end(response, errorResponse(fault('FORBIDDEN', 'Only requests to this machine are allowed.')))
    return void answer(request, response).catch(onError)
  }
}

/** Serves the description of the API, or with `?collection=` that of some collections. */
function documentMount(engine: Engine): Mount {
  const title = 'quernel serve'
  const whole = JSON.stringify(describeApi(engine, { title }))
  const described = (queryString: string) => {
    const collections = new URLSearchParams(queryString).getAll('collection')
    for (const name of collections) if (!engine.schema.collections.has(name)) throw unknownCollection(name)
    return collections.length === 0 ? whole : JSON.stringify(describeApi(engine, { title, collections }))
  }
  return {
    routes: () => [
      {
        path: '/openapi.json',
        methods: { GET: async (_engine, { queryString }) => json(described(queryString)) },
      },
    ],
  }
}

const unknownCollection = (name: string) =>
  fault('INVALID_QUERY', `There is no collection ${quote(name)}.`, { path: ['collection'] })

function end(response: ServerResponse, { status, headers, body }: Outgoing): void {
  response.writeHead(status, headers).end(body)
}

async function listen(server: Server, { host, port }: ServeArguments): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(refusal(cause, host, port)))
    server.listen(port, host, resolve)
  })
  const { address, family, port: own } = server.address() as AddressInfo // it listens on a port
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${own}`
}

function refusal(cause: NodeJS.ErrnoException, host: string, port: number) {
  if (cause.code === 'EADDRINUSE')
    return failure(
      `The port ${port} is in use.`,
      'Give another with --port, or 0 for any that is free.',
      cause,
    )
  return failure(`The server cannot listen on ${host}, port ${port}: ${cause.message}.`, undefined, cause)
}

/** Waits for a signal to end. A second one ends the process at once, as it would by default. */
function untilEnded(): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      for (const signal of signals) process.off(signal, end)
      resolve()
    }
    for (const signal of signals) process.on(signal, end)
  })
}

const signals = ['SIGINT', 'SIGTERM'] as const

/** Closes the server: open requests are completed, idle connections closed. */
async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeIdleConnections()
  // A client may keep a connection open for any time.
  const timeout = setTimeout(() => server.closeAllConnections(), 5_000)
  await closed
  clearTimeout(timeout)
}

type GraphQLEntry = Pick<typeof import('../graphql.ts'), 'graphql' | 'reportGraphQLNames'>

/** Loads GraphQL; undefined where the package `graphql` is not installed beside the command. */
export async function loadGraphQL(
  from: () => Promise<GraphQLEntry> = () => import('../graphql.ts'),
): Promise<GraphQLEntry | undefined> {
  try {
    return await from()
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Returns the first of what has another name in GraphQL, or none. */
function namesText(remarks: readonly GraphQLNameRemark[]): string {
  const shown = remarks.slice(0, maxRemarks).map(({ kind, message }) => `${kind}: ${message}\n`)
  const more = remarks.length - shown.length
  return `${shown.join('')}${more > 0 ? `${more} more names differ in GraphQL: "quernel graphql" prints all.\n` : ''}`
}

const maxRemarks = 20

/** Node says so of modules that it imports, and of those that it requires. */
const isMissing = (error: unknown): boolean =>
  ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(String(Reflect.get(Object(error), 'code')))

// Authentication of the server.

/** Returns the access of an authenticated caller: everything, or read everything. */
function accessFor({ collections }: Schema, isReadonly: boolean): Access {
  if (!isReadonly) return { admin: true }
  return { rules: Object.fromEntries([...collections.keys()].map((name) => [name, { read: true }])) }
}

/** Returns the function that authenticates a request: by its token or, without one, any request. */
function authentication(access: Access, token: string | undefined): (input: string | null) => Access | null {
  if (token === undefined) return () => access
  const wanted = digest(token)
  return (input) => (input !== null && timingSafeEqual(digest(input), wanted) ? access : null)
}

/** Returns a digest of the same length for any text. */
const digest = (text: string) => createHash('sha256').update(text).digest()

/** True if only this machine can reach an address. */
const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** True if a request names this machine as its host. A web page can point its own name to this address, and would otherwise get
 *  responses. */
function isForLoopback({ headers }: IncomingMessage): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/.exec(headers.host ?? '')?.[1] ?? ''
  return isLoopback(name.replace(/^\[|\]$/g, '').toLowerCase())
}
