// Flows behind a handler: what requests start, and how their runs are answered.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { checkDefinitions } from '../../../src/flows/flow-set.ts'
import { FlowsCore } from '../../../src/flows/flows-core.ts'
import { outsideRoutes } from '../../../src/flows/outside/outside-routes.ts'
import type { RunAnswer, RunStarts, StartRequest } from '../../../src/flows/outside/starts.ts'
import { rejectionOf } from '../../../src/flows/reject.ts'
import type { BoundFlow } from '../../../src/flows/triggers/bind-triggers.ts'
import { type FlowsOptions, schemes } from '../../../src/flows.ts'
import { createHandler, type Handler, type HandlerOptions, type Mount } from '../../../src/http.ts'
import { type Access, createEngine, defineSchema, type Engine, EngineError } from '../../../src/index.ts'
import { openSqlite } from '../../support/databases.ts'
import { contextOf } from './checking.ts'

export const schema = defineSchema({
  articles: {
    fields: {
      id: { type: 'integer', key: true },
      title: { type: 'string' },
      status: { type: 'string' },
    },
  },
  notes: { fields: { id: { type: 'uuid', key: true }, text: { type: 'string' } } },
  parts: {
    key: ['order', 'line'],
    fields: { order: { type: 'integer' }, line: { type: 'integer' }, text: { type: 'string' } },
  },
})

export const noteIds = ['aaaaaaaa-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000002']

/** Callers by their tokens: an admin, a user who sees what is published, one of whom only the role is known, and what anybody may. */
const published = { articles: { read: { filter: { status: { _eq: 'published' } } } } }
const callers: Readonly<Record<string, Access>> = {
  admin: { user: 1, role: 'admin', admin: true },
  ada: { user: 7, role: 'editor', roles: ['editor', 'writer'], rules: published },
  bob: { user: 8, role: 'reader', rules: published },
  robot: { role: 'robot' },
  anybody: { rules: published },
}

/** Runs that are kept in memory, and run at once, in place of those that a database keeps. */
class StartsInMemory implements RunStarts {
  readonly requests: StartRequest[] = []
  /** The error of a queue that is full. */
  full: Error | undefined
  readonly #runs = new Map<string, RunAnswer>()
  readonly #known = new Map<string, { readonly id: string; readonly body: string }>()
  readonly #ends = new Map<string, Promise<void>>()
  readonly #core: FlowsCore
  readonly #flows: Map<string, BoundFlow>

  constructor(core: FlowsCore, flows: Map<string, BoundFlow>) {
    this.#core = core
    this.#flows = flows
  }

  async start(request: StartRequest): Promise<RunAnswer> {
    if (this.full) throw this.full
    const id = this.#idOf(request)
    const clock = AbortSignal.timeout(request.waitMs)
    await Promise.race([
      this.#ends.get(id),
      new Promise<void>((resolve) => clock.addEventListener('abort', () => resolve())),
    ])
    return this.#runs.get(id) as RunAnswer // `#idOf` has set it
  }

  #idOf(request: StartRequest): string {
    const key = request.request?.key ?? randomUUID()
    const known = this.#known.get(key)
    if (known && known.body !== request.request?.body)
      throw new EngineError('UNPROCESSABLE_CONTENT', 'This key was sent before, with something else.')
    if (known) return known.id
    const id = randomUUID()
    this.requests.push(request)
    this.#known.set(key, { id, body: request.request?.body ?? '' })
    this.#ends.set(id, this.#run(id, request))
    return id
  }

  async #run(id: string, { bound, trigger, engine }: StartRequest): Promise<void> {
    const flow = bound.flow.name
    this.#runs.set(id, { id, flow, state: 'running' })
    const end = await this.#core.run(flow, trigger.value, engine, [])
    this.#runs.set(
      id,
      end.state === 'failed'
        ? { id, flow, state: 'failed', error: rejectionOf(end.error) }
        : { id, flow, ...end },
    )
  }

  async find(id: string): Promise<RunAnswer | undefined> {
    return this.#runs.get(id)
  }

  flow(name: string): BoundFlow | undefined {
    return this.#flows.get(name)
  }

  remove(name: string): void {
    this.#flows.delete(name)
  }
}

export interface Served {
  readonly engine: Engine<typeof schema>
  readonly handler: Handler
  readonly mount: Mount
  readonly starts: StartsInMemory
  /** Errors that the host was told. */
  readonly errors: unknown[]
  /** Tokens with which `authenticate` was asked. */
  readonly asked: (string | null)[]
  /** Sends a request to the handler. */
  readonly send: (path: string, init?: SentRequest) => Promise<Answered>
  readonly close: () => Promise<void>
}

export interface SentRequest {
  readonly method?: string
  readonly token?: string
  readonly json?: unknown
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  /** JSON, where the body is some; undefined for none. */
  readonly body: unknown
}

/** Serves flows, with callers who are known by a token or by the cookie that holds it. */
export async function serve(
  definitions: readonly object[],
  {
    secrets = {},
    table = schemes,
    clock,
    ...options
  }: Pick<Partial<HandlerOptions>, 'trustedOrigins'> & {
    readonly secrets?: Readonly<Record<string, string>>
    readonly table?: FlowsOptions['schemes']
    readonly clock?: () => Date
  } = {},
): Promise<Served> {
  const { db, close } = await openSqlite()
  await sql`create table articles (id integer primary key, title text not null, status text not null)`.execute(
    db,
  )
  await sql`create table notes (id text primary key, text text not null)`.execute(db)
  await sql`create table parts ("order" integer, line integer, text text not null, primary key ("order", line))`.execute(
    db,
  )
  await sql`insert into articles values (1, 'One', 'published'), (2, 'Two', 'draft'), (3, 'Three', 'published')`.execute(
    db,
  )
  await sql`insert into notes values (${noteIds[0]}, 'a'), (${noteIds[1]}, 'b')`.execute(db)
  await sql`insert into parts values (1, 1, 'a'), (1, 2, 'b')`.execute(db)
  const engine = createEngine({ db, schema, ...(clock && { clock }) })
  const context = contextOf({
    secrets: new Map(Object.entries(secrets)),
    schemes: table,
    collections: new Set(schema.collections.keys()),
  })
  const { bound } = checkDefinitions(
    definitions.map((definition, at) => ({ definition: definition as never, at })),
    context,
  )
  const core = new FlowsCore(engine as unknown as Engine, { flows: [], secrets })
  const flows = new Map(bound.map((one) => [one.flow.name, one]))
  core.set(flows)
  const starts = new StartsInMemory(core, flows)
  const mount: Mount = {
    engine: engine as unknown as Engine,
    routes: () => outsideRoutes(starts, { schemes: table ?? schemes, secrets }),
  }
  const errors: unknown[] = []
  const asked: (string | null)[] = []
  const handler = createHandler(engine, {
    authenticate: (token) => {
      asked.push(token)
      return callers[token ?? ''] ?? null
    },
    token: (request) => /\bsession=(\w+)/.exec(request.headers.get('cookie') ?? '')?.[1],
    mounts: [mount],
    onError: (error) => void errors.push(error),
    ...options,
  })
  return {
    ...{ engine, handler, mount, starts, errors, asked, close },
    send: (path, init) => answered(handler, path, init),
  }
}

async function answered(
  handler: Handler,
  path: string,
  {
    method = 'POST',
    token,
    json,
    body = json === undefined ? undefined : JSON.stringify(json),
    headers,
  }: SentRequest = {},
): Promise<Answered> {
  const response = await handler(
    new Request(`http://localhost${path}`, {
      method,
      headers: {
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      // Of bytes a request says no type, as of none.
      ...(body !== undefined && { body: typeof body === 'string' ? Buffer.from(body) : body }),
    }),
  )
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return text
  }
}

/** A flow that answers what it was started with. */
export const echo = (name: string, trigger: object, members: object = {}) => ({
  name,
  access: 'nobody',
  trigger: { returns: '$trigger', ...trigger },
  ...members,
})

/** The code of the error in an answer. */
export const codeOf = ({ body }: Answered): unknown =>
  (body as { errors?: readonly { extensions: { code: unknown } }[] } | undefined)?.errors?.[0]?.extensions
    .code
