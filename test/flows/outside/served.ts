// Flows behind a handler: what requests start, and how their runs are answered.
import { Cron } from 'croner'
import { sql } from 'kysely'
import { createFlows, type FlowStarter, type Flows, type FlowsOptions, schemes } from '../../../src/flows.ts'
import { createHandler, type Handler, type HandlerOptions } from '../../../src/http.ts'
import { type Access, createEngine, defineSchema, type Engine, listItems } from '../../../src/index.ts'
import { atEnd } from '../../support/at-end.ts'
import { openSqlite } from '../../support/databases.ts'
import { integer, key, string } from '../../support/fields.ts'

export const schema = defineSchema({
  articles: { fields: { id: key, title: string, status: string } },
  notes: { fields: { id: { type: 'uuid', key: true }, text: string } },
  parts: { key: ['order', 'line'], fields: { order: integer, line: integer, text: string } },
})

export const noteIds = ['aaaaaaaa-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000002']

/** Callers by their tokens: an admin, a user who sees what is published, one of whom only the role is known, and what anybody may. */
const published = { articles: { read: { filter: { status: { _eq: 'published' } } } } }
const callers: Readonly<Record<string, Access>> = {
  admin: { user: 1, role: 'admin', admin: true },
  ada: { user: 7, role: 'editor', roles: ['editor', 'writer'], rules: published },
  bob: { user: 8, role: 'reader', rules: published },
  robot: { role: 'robot' },
  // Callers without a user, whom roles, variables and rights tell apart.
  'shop-a': {
    role: 'shop',
    roles: ['shop', 'a'],
    variables: { '$CURRENT_USER.tenant': 'a', '$CURRENT_ROLE.plan': 1n },
  },
  'shop-a-later': {
    role: 'shop',
    roles: ['a', 'shop'],
    variables: { '$CURRENT_ROLE.plan': 1n, '$CURRENT_USER.tenant': 'a' },
    expiresAt: new Date('2100-01-01'),
  },
  'shop-b': { role: 'shop', roles: ['shop', 'a'], variables: { '$CURRENT_USER.tenant': 'b' } },
  'shop-c': { role: 'shop', roles: ['shop', 'b'], variables: { '$CURRENT_USER.tenant': 'a' } },
  host: { role: 'shop', admin: true },
  anybody: { rules: published },
}

/** A run, as far as the tests look at it. */
export interface ShownRun {
  readonly flow: string
  readonly user: unknown
  readonly role: unknown
  readonly request: unknown
  readonly body: unknown
}

export interface Served {
  readonly engine: Engine<typeof schema>
  readonly handler: Handler
  readonly mount: Flows
  /** Returns the runs that were started. */
  readonly runs: () => Promise<readonly ShownRun[]>
  /** Errors that the host was told. */
  readonly errors: unknown[]
  /** Tokens with which `authenticate` was asked. */
  readonly asked: (string | null)[]
  readonly send: (path: string, init?: SentRequest) => Promise<Answered>
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
    readonly table?: NonNullable<FlowsOptions['schemes']>
    readonly clock?: () => Date
  } = {},
): Promise<Served> {
  const { db } = await openSqlite()
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
  const engine = createEngine({ db, schema, flows: {}, ...(clock && { clock }) })
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const mount = createFlows(engine, {
    // As data of a host, which the compiler has not seen.
    flows: definitions as FlowsOptions['flows'],
    secrets,
    schemes: table,
    cron: Cron,
    access: (name, starter) => (name === 'caller' ? accessOf(starter) : null),
    onError,
    pollMs: 50,
  })
  await mount.install()
  const asked: (string | null)[] = []
  const handler = createHandler(engine, {
    authenticate: (token) => {
      asked.push(token)
      return callers[token ?? ''] ?? null
    },
    token: (request) => /\bsession=(\w+)/.exec(request.headers.get('cookie') ?? '')?.[1],
    mounts: [mount],
    onError,
    ...options,
  })
  await handler.start()
  atEnd(() => handler.stop())
  return {
    ...{ engine, handler, mount, errors, asked },
    send: (path, init) => answered(handler, path, init),
    runs: async () => {
      const fields = ['flow', 'user', 'role', 'request', 'body']
      const { data } = await listItems(engine as unknown as Engine, 'quernel_runs', {
        fields,
        sort: ['number'],
      })
      return data as unknown as readonly ShownRun[]
    },
  }
}

/** Returns the rights of a user or a role, as a host looks them up. */
const accessOf = ({ user, role }: FlowStarter): Access | null =>
  Object.values(callers).find(
    (one) => (one.user ?? null) === user && (one.role ?? null) === role && (user ?? role) !== null,
  ) ?? null

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

export const codeOf = ({ body }: Answered): unknown =>
  (body as { errors?: readonly { extensions: { code: unknown } }[] } | undefined)?.errors?.[0]?.extensions
    .code
