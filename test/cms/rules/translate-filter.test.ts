// Filters as the service keeps them, and what becomes of them here.
import { describe, expect, it } from 'vitest'
import { translateFilter } from '../../../src/cms/rules/translate-filter.ts'
import { defineSchema, type Schema } from '../../../src/index.ts'
import { integer, json, key, many, maybeOne, one, string } from '../../support/fields.ts'
import { rowsOf } from '../../support/titled.ts'

const schema: Schema = defineSchema({
  teams: {
    fields: {
      id: key,
      name: string,
      lead: maybeOne('people'),
      people: many('people.team'),
      blocks: { type: 'm2a', through: 'teams_blocks.team', to: 'item' },
    },
  },
  people: {
    fields: {
      id: key,
      name: string,
      age: integer,
      meta: json,
      team: one('teams'),
      posts: many('posts.author'),
    },
  },
  posts: { fields: { id: key, title: string, author: one('people') } },
  teams_blocks: {
    fields: { id: key, team: one('teams'), item: { type: 'any', to: ['posts'], by: 'kind' }, kind: string },
  },
})

function translated(given: unknown, use: 'rows' | 'validation' = 'rows', name = 'teams') {
  const collection = schema.collections.get(name)
  if (!collection) throw new Error(`There is no collection ${name}.`)
  return translateFilter(given, collection, { schema, use })
}

describe('a filter that means the same', () => {
  it.each<readonly [title: string, given: unknown, expected: object | undefined]>(
    rowsOf({
      'nothing is no condition': [null, undefined],
      'an empty object is no condition': [{}, undefined],
      'an empty list of what has to hold is no condition': [{ _and: [] }, undefined],
      'and so is one of empty objects': [{ _and: [{}, { _and: [] }] }, undefined],
      'one condition stays as it is': [{ name: { _eq: 'x' } }, { name: { _eq: 'x' } }],
      'a bare value is an equality': [{ name: 'x' }, { name: { _eq: 'x' } }],
      'lists in lists are one list': [
        { _and: [{ id: { _gt: 1 } }, { _and: [{ id: { _lt: 9 } }, {}] }] },
        { _and: [{ id: { _gt: 1 } }, { id: { _lt: 9 } }] },
      ],
      'several operators of a field all hold': [
        { id: { _gt: 1, _lt: 9 } },
        { id: { _and: [{ _gt: 1 }, { _lt: 9 }] } },
      ],
      'branches stay branches': [
        { _or: [{ id: { _eq: 1 } }, { name: { _null: true } }] },
        { _or: [{ id: { _eq: 1 } }, { name: { _null: true } }] },
      ],
      'text that means null is null': [{ name: { _eq: 'null' } }, { name: { _null: true } }],
      'and its opposite': [{ name: { _neq: null } }, { name: { _nnull: true } }],
      'comma text is a list': [{ id: { _in: '1,2' } }, { id: { _in: ['1', '2'] } }],
      'a numbered object is a list': [{ id: { _in: { 0: 1, 1: 2 } } }, { id: { _in: [1, 2] } }],
      'one value is a list': [{ id: { _in: 5 } }, { id: { _in: [5] } }],
      'a variable stands for a list': [
        { lead: { _in: '$CURRENT_ROLES' } },
        { lead: { _in: ['$CURRENT_ROLES'] } },
      ],
      'what hides by a text hides it in any case': [
        { name: { _ncontains: 'Secret' } },
        { name: { _nicontains: 'Secret' } },
      ],
      'what shows by a text does not': [{ name: { _contains: 'Secret' } }, { name: { _contains: 'Secret' } }],
      'conditions on one related item stay together': [
        { _and: [{ people: { name: { _eq: 'Ada' } } }, { people: { age: { _gt: 5 } } }] },
        { people: { _and: [{ name: { _eq: 'Ada' } }, { age: { _gt: 5 } }] } },
      ],
      'alternatives about one related item and about all stay with what has to hold for the same item': [
        { people: { age: 5, _or: [{ name: 'Ada' }, { _none: { age: 9 } }] } },
        {
          people: {
            _and: [{ age: { _eq: 5 } }, { _or: [{ name: { _eq: 'Ada' } }, { _none: { age: { _eq: 9 } } }] }],
          },
        },
      ],
      'also below another relation': [
        {
          _and: [
            { lead: { posts: { title: { _eq: 'a' } } } },
            { id: { _gt: 1 } },
            { lead: { posts: { id: { _eq: 2 } } } },
          ],
        },
        {
          _and: [
            { id: { _gt: 1 } },
            { lead: { posts: { _and: [{ title: { _eq: 'a' } }, { id: { _eq: 2 } }] } } },
          ],
        },
      ],
      'branches on one relation join the others': [
        {
          _and: [{ people: { age: 5 } }, { _or: [{ people: { name: 'Ada' } }, { people: { name: 'Bo' } }] }],
        },
        {
          people: {
            _and: [{ age: { _eq: 5 } }, { _or: [{ name: { _eq: 'Ada' } }, { name: { _eq: 'Bo' } }] }],
          },
        },
      ],
      'some and none stand for themselves': [
        { _and: [{ people: { _none: { age: { _gt: 5 } } } }, { people: { _some: { name: 'Ada' } } }] },
        {
          _and: [{ people: { _none: { age: { _gt: 5 } } } }, { people: { _some: { name: { _eq: 'Ada' } } } }],
        },
      ],
      'none hides by what it says, in any case': [
        { people: { _none: { name: { _contains: 'x' }, age: { _gt: 1 } } } },
        { people: { _none: { _and: [{ name: { _icontains: 'x' } }, { age: { _gt: 1 } }] } } },
      ],
      'and what it does not hide stays as it is': [
        { people: { _none: { name: { _ncontains: 'x' } } } },
        { people: { _none: { name: { _ncontains: 'x' } } } },
      ],
      'whether there is any related item': [{ people: { _null: true } }, { people: { _null: true } }],
      'any collection is looked into by its name': [
        { blocks: { 'item:posts': { title: { _ncontains: 'x' } } } },
        { blocks: { 'item:posts': { title: { _nicontains: 'x' } } } },
      ],
      'a relation that is followed backwards': [
        { '$FOLLOW(posts, author)': { title: { _ncontains: 'x' } } },
        { '$FOLLOW(posts, author)': { title: { _nicontains: 'x' } } },
      ],
      'a function': [{ 'count(people)': { _gt: '2' } }, { 'count(people)': { _gt: '2' } }],
    }),
  )('%s', (title, given, expected) => {
    const collection = title.includes('followed backwards') ? 'people' : 'teams'
    expect(translated(given, 'rows', collection)).toEqual({ filter: expected, refusals: [] })
  })

  it('paths of a document are looked at one by one', () => {
    const given = { meta: { _json: { 'size.w': { _gt: 3 }, color: 'red' } } }
    expect(translated(given, 'rows', 'people')).toEqual({
      filter: {
        meta: {
          _and: [{ _json: { 'size.w': { _gt: 3 } } }, { _json: { color: { _eq: 'red' } } }],
        },
      },
      refusals: [],
    })
  })

  it('a validation judges text as it is, and takes patterns between slashes', () => {
    expect(translated({ name: { _regex: '/^a/', _ncontains: 'B%' } }, 'validation').filter).toEqual({
      name: { _and: [{ _regex: '^a' }, { _ncontains: 'B%' }] },
    })
  })
})

describe('a filter that could let more through is refused', () => {
  it.each<readonly [title: string, given: unknown]>([
    ['no object', 'x'],
    ['a list', [{ id: 1 }]],
    ['an unknown operator', { name: { _like: 'x' } }],
    ['an operator of forms', { name: { _submitted: true } }],
    ['no branches', { _or: [] }],
    ['an empty branch', { _or: [{ id: 1 }, {}] }],
    ['a branch that is empty inside', { _or: [{ id: 1 }, { _and: [] }] }],
    ['branches that are no list', { _or: { id: 1 } }],
    ['conditions that are no list', { _and: { id: 1 } }],
    ['a field without a condition', { name: {} }],
    ['a relation without a condition', { people: {} }],
    ['a relation whose field has none', { people: { name: {} } }],
    ['some without a condition', { people: { _some: {} } }],
    ['a bare null', { name: null }],
    ['null in a list', { id: { _nin: [1, null] } }],
    ['text for null in a list', { id: { _nin: '1,null' } }],
    ['an empty list of what is hidden', { id: { _nin: [] } }],
    ['signs for any letters in what is hidden', { name: { _ncontains: 'a_b' } }],
    ['such signs where none may be like it', { people: { _none: { name: { _contains: '50%' } } } }],
    [
      'two places about one related item, one of them in an alternative that is about all of them, too',
      {
        _and: [
          { people: { age: 5 } },
          { _or: [{ people: { _or: [{ name: 'x' }, { _none: { age: 9 } }] } }, { id: 1 }] },
        ],
      },
    ],
    [
      'one related item in places that cannot be joined',
      { _and: [{ people: { age: 5 } }, { _or: [{ people: { name: 'x' } }, { id: 1 }] }] },
    ],
  ])('%s', (_, given) => {
    expect(translated(given).refusals).not.toEqual([])
  })
})
