import { describe, expect, it } from 'vitest'
import { shapeOf } from '../../src/prepared/templates/query-shape.ts'
import { keepFor, madeFor, type TemplateCache } from '../../src/prepared/templates/template-cache.ts'
import type { QueryShape } from '../../src/prepared/templates/write-shape.ts'
import { Cache } from '../../src/values/cache.ts'

const shape = (...marks: (string | number)[]): QueryShape => ({ marks, hash: 1 })
const newShelf = (): TemplateCache<string> => new Cache(10)

describe('what was made for a shape', () => {
  it('is found by the same marks', () => {
    const shelf = newShelf()
    keepFor(shape('list', 'tags'), 'tags', shelf)
    expect(madeFor(shape('list', 'tags'), shelf)).toBe('tags')
  })

  it('is not found by others of the same hash', () => {
    const shelf = newShelf()
    keepFor(shape('list', 'tags'), 'tags', shelf)
    expect(madeFor(shape('list', 'tapes'), shelf)).toBeUndefined()
    expect(madeFor(shape('list', 'tags', 1), shelf)).toBeUndefined()
    expect(madeFor(shape('list'), shelf)).toBeUndefined()
  })

  it('stays beside others of the same hash', () => {
    const shelf = newShelf()
    for (const name of ['one', 'two', 'three']) keepFor(shape(name), name, shelf)
    expect(['one', 'two', 'three'].map((name) => madeFor(shape(name), shelf))).toEqual([
      'one',
      'two',
      'three',
    ])
  })

  it('is forgotten where too many have the same hash', () => {
    const shelf = newShelf()
    for (const name of ['one', 'two', 'three', 'four', 'five']) keepFor(shape(name), name, shelf)
    expect(madeFor(shape('one'), shelf)).toBeUndefined()
    expect(madeFor(shape('five'), shelf)).toBe('five')
  })
})

describe('shapes', () => {
  const marksOf = (query: Record<string, unknown>) =>
    shapeOf({ verb: 'list', collection: { name: 'articles' }, query })?.marks
  const distinct: readonly (readonly [title: string, one: object, other: object])[] = [
    ['a list and its only element', { fields: ['id'] }, { fields: 'id' }],
    ['one text and two', { fields: ['id', 'a'] }, { fields: ['id;a'] }],
    ['a list in a list and one beside it', { sort: [['a'], 'b'] }, { sort: [['a', 'b']] }],
    ['a name and a value', { alias: { a: 'b', c: 'd' } }, { alias: { a: 'c', b: 'd' } }],
    ['a number and a list as long', { fields: [3, 2, 'a'] }, { fields: [['a', 'b']] }],
    ['null and a list of nothing', { filter: null }, { filter: [] }],
    ['true and its text', { meta: true }, { meta: 'true' }],
    ['a page near and one far down', { offset: 10 }, { offset: 10_000 }],
    ['values of two kinds', { filter: { id: 1 } }, { filter: { id: '1' } }],
    ['a value and a list of it', { filter: { id: { _in: 1 } } }, { filter: { id: { _in: [1] } } }],
  ]

  it.each(distinct)('differ between %s', (_, one, other) => {
    expect(marksOf({ ...one })).not.toEqual(marksOf({ ...other }))
  })

  it('are none where JSON has no words for a value', () => {
    expect(marksOf({ fields: ['id', undefined] })).toBeUndefined()
    expect(marksOf({ fields: [Number.NaN] })).toBeUndefined()
    // biome-ignore lint/suspicious/noSparseArray: the hole is what is tested
    expect(marksOf({ fields: ['id', , 'title'] })).toBeUndefined()
  })
})
