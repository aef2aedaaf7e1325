// Documents of some collections of a schema.
import { beforeAll, describe, expect, it } from 'vitest'
import { describeApi, type OpenApiDocument } from '../../../src/http.ts'
import { createEngine, defineSchema, type Engine, type SchemaDefinition } from '../../../src/index.ts'
import { at, Checker, mistakes } from '../openapi-checking.ts'
import { openWorld, type World } from '../openapi-collections.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

const refsIn = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/"\$ref":"#([^"]+)"/g)].map(([, pointer = '']) => pointer)
const pathsOf = ({ paths }: OpenApiDocument) => Object.keys(paths)

describe('a document of some collections', () => {
  it('has their paths and tags alone', () => {
    const whole = describeApi(world.engine)
    for (const { name } of whole.tags) {
      const document = describeApi(world.engine, { collections: [name] })
      expect(document.tags.map((tag) => tag.name)).toEqual([name])
      for (const path of pathsOf(document)) expect(document.paths[path]).toEqual(whole.paths[path])
      expect(pathsOf(document).filter((path) => path.startsWith('/items/'))).toEqual(
        pathsOf(whole).filter((path) => new RegExp(`^/items/${name}(/|$)`).test(path)),
      )
    }
    const all = describeApi(world.engine, { collections: whole.tags.map(({ name }) => name) })
    expect(all).toEqual(whole)
  })

  it('is valid, and refers to what is there', async () => {
    for (const { name } of describeApi(world.engine).tags) {
      const document = describeApi(world.engine, { collections: [name] })
      expect(await mistakes(document), name).toBeUndefined()
      for (const pointer of new Set(refsIn(document)))
        expect(at(document, pointer.split('/').slice(1)), pointer).toBeTypeOf('object')
      const checker = new Checker(document)
      for (const schema of Object.keys(document.components.schemas))
        expect(() => checker.problemBy(schema, {}), schema).not.toThrow()
    }
  })

  it('has the schemas of these collections as the whole document has them', () => {
    const whole = describeApi(world.engine).components.schemas
    const { schemas } = describeApi(world.engine, { collections: ['articles'] }).components
    for (const part of ['', '.new', '.create', '.update', '.nested', '.conditions', '.filter'])
      expect(schemas[`articles${part}`]).toEqual(whole[`articles${part}`])
  })

  it('is none of a collection that is not there, or not for the caller', () => {
    expect(() => describeApi(world.engine, { collections: ['article'] })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTIONS',
        path: ['collections', 0],
        hint: 'Did you mean "articles"?',
      }),
    )
    const reader: Engine = world.engine.as({ rules: { kinds: { read: true } } })
    expect(() => describeApi(reader, { collections: ['kinds', 'articles'] })).toThrow(
      'There is no collection "articles".',
    )
    expect(pathsOf(describeApi(reader, { collections: ['kinds'] }))).toEqual(pathsOf(describeApi(reader)))
    expect(pathsOf(describeApi(world.engine, { collections: [] }))).toEqual([])
  })

  it('stays small in a schema of 387 collections', () => {
    const schema = defineSchema(manyCollections(387))
    const engine = createEngine({ db: world.db, schema })
    const size = (names: readonly string[]) =>
      JSON.stringify(describeApi(engine, { collections: names })).length
    expect(size(['collection_5'])).toBeLessThan(100_000)
    expect(size(Array.from({ length: 50 }, (_, index) => `collection_${index}`))).toBeLessThan(1_500_000)
  })
})

function manyCollections(count: number): SchemaDefinition {
  const name = (index: number) => `collection_${(index + count) % count}`
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      name(index),
      {
        fields: {
          id: { type: 'integer', key: true },
          title: { type: 'string', length: 255 },
          slug: { type: 'string', nullable: true, unique: true },
          price: { type: 'decimal', nullable: true, storage: 'text' },
          body: { type: 'text', nullable: true },
          created_at: { type: 'timestamp' },
          is_active: { type: 'boolean', default: true },
          parent: { type: 'm2o', to: name(index + 1) },
          other: { type: 'm2o', to: name(index + 7), nullable: true },
          items: { type: 'o2m', from: `${name(index - 1)}.parent` },
          others: { type: 'o2m', from: `${name(index - 7)}.other` },
        },
      },
    ]),
  )
}
