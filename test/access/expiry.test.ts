// Accesses that end: from then on every call of the caller is refused, by whatever door.
import { beforeEach, expect, it } from 'vitest'
import { createGraphQLHandler } from '../../src/graphql.ts'
import { createHandler } from '../../src/http.ts'
import {
  type Access,
  compileFilter,
  createEngine,
  createItem,
  listItems,
  matchesFilter,
  streamItems,
} from '../../src/index.ts'
import { openSqlite } from '../support/databases.ts'
import { createLibrary, type Library, schema } from '../writes/library.ts'

let engine: Library
let now: number
beforeEach(async () => {
  const opened = await openSqlite()
  await createLibrary('sqlite', opened.db)
  now = Date.UTC(2026, 10, 26)
  engine = createEngine({ db: opened.db, schema, clock: () => new Date(now) })
})

const rules = { books: { read: true, create: true } } as const
const expired = { code: 'TOKEN_EXPIRED', status: 401 }

it.each<[string, () => NonNullable<Access['expiresAt']>]>([
  ['a date', () => new Date(now + 1000)],
  ['milliseconds', () => now + 1000],
])('an access ends at %s, by the clock of the engine', async (_, end) => {
  const access = { user: 1, rules, expiresAt: end() }
  const callers = [engine.as(access), engine.as({ admin: true, expiresAt: end() })]
  for (const caller of callers) {
    const stream = streamItems(caller, 'books', { sort: 'id' })[Symbol.asyncIterator]()
    await expect(stream.next()).resolves.toMatchObject({ value: { id: 1 } })
    await caller.transaction(async (inside) => {
      await createItem(inside, 'books', { title: 'x' })
      now += 1000
      await expect(createItem(inside, 'books', { title: 'y' })).rejects.toMatchObject(expired)
    })
    await expect(listItems(caller, 'books')).rejects.toMatchObject(expired)
    await expect(listItems(caller.fresh(), 'books')).rejects.toMatchObject(expired)
    await expect(caller.transaction(async () => 1)).rejects.toMatchObject(expired)
    expect(() => compileFilter(caller, 'books', {})).toThrow('has expired')
    // A stream that runs goes on to its end.
    await expect(stream.next()).resolves.toMatchObject({ value: { id: 2 } })
    now -= 1000
    await expect(listItems(caller, 'books', { limit: 1 })).resolves.toBeDefined()
  }
  await expect(listItems(engine, 'books')).resolves.toBeDefined()
})

it('an access beside a filter ends, too', () => {
  const access = { user: 1, rules, expiresAt: now }
  expect(() => compileFilter({ schema, dialect: 'sqlite' }, 'books', {}, { access, now })).toThrow(
    'has expired',
  )
  expect(() => matchesFilter({ schema }, 'books', {}, { id: 1 }, { access, now: new Date(now) })).toThrow(
    'has expired',
  )
  expect(matchesFilter({ schema }, 'books', {}, { id: 1 }, { access, now: now - 1 })).toBe(true)
})

it.each([Number.NaN, 'tomorrow', new Date('tomorrow'), null, {}, true])(
  '%s is no time at which an access ends',
  (expiresAt) => {
    const wrong = {
      code: 'INVALID_OPTIONS',
      path: ['expiresAt'],
      message: expect.stringContaining('is a date or its milliseconds'),
    }
    const as = () => engine.as({ rules, expiresAt: expiresAt as number })
    expect(as).toThrow(expect.objectContaining(wrong))
  },
)

it('over HTTP it is 401, whatever the path', async () => {
  const authenticate = () => ({ rules, expiresAt: now })
  const handler = createHandler(engine, { authenticate })
  const graphql = createGraphQLHandler(engine, { authenticate })
  const requests = [
    ['GET', '/items/books'],
    ['GET', '/items/nowhere'],
    ['PATCH', '/server/ping'],
    ['DELETE', '/items/books/1'],
  ] as const
  for (const [method, path] of requests) {
    const response = await handler(new Request(`http://localhost${path}`, { method }))
    expect([path, response.status, response.headers.get('www-authenticate')]).toEqual([path, 401, 'Bearer'])
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'TOKEN_EXPIRED' } }] })
  }
  const document = { query: '{ books { id } }' }
  const response = await graphql(
    new Request('http://localhost/graphql', {
      method: 'POST',
      body: JSON.stringify(document),
      headers: { 'content-type': 'application/json' },
    }),
  )
  expect(response.status).toBe(401)
})

it('the time at which they end makes no other rules of equal ones', async () => {
  const [one, other] = [1, 2].map((at) =>
    engine.as({ user: at, rules: structuredClone(rules), expiresAt: now + at }),
  )
  now += 1
  await expect(listItems(one ?? engine, 'books')).rejects.toMatchObject(expired)
  await expect(listItems(other ?? engine, 'books', { limit: 1 })).resolves.toMatchObject({
    data: [{ id: 1 }],
  })
})
