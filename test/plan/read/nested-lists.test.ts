// The greatest number of rows below the items of a result, which is known before any of them is read.
import { describe, expect, it } from 'vitest'
import { Problems } from '../../../src/errors/problems.ts'
import { defineSchema } from '../../../src/index.ts'
import { maxRows, nestedLists } from '../../../src/plan/read/nested-lists.ts'
import { planRead } from '../../../src/plan/read/read.ts'
import { defaultLimits } from '../../../src/query/limits.ts'
import { parseQuery } from '../../../src/query/parse.ts'
import type { PlainQuery } from '../../../src/query/query.ts'
import { many, maybeOne, text } from '../../support/fields.ts'

const id = { type: 'integer', key: true } as const
const schema = defineSchema({
  articles: { fields: { id, comments: many('comments.article') } },
  comments: { fields: { id, article: maybeOne('articles'), replies: many('replies.comment') } },
  replies: {
    fields: {
      id,
      comment: maybeOne('comments'),
      kind: text,
      about: { type: 'any', to: ['articles', 'comments'], by: 'kind', nullable: true },
    },
  },
})

function listsOf(query: object, of: 'articles' | 'replies' = 'articles') {
  const collection = schema.collections.get(of)
  if (!collection) throw new Error('no collection')
  const read = parseQuery(query) as unknown as PlainQuery // the brand is for the compiler only
  const circumstances = { now: new Date(0), caller: {} }
  const problems = new Problems('INVALID_QUERY')
  return nestedLists(
    planRead({ query: read, collection }, { schema, limits: defaultLimits, circumstances, problems }),
  )
}
const comments = (deep: object) => ({ fields: ['comments.id'], deep: { comments: deep } })
const replies = (of: object, below: object) => ({
  fields: ['comments.replies.id'],
  deep: { comments: { ...of, replies: below } },
})

describe('the rows below ten items', () => {
  it.each<[string, object, number]>([
    ['are none without lists', { fields: ['id'] }, 0],
    ['are a page each', comments({ _limit: 3 }), 30],
    ['are a page of the default length where none is given', comments({}), 1_000],
    [
      'count a tenth where they are bare keys',
      { fields: ['comments'], deep: { comments: { _limit: 3 } } },
      3,
    ],
    ['multiply level by level', replies({ _limit: 3 }, { _limit: 2 }), 30 + 60],
    ['are without bound in a list without a limit', comments({ _limit: -1 }), Number.POSITIVE_INFINITY],
    ['are none below a page without rows, whatever stands there', replies({ _limit: 0 }, { _limit: -1 }), 0],
    ['are none on pages without rows, however many there are', replies({ _limit: 3 }, { _limit: 0 }), 30],
    ['are one where a list is aggregated', comments({ _aggregate: { count: '*' } }), 10],
    ['are a page of groups', comments({ _groupBy: 'id', _aggregate: { count: '*' }, _limit: 4 }), 40],
  ])('%s', (_, query, most) => {
    expect(maxRows(listsOf(query), 10)).toBe(most)
  })

  it('are counted by the pages of the request at hand', () => {
    const lists = listsOf(replies({ _limit: 3 }, { _limit: 2 }))
    expect(maxRows(lists, 10, (page) => ({ ...page, limit: 1 }))).toBe(10 + 10)
    expect(maxRows(lists, 0)).toBe(0)
  })
})

describe('lists below others', () => {
  it('stand behind them, also through single items and items of any collection', () => {
    const fields = [
      'comment.article.comments.replies.id',
      'about:articles.comments.id',
      'about:comments.replies.id',
    ]
    const found = listsOf({ fields }, 'replies').map(({ list, parent, through }) => ({
      place: list.place,
      parent,
      through: through.map(({ kind }) => kind),
    }))
    expect(found).toEqual([
      { place: 'comment.article.comments', parent: undefined, through: ['one', 'one'] },
      { place: 'comment.article.comments.replies', parent: 0, through: [] },
      { place: 'about:articles.comments', parent: undefined, through: ['arm'] },
      { place: 'about:comments.replies', parent: undefined, through: ['arm'] },
    ])
  })
})
