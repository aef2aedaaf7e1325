// Paths that a host allows by options: in the document exactly where the handler has them, and answered as they are described.
import { beforeAll, describe, expect, it } from 'vitest'
import { describeApi } from '../../../src/http.ts'
import { at, Checker, mistakes } from '../openapi-checking.ts'
import { askerOf, openWorld, type World } from '../openapi-collections.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

const authenticate = () => ({ admin: true })
const signed = { keys: ['0'.repeat(32)], idOf: () => 'one', accessOf: () => ({ admin: true }) }

const status = async (response: Promise<Response>) => (await response).status

it.each([
  { explain: undefined, signed: undefined },
  { explain: true as const, signed: undefined },
  { explain: undefined, signed },
  { explain: true as const, signed },
])('lists what a handler with explain $explain and signed $signed answers', async (options) => {
  const ask = askerOf(world.engine, { authenticate, ...options })
  const isThere = { explain: options.explain !== undefined, signed: options.signed !== undefined }
  const document = describeApi(world.engine, isThere)
  expect(await mistakes(document)).toBeUndefined()
  const listed = ['/explain', '/sign'].map((path) => Object.hasOwn(document.paths, path))
  expect(listed).toEqual(Object.values(isThere))
  const answered = ['/explain', '/sign'].map(async (path) => (await status(ask('POST', path, {}))) !== 404)
  expect(await Promise.all(answered)).toEqual(listed)
  expect(Object.keys(document.components.securitySchemes)).toEqual([
    'bearer',
    ...(isThere.signed ? ['signed'] : []),
  ])
})

describe('a document with both', () => {
  let checker: Checker
  beforeAll(() => {
    checker = new Checker(describeApi(world.engine, { explain: true, signed: true }))
  })
  const bodyProblem = (path: string, body: unknown) =>
    checker.problem(['paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema'], body)

  it('describes explanations, and what they refuse', async () => {
    const ask = checker.checking(askerOf(world.engine, { authenticate, explain: true }))
    for (const body of [
      { collection: 'articles' },
      { collection: 'articles', query: { filter: { id: 1 }, aggregate: { count: '*' } }, database: true },
      { collection: 'articles', action: 'update' },
    ]) {
      expect([body, bodyProblem('/explain', body)]).toEqual([body, undefined])
      expect([body, await status(ask('POST', '/explain', body))]).toEqual([body, 200])
    }
    for (const body of [
      {},
      { collection: 'articles', action: 'look' },
      { collection: 'articles', action: 'read', query: {} },
      { collection: 'articles', database: 1 },
    ]) {
      expect([body, bodyProblem('/explain', body)]).not.toEqual([body, undefined])
      expect([body, await status(ask('POST', '/explain', body))]).toEqual([body, 400])
    }
    const rules = { articles: { read: { fields: ['id'], filter: { id: { _gt: 1 } } } } }
    const narrowed = checker.checking(
      askerOf(world.engine, { authenticate: () => ({ rules }), explain: ({ admin }) => admin !== true }),
    )
    expect(await status(narrowed('POST', '/explain', { collection: 'articles', action: 'read' }))).toBe(200)
    const refusing = checker.checking(askerOf(world.engine, { authenticate, explain: () => false }))
    expect(await status(refusing('POST', '/explain', { collection: 'articles' }))).toBe(403)
  })

  it('describes signed addresses, and reads that take them in place of a token', async () => {
    const asking = askerOf(world.engine, {
      authenticate: (token) => (token ? { admin: true } : null),
      signed,
    })
    const ask = checker.checking(asking)
    const token = { authorization: 'Bearer me' }
    for (const body of [{}, { path: '/items/articles', seconds: 301 }, { path: '/items/articles', id: 1 }]) {
      expect([body, bodyProblem('/sign', body)]).not.toEqual([body, undefined])
      expect([body, await status(ask('POST', '/sign', body, token))]).toEqual([body, 400])
    }
    const body = { path: '/items/articles?limit=1', seconds: 300 }
    expect(bodyProblem('/sign', body)).toBeUndefined()
    const { data } = (await (await ask('POST', '/sign', body, token)).json()) as { data: { path: string } }
    expect(await status(ask('GET', data.path))).toBe(200)
    expect(await status(ask('GET', '/items/articles'))).toBe(401)
    for (const [path, methods] of Object.entries(checker.document.paths))
      for (const [method, { security }] of Object.entries({
        ...methods,
        parameters: {} as { security?: [] },
      })) {
        const isSignable = method === 'get' && path !== '/schema'
        expect([path, method, security]).toEqual([
          path,
          method,
          isSignable ? [{ bearer: [] }, { signed: [] }] : undefined,
        ])
      }
  })

  it('describes the schema, as data and as text', async () => {
    const ask = checker.checking(world.ask)
    const whole = await ask('GET', '/schema')
    const steps = ['paths', '/schema', 'get', 'responses', '200', 'content', 'application/json', 'schema']
    const { properties } = at(checker.document, [...steps, 'properties', 'data'])
    expect(Object.keys(Object(properties))).toEqual(['installed', 'collections'])
    const tag = { 'if-none-match': whole.headers.get('etag') }
    expect(await status(ask('GET', '/schema', undefined, tag))).toBe(304)
    expect((await ask('GET', '/schema?as=text')).headers.get('content-type')).toContain('text/plain')
    expect(await status(ask('GET', '/schema?as=xml'))).toBe(400)
  })

  it('describes searches by POST, and counts of writes by query', async () => {
    const ask = checker.checking(world.ask)
    await ask('POST', '/items/tags', [{ name: 'hot' }, { name: 'cold' }])
    for (const body of [undefined, { query: { limit: 1, meta: '*' } }, { keys: ['hot'] }])
      expect([body, await status(ask('POST', '/items/tags/search', body))]).toEqual([body, 200])
    expect(await status(ask('POST', '/items/tags/search', { query: { export: 'csv' } }))).toBe(200)
    expect(await status(ask('POST', '/items/settings/search'))).toBe(200)
    expect(await status(ask('POST', '/versions/search', { query: { limit: 1 } }))).toBe(200)
    expect(await status(ask('POST', '/files/search', { query: { limit: 1 } }))).toBe(200)
    for (const body of [{}, { filter: {} }, { query: 3 }]) {
      const place = ['requestBody', 'content', 'application/json', 'schema']
      expect(checker.problem(['paths', '/items/tags/search', 'post', ...place], body)).toBeDefined()
      expect([body, await status(ask('POST', '/items/tags/search', body))]).toEqual([body, 400])
    }
    const prefer = { prefer: 'return=representation' }
    const query = { filter: { name: 'hot' } }
    for (const dryRun of [true, false]) {
      const change = { query, data: { label: 'Hot' }, dryRun }
      expect(await status(ask('PATCH', '/items/tags', change, prefer))).toBe(200)
      expect(await status(ask('DELETE', '/items/tags', { query, dryRun }, prefer))).toBe(200)
    }
    expect(await status(ask('DELETE', '/items/tags?filter[name]=cold', undefined, prefer))).toBe(200)
    expect(await status(ask('PUT', '/items/tags?on=name', { name: 'warm' }))).toBe(200)
    expect(await status(ask('PATCH', '/items/settings', { name: 'A' }, { 'if-match': '"x"' }))).toBe(412)
  })
})
