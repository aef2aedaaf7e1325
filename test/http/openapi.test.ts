// The document as a whole: valid, and complete.
import { beforeAll, describe, expect, it } from 'vitest'
import { codes } from '../../src/errors/errors.ts'
import type { RouteFunction } from '../../src/http/messages.ts'
import { conditional, routes, searches, subjects } from '../../src/http/routes.ts'
import { describeApi, type OpenApiDocument, type OpenApiOperation } from '../../src/http.ts'
import { createEngine } from '../../src/index.ts'
import { at, Checker, mistakes, operationsOf } from './openapi-checking.ts'
import { openWorld, type World } from './openapi-collections.ts'

let world: World
let document: OpenApiDocument

beforeAll(async () => {
  world = await openWorld()
  document = describeApi(world.engine, { title: 'Tea', version: '2.1', prefix: 'api/' })
})

const refsIn = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/"\$ref":"#([^"]+)"/g)].map(([, pointer = '']) => pointer)

describe('the document', () => {
  it('is valid', async () => {
    expect(await mistakes(document)).toBeUndefined()
    const { responses: _, ...broken } = { ...document.paths['/items/articles']?.get }
    expect(
      await mistakes({ ...document, paths: { '/x': { get: { ...broken, parameters: 3 } as never } } }),
    ).toBeDefined()
  })

  it('is plain data, that says what it was told', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document)
    expect(document.info).toMatchObject({ title: 'Tea', version: '2.1' })
    expect(document.servers).toEqual([{ url: '/api' }])
    const servers = [{ url: 'https://example.org' }]
    expect(describeApi(world.engine, { servers }).servers).toEqual(servers)
    expect(describeApi(world.engine).servers).toEqual([{ url: '/' }])
  })

  it('refers to what is there, and has schemas that can be met', () => {
    for (const pointer of new Set(refsIn(document)))
      expect(at(document, pointer.split('/').slice(1)), pointer).toBeTypeOf('object')
    const checker = new Checker(document)
    for (const name of Object.keys(document.components.schemas))
      expect(() => checker.problemBy(name, {}), name).not.toThrow()
  })

  it('has an entry for every method of every route, and no other, with the conditions that it keeps', () => {
    const known = new Set(['/schema'])
    for (const route of [...routes, ...searches]) {
      const collections = [undefined, ...world.engine.schema.collections.values()]
      for (const collection of collections) {
        if (route.path.includes(':collection') === (collection === undefined)) continue
        const subject = route.of(collection)
        const parts = route.path.map((part) =>
          part === ':collection' ? collection?.name : part.replace(/^:(.*)/, '{$1}'),
        )
        known.add(`/${parts.join('/')}`)
        const { parameters: _, ...methods } = document.paths[`/${parts.join('/')}`] ?? {}
        const all: [string, RouteFunction][] = Object.entries(subject ? subjects[subject] : {})
        const answered = all.filter(([method]) => method !== 'SEARCH')
        expect([parts, Object.keys(methods).sort()]).toEqual([
          parts,
          answered.map(([method]) => method.toLowerCase()).sort(),
        ])
        for (const [method, answer] of answered) {
          const { parameters, responses } = at(methods, [method.toLowerCase()]) as unknown as OpenApiOperation
          const names = parameters.map(({ $ref }) => $ref.split('/').at(-1))
          const isRead = method === 'GET'
          expect([parts, method, names.includes('ifNoneMatch'), Object.hasOwn(responses, '304')]).toEqual([
            parts,
            method,
            isRead,
            isRead,
          ])
          if (!isRead)
            expect([parts, method, names.includes('ifMatch'), Object.hasOwn(responses, '412')]).toEqual([
              parts,
              method,
              conditional.has(answer),
              conditional.has(answer),
            ])
        }
      }
    }
    expect(Object.keys(document.paths).filter((path) => !known.has(path))).toEqual([])
    expect(Object.keys(document.paths)).toContain('/items/settings/singleton')
    expect(Object.keys(document.paths)).not.toContain('/items/articles/singleton')
  })

  it('has every code that a caller can be told, with its status', () => {
    const told = Object.entries(codes).filter(
      ([code]) => !['INVALID_SCHEMA', 'INVALID_OPTIONS'].includes(code),
    )
    const code = at(
      document,
      'components/schemas/_error/properties/errors/items/properties/extensions/properties/code'.split('/'),
    )
    expect(code.enum).toEqual(told.map(([name]) => name))
    for (const [name, status] of told)
      expect(document.components.responses[`error${status}`]?.description).toContain(`\`${name}\``)
  })

  it('names each operation once, and always the same', () => {
    const ids = operationsOf(document).map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(operationsOf(describeApi(world.engine)).map(({ operationId }) => operationId))
    expect(ids).toEqual(expect.arrayContaining(['list_articles', 'readSingleton_settings', 'promoteVersion']))
  })

  it('tells of limits', () => {
    const { db, schema } = world.engine
    const { parameters } = describeApi(
      createEngine({ db, schema, limits: { maxLimit: 50, sorts: 2 } }),
    ).components
    expect(parameters.limit?.schema).toEqual({ type: 'integer', minimum: -1, maximum: 50, default: 50 })
    expect(parameters.sort?.schema).toMatchObject({ maxItems: 2 })
    expect(document.components.parameters.limit?.schema).toEqual({
      type: 'integer',
      minimum: -1,
      default: 100,
    })
  })

  it('tells what is concealed, generated, and noted', () => {
    const { kinds = {}, 'kinds.new': given = {} } = document.components.schemas
    expect(kinds).toMatchObject({
      description: 'One field of every type.',
      properties: {
        twice: { readOnly: true },
        fixed: { readOnly: true },
        made: { readOnly: true },
        secret: { anyOf: [{ const: '**********' }, { type: 'null' }] },
        state: { enum: ['on', 'off', '7', 'true', null] },
        price: { pattern: '^-?[0-9]+\\.[0-9]{2,}$' },
        code: { description: 'At most three characters.' },
      },
    })
    expect(Object.keys(Object(given.properties))).not.toContain('twice')
    expect(document.components.schemas['strict.create']).toMatchObject({ required: ['title', 'meta', 'pin'] })
    expect(document.components.schemas['strict.new']).toMatchObject({ properties: { views: { default: 0 } } })
  })
})
