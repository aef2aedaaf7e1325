// Paths of mounts: which route a path finds, and which routes do not stand beside each other.
import { createServer } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { createHandler, type Mount, toNode } from '../../../src/http.ts'
import { createEngine, defineSchema, type Engine } from '../../../src/index.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { openSqlite } from '../../support/databases.ts'
import { portOf } from '../../support/listening.ts'

const schema = defineSchema({ tags: { fields: { id: { type: 'integer', key: true } } } })
let engine: Engine<typeof schema>

beforeAll(async () => {
  const database = await openSqlite()
  engine = createEngine({ db: database.db, schema })
})

/** Answers with the path of the route, the path of the request and the parameters. */
const naming = (...paths: readonly string[]): Mount => ({
  routes: () =>
    paths.map((pattern) => ({
      path: pattern,
      methods: {
        GET: async (_caller, { path, parameters }) => ({
          status: 200,
          headers: {},
          body: JSON.stringify([pattern, path, parameters]),
        }),
      },
    })),
})

const handlerOf = (mounts: readonly Mount[], prefix = '/') =>
  createHandler(engine, { authenticate: () => ({ admin: true }), mounts, prefix })

async function found(path: string, mounts: readonly Mount[], prefix = ''): Promise<unknown> {
  const response = await handlerOf(mounts, prefix)(new Request(`http://localhost${prefix}${path}`))
  return response.status === 200 ? response.json() : response.status
}

const flows = [
  '/flows',
  '/flows/list',
  '/flows/:id',
  '/flows/trigger/:name',
  '/flows/:id/:more',
  '/runs/:id/steps',
  '/a/:b/c/:d1_E',
]

describe('a path of a mount', () => {
  it.each<[string, unknown]>([
    ['/flows', ['/flows', '/flows', {}]],
    ['/flows/', ['/flows', '/flows', {}]],
    ['/flows/list', ['/flows/list', '/flows/list', {}]],
    ['/flows/lists', ['/flows/:id', '/flows/lists', { id: 'lists' }]],
    ['/flows/7/', ['/flows/:id', '/flows/7', { id: '7' }]],
    // A literal segment wins, and the names of others are told.
    ['/flows/trigger/go', ['/flows/trigger/:name', '/flows/trigger/go', { name: 'go' }]],
    ['/flows/7/runs', ['/flows/:id/:more', '/flows/7/runs', { id: '7', more: 'runs' }]],
    ['/runs/7/steps', ['/runs/:id/steps', '/runs/7/steps', { id: '7' }]],
    ['/a/1/c/2', ['/a/:b/c/:d1_E', '/a/1/c/2', { b: '1', d1_E: '2' }]],
    // Each segment is decoded, once.
    ['/flows/%2F', ['/flows/:id', '/flows/%2F', { id: '/' }]],
    ['/flows/%252F', ['/flows/:id', '/flows/%252F', { id: '%2F' }]],
    ['/flows/%C3%A9%20%3Aid', ['/flows/:id', '/flows/%C3%A9%20%3Aid', { id: 'é :id' }]],
    ['/fl%6Fws/:id', ['/flows/:id', '/flows/%3Aid', { id: ':id' }]],
    ['/flows/a+b?id=9', ['/flows/:id', '/flows/a%2Bb', { id: 'a+b' }]],
    ['/flows/__proto__', ['/flows/:id', '/flows/__proto__', { id: '__proto__' }]],
    // Nothing is no segment, and what is no text has no route.
    ['/flows//', 404],
    ['/runs//steps', 404],
    ['/flows/%FF', 404],
    ['/flows/%', 404],
    ['/runs/%E0%A4/steps', 404],
    ['/flows%2F7', 404],
    ['/runs/7/others', 404],
    ['/flows/7/runs/8', 404],
    ['/Flows/7', 404],
  ])('is found for %s', async (path, answer) => {
    expect(await found(path, [naming(...flows)])).toEqual(answer)
    // The order of routes and mounts does not count, nor does a prefix.
    expect(
      await found(
        path,
        flows.toReversed().map((one) => naming(one)),
        '/api',
      ),
    ).toEqual(answer)
  })

  it('is found over Node as well, which leads nowhere else', async () => {
    const server = createServer(toNode(handlerOf([naming(...flows)])))
    const port = await portOf(server)
    const ask = async (path: string) => {
      const response = await fetch(`http://localhost:${port}${path}`)
      return response.status === 200 ? response.json() : response.status
    }
    expect(await ask('/flows/%2F')).toEqual(['/flows/:id', '/flows/%2F', { id: '/' }])
    expect(await ask('/flows/%FF')).toBe(404)
  })
})

describe('createHandler refuses', () => {
  it.each<[readonly string[], string]>([
    [['/flows/:a', '/flows/:b'], '"/flows/:b" of a mount overlaps "/flows/:a"'],
    [['/flows/:a', 'flows/:a/'], '"flows/:a/" of a mount overlaps "/flows/:a"'],
    // At /a/b either would do.
    [['/a/:x', '/:y/b'], '"/:y/b" of a mount overlaps "/a/:x"'],
    [['/a/:x/c/:z', '/:y/b/:w/d', '/:q/b/c/:r'], '"/:y/b/:w/d" of a mount overlaps "/a/:x/c/:z"'],
    [['/:any'], '"/:any" of a mount overlaps "/versions"'],
    [['/:any/:other'], '"/:any/:other" of a mount overlaps "/items/:collection"'],
    [['/items/:name'], '"/items/:name" of a mount overlaps "/items/:collection"'],
    [['/a/:'], '":" in the path "/a/:" names no parameter.'],
    [['/a/:1'], '":1" in the path "/a/:1" names no parameter.'],
    [['/a/:b-c'], '":b-c" in the path "/a/:b-c" names no parameter.'],
    [['/:a/x/:a'], '":a" in the path "/:a/x/:a" names no parameter.'],
  ])('%j', (paths, says) => {
    const refusal = expect.objectContaining({
      code: 'INVALID_OPTIONS',
      message: expect.stringContaining(says),
    })
    expect(() => handlerOf([naming(...paths)])).toThrow(refusal)
    // It does not matter whose they are.
    expect(() => handlerOf(paths.map((path) => naming(path)))).toThrow(refusal)
  })
})

/** Paths of three segments or fewer over few letters, so that they meet often. */
const letters = ['a', 'b'] as const
const everyPath = (length: number): readonly (readonly string[])[] =>
  length === 0 ? [[]] : everyPath(length - 1).flatMap((path) => letters.map((letter) => [...path, letter]))

const matches = (pattern: readonly string[], path: readonly string[]) =>
  pattern.length === path.length && pattern.every((part, at) => part.startsWith(':') || part === path[at])

/** True if each segment of one is as literal as that of the other, and one of them more. */
const isMoreExact = (one: readonly string[], other: readonly string[]) =>
  one.every((part, at) => !part.startsWith(':') || other[at]?.startsWith(':')) &&
  one.some((part, at) => !part.startsWith(':') && other[at]?.startsWith(':'))

it(`finds of random routes the most exact one, and refuses those of which none is (QUERNEL_SEED=${fuzzSeed})`, async () => {
  const random = new Random(fuzzSeed)
  const counts = { refused: 0, accepted: 0, found: 0 }
  for (let run = 0; run < 400; run++) {
    const patterns = random.many(1, 4, () =>
      random.many(1, 3, (at) => (random.chance(0.4) ? `:p${at}` : random.one(letters))),
    )
    // Below a segment of their own they meet no path of REST.
    const mount = naming(...patterns.map((pattern) => `/mine/${pattern.join('/')}`))
    const all = [1, 2, 3].flatMap(everyPath)
    const isAmbiguous = patterns.some((one, index) =>
      patterns
        .slice(index + 1)
        .some(
          (other) =>
            all.some((path) => matches(one, path) && matches(other, path)) &&
            !isMoreExact(one, other) &&
            !isMoreExact(other, one),
        ),
    )
    if (isAmbiguous) {
      counts.refused += 1
      expect(() => handlerOf([mount])).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }))
      continue
    }
    counts.accepted += 1
    const handler = handlerOf([mount])
    for (const path of all) {
      const matching = patterns.filter((pattern) => matches(pattern, path))
      const best = matching.find((one) => matching.every((other) => one === other || isMoreExact(one, other)))
      const response = await handler(new Request(`http://localhost/mine/${path.join('/')}`))
      expect([patterns, path, response.status]).toEqual([patterns, path, best ? 200 : 404])
      if (!best) continue
      counts.found += 1
      const parameters = Object.fromEntries(
        best.flatMap((part, at) => (part.startsWith(':') ? [[part.slice(1), path[at]]] : [])),
      )
      expect(await response.json()).toEqual([
        `/mine/${best.join('/')}`,
        `/mine/${path.join('/')}`,
        parameters,
      ])
    }
  }
  expect(Math.min(counts.refused, counts.accepted, counts.found)).toBeGreaterThan(50)
})

describe('a route that ends with a rest', () => {
  it.each<[string, unknown]>([
    ['/page', ['/page/*', '/page', { '*': '' }]],
    ['/page/', ['/page/*', '/page', { '*': '' }]],
    ['/page/a', ['/page/*', '/page/a', { '*': 'a' }]],
    ['/page/a/b.js?x=1', ['/page/*', '/page/a/b.js', { '*': 'a/b.js' }]],
    ['/page/a%2Fb/%C3%A9', ['/page/*', '/page/a%2Fb/%C3%A9', { '*': 'a%2Fb/%C3%A9' }]],
    ['/page/%2e%2e%2Fx', ['/page/*', '/page/..%2Fx', { '*': '..%2Fx' }]],
    ['/page//x', ['/page/*', '/page//x', { '*': '/x' }]],
    ['/page/help', ['/page/help', '/page/help', {}]],
    ['/page/help/x', ['/page/*', '/page/help/x', { '*': 'help/x' }]],
    ['/page/1/edit', ['/page/:name/edit', '/page/1/edit', { name: '1' }]],
    ['/page/js/lib', ['/page/js/lib/*', '/page/js/lib', { '*': '' }]],
    ['/page/js/lib/1', ['/page/js/lib/*', '/page/js/lib/1', { '*': '1' }]],
    ['/page/js/edit', ['/page/:name/edit', '/page/js/edit', { name: 'js' }]],
    ['/x/other/deep/a/b', ['/x/:any/deep/*', '/x/other/deep/a/b', { any: 'other', '*': 'a/b' }]],
    ['/x/other/deep/end', ['/x/:any/deep/end', '/x/other/deep/end', { any: 'other' }]],
    ['/pages', 404],
  ])('%s', async (path, expected) => {
    const mounts = [naming('/page/*', '/page/help', '/page/js/lib/*'), naming('/page/:name/edit')]
    const others = [naming('/x/:any/deep/*', '/x/:any/deep/end')]
    const answer = await found(path, path.startsWith('/x') ? others : mounts)
    expect(answer).toEqual(expected)
  })

  it.each<[readonly string[], string]>([
    [['/*'], '/items/:collection'],
    [['/items/*'], '/items/:collection'],
    [['/items/a/*'], '/items/:collection'],
    [['/:any/*'], '/items/:collection'],
    [['/versions/*'], '/versions'],
    [['/assets/*'], '/assets/:id'],
    [['/a/*', '/a/*'], '/a/*'],
    [['/a/*', '/:x/b'], '/a/*'],
    [['/a/b/*', '/a/:x/c', '/a/b/c/d'], '/a/b/*'],
    [['/a/b/*', '/a/:x'], '/a/b/*'],
    [['/a/:x/*', '/a/:y/*'], '/a/:x/*'],
    [['/a/:x/*', '/:y/b/*'], '/a/:x/*'],
  ])('refuses %j', (paths, other) => {
    expect(() => handlerOf([naming(...paths)])).toThrow(other)
  })

  it.each([
    [['/a/*', '/a']],
    [['/a/*', '/a/:x']],
    [['/a/*', '/a/b/*']],
    [['/a/*', '/b/*']],
    [['/a/:x/*', '/a/b/*']],
  ])('takes %j', (paths) => {
    expect(() => handlerOf([naming(...paths)])).not.toThrow()
  })
})
