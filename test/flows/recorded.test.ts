// Recorded flows: what ours answer is what was answered, or differs by a decision that has a name.
import { isDeepStrictEqual } from 'node:util'
import BetterSqlite from 'better-sqlite3'
import * as jose from 'jose'
import { Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFlows, type FlowsOptions, quickScript } from '../../src/flows.ts'
import { createHandler, type Handler } from '../../src/http.ts'
import {
  type Access,
  createEngine,
  createItem,
  defineSchema,
  type Engine,
  EngineError,
  isEngineError,
  updateItem,
  updateItems,
} from '../../src/index.ts'
import { sqliteDialect } from '../../src/sqlite.ts'
import { flowDeviations } from './flow-deviations.ts'
import {
  definitionOf,
  isExchange,
  isOfNow,
  nameOf,
  type RecordedExchange,
  recorded,
} from './recorded-flows.ts'
import { serve, type TestServer } from './world/servers.ts'

const schema = defineSchema({
  tags: {
    fields: { id: { type: 'integer', key: true }, name: { type: 'string', nullable: true } },
  },
  things: { fields: { id: { type: 'integer', key: true } } },
  countries: { fields: { code: { type: 'string', key: true } } },
  users: { fields: { id: { type: 'integer', key: true }, email: { type: 'string', nullable: true } } },
  comments: {
    fields: {
      id: { type: 'integer', key: true },
      text: { type: 'string', nullable: true },
      author: { type: 'm2o', to: 'users', nullable: true },
    },
  },
})

function open(): Engine<typeof schema> {
  const database = new BetterSqlite(':memory:')
  database.exec(`
    create table tags (id integer primary key, name text);
    insert into tags values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (811, 'x'), (812, 'y'), (840, 'k'), (841, 'l'), (850, 'd'), (851, 'd'), (852, 'd'), (853, 'd'), (854, 'd');
    create table things (id integer primary key);
    create table countries (code text primary key);
    insert into countries values ('de');
    create table users (id integer primary key, email text);
    insert into users values (2, 'BOB@example.com'), (3, null);
    create table comments (id integer primary key, text text, author integer);
    insert into comments values (1, 'nice', 2), (2, 'bad', 3), (3, 'meh', null), (4, 'ok', null), (5, 'great', null), (6, 'orphan', null);
  `)
  return createEngine({ db: new Kysely({ dialect: sqliteDialect({ database }) }), schema, flows: {} })
}

const admin: Access = { admin: true, user: 1, role: 2, roles: [2] }
const limited: Access = { user: 3, role: 4, roles: [4], rules: { tags: { read: true } } }
const accessOf = (token: string | null | undefined): Access =>
  token === null ? {} : token === 'user-token' ? limited : admin

const rightsOf = (user: unknown): Access => [admin, limited].find((one) => one.user === user) ?? {}

/** What is answered: a value, or the code of an error. */
type Outcome = { readonly value: unknown } | { readonly error: string }

async function outcomeOf(
  engine: Engine<typeof schema>,
  handler: Handler,
  exchange: RecordedExchange,
  last: number,
): Promise<Outcome> {
  const { method, path, body, token, headers } = exchange.request
  if (!path.startsWith('/flows')) return writeOutcome(engine.as(accessOf(token) as never), exchange)
  const address = path.replace(/<flow(?::(\d+))?>/, (_, index?: string) => nameOf(Number(index ?? last)))
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await handler(
    new Request(`http://localhost${address}`, {
      method,
      headers: {
        ...type,
        ...headers,
        ...(token !== null && { authorization: `Bearer ${token ?? 'admin'}` }),
      },
      // A text is a body that was sent as it is.
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }),
  )
  const text = await response.text()
  return outcomeIn(response.status, text === '' ? undefined : JSON.parse(text))
}

async function writeOutcome(engine: Engine<typeof schema>, { request }: RecordedExchange): Promise<Outcome> {
  const { method, path, body } = request
  const key = Number(/\/(\d+)$/.exec(path)?.[1])
  try {
    if (method === 'POST') return { value: { data: await createItem(engine, 'tags', body as never) } }
    if (Number.isNaN(key)) {
      const { keys, data } = Object(body)
      return { value: { data: await updateItems(engine, 'tags', keys, data) } }
    }
    return { value: { data: await updateItem(engine, 'tags', key, body as never) } }
  } catch (error) {
    if (!isEngineError(error)) throw error
    return { error: error.code }
  }
}

/** An answer as an outcome. */
function outcomeIn(status: number, body: unknown): Outcome {
  const errors = Object(body).errors
  if (Array.isArray(errors)) return { error: errors[0].extensions.code }
  return { value: status === 204 ? null : body }
}

/** A value as it is compared: of an error its code, and nothing of lists of relations that are not there here. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const all = value.map(plain)
    return all.length > 0 && value.every(isError) ? all[0] : all
  }
  if (typeof value !== 'object' || value === null) return value
  if (isError(value)) return { code: Reflect.get(value, 'code') }
  const entries = Object.entries(value).filter(
    ([name]) => name !== 'articles' && name !== 'message' && !ofConnection.includes(name),
  )
  return Object.fromEntries(entries.map(([name, inner]) => [name, plain(inner)]))
}

const isError = (value: unknown): boolean => 'code' in Object(value) && 'status' in Object(value)

/** Headers that say nothing of an answer. */
const ofConnection: readonly string[] = ['date', 'connection', 'keep-alive']

const isEqual = (one: Outcome, other: Outcome): boolean => isDeepStrictEqual(plain(one), plain(other))

const script = quickScript({ timeoutMs: 30_000 })

/** The server that the recorded flows called. */
let sink: TestServer
beforeAll(async () => {
  sink = await serve(({ url = '' }, response) => {
    const status = Number(/status=(\d+)/.exec(url)?.[1] ?? 200)
    if (url === '/redirect') response.writeHead(302, { location: '/landed' })
    else if (url === '/text') response.writeHead(200, { 'content-type': 'text/plain' })
    else response.writeHead(status, { 'content-type': 'application/json' })
    // In parts, as it was recorded.
    response.write(url === '/text' ? 'plain' : JSON.stringify({ ok: status < 400, path: url }))
    response.end()
  }, '127.0.0.1')
})
afterAll(() => sink.close())

describe('recorded flows', () => {
  const cases = recorded.filter(isOfNow)

  it('are 71 of 82: the others follow a commit or a clock', () => {
    expect(recorded).toHaveLength(82)
    expect(cases).toHaveLength(71)
  })

  it('differ by decisions that have names', () => {
    const named = flowDeviations.flatMap(({ names }) => names)
    expect(named.filter((name) => !cases.some((one) => one.name === name))).toEqual([])
    expect(new Set(named).size).toBe(named.length)
  })

  it.each(cases)('$name', async ({ name, flows: definitions, runs }) => {
    const isNamed = flowDeviations.some(({ names }) => names.includes(name))
    expect(await differences(definitions, runs.filter(isExchange))).toEqual(
      isNamed ? expect.arrayContaining([expect.anything()]) : [],
    )
  })
})

/** Returns what ours answer otherwise. */
async function differences(
  definitions: readonly Parameters<typeof definitionOf>[0][],
  exchanges: readonly RecordedExchange[],
): Promise<readonly unknown[]> {
  const engine = open()
  try {
    const flows = createFlows(engine, {
      flows: JSON.parse(
        JSON.stringify(definitions.map(definitionOf)).replaceAll('127.0.0.1:18580', `127.0.0.1:${sink.port}`),
      ),
      // The sink is on this machine.
      fetch: globalThis.fetch as NonNullable<FlowsOptions['fetch']>,
      jwt: jose,
      script,
      send: ({ to }) => {
        if (to.includes('nope')) throw new EngineError('INVALID_FOREIGN_KEY', 'Nobody has this key.')
      },
      access: (name, { user }) => (name === 'caller' ? rightsOf(user) : {}),
    })
    await flows.install()
    const handler = createHandler(engine, {
      authenticate: (token) => accessOf(token === 'admin' ? undefined : token),
      mounts: [flows],
      onError: () => undefined,
    })
    await handler.start()
    const different: unknown[] = []
    for (const exchange of exchanges) {
      const found = await outcomeOf(engine, handler, exchange, definitions.length - 1)
      const wanted = outcomeIn(exchange.response.status, exchange.response.body)
      if (!isEqual(found, wanted)) different.push({ request: exchange.request, found, wanted })
    }
    await handler.stop()
    return different
  } catch (error) {
    if (!isEngineError(error)) throw error
    return [error.message]
  }
}
