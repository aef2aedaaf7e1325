// The oracle itself is right: it gives the recorded answers, and what the decisions say where they differ.
import { describe, expect, it } from 'vitest'
import { parseQuery } from '../../src/index.ts'
import { json, key, many, maybeOne, number } from '../support/fields.ts'
import type { World } from './dataset.ts'
import { evaluate, evaluateOne } from './evaluate.ts'
import { loosely, recorded, recordedWorld } from './recorded.ts'

describe('the oracle', () => {
  it.each(recorded)('gives the recorded answer of $name', ({ collection, query, expect: expected }) => {
    expect(loosely(evaluate(recordedWorld, collection, parseQuery(query)))).toEqual(loosely(expected))
  })

  it('breaks ties by the key, in the direction of the last sort key', () => {
    expect(ids('sort=-count(comments)')).toEqual([1, 5, 2, 6, 4, 3])
  })

  it('puts nulls last ascending and first descending', () => {
    expect(ids('sort=views')).toEqual([4, 2, 5, 6, 1, 3])
    expect(ids('sort=-views')).toEqual([3, 1, 6, 5, 2, 4])
  })

  it('shows aliases below the root', () => {
    expect(answer('authors', 'fields=articles.t&deep[articles][_alias][t]=title&limit=1').data).toEqual([
      { articles: [{ t: 'Hello World' }, { t: 'hello again' }] },
    ])
  })

  it('takes an empty list as no condition, and lets nothing match an empty _in', () => {
    expect(ids('filter={"_and":[],"views":{"_nin":[]}}')).toEqual([1, 2, 4, 5, 6])
    expect(ids('filter={"views":{"_in":[]}}')).toEqual([])
  })

  it('groups children, per parent', () => {
    const query =
      'fields=id,comments&deep[comments][_aggregate][count]=*&deep[comments][_groupBy]=likes&limit=2'
    expect(answer('articles', query).data).toEqual([
      {
        id: 1,
        comments: [
          { likes: 0, count: 1 },
          { likes: 3, count: 1 },
          { likes: null, count: 1 },
        ],
      },
      { id: 2, comments: [{ likes: 7, count: 1 }] },
    ])
  })

  it('tells counts, pages and what a default limit cut', () => {
    const short = { ...recordedWorld, limits: { defaultLimit: 2 } }
    const query = parseQuery('fields=comments.id&filter[views][_nnull]=true&page=2&meta=*')
    expect(evaluate(short, 'articles', query).meta).toEqual({
      total_count: 6,
      filter_count: 5,
      limit: 2,
      offset: 2,
      page: 2,
      page_count: 3,
      truncated: [''],
    })
  })

  it('sorts JSON by kind: numbers, texts, false, true, and the rest', () => {
    expect(ids('sort=json(j, a)', small, 'things')).toEqual([4, 1, 3, 2, 5, 6])
    expect(ids('sort=-json(j, a)', small, 'things')).toEqual([6, 5, 2, 3, 1, 4])
  })

  it('sorts by the smallest child value ascending, by the largest descending', () => {
    expect(ids('sort=parts.size', small, 'things')).toEqual([2, 1, 3, 4, 5, 6])
    expect(ids('sort=-parts.size', small, 'things')).toEqual([6, 5, 4, 3, 1, 2])
  })

  it('asks for an item where a filter names its collection', () => {
    expect(
      answer('articles_blocks', 'fields=id&filter={"item:block_hero":{"owner":{"_null":true}}}').data,
    ).toEqual([{ id: 3 }])
  })

  it('does not go back the way it came with backlink=false', () => {
    expect(answer('parts', 'fields=*.*.*&limit=1&backlink=false', small).data).toEqual([
      { id: 1, size: 9, thing: { id: 1, j: { a: 10 }, parts: [1, 2] } },
    ])
  })

  it('keeps the bare key of an item that a level below does not want', () => {
    expect(answer('parts', 'fields=thing&limit=1&deep[thing][_filter][id]=2', small).data).toEqual([
      { thing: 1 },
    ])
    expect(answer('parts', 'fields=thing.id&limit=1&deep[thing][_filter][id]=2', small).data).toEqual([
      { thing: null },
    ])
  })

  it('shows one item', () => {
    expect(evaluateOne(recordedWorld, 'authors', 1, parseQuery('fields=name,count(articles)'))).toEqual({
      name: 'Ada',
      articles_count: 2,
    })
    expect(evaluateOne(recordedWorld, 'authors', 99, {})).toBeUndefined()
  })
})

const small: World = {
  definition: {
    things: { fields: { id: key, j: json, parts: many('parts.thing') } },
    parts: { fields: { id: key, size: number, thing: maybeOne('things') } },
  },
  rows: {
    things: [10, false, 'a', 2, [1], null].map((a, index) => ({ id: index + 1, j: { a } })),
    parts: [
      { id: 1, size: 9, thing: 1 },
      { id: 2, size: 3, thing: 1 },
      { id: 3, size: 1, thing: 2 },
      { id: 4, size: null, thing: 3 },
    ],
  },
}

const answer = (collection: string, query: string, world: World = recordedWorld) =>
  evaluate(world, collection, parseQuery(query))

function ids(query: string, world: World = recordedWorld, collection = 'articles'): unknown[] {
  // Rows that were asked for nothing but their id.
  const rows = answer(collection, `fields=id&${query}`, world).data as readonly { readonly id: unknown }[]
  return rows.map(({ id }) => id)
}
