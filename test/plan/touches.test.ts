// The collections and the fields on which the answer of a plan depends.
import { describe, expect, it } from 'vitest'
import { Problems } from '../../src/errors/problems.ts'
import { defineSchema } from '../../src/index.ts'
import { resolveFilter } from '../../src/plan/filter/resolve-filter.ts'
import { planRead } from '../../src/plan/read/read.ts'
import { type CallerTouches, touchesOf } from '../../src/plan/touches.ts'
import { defaultLimits } from '../../src/query/limits.ts'
import { parseQuery } from '../../src/query/parse.ts'
import type { FilterNode, PlainQuery } from '../../src/query/query.ts'
import { across, integer, json, maybeOne, moment, one } from '../support/fields.ts'

const id = { type: 'integer', key: true } as const
const text = { type: 'text', nullable: true } as const
const schema = defineSchema({
  articles: {
    fields: {
      id,
      title: text,
      published: moment,
      meta: json,
      author: maybeOne('authors'),
      comments: { type: 'o2m', from: 'comments.article', sort: 'position' },
      tags: across('articles_tags.article', 'tag'),
      kind: text,
      about: { type: 'any', to: ['articles', 'authors'], by: 'kind', nullable: true },
      blocks: { type: 'm2a', through: 'articles_blocks.article', to: 'item' },
    },
  },
  authors: { fields: { id, name: text, role: maybeOne('roles') } },
  roles: { fields: { id, name: text, rank: integer } },
  comments: { fields: { id, body: text, position: integer, article: maybeOne('articles') } },
  tags: { fields: { id, name: text } },
  articles_tags: { fields: { id, article: one('articles'), tag: one('tags') } },
  articles_blocks: {
    fields: {
      id,
      article: one('articles'),
      collection: { type: 'text' },
      item: { type: 'any', to: ['tags', 'authors'], by: 'collection' },
    },
  },
  places: {
    key: ['country', 'city'],
    fields: { country: { type: 'text' }, city: { type: 'text' }, size: integer },
  },
  shops: {
    fields: { id, country: text, city: text, place: { type: 'm2o', to: 'places', by: ['country', 'city'] } },
  },
})

type Name = 'articles' | 'comments' | 'shops'
const context = () => ({
  schema,
  circumstances: { now: new Date(0), caller: { user: 1 } },
  problems: new Problems('INVALID_QUERY'),
})
const collectionOf = (name: string) => {
  const collection = schema.collections.get(name)
  if (!collection) throw new Error('no collection')
  return collection
}

function touched(query: object, of: Name = 'articles', caller?: Partial<CallerTouches>) {
  const read = parseQuery(query) as unknown as PlainQuery // the brand is for the compiler only
  const list = planRead(
    { query: read, collection: collectionOf(of) },
    { ...context(), limits: defaultLimits },
  )
  const found = touchesOf(
    list,
    caller && { rulesOf: () => [], variables: [], lookups: {}, schema, ...caller },
  )
  return Object.fromEntries([...found].map(([name, fields]) => [name, [...fields]]))
}

const filtered = (filter: object) => touched({ fields: 'id', filter })

describe('a plan touches', () => {
  it('the fields that it shows, and the key by which it is ordered', () => {
    expect(touched({ fields: ['title'] })).toEqual({ articles: ['id', 'title'] })
    expect(touched({ fields: ['title'], alias: { name: 'title' } })).toEqual({ articles: ['id', 'title'] })
  })

  it('the fields of functions', () => {
    expect(touched({ fields: ['year(published)', 'json(meta, size.w)'] })).toEqual({
      articles: ['id', 'published', 'meta'],
    })
  })

  it('the rows that a function counts', () => {
    expect(touched({ fields: ['count(comments)'] })).toEqual({
      articles: ['id'],
      comments: ['id', 'article'],
    })
  })

  it('the field of an aggregate of related items, and what the filter of its alias names', () => {
    expect(
      touched({
        fields: ['id'],
        alias: { hot: 'comments' },
        deep: { hot: { _filter: { body: { _nnull: true } } } },
        sort: ['-max(hot.position)'],
      }),
    ).toEqual({ articles: ['id'], comments: ['id', 'article', 'body', 'position'] })
  })

  it('the target of a many-to-one field, and the field', () => {
    expect(touched({ fields: ['author'] })).toEqual({ articles: ['id', 'author'] })
    expect(touched({ fields: ['author.role.name'] })).toEqual({
      articles: ['id', 'author'],
      authors: ['id', 'role'],
      roles: ['id', 'name'],
    })
  })

  it('all fields that hold a key of several parts', () => {
    expect(touched({ fields: ['place.size'] }, 'shops')).toEqual({
      shops: ['id', 'country', 'city'],
      places: ['country', 'city', 'size'],
    })
  })

  it('the children of a one-to-many field, the field that points back, and the order of the children', () => {
    const touches = { articles: ['id'], comments: ['id', 'article', 'position'] }
    expect(touched({ fields: ['comments'] })).toEqual(touches)
    expect(touched({ fields: ['comments.body'] })).toEqual({
      ...touches,
      comments: [...touches.comments, 'body'],
    })
  })

  it('the rows between the items of a many-to-many field', () => {
    expect(touched({ fields: ['tags.tag.name'] })).toEqual({
      articles: ['id'],
      articles_tags: ['id', 'article', 'tag'],
      tags: ['id', 'name'],
    })
  })

  it('each collection to which a field to any collection may lead', () => {
    expect(touched({ fields: ['about:authors.name', 'about:articles.title'] })).toEqual({
      articles: ['id', 'about', 'kind', 'title'],
      authors: ['id', 'name'],
    })
    expect(touched({ fields: ['blocks.item:tags.name'] })).toEqual({
      articles: ['id'],
      articles_blocks: ['id', 'article', 'item', 'collection'],
      tags: ['id', 'name'],
      authors: ['id'],
    })
  })

  it('what nested lists are filtered and sorted by', () => {
    const deep = { comments: { _filter: { article: { author: { name: 'Ada' } } }, _sort: '-body' } }
    expect(touched({ fields: ['comments.id'], deep })).toEqual({
      articles: ['id', 'author'],
      comments: ['id', 'article', 'body'],
      authors: ['id', 'name'],
    })
  })

  it('the values by which it groups, and those that it aggregates', () => {
    const query = { groupBy: ['author.role.name'], aggregate: { count: '*', max: ['published'] } }
    expect(touched(query)).toEqual({
      articles: ['id', 'author', 'published'],
      authors: ['id', 'role'],
      roles: ['id', 'name'],
    })
  })

  it('the values by whose aggregates it keeps groups', () => {
    const query = { groupBy: ['title'], having: { max: { published: { _gt: '2024-01-01' } }, count: 1 } }
    expect(touched(query)).toEqual({ articles: ['id', 'title', 'published'] })
  })

  it('a related field by which it sorts', () => {
    expect(touched({ fields: ['id'], sort: '-author.role.rank' })).toEqual({
      articles: ['id', 'author'],
      authors: ['id', 'role'],
      roles: ['id', 'rank'],
    })
  })

  it.each(['_some', '_none'])('what a filter asks of children by %s', (quantifier) => {
    expect(filtered({ comments: { [quantifier]: { body: { _contains: 'x' } } } })).toEqual({
      articles: ['id'],
      comments: ['id', 'article', 'body'],
    })
  })

  it('what filters on related items name, in all their branches', () => {
    const filter = {
      _or: [{ author: { role: { rank: { _gt: 3 } } } }, { 'year(published)': 2020 }, { title: 'x' }],
    }
    expect(filtered(filter)).toEqual({
      articles: ['id', 'author', 'published', 'title'],
      authors: ['id', 'role'],
      roles: ['id', 'rank'],
    })
    expect(filtered({ 'about:authors': { name: 'Ada' } })).toEqual({
      articles: ['id', 'about', 'kind'],
      authors: ['id', 'name'],
    })
    expect(filtered({ 'count(tags)': { _gt: 1 } })).toEqual({
      articles: ['id'],
      articles_tags: ['id', 'article'],
    })
  })

  it('what a condition on one child says of all of them', () => {
    expect(
      filtered({ comments: { body: 'x', _or: [{ position: 1 }, { _none: { article: { title: 'x' } } }] } }),
    ).toEqual({ articles: ['id', 'title'], comments: ['id', 'article', 'body', 'position'] })
  })

  it('every text that it searches', () => {
    expect(touched({ fields: ['id'], search: 'x' })).toEqual({ articles: ['id', 'title', 'kind'] })
  })
})

describe('a plan for a caller touches', () => {
  const rule = (of: string, filter: FilterNode) =>
    resolveFilter(filter, collectionOf(of), [], { ...context(), use: 'query' })
  const authors = rule('authors', { role: { name: { _eq: 'writer' } } })

  it('what the rules of its collections name, and of no other', () => {
    const caller = { rulesOf: ({ name }: { name: string }) => (name === 'authors' ? [authors] : []) }
    expect(touched({ fields: ['title'] }, 'articles', caller)).toEqual({ articles: ['id', 'title'] })
    expect(touched({ fields: ['author.id'] }, 'articles', caller)).toEqual({
      articles: ['id', 'author'],
      authors: ['id', 'role'],
      roles: ['id', 'name'],
    })
  })

  it('the fields that are looked up for its variables', () => {
    const caller = {
      lookups: { $CURRENT_USER: 'authors' },
      variables: ['$CURRENT_USER.role.rank', '$CURRENT_USER', '$CURRENT_USER.nothing', '$NOW', 'text'],
    }
    expect(touched({ fields: ['title'] }, 'articles', caller)).toEqual({
      articles: ['id', 'title'],
      authors: ['id', 'role'],
      roles: ['id', 'rank'],
    })
  })

  it('nothing for variables that are looked up nowhere', () => {
    const caller = { variables: ['$CURRENT_USER.role.rank'] }
    expect(touched({ fields: ['title'] }, 'articles', caller)).toEqual({ articles: ['id', 'title'] })
  })
})
