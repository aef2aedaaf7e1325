// Aggregates of related items as values: in fields, orders, filters and aliases.
import { casesOf, ids, invalid, items, list, one, refused, unknownField } from './case.ts'

const shown = (fields: string | readonly string[], more: object = {}) =>
  list('articles', { fields, limit: 3, ...more })
const sorted = (sort: string | readonly string[], more: object = {}) =>
  list('articles', { fields: ['id'], sort, ...more })
const found = (filter: object, more: object = {}) => list('articles', { fields: ['id'], filter, ...more })
const liked = { alias: { hot: 'comments' }, deep: { hot: { _filter: { likes: { _gte: 3 } } } } }

export const relatedCases = casesOf({
  'each aggregate of related items is shown under its own name': [
    list('articles', {
      fields: [
        'id',
        'sum(comments.likes)',
        'avg(comments.likes)',
        'min( comments.likes )',
        'max(comments.text)',
      ],
      limit: 3,
    }),
    items(
      {
        id: 1,
        comments_likes_sum: 3,
        comments_likes_avg: 1.5,
        comments_likes_min: 0,
        comments_text_max: 'nice',
      },
      {
        id: 2,
        comments_likes_sum: 7,
        comments_likes_avg: 7,
        comments_likes_min: 7,
        comments_text_max: 'nice',
      },
      {
        id: 3,
        comments_likes_sum: null,
        comments_likes_avg: null,
        comments_likes_min: null,
        comments_text_max: null,
      },
    ),
  ],
  'an aggregate of one item': [
    one('articles', 1, { fields: ['sum(comments.likes)', 'count(comments)'] }),
    items({ comments_likes_sum: 3, comments_count: 3 }).data[0],
  ],
  'an aggregate of the rows of a junction': [
    shown('sum(tags.weight)'),
    items({ tags_weight_sum: 4 }, { tags_weight_sum: 2 }, { tags_weight_sum: null }),
  ],
  'an aggregate behind a relation, written either way': [
    shown(['author.sum(articles.views)', 'max(author.articles.views)']),
    items(
      { author: { articles_views_sum: 105, articles_views_max: 100 } },
      { author: { articles_views_sum: 105, articles_views_max: 100 } },
      { author: { articles_views_sum: null, articles_views_max: null } },
    ),
  ],
  'an aggregate in each child': [
    list('authors', { fields: ['articles.sum(comments.likes)'], filter: { id: 1 } }),
    items({ articles: [{ comments_likes_sum: 3 }, { comments_likes_sum: 7 }] }),
  ],
  'a sum sorts, and no value is first in descending order': [
    sorted('-sum(comments.likes)'),
    ids(7, 6, 4, 3, 5, 2, 1),
  ],
  'a sum sorts in ascending order': [sorted('sum(comments.likes)'), ids(1, 2, 5, 3, 4, 6, 7)],
  'an aggregate of a related item sorts': [
    sorted(['-sum(author.articles.views)', 'id']),
    ids(3, 4, 6, 1, 2, 5, 7),
  ],
  'an aggregate sorts in each list': [
    list('authors', {
      fields: ['articles.id'],
      filter: { id: 1 },
      deep: { articles: { _sort: '-max(comments.likes)' } },
    }),
    items({ articles: [{ id: 2 }, { id: 1 }] }),
  ],
  'an aggregate takes the operators of its type': [
    found({ 'sum(comments.likes)': { _between: [3, 7] } }),
    ids(1, 2),
  ],
  'a sum of nothing is no value': [found({ 'sum(comments.likes)': { _null: true } }), ids(3, 4, 6, 7)],
  'an average takes fractions': [found({ 'avg(comments.likes)': { _eq: 1.5 } }), ids(1)],
  'the largest text takes operators of text': [
    found({ 'max(comments.text)': { _starts_with: 'g' } }),
    ids(5),
  ],
  'an aggregate behind a relation filters': [
    found({ author: { 'sum(articles.views)': { _gt: 100 } } }),
    ids(1, 2),
  ],
  'an aggregate of what is related to related items filters': [
    list('authors', { fields: ['id'], filter: { articles: { 'sum(comments.likes)': { _gt: 5 } } } }),
    ids(1, 3),
  ],
  'an alias of an aggregate shows and sorts': [
    shown(['likes'], { alias: { likes: 'sum(comments.likes)' }, sort: 'likes' }),
    items({ likes: 3 }, { likes: 7 }, { likes: 10 }),
  ],
  'the filter of an alias holds in an order': [
    sorted(['-count(hot)', '-sum(hot.likes)'], { ...liked, limit: 3 }),
    ids(5, 2, 1),
  ],
  'the filter of an alias holds in fields': [
    shown(['count(hot)', 'min(hot.likes)'], liked),
    items(
      { hot_count: 1, hot_likes_min: 3 },
      { hot_count: 1, hot_likes_min: 7 },
      { hot_count: 0, hot_likes_min: null },
    ),
  ],
  'the filter of an alias holds in a filter': [found({ 'count(hot)': { _gt: 0 } }, liked), ids(1, 2, 5)],
  'the filter of an alias holds in an alias of its aggregate': [
    shown(['n'], { ...liked, alias: { ...liked.alias, n: 'max(hot.likes)' }, limit: 1 }),
    items({ n: 3 }),
  ],
  'the search of an alias holds, and its page does not': [
    shown(['count(nice)'], {
      alias: { nice: 'comments' },
      deep: { nice: { _search: 'NICE', _limit: 0, _sort: '-id' } },
    }),
    items({ nice_count: 1 }, { nice_count: 1 }, { nice_count: 0 }),
  ],
  'the filter of an alias may name what is related': [
    shown(['sum(byAda.likes)'], {
      alias: { byAda: 'comments' },
      deep: { byAda: { _filter: { author: { name: 'Ada' } } } },
    }),
    items({ byAda_likes_sum: null }, { byAda_likes_sum: 7 }, { byAda_likes_sum: null }),
  ],
  'an alias counts in the list where it stands': [
    list('authors', {
      fields: ['articles.id'],
      filter: { id: 1 },
      deep: { articles: { _alias: liked.alias, _sort: ['-sum(hot.likes)'], hot: liked.deep.hot } },
    }),
    items({ articles: [{ id: 2 }, { id: 1 }] }),
  ],
  'a relation itself is counted whole, whatever its list shows': [
    shown(['id', 'count(comments)'], { deep: { comments: { _filter: { likes: { _gt: 99 } } } }, limit: 1 }),
    items({ id: 1, comments_count: 3 }),
  ],
  'an aggregate makes groups, and is aggregated': [
    list('articles', {
      groupBy: ['sum(comments.likes)'],
      aggregate: { count: '*', max: ['sum(comments.likes)'] },
    }),
    items(
      { comments_likes_sum: 3, count: 1, max: { comments_likes_sum: 3 } },
      { comments_likes_sum: 7, count: 1, max: { comments_likes_sum: 7 } },
      { comments_likes_sum: 10, count: 1, max: { comments_likes_sum: 10 } },
      { comments_likes_sum: null, count: 4, max: { comments_likes_sum: null } },
    ),
  ],
  'the mistakes of an alias are told once': [
    sorted(['-count(hot)', 'sum(hot.likes)'], {
      alias: { hot: 'comments' },
      deep: { hot: { _filter: { lieks: 3 } } },
    }),
    refused(unknownField('lieks', 'comments', ['deep', 'hot', '_filter', 'lieks'], 'likes')),
  ],
  'an alias in itself is no relation of the collection behind it': [
    found({ author: { 'count(hot)': { _gt: 0 } } }, liked),
    refused(unknownField('hot', 'authors', ['filter', 'author', 'count(hot)'])),
  ],
  'an aggregate without a field shows the right form': [
    sorted('-sum(comments)'),
    refused(
      invalid(['sort'], '"sum" needs a field of the items of "comments".', 'Write "sum(comments.likes)".'),
    ),
  ],
  'a sum of text shows the right form': [
    sorted('sum(comments.text)'),
    refused(invalid(['sort'], '"sum" does not work on "text" (string).', 'Write "sum(comments.likes)".')),
  ],
  'an aggregate of one related item shows the right form': [
    shown('sum(author.age)'),
    refused(
      invalid(['fields'], '"sum" takes a list of related items, not "author" (m2o).', 'Write "author.age".'),
    ),
  ],
  'an aggregate of the items themselves shows the right form': [
    shown('sum(views)'),
    refused(
      invalid(
        ['fields'],
        '"sum" takes a list of related items, not "views" (integer).',
        'Write aggregate[sum]=views.',
      ),
    ),
  ],
  'an unknown field of related items': [
    found({ 'sum(comments.lieks)': { _gt: 1 } }),
    refused(unknownField('lieks', 'comments', ['filter', 'sum(comments.lieks)'], 'likes')),
  ],
  'a path in a filter is nested': [
    found({ 'sum(author.articles.views)': { _gt: 1 } }),
    refused(
      invalid(
        ['filter', 'sum(author.articles.views)'],
        '"sum(author.articles.views)" follows a relation.',
        'Write { "author": { "sum(articles.views)": … } }',
      ),
    ),
  ],
  'an alias of a path is refused': [
    shown(['x'], { alias: { x: 'sum(author.articles.views)' } }),
    refused(
      invalid(
        ['alias', 'x'],
        'The alias "x" stands for a field of its own collection; "sum(author.articles.views)" is a path.',
      ),
    ),
  ],
})
