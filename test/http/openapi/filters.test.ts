// What the schemas of filters refuse, the engine refuses, and the other way round.
import { beforeAll, describe, expect, it } from 'vitest'
import { describeApi, type OpenApiDocument } from '../../../src/http.ts'
import { isEngineError, listItems } from '../../../src/index.ts'
import type { OperandKind } from '../../../src/vocabulary/operator.ts'
import { operators } from '../../../src/vocabulary/operators.ts'
import { at, Checker } from '../openapi-checking.ts'
import { openWorld, typeNames, type World } from '../openapi-collections.ts'

let world: World
let document: OpenApiDocument

beforeAll(async () => {
  world = await openWorld()
  document = describeApi(world.engine)
})

describe('filters', () => {
  let known: Checker | undefined
  const checker = () => {
    known ??= new Checker(document)
    return known
  }
  const operands: Readonly<Record<OperandKind, unknown>> = {
    value: 1,
    values: [],
    pair: [1, 2],
    text: 'x',
    geometry: { type: 'Point', coordinates: [1, 2] },
    flag: true,
    pattern: 'x',
  }

  /** Each as a filter of articles or kinds. */
  const filters: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ['articles', {}],
    ['articles', { title: 'Tea', views: { _gt: 3, _in: [1, '2'] } }],
    ['articles', { title: { _gtt: 3 } }],
    ['articles', { titel: 'Tea' }],
    ['articles', { _or: [{ title: 'Tea' }, { _and: [{ views: null }] }] }],
    ['articles', { _or: [{}] }],
    ['articles', { _and: {} }],
    ['articles', { author: 1 }],
    [
      'articles',
      { author: { _in: [1, 2], name: { _contains: 'a' }, _or: [{ _null: true }, { name: 'x' }] } },
    ],
    ['articles', { author: { _some: { name: 'x' } } }],
    ['articles', { author: { articles: { author: { name: 'x' } } } }],
    ['articles', { author: { nope: 1 } }],
    ['articles', { comments: { _none: { text: 'x' } } }],
    ['articles', { comments: { text: 'x', _null: false, _and: [{ _some: { id: 1 } }] } }],
    ['articles', { comments: null }],
    ['articles', { comments: { _some: { nope: 1 } } }],
    ['articles', { tags: { tag: { label: { _starts_with: 'h' } } } }],
    ['articles', { blocks: { item: 1, 'item:heroes': { headline: 'x' } } }],
    ['articles', { blocks: { 'item:nothing': { headline: 'x' } } }],
    ['articles', { 'year(published)': { _gte: 2024 }, 'count(comments)': 3 }],
    ['articles', { 'sum(comments.id)': { _gt: 3 }, 'max(comments.text)': 'x' }],
    ['articles', { 'century(published)': 1 }],
    ['articles', { published: '$NOW(-1 day)' }],
    ['articles', { published: { _between: ['2024-01-01', '$NOW'] } }],
    ['articles', { published: { _between: ['2024-01-01'] } }],
    ['articles', { published: 'yesterday' }],
    ['articles', { views: { _regex: 'x' } }],
    ['articles', { views: { _contains: 'x' } }],
    ['articles', { $FOLLOW: {} }],
    ['articles', { '$FOLLOW(comments,article)': { text: 'x' } }],
    ['kinds', { json: { _json: { 'a.b': { _gt: 3 }, c: 'x' }, _null: false } }],
    ['kinds', { json: { _gt: 3 } }],
    ['kinds', { json: null, 'json(json, a.b)': { _in: [1, 'x'] } }],
    ['kinds', { secret: 'x' }],
    ['kinds', { secret: { _nempty: true } }],
    ['kinds', { hash: { _eq: 'x' } }],
    ['kinds', { uuid: 'x' }],
    ['kinds', { boolean: 'maybe' }],
    ['kinds', { geometry: { _intersects: { type: 'Point', coordinates: [1, 2] } } }],
    ['kinds', { geometry: { _intersects: { type: 'Point', coordinates: [1] } } }],
    ['kinds', { bigInteger: { _lt: '9223372036854775808' } }],
    ['kinds', { numbers: { _contains: 1 } }],
    ['kinds', { csv: { _contains: 'a' }, binary: 'AQID', date: { _in: '2024-01-01,2024-01-02' } }],
  ]

  it.each(filters)('%s: %j are taken by both, or by neither', async (collection, filter) => {
    const isDescribed = checker().problemBy(`${collection}.filter`, filter) === undefined
    const isTaken = await listItems(world.engine, collection, { filter }).then(
      () => true,
      (error: unknown) => !isEngineError(error),
    )
    expect(isDescribed).toBe(isTaken)
  })

  it('take the operators of each type, and no others', async () => {
    for (const type of typeNames) {
      const field = type.replace('.', '_')
      for (const [word, { operand }] of Object.entries(operators)) {
        const filter = { [field]: { [word]: operands[operand] } }
        const isNamed = await listItems(world.engine, 'kinds', { filter }).then(
          () => true,
          (error: unknown) => !/does not work on|in memory only/.test(String(error)),
        )
        const schema = at(document, ['components', 'schemas', `_tests.${familyOf(type)}`, 'properties'])
        expect([type, word, Object.hasOwn(schema, word)]).toEqual([type, word, isNamed])
        if (!isNamed) expect(checker().problemBy('kinds.filter', filter)).toBeDefined()
      }
    }
  })

  const familyOf = (type: string) => {
    const field = world.engine.schema.collections.get('kinds')?.fields.get(type.replace('.', '_'))
    return field && 'value' in field ? field.value.family : undefined
  }
})
