// Aggregates and groups.
import { casesOf, invalid, items, list, one, refused, unknownField } from './case.ts'

const aggregated = (aggregate: object, more: object = {}) => list('articles', { aggregate, ...more })
const samples = (aggregate: object, more: object = {}) => list('samples', { aggregate, ...more })
const grouped = (groupBy: string | readonly string[], more: object = {}) =>
  list('articles', { groupBy, aggregate: { count: '*' }, ...more })

const byStatus = [
  { status: 'archived', count: 1 },
  { status: 'draft', count: 3 },
  { status: 'published', count: 2 },
  { status: null, count: 1 },
] as const
const [archived, draft, published, none] = byStatus

export const aggregateCases = casesOf({
  'count of * is a number of rows': [aggregated({ count: '*' }), items({ count: 7 })],
  'count of a field is a number of values': [aggregated({ count: 'views' }), items({ count: { views: 6 } })],
  'count of * and of fields stand beside each other': [
    aggregated({ count: ['*', 'views'] }),
    items({ count: { '*': 7, views: 6 } }),
  ],
  'the aggregates of numbers are numbers': [
    aggregated({
      countDistinct: 'views',
      sum: 'views',
      sumDistinct: 'views',
      avg: 'score',
      avgDistinct: 'views',
      min: 'views',
      max: 'score',
    }),
    items({
      countDistinct: { views: 5 },
      sum: { views: 188 },
      sumDistinct: { views: 146 },
      avg: { score: 9 },
      avgDistinct: { views: 29.2 },
      min: { views: -1 },
      max: { score: 42 },
    }),
  ],
  'sums of decimals and of 64-bit numbers are exact text': [
    samples({ sum: ['price', 'big'] }),
    items({ sum: { price: '100000010.49', big: '-9214364837600034773' } }),
  ],
  'sums of decimals that are stored as text have all their digits': [
    samples({ sum: 'exact' }),
    items({ sum: { exact: '12345678901234567893.05' } }),
    { needs: 'exactSums' },
  ],
  'what is no number counts as no value': [
    samples({ count: 'real', sum: 'real', avg: 'real', min: 'real', max: 'real' }),
    items({
      count: { real: 1 },
      sum: { real: 1.5 },
      avg: { real: 1.5 },
      min: { real: 1.5 },
      max: { real: 1.5 },
    }),
  ],
  'the average of decimals is a number': [
    list('samples', { aggregate: { avg: 'price' }, filter: { id: { _in: [1, 4] } } }),
    items({ avg: { price: 5.25 } }),
  ],
  'smallest and largest have the type of the field': [
    samples({ min: ['big', 'price', 'day', 'hour', 'local', 'long'], max: ['moment', 'whole'] }),
    items({
      min: {
        big: '-9223372036854775808',
        price: '0.00',
        day: '1969-12-31',
        hour: '00:00:00',
        local: '2000-12-31T23:59:59',
        long: '',
      },
      max: { moment: '2024-12-31T23:59:59.999Z', whole: 7 },
    }),
  ],
  'a function may be aggregated': [
    aggregated({ max: 'year(published_at)', min: 'count(comments)' }),
    items({ max: { published_at_year: 2024 }, min: { comments_count: 0 } }),
  ],
  'of nothing a count is 0 and the rest is null': [
    aggregated(
      { count: ['*', 'id'], sum: 'views', avg: 'views', min: 'title', max: 'published_at' },
      { filter: { id: -1 } },
    ),
    items({
      count: { '*': 0, id: 0 },
      sum: { views: null },
      avg: { views: null },
      min: { title: null },
      max: { published_at: null },
    }),
  ],
  'filter and search apply before': [
    aggregated({ count: '*' }, { search: 'hello', filter: { views: { _gt: 50 } } }),
    items({ count: 1 }),
  ],
  'a condition on children multiplies no row': [
    aggregated({ count: '*', sum: 'views', avg: 'views' }, { filter: { comments: { id: { _gt: 0 } } } }),
    items({ count: 3, sum: { views: 147 }, avg: { views: 49 } }),
  ],
  'fields say nothing about aggregates': [
    aggregated({ count: '*' }, { fields: ['title'] }),
    items({ count: 7 }),
  ],
  'a single item may be aggregated': [
    one('articles', 1, { aggregate: { count: '*', sum: 'views' } }),
    { count: 1, sum: { views: 100 } },
  ],
  'limit 0 leaves no aggregate': [aggregated({ count: '*' }, { limit: 0 }), items()],
  'an aggregate is a list of one': [aggregated({ count: '*' }, { offset: 1 }), items()],
  'relations and documents can be counted': [
    aggregated({ count: ['author', 'meta'], countDistinct: 'author' }),
    items({ count: { author: 6, meta: 6 }, countDistinct: { author: 5 } }),
  ],
  'countAll belongs elsewhere': [
    aggregated({ countAll: '*' }),
    refused(invalid(['aggregate', 'countAll'], '"countAll" belongs to GraphQL.', 'Write aggregate[count]=*')),
  ],
  'an unknown aggregate is an error that lists the known ones': [
    aggregated({ median: 'views' }),
    refused(
      invalid(
        ['aggregate', 'median'],
        'There is no aggregate "median"; there are count, countDistinct, sum, sumDistinct, avg, avgDistinct, min, max.',
      ),
    ),
  ],
  'a sum takes fields, not *': [
    aggregated({ sum: '*' }),
    refused(invalid(['aggregate', 'sum'], '"sum" takes fields, not "*".')),
  ],
  'a sum of texts makes no sense': [
    aggregated({ sum: 'title' }),
    refused(invalid(['aggregate', 'sum'], '"sum" does not work on "title" (string).')),
  ],
  'smallest and largest make no sense of what has no order': [
    samples({ min: ['flag', 'paper'], max: ['code', 'bytes'] }),
    refused(
      invalid(['aggregate', 'min'], '"min" does not work on "flag" (boolean).'),
      invalid(['aggregate', 'min'], '"min" does not work on "paper" (json).'),
      invalid(['aggregate', 'max'], '"max" does not work on "code" (uuid).'),
      invalid(['aggregate', 'max'], '"max" does not work on "bytes" (binary).'),
    ),
  ],
  'an aggregate of an unknown field is FORBIDDEN': [
    aggregated({ sum: 'viewz' }),
    refused(unknownField('viewz', 'articles', ['aggregate', 'sum'], 'views')),
  ],
})

export const groupCases = casesOf({
  'groups come first, then aggregates, ordered by the group': [grouped('status'), items(...byStatus)],
  'groups without aggregate are distinct values': [
    list('articles', { groupBy: ['status'] }),
    items({ status: 'archived' }, { status: 'draft' }, { status: 'published' }, { status: null }),
  ],
  'several groups': [
    grouped(['featured', 'status'], { filter: { status: { _nnull: true } } }),
    items(
      { featured: false, status: 'archived', count: 1 },
      { featured: false, status: 'draft', count: 1 },
      { featured: true, status: 'draft', count: 1 },
      { featured: true, status: 'published', count: 1 },
      { featured: null, status: 'draft', count: 1 },
      { featured: null, status: 'published', count: 1 },
    ),
  ],
  'a function makes groups under its own name': [
    grouped('year(published_at)'),
    items(
      { published_at_year: 2022, count: 1 },
      { published_at_year: 2023, count: 2 },
      { published_at_year: 2024, count: 2 },
      { published_at_year: null, count: 2 },
    ),
  ],
  'a count makes groups': [
    grouped('count(comments)'),
    items({ comments_count: 0, count: 4 }, { comments_count: 1, count: 2 }, { comments_count: 3, count: 1 }),
  ],
  'a field of a related item makes groups that nest': [
    grouped(['author.country', 'author.name'], { filter: { author: { _in: [1, 2, 99] } } }),
    items(
      { author: { country: 'de', name: 'Bob' }, count: 1 },
      { author: { country: 'no', name: 'Ada' }, count: 2 },
      { author: { country: null, name: null }, count: 1 },
    ),
  ],
  'a function of a related item makes groups that nest': [
    grouped('year(author.born)', { filter: { author: { _in: [1, 2] } } }),
    items({ author: { born_year: 1974 }, count: 1 }, { author: { born_year: 1985 }, count: 2 }),
  ],
  'a raw key makes groups': [
    grouped('author'),
    items(
      { author: 1, count: 2 },
      { author: 2, count: 1 },
      { author: 3, count: 1 },
      { author: 4, count: 1 },
      { author: 99, count: 1 },
      { author: null, count: 1 },
    ),
  ],
  'group values have the type of the field': [
    list('samples', {
      groupBy: ['day', 'flag', 'big', 'price', 'words', 'code'],
      filter: { id: { _in: [1, 3] } },
    }),
    items(
      {
        day: '1969-12-31',
        flag: false,
        big: '-9223372036854775808',
        price: '99999999.99',
        words: [],
        code: '00000000-0000-4000-8000-000000000001',
      },
      {
        day: '2024-02-29',
        flag: true,
        big: '9007199254740993',
        price: '10.50',
        words: ['alpha', 'beta'],
        code: 'abcdef00-0000-4000-8000-00000000000a',
      },
    ),
  ],
  'groups sort by a count of rows, ties by the group in the same direction': [
    grouped('status', { sort: '-count' }),
    items(draft, published, none, archived),
  ],
  'groups sort by an aggregate of a field': [
    list('articles', { groupBy: 'status', aggregate: { sum: 'views' }, sort: ['sum.views'] }),
    items(
      { status: 'archived', sum: { views: 0 } },
      { status: null, sum: { views: 42 } },
      { status: 'draft', sum: { views: 46 } },
      { status: 'published', sum: { views: 100 } },
    ),
  ],
  'groups sort by a group, null first in descending order': [
    grouped('status', { sort: '-status' }),
    items(none, published, draft, archived),
  ],
  'groups sort by a function, written either way': [
    grouped('year(published_at)', { sort: '-year(published_at)', limit: 2 }),
    items({ published_at_year: null, count: 2 }, { published_at_year: 2024, count: 2 }),
  ],
  'limit and offset apply to groups': [grouped('status', { limit: 2, offset: 1 }), items(draft, published)],
  'pages are of groups': [grouped('status', { limit: 3, page: 2 }), items(none)],
  'filter and search apply before groups': [
    grouped('status', { filter: { views: { _gte: 5 } }, search: 'hello' }),
    items({ status: 'draft', count: 1 }, { status: 'published', count: 1 }),
  ],
  'sums of groups are right under a condition on children': [
    list('articles', {
      groupBy: 'status',
      aggregate: { sum: 'views', count: '*' },
      filter: { comments: { id: { _gt: 0 } } },
    }),
    items(
      { status: 'draft', sum: { views: 5 }, count: 1 },
      { status: 'published', sum: { views: 100 }, count: 1 },
      { status: null, sum: { views: 42 }, count: 1 },
    ),
  ],
  'of no rows there are no groups': [grouped('status', { filter: { id: -1 } }), items()],
  'JSON and bytes make no groups': [
    list('samples', { groupBy: ['paper', 'bytes'] }),
    refused(
      invalid(['groupBy'], '"paper" is of type json, by which nothing can be grouped.'),
      invalid(['groupBy'], '"bytes" is of type binary, by which nothing can be grouped.'),
    ),
  ],
  'a relation to many makes no groups': [
    grouped('comments.text'),
    refused(invalid(['groupBy'], '"comments.text" has many values for one item, so it makes no groups.')),
  ],
  'what is hidden makes no groups': [
    list('secrets', { groupBy: 'hash' }),
    refused(invalid(['groupBy'], '"hash" is of type hash, by which nothing can be grouped.')),
  ],
  'what is concealed makes no groups, has no order and is not told apart, and it is said why': [
    list('secrets', {
      groupBy: 'pin',
      aggregate: { countDistinct: ['pin', 'hash'], max: 'pin', count: 'pin' },
    }),
    refused(
      invalid(['groupBy'], '"pin" is a concealed string, by which nothing can be grouped.'),
      invalid(
        ['aggregate', 'countDistinct'],
        '"countDistinct" does not work on "pin" (string), which is concealed.',
      ),
      invalid(['aggregate', 'countDistinct'], '"countDistinct" does not work on "hash" (hash).'),
      invalid(['aggregate', 'max'], '"max" does not work on "pin" (string), which is concealed.'),
    ),
  ],
  'what is concealed gives no order to items either': [
    list('secrets', { sort: 'pin' }),
    refused(invalid(['sort'], '"pin" is a concealed string, which has no order.')),
  ],
  'two groups of one name exclude each other': [
    grouped(['author', 'author.name']),
    refused(
      invalid(
        ['groupBy'],
        'Two columns of a group would both be called "author.name".',
        'Give one a name by "alias" and group by that: alias[other]=author.name&groupBy=other.',
      ),
    ),
  ],
  'a group that is called like an aggregate gets another name by an alias': [
    list('tallies', {
      alias: { amount: 'count' },
      groupBy: 'amount',
      aggregate: { count: '*' },
      sort: '-amount',
    }),
    items({ amount: 3, count: 2 }, { amount: 1, count: 1 }),
  ],
  'a group that is called like an aggregate is refused without one, and told of the way': [
    list('tallies', { groupBy: 'count', aggregate: { count: '*' } }),
    refused(
      invalid(
        ['groupBy'],
        'Two columns of a group would both be called "count".',
        'Give one a name by "alias" and group by that: alias[other]=count&groupBy=other.',
      ),
    ),
  ],
  'an alias of a function makes groups under its own name, and sorts them': [
    list('articles', {
      alias: { when: 'year(published_at)' },
      groupBy: ['when', 'year(published_at)'],
      sort: '-when',
      limit: 1,
    }),
    items({ when: null, published_at_year: null }),
  ],
  'an alias that is called like a field takes its place in groups, too': [
    list('tallies', { alias: { id: 'count' }, groupBy: 'id', aggregate: { countDistinct: 'id' } }),
    items({ id: 1, countDistinct: { id: 1 } }, { id: 3, countDistinct: { id: 2 } }),
  ],
  'an alias of nothing makes no groups': [
    list('tallies', { alias: { amount: 'cuont' }, groupBy: 'amount' }),
    refused(unknownField('cuont', 'tallies', ['groupBy'], 'count')),
  ],
  'the groups of related items take aliases, too': [
    list('tallies', {
      fields: ['id', 'parts'],
      deep: { parts: { _alias: { amount: 'count' }, _groupBy: 'amount', _aggregate: { count: '*' } } },
      limit: 1,
    }),
    items({
      id: 1,
      parts: [
        { amount: 1, count: 1 },
        { amount: 3, count: 1 },
      ],
    }),
  ],
  'groups sort by nothing they do not have': [
    grouped('status', { sort: 'views' }),
    refused(invalid(['sort'], 'Groups cannot be sorted by "views"; there are status, count.')),
  ],
  'a sort by an aggregate that is written as a function hints the name that it has': [
    list('articles', {
      groupBy: 'status',
      aggregate: { sum: 'views', count: ['*', 'views'] },
      sort: '-sum(views)',
    }),
    refused(
      invalid(
        ['sort'],
        'Groups cannot be sorted by "-sum(views)"; there are status, sum.views, count.*, count.views.',
        'Write "-sum.views".',
      ),
    ),
  ],
  'a sort by another aggregate that is written as a function hints the name that it has': [
    grouped('status', { aggregate: { countDistinct: 'views' }, sort: 'countDistinct( views )' }),
    refused(
      invalid(
        ['sort'],
        '"countDistinct( views )" is not understood: there is no function "countDistinct"; there are year, month, week, day, weekday, hour, minute, second, count, json, sum, avg, min, max.',
        'Write "countDistinct.views".',
      ),
    ),
  ],
  'a sort by a count that is written as a function hints the name that it has': [
    grouped('status', { aggregate: { count: ['*', 'views'] }, sort: ['-count(views)', 'count(*)'] }),
    refused(
      invalid(
        ['sort'],
        'Groups cannot be sorted by "-count(views)"; there are status, count.*, count.views.',
        'Write "-count.views".',
      ),
      invalid(
        ['sort'],
        'Groups cannot be sorted by "count(*)"; there are status, count.*, count.views.',
        'Write "count.*".',
      ),
    ),
  ],
  'an aggregate that is written as a function of a field hints its parameter': [
    list('articles', { fields: ['sum(views)'] }),
    refused(
      invalid(
        ['fields'],
        '"sum" takes a list of related items, not "views" (integer).',
        'Write aggregate[sum]=views.',
      ),
    ),
  ],
  'a mistyped name of a group hints the one that is meant': [
    grouped('status', { sort: '-stauts' }),
    refused(
      invalid(
        ['sort'],
        'Groups cannot be sorted by "-stauts"; there are status, count.',
        'Did you mean "-status"?',
      ),
    ),
  ],
  'an unknown field makes no groups': [
    grouped('stauts'),
    refused(unknownField('stauts', 'articles', ['groupBy'], 'status')),
  ],
})
