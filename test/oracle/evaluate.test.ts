// The oracle itself is right: it gives the recorded answers, and what the decisions say where they differ.
import { describe, expect, it } from 'vitest'
import { parseQuery } from '../../src/index.ts'
import { evaluate, evaluateOne } from './evaluate.ts'
import { loosely, recordedWorld } from './recorded.ts'
import recorded from './recorded-reads.json' with { type: 'json' }

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
    expect(ids('filter={"_or":[],"views":{"_nin":[]}}')).toEqual([1, 2, 4, 5, 6])
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
    const small = { ...recordedWorld, limits: { defaultLimit: 2 } }
    const query = parseQuery('fields=comments.id&filter[views][_nnull]=true&page=2&meta=*')
    expect(evaluate(small, 'articles', query).meta).toEqual({
      total_count: 6,
      filter_count: 5,
      limit: 2,
      offset: 2,
      page: 2,
      page_count: 3,
      truncated: [''],
    })
  })

  it('shows one item', () => {
    expect(evaluateOne(recordedWorld, 'authors', 1, parseQuery('fields=name,count(articles)'))).toEqual({
      name: 'Ada',
      articles_count: 2,
    })
    expect(evaluateOne(recordedWorld, 'authors', 99, {})).toBeUndefined()
  })
})

const answer = (collection: string, query: string) => evaluate(recordedWorld, collection, parseQuery(query))

function ids(query: string): unknown[] {
  // Rows that were asked for nothing but their id.
  const rows = answer('articles', `fields=id&${query}`).data as readonly { readonly id: unknown }[]
  return rows.map(({ id }) => id)
}
