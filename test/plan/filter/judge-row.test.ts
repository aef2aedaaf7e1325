// The validation of a rule, judged on the whole row after a write: what it asks for, and what a failure discloses.
import { describe, expect, it } from 'vitest'
import { defineSchema, type EngineError } from '../../../src/index.ts'
import { rowValidation, validateRow } from '../../../src/plan/filter/validate-row.ts'
import type { ValidationContext } from '../../../src/plan/write/validate-item.ts'
import { defaultLimits } from '../../../src/query/limits.ts'
import { readFilter } from '../../../src/query/read-filter.ts'
import { newReader } from '../../../src/query/reader.ts'
import { utc } from '../../../src/values/zone.ts'
import { integer, json, many, maybeOne, number, one } from '../../support/fields.ts'
import { rowsOf } from '../../support/titled.ts'

const id = { type: 'integer', key: true } as const
const optional = { type: 'string', nullable: true } as const
const schema = defineSchema({
  authors: { fields: { id, name: optional } },
  articles: {
    fields: {
      id,
      title: optional,
      views: number,
      length: { type: 'integer', nullable: true, generated: true },
      meta: json,
      author: maybeOne('authors'),
      about: { type: 'any', to: ['authors'], by: 'kind', nullable: true },
      kind: optional,
      comments: many('comments.article'),
    },
  },
  comments: { fields: { id, article: one('articles'), replies: many('replies.comment') } },
  replies: { fields: { id, comment: one('comments') } },
  lines: { key: ['order', 'place'], fields: { order: integer, place: integer } },
  parcels: {
    fields: {
      id,
      order: number,
      place: number,
      line: { type: 'm2o', to: 'lines', by: ['order', 'place'] },
      weight: number,
    },
  },
})

const context: ValidationContext = {
  schema,
  circumstances: { now: new Date('2024-03-01T00:00:00Z'), caller: { user: 7 } },
  setting: { zone: utc, negationMatchesNull: false },
}

function collectionNamed(name: string) {
  const collection = schema.collections.get(name)
  if (!collection) throw new Error(`no ${name}`)
  return collection
}

const validationOf = (of: string, filter: object) =>
  rowValidation(collectionNamed(of), readFilter(filter, [], newReader(defaultLimits, false)), context)

describe('a validation', () => {
  it.each<[string, string, object, readonly string[], readonly string[], boolean]>(
    rowsOf({
      'the fields it compares': [
        'articles',
        { title: 'a', _or: [{ views: 1 }, { id: 2 }] },
        ['title', 'views', 'id'],
        [],
        false,
      ],
      'the field of a function': ['articles', { 'json(meta, a)': 1 }, ['meta'], [], false],
      'a field that the database computes': ['articles', { length: 3 }, ['length'], [], true],
      'the reference behind which it looks': ['articles', { author: { name: 'x' } }, ['author'], [], true],
      'all fields that hold such a reference': [
        'parcels',
        { line: { place: 1 } },
        ['order', 'place'],
        [],
        true,
      ],
      'all fields that hold a reference it compares': [
        'parcels',
        { line: { _eq: [1, 2] } },
        ['order', 'place'],
        [],
        false,
      ],
      'a reference to any collection, and the field that names it': [
        'articles',
        { 'about:authors': { name: 'x' } },
        ['about', 'kind'],
        [],
        true,
      ],
      'a list of which one has to be such': ['articles', { comments: { id: 1 } }, [], ['comments'], true],
      'a list of which none may be such': [
        'articles',
        { comments: { _none: { id: 1 } } },
        [],
        ['comments'],
        true,
      ],
      'a list whose number it compares': ['articles', { 'count(comments)': 1 }, [], ['comments'], true],
      'no list that the schema does not declare': [
        'authors',
        { '$FOLLOW(articles, author)': { id: 1 } },
        [],
        [],
        true,
      ],
      'of a list no more than its name, whatever it asks of those in it': [
        'articles',
        {
          comments: {
            _or: [{ id: 1, replies: { _none: { id: 2 } } }, { _and: [{ replies: { id: 1 } }, { id: 3 }] }],
          },
        },
        [],
        ['comments'],
        true,
      ],
      'a list once where the same child or the list as a whole has to be such': [
        'articles',
        {
          comments: {
            _or: [{ id: 1 }, { _and: [{ _none: { id: 2 } }, { id: { _in: [3, 4] } }, { id: 5 }] }],
          },
        },
        [],
        ['comments'],
        true,
      ],
      'a list that is asked for one of its own, and as a whole beside it': [
        'articles',
        { comments: { id: 1, _or: [{ _none: { id: 2 } }, { id: 3 }] } },
        [],
        ['comments'],
        true,
      ],
    }),
  )('names %s', (_, of, filter, fields, relations, needsDatabase) => {
    const found = validationOf(of, filter)
    expect([...found.fields].map(({ name }) => name)).toEqual(fields)
    expect([...found.relations]).toEqual(relations)
    expect(found.needsDatabase).toBe(needsDatabase)
  })

  it.each<[object, boolean]>([
    [{ title: '$CURRENT_USER' }, true],
    [{ _and: [{ views: { _in: [1, '$CURRENT_USER'] } }] }, true],
    [{ title: { _eq: 'a', _neq: 'b' } }, false],
    [{ title: '$5' }, false],
  ])('%j depends on the caller or the time: %s', (filter, isVariable) => {
    expect(validationOf('articles', filter).isVariable).toBe(isVariable)
  })
})

describe('a row after a write', () => {
  const judged = (of: string, filter: object, row: object, known: readonly string[], given: object = {}) => {
    const hidden: EngineError[] = []
    const told = validateRow(
      validationOf(of, filter),
      row as Record<string, unknown>,
      {
        collection: collectionNamed(of),
        path: ['data'],
        payload: given as Record<string, unknown>,
        isKnown: (name) => known.includes(name),
        hide: (failure) => hidden.push(failure),
      },
      context,
    )
    const shown = ({ message, path, extensions: { field, invalid } = {} }: EngineError) => ({
      message,
      path,
      ...(field !== undefined && { field }),
      ...(invalid !== undefined && { invalid }),
    })
    return { told: told.map(shown), hidden: hidden.map(shown) }
  }
  const whole = (of: string) => ({ message: `The item of "${of}" does not meet your rules.`, path: ['data'] })
  const failed = (of: string, field: string, operator: string, more: object = {}) => ({
    message: `"${field}" of "${of}" does not pass "${operator}".`,
    path: ['data', field],
    field,
    ...more,
  })

  it('that meets the rule has no failures', () => {
    expect(judged('articles', { title: 'a', views: { _gt: 1 } }, { title: 'a', views: 2 }, [])).toEqual({
      told: [],
      hidden: [],
    })
  })

  it('has null where it says nothing', () => {
    expect(judged('articles', { title: { _null: true } }, {}, []).told).toEqual([])
    expect(judged('articles', { title: { _nnull: true } }, {}, ['title']).told).toEqual([
      failed('articles', 'title', '_nnull'),
    ])
  })

  it('is told of its failures by field, with the values that its writer gave and no others', () => {
    const filter = { title: 'a', views: { _gt: 1 } }
    const row = { title: 'stored', views: 0 }
    expect(judged('articles', filter, row, ['title', 'views'], { views: 0 })).toEqual({
      told: [failed('articles', 'title', '_eq'), failed('articles', 'views', '_gt', { invalid: 0 })],
      hidden: [],
    })
  })

  it('tells the host alone of failures in fields that its writer does not know', () => {
    const filter = { title: 'a', views: { _gt: 1 } }
    expect(judged('articles', filter, { title: 'x', views: 0 }, ['views'])).toEqual({
      told: [failed('articles', 'views', '_gt')],
      hidden: [failed('articles', 'title', '_eq')],
    })
    expect(judged('articles', filter, { title: 'x', views: 0 }, [])).toEqual({
      told: [whole('articles')],
      hidden: [failed('articles', 'title', '_eq'), failed('articles', 'views', '_gt')],
    })
  })

  it('is judged as a whole by the key that several fields hold', () => {
    const row = { order: 1, place: 3, weight: 1 }
    expect(judged('parcels', { line: { _eq: [1, 3] } }, row, [])).toEqual({ told: [], hidden: [] })
    expect(judged('parcels', { line: { _eq: [1, 2] } }, row, ['line'])).toEqual({
      told: [failed('parcels', 'line', '_eq')],
      hidden: [],
    })
  })
})
