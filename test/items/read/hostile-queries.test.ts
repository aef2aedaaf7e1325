// A query that holds itself, or is deeper than a stack, is refused before anything walks through it.
import { beforeAll, describe, expect, it } from 'vitest'
import { exportItems } from '../../../src/export.ts'
import { createHandler } from '../../../src/http.ts'
import {
  compileFilter,
  createEngine,
  createItem,
  defineSchema,
  deleteByQuery,
  deleteItems,
  type Engine,
  explainItems,
  getItem,
  isEngineError,
  listItems,
  listItemsJson,
  matchesFilter,
  parseQuery,
  streamItems,
  updateByQuery,
  updateItems,
} from '../../../src/index.ts'
import { fuzzSeed } from '../../property/seeded-random.ts'
import { openSqlite } from '../../support/databases.ts'
import { json, key, maybeOne, number, text } from '../../support/fields.ts'
import { fourthOf } from '../../support/long-runs.ts'

const schema = defineSchema({
  users: { fields: { id: key, team: number } },
  notes: { fields: { id: key, text, meta: json, author: maybeOne('users') } },
})

const levels = 30_000
function nested(inner: object, around: (inside: object) => object): object {
  let made = inner
  for (let level = 0; level < levels; level++) made = around(made)
  return made
}
function cyclic(holding: (self: object) => object): object {
  const made = {}
  return Object.assign(made, holding(made))
}

/** Filters that no walk comes to the end of. */
const filters: Readonly<Record<string, object>> = {
  'a filter deeper than a stack': nested({ id: 1 }, (inside) => ({ author: inside })),
  'a filter deep in lists': nested({ id: 1 }, (inside) => ({ _and: [inside] })),
  'a filter deep in quantifiers': nested({ id: 1 }, (inside) => ({ _some: inside })),
  'an operand deeper than a stack': { id: { _in: nested({}, (inside) => [inside]) } },
  'a filter that holds itself': cyclic((self) => ({ author: self })),
  'a filter that holds itself twice': cyclic((self) => ({ _and: [self, self] })),
  'a filter that holds itself under many names': cyclic((self) => ({ text: self, author: self, meta: self })),
  'a list of branches that holds itself often': (() => {
    const list: unknown[] = []
    for (let count = 0; count < 1_000; count++) list.push(list, { _or: list })
    return { _or: list }
  })(),
  'a list of a length that no list has': { id: { _in: Object.assign([], { length: 2 ** 32 - 1 }) } },
}

type Query = Readonly<Record<string, unknown>>
const verbs: Readonly<Record<string, (engine: Engine, query: Query) => unknown>> = {
  listItems: (engine, query) => listItems(engine, 'notes', query),
  listItemsJson: (engine, query) => listItemsJson(engine, 'notes', query),
  getItem: (engine, query) => getItem(engine, 'notes', 1, query),
  streamItems: (engine, query) => streamItems(engine, 'notes', query).next(),
  explainItems: (engine, query) => explainItems(engine, 'notes', query),
  exportItems: (engine, query) => exportItems(engine, 'notes', query, 'json'),
  parseQuery: (_engine, query) => parseQuery(query),
  deleteByQuery: (engine, query) => deleteByQuery(engine, 'notes', query),
  'deleteItems by a query': (engine, query) => deleteItems(engine, 'notes', { query }),
  'deleteItems by nothing but a filter': (engine, query) => deleteItems(engine, 'notes', undefined, query),
  'deleteItems by a query with another beside it': (engine, query) =>
    deleteItems(engine, 'notes', { query: { filter: { id: 1 } } }, query),
  updateByQuery: (engine, query) => updateByQuery(engine, 'notes', query, { text: 'x' }),
  'the answer of createItem': (engine, query) =>
    createItem(engine, 'notes', { id: 9 }, { fields: ['author.id'], deep: { author: deepOf(query) } }),
  'the answer of updateItems': (engine, query) =>
    updateItems(
      engine,
      'notes',
      [1],
      { text: 'x' },
      { fields: ['author.id'], deep: { author: deepOf(query) } },
    ),
  compileFilter: (engine, { filter }) => compileFilter(engine, 'notes', Object(filter)),
  matchesFilter: (engine, { filter }) => matchesFilter(engine, 'notes', Object(filter), { id: 1 }),
  'a filter below the root': (engine, query) =>
    listItems(engine, 'notes', { fields: ['author.id'], deep: { author: deepOf(query) } }),
}
const deepOf = ({ filter }: Query) => ({ _filter: filter })

const rules = { notes: { read: true, update: true, delete: true, create: true }, users: { read: true } }
const engines: Readonly<Record<string, (engine: Engine, knowing: Engine) => Engine>> = {
  'the engine itself': (engine) => engine,
  'a caller': (engine) => engine.as({ user: 1, rules }),
  'a caller whose variables are looked up': (_, knowing) => knowing.as({ user: 1, rules }),
  'an admin whose variables are looked up': (_, knowing) => knowing.as({ user: 1, admin: true }),
}

let engine: Engine
let knowing: Engine
beforeAll(async () => {
  const { db, run } = await openSqlite()
  await run(
    'create table users (id integer primary key, team integer)',
    'create table notes (id integer primary key, text text, meta text, author integer)',
    "insert into notes values (1, 'a', null, null)",
  )
  engine = createEngine({ db, schema }) as unknown as Engine
  knowing = createEngine({ db, schema, variables: { $CURRENT_USER: 'users' } }) as unknown as Engine
})

async function outcome(work: () => unknown): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    if (isEngineError(error)) return { code: error.code, message: error.message }
    return String(error)
  }
}
const refused = {
  code: 'INVALID_QUERY',
  message: expect.stringMatching(
    /nests deeper than \d+ levels|holds (more than \d+ objects|a list of more than \d+ elements)/,
  ),
}

describe.each(Object.keys(engines))(`%s (QUERNEL_SEED=${fuzzSeed})`, (name) => {
  // Who asks comes after what is asked, so each of the others is tried with some.
  const at = Object.keys(engines).indexOf(name)
  const every = Object.entries(filters)
  const some = at === 0 ? every : fourthOf(every, fuzzSeed + at)
  describe.each(Object.entries(verbs))('%s', (_, call) => {
    it.each(some)('refuses %s', async (_title, filter) => {
      const asked = engines[name]?.(engine, knowing) ?? engine
      expect(await outcome(() => call(asked, { filter }))).toEqual(refused)
    })
  })

  it.each(['fields', 'sort', 'groupBy', 'aggregate', 'alias', 'deep', 'meta', 'search', 'limit', 'nonsense'])(
    'refuses a "%s" that no walk comes to the end of',
    async (parameter) => {
      const asked = engines[name]?.(engine, knowing) ?? engine
      for (const value of Object.values(filters))
        expect(await outcome(() => listItems(asked, 'notes', { [parameter]: value }))).toMatchObject({
          code: expect.stringMatching(/^(INVALID_QUERY|FORBIDDEN)$/),
        })
    },
  )
})

describe('a handler', () => {
  const bodyOf = (depth: number) =>
    `{"query":{"filter":${'{"author":'.repeat(depth)}{"id":1}${'}'.repeat(depth)}}}`

  it.each([null, { user: 1, rules }])(
    'answers a deep filter with 400, or hides the collection: %j',
    async (access) => {
      const handler = createHandler(knowing, { authenticate: async () => access ?? {} })
      for (const method of ['DELETE', 'SEARCH', 'PATCH']) {
        const body = bodyOf(50_000)
        const data = method === 'PATCH' ? `${body.slice(0, -1)},"data":{"text":"x"}}` : body
        const headers = { 'content-type': 'application/json' }
        const response = await handler(new Request('http://h/items/notes', { method, body: data, headers }))
        const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] }
        expect([method, response.status, errors[0]?.extensions.code]).toEqual(
          access || method !== 'DELETE' ? [method, 400, 'INVALID_QUERY'] : [method, 404, 'NOT_FOUND'],
        )
      }
    },
  )
})
