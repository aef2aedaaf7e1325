// The validations of fields and of rules, met in memory by what is written.
import { describe, expect, it } from 'vitest'
import { defineSchema } from '../../../src/index.ts'
import { conditionsAfterwards, looksFurther } from '../../../src/plan/write/later-validations.ts'
import {
  needsDatabase,
  predicateOf,
  type ValidationContext,
  validatorBy,
  validatorOf,
} from '../../../src/plan/write/validate-item.ts'
import { checkValidations } from '../../../src/plan/write/validations.ts'
import { defaultLimits } from '../../../src/query/limits.ts'
import { readFilter } from '../../../src/query/read-filter.ts'
import { newReader } from '../../../src/query/reader.ts'
import type { Collection } from '../../../src/schema/model.ts'
import { utc } from '../../../src/values/zone.ts'
import type { Caller } from '../../../src/vocabulary/variables.ts'
import { rowsOf } from '../../support/titled.ts'

const id = { type: 'integer', key: true } as const
const schemaOf = (validation: object) =>
  defineSchema({
    authors: { fields: { id, name: { type: 'string' } } },
    articles: {
      fields: {
        id,
        title: { type: 'string', nullable: true, validation },
        views: { type: 'integer', nullable: true },
        author: { type: 'm2o', to: 'authors', nullable: true },
        about: { type: 'any', to: ['authors'], by: 'kind', nullable: true },
        kind: { type: 'string', nullable: true },
        address: { type: 'other', databaseType: 'inet', nullable: true },
        comments: { type: 'o2m', from: 'comments.article' },
      },
    },
    comments: { fields: { id, article: { type: 'm2o', to: 'articles' } } },
  })

function contextOf(validation: object, caller: Caller) {
  const schema = schemaOf(validation)
  const context: ValidationContext = {
    schema,
    circumstances: { now: new Date(0), caller },
    setting: { zone: utc, negationMatchesNull: false },
  }
  return { schema, context, articles: schema.collections.get('articles') as Collection } // just described
}

/** What an item does not pass, by where it stands: the word, what it would take, and what it was. */
function failures(validation: object, given: object, caller: Caller = {}) {
  const { context, articles } = contextOf(validation, caller)
  const found = validatorOf(articles, context)(given as Record<string, unknown>, [3])
  expect(found.every(({ code }) => code === 'FAILED_VALIDATION')).toBe(true)
  return found.map(({ path, extensions: { collection: _of, field: _field, ...told } = {} }) => [path, told])
}

describe('an item', () => {
  it('is given up where a pattern takes too long', () => {
    const judge = () => failures({ title: { _regex: '(a?){330}b$' } }, { title: 'a'.repeat(20_000) })
    expect(judge).toThrow(expect.objectContaining({ code: 'OUT_OF_TIME', status: 408 }))
  })

  it.each<[string, object, object, unknown]>(
    rowsOf({
      passes: [{ title: { _contains: 'a' } }, { title: 'abc' }, []],
      'lacks a piece of text': [
        { title: { _contains: 'x' } },
        { title: 'abc' },
        [[[3, 'title'], { type: 'contains', substring: 'x', invalid: 'abc' }]],
      ],
      'begins as it must not': [
        { title: { _nistarts_with: 'A' } },
        { title: 'abc' },
        [[[3, 'title'], { type: 'nistarts_with', substring: 'A', invalid: 'abc' }]],
      ],
      'does not match a pattern, which is not told': [
        { title: { _regex: '^x' } },
        { title: 'abc' },
        [[[3, 'title'], { type: 'regex', invalid: 'abc' }]],
      ],
      'has no value, which needs no example': [
        { title: { _nnull: true } },
        { title: null },
        [[[3, 'title'], { type: 'nnull' }]],
      ],
      'is too small, in the second of two conditions': [
        { _and: [{ title: { _eq: 'a' } }, { views: { _gt: 3 } }] },
        { title: 'a', views: 2 },
        [[[3, 'views'], { type: 'gt', valid: 3, invalid: 2 }]],
      ],
      'meets one of several branches': [
        { _or: [{ title: { _eq: 'x' } }, { views: { _gt: 3 } }] },
        { title: 'a', views: 4 },
        [],
      ],
      'meets none of several branches, each of which is told': [
        { _or: [{ title: { _eq: 'x' } }, { views: { _gt: 3 } }] },
        { title: 'a', views: 2 },
        [
          [[3, 'title'], { type: 'eq', valid: 'x', invalid: 'a' }],
          [[3, 'views'], { type: 'gt', valid: 3, invalid: 2 }],
        ],
      ],
      'does not name the field': [{ title: { _eq: 'x' } }, { views: 5 }, []],
      'names it as undefined': [{ title: { _eq: 'x' } }, { title: undefined }, []],
      'is related to one that may not be, nested or by its key': [
        { author: { _in: [1, 2] } },
        { author: { id: 3, name: 'x' } },
        [[[3, 'author'], { type: 'in', valid: [1, 2], invalid: 3 }]],
      ],
      'is related to one that is new': [{ author: { _eq: 1 } }, { author: { name: 'x' } }, []],
      'is related to a new one of any collection': [{ about: { _eq: 1 } }, { about: { name: 'x' } }, []],
      'is asked of its related items, which is not judged here': [
        { author: { name: 'x' } },
        { author: 3 },
        [],
      ],
      'is asked how many children it has, which is not judged here': [
        { 'count(comments)': 3 },
        { title: 'x' },
        [],
      ],
      'holds a value of a type that only the database knows, which is not judged here, beside one that is': [
        { _and: [{ address: '10.0.0.1/32' }, { title: 'x' }] },
        { address: '10.0.0.1', title: 'y' },
        [[[3, 'title'], { type: 'eq', valid: 'x', invalid: 'y' }]],
      ],
      'holds no plain value, which is not told': [{ title: { _null: true } }, { title: ['x', 'y'] }, []],
    }),
  )('%s', (_, validation, given, expected) => {
    expect(failures(validation, given)).toEqual(expected)
  })

  it('passes nothing where a variable has no value, if it names the field', () => {
    const own = { title: { _eq: '$CURRENT_USER' } }
    expect(failures(own, { title: 'a' })).toEqual([[[3, 'title'], { type: 'validation' }]])
    expect(failures(own, { views: 1 })).toEqual([])
    expect(failures(own, { title: 'a' }, { user: 'a' })).toEqual([])
    const counted = { views: { _in: ['$CURRENT_USER', '$CURRENT_ROLES'] } }
    for (const roles of [[], [2], [null]])
      expect(failures(counted, { views: 5, title: 'a' }, { user: 'null', roles } as never)).toEqual([
        [[3, 'title'], { type: 'validation' }],
      ])
  })

  it('passes a rule, or is told of the rule as a whole', () => {
    const { context, articles } = contextOf({}, {})
    const node = (filter: object) => readFilter(filter, [], newReader(defaultLimits, false))
    const judge = (filter: object, given: object) =>
      validatorBy(
        articles,
        node(filter),
        context,
      )(given as Record<string, unknown>, [0]).map(({ path }) => path)
    expect(judge({ title: 'a' }, { title: 'a' })).toEqual([])
    expect(judge({ title: 'a' }, { title: 'b' })).toEqual([[0, 'title']])
    expect(judge({ title: '$CURRENT_USER' }, { title: 'b' })).toEqual([[0]])
  })
})

describe('what the database is asked once an item is stored', () => {
  const left = (filter: object) => {
    const { context, articles } = contextOf({}, {})
    const node = readFilter(filter, [], newReader(defaultLimits, false))
    const predicate = predicateOf(articles, node, context)
    return needsDatabase(predicate) ? predicate.kind : undefined
  }

  it('is what looks at related items or at values that only it knows, wherever they stand', () => {
    expect(left({ title: 'a' })).toBeUndefined()
    expect(left({ _or: [{ title: 'a' }, { views: 1 }] })).toBeUndefined()
    expect(left({ author: { name: 'x' } })).toBe('one')
    expect(left({ _or: [{ title: 'a' }, { author: { name: 'x' } }] })).toBe('or')
    expect(left({ 'count(comments)': 3 })).toBe('test')
    expect(left({ comments: { id: 1 } })).toBe('some')
    expect(left({ address: '10.0.0.1' })).toBe('test')
  })

  it('is nothing for validations that ask only of the item itself', () => {
    for (const [validation, further] of [
      [{ title: 'a' }, false],
      [{ _and: [{ title: 'a' }, { comments: { _none: { id: 1 } } }] }, true],
    ] as const) {
      const { context, articles, schema } = contextOf(validation, {})
      expect(conditionsAfterwards(articles, context).length > 0).toBe(further)
      expect([looksFurther(articles, schema), looksFurther(articles, schema)]).toEqual([further, further])
    }
  })
})

describe('a validation that nothing could meet', () => {
  it.each([
    [{ title: { _between: [1] } }, '"_between" takes exactly two values, not 1.'],
    [{ nothing: 1 }, 'There is no field "nothing" in "articles", or you may not use it.'],
    [{ views: 'x' }, '"_eq" takes a whole number here, not "x".'],
    [{ title: { _regex: '(' } }, '"_regex" cannot use this regular expression: it is not well formed.'],
  ])('is refused with the schema: %o', (validation, message) => {
    expect(() => checkValidations(schemaOf(validation as object))).toThrow(
      `The validation of field "title" of collection "articles": ${message}`,
    )
  })
})
