// Recorded flows: what ours answer is what was answered, or differs by a decision that has a name.
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import BetterSqlite from 'better-sqlite3'
import { Cron } from 'croner'
import * as jose from 'jose'
import { Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFlows, type FlowsOptions, quickScript } from '../../src/flows.ts'
import { createHandler, type Handler } from '../../src/http.ts'
import {
  type Access,
  createEngine,
  createItem,
  createItems,
  defineSchema,
  deleteItems,
  type Engine,
  EngineError,
  isEngineError,
  listItems,
  updateItem,
  updateItems,
} from '../../src/index.ts'
import { readCmsFlows } from '../../src/introspect.ts'
import { sqliteDialect } from '../../src/sqlite.ts'
import { flowDeviations } from './flow-deviations.ts'
import {
  idOf,
  isExchange,
  isFilter,
  type RecordedCase,
  type RecordedExchange,
  type RecordedRun,
  recorded,
  storeFlows,
} from './recorded-flows.ts'
import { serve, type TestServer } from './world/servers.ts'

const schema = defineSchema({
  tags: {
    fields: { id: { type: 'integer', key: true }, name: { type: 'string', nullable: true } },
  },
  things: { fields: { id: { type: 'integer', key: true } } },
  countries: { fields: { code: { type: 'string', key: true } } },
  users: { fields: { id: { type: 'integer', key: true }, email: { type: 'string', nullable: true } } },
  directus_users: {
    fields: {
      id: { type: 'uuid', key: true },
      first_name: { type: 'string', nullable: true },
      password: { type: 'hash', nullable: true },
    },
  },
  comments: {
    fields: {
      id: { type: 'integer', key: true },
      text: { type: 'string', nullable: true },
      author: { type: 'm2o', to: 'users', nullable: true },
    },
  },
})

function open() {
  const database = new BetterSqlite(':memory:')
  database.exec(`
    create table tags (id integer primary key, name text);
    insert into tags values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (811, 'x'), (812, 'y'), (815, 'z'), (840, 'k'), (841, 'l'), (850, 'd'), (851, 'd'), (852, 'd'), (853, 'd'), (854, 'd');
    create table things (id integer primary key);
    create table countries (code text primary key);
    insert into countries values ('de');
    create table directus_users (id text primary key, first_name text, password text);
    insert into directus_users values ('00000000-0000-4000-8000-00000000c001', 'Eve', null);
    create table users (id integer primary key, email text);
    insert into users values (2, 'BOB@example.com'), (3, null);
    create table comments (id integer primary key, text text, author integer);
    insert into comments values (1, 'nice', 2), (2, 'bad', 3), (3, 'meh', null), (4, 'ok', null), (5, 'great', null), (6, 'orphan', null);
  `)
  const db = new Kysely<Record<string, Record<string, unknown>>>({ dialect: sqliteDialect({ database }) })
  return { database, db, engine: createEngine({ db, schema, flows: {} }) }
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
  const address = path.replace(/<flow(?::(\d+))?>/, (_, index?: string) => idOf(Number(index ?? last)))
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
  const [, collection = '', written] = /^\/(?:items\/)?(\w+)(?:\/([\w-]+))?$/.exec(path) ?? []
  const name = collection === 'users' ? 'directus_users' : 'tags'
  const key = (collection === 'users' ? written : Number(written)) as never
  try {
    if (method === 'DELETE') {
      await deleteItems(engine, name, [key])
      return { value: null }
    }
    if (method === 'POST')
      return {
        value: {
          data: Array.isArray(body)
            ? await createItems(engine, 'tags', body)
            : await createItem(engine, 'tags', body as never),
        },
      }
    if (written === undefined) {
      const { keys, data } = Object(body)
      return { value: { data: await updateItems(engine, 'tags', keys, data) } }
    }
    return { value: { data: await updateItem(engine, name, key, body as never) } }
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

/** The server that the recorded flows called, and what it got. */
let sink: TestServer
let sinkGot: { readonly method: string; readonly url: string }[] = []
beforeAll(async () => {
  sink = await serve(({ method = '', url = '' }, response) => {
    sinkGot.push({ method, url })
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
  it('are 82', () => {
    expect(recorded).toHaveLength(82)
  })

  it('differ by at most 30 decisions, and by one each', () => {
    const named = flowDeviations.flatMap(({ names }) => names)
    expect(named.filter((name) => !recorded.some((one) => one.name === name))).toEqual([])
    expect(new Set(named).size).toBe(named.length)
    expect(flowDeviations.length).toBeLessThanOrEqual(30)
  })

  it.each(recorded)('$name', async (one) => {
    const isNamed = flowDeviations.some(({ names }) => names.includes(one.name))
    expect(await differences(one)).toEqual(isNamed ? expect.arrayContaining([expect.anything()]) : [])
  })
})

/** Returns what ours answer otherwise. */
async function differences(one: RecordedCase): Promise<readonly unknown[]> {
  const { database, db, engine } = open()
  sinkGot = []
  storeFlows(database, one.flows, sink.port)
  if (one.runs.some(({ renamed }) => renamed !== undefined))
    database.exec(`update directus_operations set "key" = 'a'`)
  const { flows: definitions, secrets } = await readCmsFlows(db, { schema, cron: Cron })
  const flows = createFlows(engine, {
    flows: definitions,
    secrets,
    cron: Cron,
    // The sink is on this machine.
    fetch: globalThis.fetch as NonNullable<FlowsOptions['fetch']>,
    jwt: jose,
    script,
    send: ({ to }) => {
      if (to.includes('nope')) throw new EngineError('INVALID_FOREIGN_KEY', 'Nobody has this key.')
    },
    access: (name, { user }) => (name === 'caller' ? rightsOf(user) : {}),
    onError: () => undefined,
  })
  await flows.install()
  const handler = createHandler(engine, {
    authenticate: (token) => accessOf(token === 'admin' ? undefined : token),
    mounts: [flows],
    onError: () => undefined,
  })
  await handler.start()
  const world = { engine, handler, one, isAccepted: definitions.length === one.flows.length }
  const different: unknown[] = []
  for (const run of one.runs) {
    const [found, wanted] = await compared(run, world)
    if (!isEqual({ value: found }, { value: wanted })) different.push({ run, found, wanted })
  }
  await handler.stop()
  return different
}

interface RecordedWorld {
  readonly engine: Engine<typeof schema>
  readonly handler: Handler
  readonly one: RecordedCase
  readonly isAccepted: boolean
}

/** Returns what a run of ours leads to, and what was recorded of it. */
async function compared(
  run: RecordedRun,
  { engine, handler, one, isAccepted }: RecordedWorld,
): Promise<readonly [found: unknown, wanted: unknown]> {
  const { response } = run
  const last = one.flows.length - 1
  if (isExchange(run) && response) {
    const found = await outcomeOf(engine, handler, run, last)
    const wanted = outcomeIn(response.status, response.body)
    return isNumbered(run) ? [withoutKey(found), withoutKey(wanted)] : [found, wanted]
  }
  if (run.s !== undefined) {
    const request = { method: 'POST', path: '/flows/trigger/<flow>', body: { n: 'x' } }
    const outcome = await outcomeOf(engine, handler, { request, response: { status: 200 } }, last)
    const { s, v } = Object('value' in outcome ? outcome.value : {})
    return [
      { s, v },
      { s: run.s, v: run.v },
    ]
  }
  if (run.runsWithin2600ms !== undefined)
    return [await firstResult(engine), run.first?.revisions[0]?.data?.data.$last]
  if (run.made === 'accepted') return [isAccepted, true]
  if (run.renamed !== undefined) return [isAccepted, run.renamed === 200]
  if (run.login !== undefined) return [isAccepted, run.login === 200]
  const runs = await runsOf(engine, idOf(last))
  if (run.log) return one.flows.some(isFilter) ? [null, null] : [runs, run.log.map(entryOf).toSorted(byText)]
  if (run.runs !== undefined) return [runs.length, run.runs]
  if (run.sinkGot) return [sinkGot, run.sinkGot.map(({ method, url }) => ({ method, url }))]
  if (run.things) return [await countOf(engine, 'things', {}), 0]
  const named = (name: string) => countOf(engine, 'tags', { name: { _eq: name } })
  if (run.made) return [[{ count: await named('once') }], run.made]
  if (run.madeUntilStopped) return [[{ count: await named('loop') }], run.madeUntilStopped]
  return [(await listItems(engine, 'tags', { filter: { id: { _between: [820, 829] } } })).data, run.tags]
}

/** True for an item that has got the next number, which is another one there. */
const isNumbered = ({ request: { path, body } }: RecordedExchange): boolean =>
  path === '/items/tags' && typeof body === 'object' && !Array.isArray(body) && !('id' in Object(body))

function withoutKey(outcome: Outcome): unknown {
  if ('error' in outcome) return outcome
  const { id: _id, ...item } = Object(Object(outcome.value).data)
  return item
}

const countOf = async (engine: Engine<typeof schema>, name: 'tags' | 'things', filter: object) =>
  // The filter is of one of both.
  (await listItems(engine as unknown as Engine, name, { filter, limit: -1 } as object)).data.length

/** A run in the log: its steps, and its answer if the last one succeeded. */
interface LogEntry {
  readonly steps: readonly (readonly [operation: string, status: string])[]
  readonly answer: unknown
}

function entryOf({ revision }: NonNullable<RecordedRun['log']>[number]): LogEntry | null {
  if (!revision) return null
  const steps = revision.steps.map(
    ({ key, status }) => [key, status === 'resolve' ? 'resolved' : 'rejected'] as const,
  )
  return { steps, answer: steps.at(-1)?.[1] === 'resolved' ? revision.data.$last : null }
}

/** Runs of one moment have no order. */
const byText = (one: unknown, other: unknown): number =>
  JSON.stringify(one) < JSON.stringify(other) ? -1 : 1

interface StoredRun {
  readonly flow: string
  readonly state: string
  readonly result: unknown
  readonly steps: readonly { readonly operation: string; readonly status: string; readonly number: number }[]
}

async function storedRuns(engine: Engine<typeof schema>): Promise<readonly StoredRun[]> {
  const fields = ['flow', 'state', 'result', 'steps.operation', 'steps.status', 'steps.number']
  // A collection of the engine's own.
  const { data } = await listItems(engine as unknown as Engine, 'quernel_runs', {
    fields,
    limit: -1,
  } as object)
  return data as never
}

const isOver = ({ state }: StoredRun): boolean => state === 'succeeded' || state === 'failed'

/** Returns the runs of a flow once all runs are over. */
async function runsOf(engine: Engine<typeof schema>, flow: string): Promise<readonly LogEntry[]> {
  for (;;) {
    const runs = await storedRuns(engine)
    if (runs.every(isOver))
      return runs
        .filter((run) => run.flow === flow)
        .map(entryOfRun)
        .toSorted(byText)
    await pause(20)
  }
}

const entryOfRun = ({ state, result, steps }: StoredRun): LogEntry => ({
  steps: steps
    .toSorted((one, other) => one.number - other.number)
    .map(({ operation, status }) => [operation, status] as const),
  answer: state === 'succeeded' ? result : null,
})

/** Returns the answer of the first run that succeeds. */
async function firstResult(engine: Engine<typeof schema>): Promise<unknown> {
  for (;;) {
    const run = (await storedRuns(engine)).find(({ state }) => state === 'succeeded')
    if (run) return run.result
    await pause(50)
  }
}
