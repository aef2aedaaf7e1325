// The roads to rows: by their keys, by what they hold, and by what points to them.
import { type Call, list, one } from '../../conformance/reads/case.ts'
import type { ReadRoad } from './reads.ts'

const by = <Sought>(title: string, call: (sought: Sought) => Call, isGrouped = false): ReadRoad<Sought> => ({
  title,
  call,
  isGrouped,
})

/** Each is asked with the key of a hidden article, and with a key that no article has. */
export const keyRoads: readonly ReadRoad<number>[] = [
  by('one item', (key) => one('articles', key)),
  by('one item with some fields', (key) =>
    one('articles', key, { fields: ['id', 'author.*', 'comments.*'] }),
  ),
  by('the version of an item', (key) => one('articles', key, { version: 'draft' })),
  by('the raw version of an item', (key) => one('articles', key, { version: 'draft', versionRaw: true })),
  by('another version of an item', (key) => one('articles', key, { version: 'other' })),
  by('the main version of an item', (key) => one('articles', key, { version: 'main' })),
  by('a filter for the key', (key) => list('articles', { filter: { id: key }, meta: '*' })),
  by('a filter for several keys', (key) => list('articles', { filter: { id: { _in: [1, key] } } })),
  by('a filter for all but the key', (key) =>
    list('articles', { filter: { id: { _neq: key } }, fields: ['id'] }),
  ),
  by('a filter by $FOLLOW to the key', (key) =>
    list('authors', { filter: { '$FOLLOW(articles, author)': { id: key } } }),
  ),
  by('a filter by $FOLLOW away from the key', (key) =>
    list('authors', { filter: { '$FOLLOW(articles, author)': { _none: { id: key } } } }),
  ),
  by('a filter on children', (key) => list('authors', { filter: { articles: { id: key } } })),
  by('a filter on none of the children', (key) =>
    list('authors', { filter: { articles: { _none: { id: key } } } }),
  ),
  by(
    'an aggregate',
    (key) => list('articles', { filter: { id: key }, aggregate: { count: '*', max: ['views'] } }),
    true,
  ),
  by(
    'groups',
    (key) => list('articles', { filter: { id: key }, groupBy: ['state'], aggregate: { count: '*' } }),
    true,
  ),
  by('the filter of a deep level', (key) =>
    list('authors', { fields: ['articles.id'], deep: { articles: { _filter: { id: key } } } }),
  ),
  by('a target with the key', (key) =>
    list('comments', { filter: { article: { id: key } }, fields: ['id', 'article.id'] }),
  ),
  by(
    'groups by a target',
    (key) => list('comments', { filter: { article: { id: key } }, groupBy: ['article.title'] }),
    true,
  ),
]

/** Each is asked with text that stands in hidden rows or fields only, and with text that stands nowhere. */
export const textRoads: readonly ReadRoad<string>[] = [
  by('a search', (text) => list('articles', { search: text, meta: '*' })),
  by('a search among authors', (text) => list('authors', { search: text })),
  by('a search among comments', (text) => list('comments', { search: text })),
  by('a search of a deep level', (text) =>
    list('articles', { fields: ['id', 'comments.text'], deep: { comments: { _search: text } } }),
  ),
  by('a filter', (text) => list('articles', { filter: { title: { _contains: text } }, meta: '*' })),
  by('a negated filter', (text) =>
    list('articles', { filter: { title: { _ncontains: text } }, fields: ['id'] }),
  ),
  by('a filter on a target', (text) =>
    list('articles', { filter: { author: { name: { _starts_with: text } } } }),
  ),
  by('a negated filter on a target', (text) =>
    list('articles', { filter: { author: { name: { _nstarts_with: text } } }, fields: ['id'] }),
  ),
  by('a filter on children', (text) =>
    list('articles', { filter: { comments: { text: { _contains: text } } } }),
  ),
  by('a filter on none of the children', (text) =>
    list('articles', { filter: { comments: { _none: { text: { _contains: text } } } }, fields: ['id'] }),
  ),
  by('a filter behind a junction', (text) =>
    list('articles', { filter: { tags: { tag: { name: { _contains: text } } } } }),
  ),
  by('a filter behind a scope', (text) =>
    list('articles', { filter: { blocks: { 'item:heroes': { headline: { _contains: text } } } } }),
  ),
  by('a filter by $FOLLOW', (text) =>
    list('articles', { filter: { '$FOLLOW(comments, article)': { text: { _contains: text } } } }),
  ),
  by('the filter of a deep level', (text) =>
    list('authors', {
      fields: ['articles.id'],
      deep: { articles: { _filter: { title: { _contains: text } } } },
    }),
  ),
  by(
    'an aggregate',
    (text) =>
      list('comments', { filter: { text: { _contains: text } }, aggregate: { count: '*', max: ['text'] } }),
    true,
  ),
]

const only = (id: number, query: object): Call => list('articles', { ...query, filter: { id } })
const where = (id: number, condition: object): Call =>
  list('articles', { fields: ['title'], filter: { _and: [{ id }, condition] }, meta: '*' })

/** Each is asked of an item whose relation leads to something hidden, and of one whose relation leads nowhere. */
export const twinRoads: readonly ReadRoad<number>[] = [
  by('a target', (id) => only(id, { fields: ['author.name'] })),
  by('a target with a wildcard', (id) => only(id, { fields: ['author.*'] })),
  by('a function of a target', (id) => only(id, { fields: ['author.count(articles)'] })),
  by('what lies beyond a target', (id) => only(id, { fields: ['author.articles.title'] })),
  by('children', (id) => only(id, { fields: ['comments'] })),
  by('children with fields', (id) => only(id, { fields: ['comments.text'] })),
  by('children with a wildcard', (id) =>
    only(id, { fields: ['title', 'comments.*', 'comments.article.title'] }),
  ),
  by('children beside metadata', (id) => only(id, { fields: ['comments.text'], meta: '*' })),
  by('the number of children', (id) => only(id, { fields: ['count(comments)'] })),
  by('the groups of children', (id) =>
    only(id, {
      fields: ['comments'],
      deep: { comments: { _groupBy: ['state'], _aggregate: { count: '*' } } },
    }),
  ),
  by('the aggregates of children', (id) =>
    only(id, { fields: ['comments'], deep: { comments: { _aggregate: { count: '*', max: ['text'] } } } }),
  ),
  by('what lies behind a junction', (id) => only(id, { fields: ['tags.tag.name'] })),
  by('what lies behind a scope', (id) => only(id, { fields: ['blocks.item:heroes.headline'] })),
  by('a filter for no target', (id) => where(id, { author: { name: { _null: true } } })),
  by('a filter for a target', (id) => where(id, { author: { name: { _nnull: true } } })),
  by('a filter for any target', (id) => where(id, { author: { id: { _nnull: true } } })),
  by('a negated filter on a target', (id) => where(id, { author: { name: { _neq: 'Ada' } } })),
  by('a filter for children', (id) => where(id, { comments: { _null: false } })),
  by('a filter for no children', (id) => where(id, { comments: { _null: true } })),
  by('a filter for emptiness', (id) => where(id, { comments: { _empty: true } })),
  by('a filter on some of the children', (id) => where(id, { comments: { _some: { id: { _gt: 0 } } } })),
  by('a filter on none of the children', (id) => where(id, { comments: { _none: { id: { _gt: 0 } } } })),
  by('a filter on the number of children', (id) => where(id, { 'count(comments)': { _gt: 0 } })),
  by('a filter behind a junction', (id) => where(id, { tags: { tag: { id: { _nnull: true } } } })),
  by('a filter behind a scope', (id) => where(id, { blocks: { 'item:heroes': { id: { _nnull: true } } } })),
  by('a filter by $FOLLOW', (id) => where(id, { '$FOLLOW(comments, article)': { id: { _gt: 0 } } })),
  by('a filter by $FOLLOW for none', (id) =>
    where(id, { '$FOLLOW(comments, article)': { _none: { id: { _gt: 0 } } } }),
  ),
  by('a sort by a target', (id) => only(id, { fields: ['title'], sort: ['author.name'] })),
  by('groups by a target', (id) => only(id, { groupBy: ['author.name'], aggregate: { count: '*' } }), true),
  by('aggregates of a count', (id) => only(id, { aggregate: { sum: ['count(comments)'] } }), true),
]

/** What is asked here shows all that there is to see, and nothing that is hidden. */
export const wholes: readonly ReadRoad<undefined>[] = [
  ...['articles', 'authors', 'comments', 'tags', 'blocks', 'heroes', 'settings'].flatMap((name) => [
    by<undefined>(`all ${name}`, () => list(name, { fields: ['*'], meta: '*' })),
    by<undefined>(`all ${name} with what is around them`, () => list(name, { fields: ['*.*.*'] })),
    by<undefined>(`the number of all ${name}`, () => list(name, { aggregate: { count: '*' } }), true),
  ]),
  by(
    'the extremes of articles',
    () => list('articles', { aggregate: { min: ['title', 'views'], max: ['title', 'views'] } }),
    true,
  ),
  by(
    'all groups',
    () => list('articles', { groupBy: ['title', 'author.name'], aggregate: { count: '*' } }),
    true,
  ),
]
