// What was once wrong with the way filters are resolved, and what their errors say.
import { describe, expect, it } from 'vitest'
import { compileFilter, defineSchema, type Filter, matchesFilter } from '../../../src/index.ts'
import { sqlite } from '../../../src/sqlite.ts'

const schema = defineSchema({
  articles: {
    fields: {
      id: { type: 'integer', key: true },
      title: { type: 'string' },
      email: { type: 'string', conceal: true },
      sizes: { type: 'integer', array: true },
      meta: { type: 'json', nullable: true },
      place: { type: 'geometry', nullable: true },
      author: { type: 'm2o', to: 'authors', nullable: true },
      comments: { type: 'o2m', from: 'comments.article' },
    },
  },
  authors: { fields: { id: { type: 'integer', key: true }, name: { type: 'string' } } },
  comments: {
    fields: {
      id: { type: 'integer', key: true },
      body: { type: 'text' },
      article: { type: 'm2o', to: 'articles' },
      about: { type: 'any', to: ['articles', 'authors'], by: 'kind' },
      kind: { type: 'string' },
    },
  },
})

type Articles = Filter<typeof schema, 'articles'>

const compile = (filter: Articles) => compileFilter({ schema, dialect: sqlite }, 'articles', filter).sql
const refusal = (filter: object) => {
  try {
    // Hosts that are not typed can give anything.
    compile(filter as Articles)
  } catch (error) {
    return error
  }
  return undefined
}

describe('a filter', () => {
  it.each([
    {},
    { comments: {} },
    { comments: { _and: [] } },
    { comments: { body: {} } },
    { author: {} },
    { author: { name: {} } },
    { _and: [{}] },
  ])('without a condition is none: %j', (filter) => expect(compile(filter)).toBe('1 = 1'))

  it.each([
    { _or: [{ title: {} }] },
    { _or: [{ id: 1 }, { _and: [] }] },
    { author: { _or: [{ name: {} }] } },
    { comments: { _or: [{ body: {} }] } },
  ])('is refused when a branch of it would match everything by accident: %j', (filter) =>
    expect(refusal(filter)).toMatchObject({
      code: 'INVALID_QUERY',
      message: 'This branch of "_or" holds no condition, and would match everything.',
    }),
  )

  it.each([null, undefined, 5, 'x', [1]])('is an object, not %j', (filter) => {
    // @ts-expect-error None of these is a filter.
    expect(() => compileFilter({ schema, dialect: 'sqlite' }, 'articles', filter)).toThrow(
      expect.objectContaining({ code: 'INVALID_QUERY', path: ['filter'] }),
    )
  })

  it('takes a geometry for itself, as it takes any value', () => {
    expect(compile({ place: { _eq: { type: 'Point', coordinates: [1, 2] } } })).toBe(
      'quernel_same("articles"."place", ?)',
    )
    const bare = { place: { type: 'Point', coordinates: [1, 2] } } as object as Articles
    expect(compile(bare)).toBe('quernel_same("articles"."place", ?)')
  })

  it.each([
    { type: 'Nonsense' },
    { type: 'Point' },
    { type: 'Point', coordinates: ['east', 'north'] },
    { type: 'Polygon', coordinates: [[[0, 0]]] },
  ])('looks into what calls itself a geometry: %j', (geometry) =>
    expect(refusal({ place: { _intersects: geometry } })).toMatchObject({
      code: 'INVALID_QUERY',
      message: '"_intersects" takes a GeoJSON geometry.',
      path: ['filter', 'place', '_intersects'],
    }),
  )

  it('reads the key of a related item that was loaded', () => {
    const comment = { kind: 'authors', about: { id: 7, name: 'Ada' } }
    expect(matchesFilter({ schema }, 'comments', { about: '7' }, comment)).toBe(true)
    expect(matchesFilter({ schema }, 'comments', { about: { _neq: '7' } }, comment)).toBe(false)
    expect(matchesFilter({ schema }, 'articles', { author: 7 }, { author: { id: 7 } })).toBe(true)
  })
})

describe('an error of a filter', () => {
  it.each([
    [
      { email: 'x' },
      'INVALID_QUERY',
      '"_eq" does not work on "email" (string), which is concealed; it takes _null, _nnull, _empty, _nempty.',
      undefined,
    ],
    [
      { sizes: 3 },
      'INVALID_QUERY',
      '"_eq" does not work on "sizes" (a list of integer); it takes _null, _nnull, _empty, _nempty.',
      undefined,
    ],
    [
      { title: { id: 1 } },
      'FORBIDDEN',
      '"title" (string) holds no fields, so there is no "id" below it.',
      undefined,
    ],
    [
      { meta: { size: 3 } },
      'FORBIDDEN',
      '"meta" (json) holds no fields, so there is no "size" below it.',
      'Write { "_json": { "size": … } } to look inside.',
    ],
    [
      { title: { eq: 'x' } },
      'FORBIDDEN',
      '"title" (string) holds no fields, so there is no "eq" below it.',
      'Did you mean "_eq"?',
    ],
    [
      { id: '$NOW(-3 days)' },
      'INVALID_QUERY',
      '"_eq" takes a whole number here, not "$NOW(-3 days)".',
      undefined,
    ],
  ])('%j says what stands there', (filter, code, message, hint) => {
    expect(refusal(filter)).toMatchObject(hint === undefined ? { code, message } : { code, message, hint })
  })
})
