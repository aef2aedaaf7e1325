// Filters that are met in memory look at related items as far as these were loaded.
import { describe, expect, it } from 'vitest'
import { defineSchema, matchesFilter } from '../../../src/index.ts'
import { json, many, maybeOne, one, string, text } from '../../support/fields.ts'

const id = { type: 'integer', key: true } as const
const schema = defineSchema({
  authors: { fields: { id, name: string } },
  articles: {
    fields: {
      id,
      meta: json,
      born: { type: 'dateTime', nullable: true },
      hash: { type: 'hash', nullable: true },
      author: maybeOne('authors'),
      about: { type: 'any', to: ['authors'], by: 'kind', nullable: true },
      kind: text,
      comments: many('comments.article'),
    },
  },
  comments: { fields: { id, body: string, article: one('articles') } },
  orders: { fields: { id, lines: many('lines.order') } },
  lines: {
    key: ['order', 'place'],
    fields: { order: one('orders'), place: { type: 'decimal', scale: 1 }, parcels: many('parcels.line') },
  },
  parcels: {
    fields: {
      id,
      order: maybeOne('orders'),
      place: { type: 'decimal', nullable: true },
      line: { type: 'm2o', to: 'lines', by: ['order', 'place'] },
    },
  },
})

const meetsIn = (collection: keyof typeof schema.definition, filter: object, item: object) =>
  matchesFilter({ schema }, collection, filter as never, item)
const meets = (filter: object, item: object) => meetsIn('articles', filter, item)

describe('a filter in memory', () => {
  it.each<[object, object, boolean]>([
    [{ comments: { id: 1 } }, { comments: [1, 2] }, true],
    [{ comments: { id: 3 } }, { comments: [1, 2] }, false],
    [{ comments: { _none: { id: { _in: [1] } } } }, { comments: [2] }, true],
    [{ comments: { _some: { _or: [{ id: 1 }, { _and: [{ id: 2 }] }] } } }, { comments: [2] }, true],
    [{ comments: { id: { _gt: 0 }, _or: [{ _none: { id: 9 } }, { id: 2 }] } }, { comments: [1] }, true],
    [{ comments: { id: { _gt: 0 }, _or: [{ _none: { id: 1 } }, { id: 2 }] } }, { comments: [1] }, false],
    [{ comments: { _some: { body: 'x' } } }, { comments: [{ id: 1, body: 'x' }] }, true],
    [{ 'count(comments)': 2 }, { comments: [1, 2] }, true],
    [{ comments: { _null: true } }, { comments: [] }, true],
    [{ comments: { _null: false } }, { comments: [1] }, true],
    [{ comments: { _empty: true } }, { comments: [1] }, false],
    [{ comments: { _nempty: true } }, { comments: [1] }, true],
    [{ comments: { _nnull: false } }, { comments: [] }, true],
    [{ author: { name: 'Ada' } }, { author: { id: 1, name: 'Ada' } }, true],
    [{ author: { name: { _null: true } } }, { author: null }, true],
    [{ 'about:authors': { name: 'Ada' } }, { kind: 'authors', about: { name: 'Ada' } }, true],
    [{ 'about:authors': { name: 'Ada' } }, { kind: 'others', about: { name: 'Ada' } }, false],
    [{ 'about:authors': { name: 'Ada' } }, { kind: 'authors', about: null }, false],
    [{ about: '7' }, { kind: 'nothing', about: { id: 7 } }, false],
    [{ 'count(meta)': 2 }, { meta: ['a', 'b'] }, true],
    [{ 'count(meta)': 0 }, { meta: { a: 1 } }, true],
    [{ 'count(meta)': { _null: true } }, { meta: null }, true],
    [{ 'json(meta, a)': { _null: true } }, { meta: {} }, true],
    [{ 'json(meta, a)': 1 }, { meta: { a: '1' } }, false],
    [{ 'json(meta, a)': { _neq: 1 } }, { meta: { a: '1' } }, true],
    [{ 'json(meta, a)': { _nempty: true } }, { meta: { a: [0] } }, true],
    [{ 'year(born)': 2024 }, { born: '2024-02-29T12:00:00' }, true],
    [{ 'year(born)': { _null: true } }, { born: 'never' }, true],
    [{ hash: { _nempty: true } }, { hash: 5 }, true],
    [{ id: { _null: true } }, { id: 1.5 }, true],
    [{ id: { _null: true } }, { id: 'x' }, true],
  ])('%o on %o is %s', (filter, item, expected) => {
    expect(meets(filter, { id: 1, ...item })).toBe(expected)
  })

  it.each<[object, object, string, readonly string[]]>([
    [{ comments: { id: 1 } }, {}, 'comments', ['filter', 'comments']],
    [{ comments: { id: 1 } }, { comments: 5 }, 'comments', ['filter', 'comments']],
    [{ comments: { body: 'x' } }, { comments: [1] }, 'comments', ['filter', 'comments']],
    [
      { comments: { _some: { _or: [{ id: 1 }, { body: 'x' }] } } },
      { comments: [1] },
      'comments',
      ['filter', 'comments', '_some'],
    ],
    [{ 'count(comments)': 1 }, { comments: null }, 'comments', ['filter', 'count(comments)', '_eq']],
    [{ author: { name: 'x' } }, { author: 5 }, 'author', ['filter', 'author']],
    [{ author: { name: 'x' } }, {}, 'author', ['filter', 'author']],
    [
      { 'about:authors': { name: 'x' } },
      { kind: 'authors', about: ['x'] },
      'about',
      ['filter', 'about:authors'],
    ],
  ])('%o needs what %o does not hold', (filter, item, name, path) => {
    expect(() => meets(filter, item)).toThrow(
      expect.objectContaining({
        code: 'INVALID_QUERY',
        message: `The items of "${name}" are not loaded, so the filter cannot look at them.`,
        path,
      }),
    )
  })

  it.each<[string, object, object, boolean]>([
    ['as a list of their parts', { line: { _eq: [1, '2.5'] } }, { line: [1, '2.50'] }, true],
    ['of another item', { line: { _eq: [1, '2.5'] } }, { line: [1, 3] }, false],
    [
      'in one of several',
      {
        line: {
          _in: [
            [2, 1],
            [1, 2.5],
          ],
        },
      },
      { line: [1, '2.5'] },
      true,
    ],
    [
      'in place of which the item was loaded',
      { line: { _eq: [1, 2.5] } },
      { line: { order: 1, place: '2.5' } },
      true,
    ],
    ['by a loaded item without all of its key', { line: { _null: true } }, { line: { order: 1 } }, true],
    ['that the fields of the item hold', { line: { _eq: [1, 2.5] } }, { order: 1, place: '2.5' }, true],
    ['whose first part was loaded', { line: { _eq: [1, 2.5] } }, { order: { id: 1 }, place: '2.5' }, true],
    ['of which a part is null', { line: { _null: true } }, { order: null, place: '2.5' }, true],
    ['of which a part is not there', { line: { _null: true } }, { place: '2.5' }, true],
    ['of which a part is of another type', { line: { _null: true } }, { line: ['x', 1] }, true],
    ['that have another number of parts', { line: { _null: true } }, { line: [1] }, true],
    ['of none', { line: { _neq: [1, 2.5] } }, { line: null }, false],
  ])('compares keys of several parts, here %s', (_, filter, item, expected) => {
    expect(meetsIn('parcels', filter, item)).toBe(expected)
  })

  it.each<[object, object, boolean]>([
    [{ lines: { _eq: [1, 2.5] } }, { lines: [[1, '2.5']] }, true],
    [{ lines: { _eq: [1, 2.5] } }, { lines: [[1, '3.0']] }, false],
    [{ lines: { place: { _gt: 2 } } }, { lines: [[1, '2.5']] }, true],
    [
      { lines: { order: 1, place: { _gt: 2 } } },
      {
        lines: [
          [1, '1.0'],
          [1, '2.5'],
        ],
      },
      true,
    ],
    [
      {
        lines: {
          _none: {
            _in: [
              [1, 1],
              [1, 2],
            ],
          },
        },
      },
      { lines: [{ order: 1, place: '2.0' }] },
      false,
    ],
  ])('takes the keys of children for what they say: %o on %o is %s', (filter, item, expected) => {
    expect(meetsIn('orders', filter, { id: 1, ...item })).toBe(expected)
  })

  it('needs children that were loaded where more than their key is asked', () => {
    expect(() => meetsIn('orders', { lines: { parcels: { id: 1 } } }, { lines: [[1, '2.5']] })).toThrow(
      'The items of "lines" are not loaded, so the filter cannot look at them.',
    )
  })

  it('computes no aggregate of related items but their number', () => {
    expect(() => meetsIn('orders', { 'max(lines.place)': 1 }, { lines: [[1, '2.5']] })).toThrow(
      '"max(lines.place)" cannot be computed in memory.',
    )
  })

  it('does not follow what the schema does not declare', () => {
    expect(() =>
      matchesFilter({ schema }, 'authors', { '$FOLLOW(articles, author)': { id: 1 } } as never, {}),
    ).toThrow('"$FOLLOW(articles, author)" cannot be followed in memory.')
  })
})
