// Aggregates and groups.
import { invalid, items, list, one, type ReadCase, refused, unknownField } from './case.ts'

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

export const aggregateCases: readonly ReadCase[] = [
  { title: 'count of * is a number of rows', call: aggregated({ count: '*' }), expect: items({ count: 7 }) },
  {
    title: 'count of a field is a number of values',
    call: aggregated({ count: 'views' }),
    expect: items({ count: { views: 6 } }),
  },
  {
    title: 'count of * and of fields stand beside each other',
    call: aggregated({ count: ['*', 'views'] }),
    expect: items({ count: { '*': 7, views: 6 } }),
  },
  {
    title: 'the aggregates of numbers are numbers',
    call: aggregated({
      countDistinct: 'views',
      sum: 'views',
      sumDistinct: 'views',
      avg: 'score',
      avgDistinct: 'views',
      min: 'views',
      max: 'score',
    }),
    expect: items({
      countDistinct: { views: 5 },
      sum: { views: 188 },
      sumDistinct: { views: 146 },
      avg: { score: 9 },
      avgDistinct: { views: 29.2 },
      min: { views: -1 },
      max: { score: 42 },
    }),
  },
  {
    title: 'sums of decimals and of 64-bit numbers are exact text',
    call: samples({ sum: ['price', 'big'] }),
    expect: items({ sum: { price: '100000010.49', big: '-9214364837600034773' } }),
  },
  {
    title: 'sums of decimals that are stored as text have all their digits',
    call: samples({ sum: 'exact' }),
    needs: 'exactSums',
    expect: items({ sum: { exact: '12345678901234567893.05' } }),
  },
  {
    title: 'what is no number counts as no value',
    call: samples({ count: 'real', sum: 'real', avg: 'real', min: 'real', max: 'real' }),
    expect: items({
      count: { real: 1 },
      sum: { real: 1.5 },
      avg: { real: 1.5 },
      min: { real: 1.5 },
      max: { real: 1.5 },
    }),
  },
  {
    title: 'the average of decimals is a number',
    call: list('samples', { aggregate: { avg: 'price' }, filter: { id: { _in: [1, 4] } } }),
    expect: items({ avg: { price: 5.25 } }),
  },
  {
    title: 'smallest and largest have the type of the field',
    call: samples({
      min: ['big', 'price', 'day', 'hour', 'local', 'long'],
      max: ['moment', 'whole'],
    }),
    expect: items({
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
  },
  {
    title: 'a function may be aggregated',
    call: aggregated({ max: 'year(published_at)', min: 'count(comments)' }),
    expect: items({ max: { published_at_year: 2024 }, min: { comments_count: 0 } }),
  },
  {
    title: 'of nothing a count is 0 and the rest is null',
    call: aggregated(
      { count: ['*', 'id'], sum: 'views', avg: 'views', min: 'title', max: 'published_at' },
      { filter: { id: -1 } },
    ),
    expect: items({
      count: { '*': 0, id: 0 },
      sum: { views: null },
      avg: { views: null },
      min: { title: null },
      max: { published_at: null },
    }),
  },
  {
    title: 'filter and search apply before',
    call: aggregated({ count: '*' }, { search: 'hello', filter: { views: { _gt: 50 } } }),
    expect: items({ count: 1 }),
  },
  {
    title: 'a condition on children multiplies no row',
    call: aggregated(
      { count: '*', sum: 'views', avg: 'views' },
      { filter: { comments: { id: { _gt: 0 } } } },
    ),
    expect: items({ count: 3, sum: { views: 147 }, avg: { views: 49 } }),
  },
  {
    title: 'fields say nothing about aggregates',
    call: aggregated({ count: '*' }, { fields: ['title'] }),
    expect: items({ count: 7 }),
  },
  {
    title: 'a single item may be aggregated',
    call: one('articles', 1, { aggregate: { count: '*', sum: 'views' } }),
    expect: { count: 1, sum: { views: 100 } },
  },
  { title: 'limit 0 leaves no aggregate', call: aggregated({ count: '*' }, { limit: 0 }), expect: items() },
  {
    title: 'an aggregate is a list of one',
    call: aggregated({ count: '*' }, { offset: 1 }),
    expect: items(),
  },
  {
    title: 'relations and documents can be counted',
    call: aggregated({ count: ['author', 'meta'], countDistinct: 'author' }),
    expect: items({ count: { author: 6, meta: 6 }, countDistinct: { author: 5 } }),
  },
  {
    title: 'countAll belongs elsewhere',
    call: aggregated({ countAll: '*' }),
    expect: refused(
      invalid(['aggregate', 'countAll'], '"countAll" belongs to GraphQL.', 'Write aggregate[count]=*'),
    ),
  },
  {
    title: 'an unknown aggregate is an error that lists the known ones',
    call: aggregated({ median: 'views' }),
    expect: refused(
      invalid(
        ['aggregate', 'median'],
        'There is no aggregate "median"; there are count, countDistinct, sum, sumDistinct, avg, avgDistinct, min, max.',
      ),
    ),
  },
  {
    title: 'a sum takes fields, not *',
    call: aggregated({ sum: '*' }),
    expect: refused(invalid(['aggregate', 'sum'], '"sum" takes fields, not "*".')),
  },
  {
    title: 'a sum of texts makes no sense',
    call: aggregated({ sum: 'title' }),
    expect: refused(invalid(['aggregate', 'sum'], '"sum" does not work on "title" (string).')),
  },
  {
    title: 'smallest and largest make no sense of what has no order',
    call: samples({ min: ['flag', 'paper'], max: ['code', 'bytes'] }),
    expect: refused(
      invalid(['aggregate', 'min'], '"min" does not work on "flag" (boolean).'),
      invalid(['aggregate', 'min'], '"min" does not work on "paper" (json).'),
      invalid(['aggregate', 'max'], '"max" does not work on "code" (uuid).'),
      invalid(['aggregate', 'max'], '"max" does not work on "bytes" (binary).'),
    ),
  },
  {
    title: 'an aggregate of an unknown field is FORBIDDEN',
    call: aggregated({ sum: 'viewz' }),
    expect: refused(unknownField('viewz', 'articles', ['aggregate', 'sum'], 'views')),
  },
]

export const groupCases: readonly ReadCase[] = [
  {
    title: 'groups come first, then aggregates, ordered by the group',
    call: grouped('status'),
    expect: items(...byStatus),
  },
  {
    title: 'groups without aggregate are distinct values',
    call: list('articles', { groupBy: ['status'] }),
    expect: items({ status: 'archived' }, { status: 'draft' }, { status: 'published' }, { status: null }),
  },
  {
    title: 'several groups',
    call: grouped(['featured', 'status'], { filter: { status: { _nnull: true } } }),
    expect: items(
      { featured: false, status: 'archived', count: 1 },
      { featured: false, status: 'draft', count: 1 },
      { featured: true, status: 'draft', count: 1 },
      { featured: true, status: 'published', count: 1 },
      { featured: null, status: 'draft', count: 1 },
      { featured: null, status: 'published', count: 1 },
    ),
  },
  {
    title: 'a function makes groups under its own name',
    call: grouped('year(published_at)'),
    expect: items(
      { published_at_year: 2022, count: 1 },
      { published_at_year: 2023, count: 2 },
      { published_at_year: 2024, count: 2 },
      { published_at_year: null, count: 2 },
    ),
  },
  {
    title: 'a count makes groups',
    call: grouped('count(comments)'),
    expect: items(
      { comments_count: 0, count: 4 },
      { comments_count: 1, count: 2 },
      { comments_count: 3, count: 1 },
    ),
  },
  {
    title: 'a field of a related item makes groups that nest',
    call: grouped(['author.country', 'author.name'], { filter: { author: { _in: [1, 2, 99] } } }),
    expect: items(
      { author: { country: 'de', name: 'Bob' }, count: 1 },
      { author: { country: 'no', name: 'Ada' }, count: 2 },
      { author: { country: null, name: null }, count: 1 },
    ),
  },
  {
    title: 'a function of a related item makes groups that nest',
    call: grouped('year(author.born)', { filter: { author: { _in: [1, 2] } } }),
    expect: items({ author: { born_year: 1974 }, count: 1 }, { author: { born_year: 1985 }, count: 2 }),
  },
  {
    title: 'a raw key makes groups',
    call: grouped('author'),
    expect: items(
      { author: 1, count: 2 },
      { author: 2, count: 1 },
      { author: 3, count: 1 },
      { author: 4, count: 1 },
      { author: 99, count: 1 },
      { author: null, count: 1 },
    ),
  },
  {
    title: 'group values have the type of the field',
    call: list('samples', {
      groupBy: ['day', 'flag', 'big', 'price', 'words', 'code'],
      filter: { id: { _in: [1, 3] } },
    }),
    expect: items(
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
  },
  {
    title: 'groups sort by a count of rows, ties by the group in the same direction',
    call: grouped('status', { sort: '-count' }),
    expect: items(draft, published, none, archived),
  },
  {
    title: 'groups sort by an aggregate of a field',
    call: list('articles', { groupBy: 'status', aggregate: { sum: 'views' }, sort: ['sum.views'] }),
    expect: items(
      { status: 'archived', sum: { views: 0 } },
      { status: null, sum: { views: 42 } },
      { status: 'draft', sum: { views: 46 } },
      { status: 'published', sum: { views: 100 } },
    ),
  },
  {
    title: 'groups sort by a group, null first in descending order',
    call: grouped('status', { sort: '-status' }),
    expect: items(none, published, draft, archived),
  },
  {
    title: 'groups sort by a function, written either way',
    call: grouped('year(published_at)', { sort: '-year(published_at)', limit: 2 }),
    expect: items({ published_at_year: null, count: 2 }, { published_at_year: 2024, count: 2 }),
  },
  {
    title: 'limit and offset apply to groups',
    call: grouped('status', { limit: 2, offset: 1 }),
    expect: items(draft, published),
  },
  { title: 'pages are of groups', call: grouped('status', { limit: 3, page: 2 }), expect: items(none) },
  {
    title: 'filter and search apply before groups',
    call: grouped('status', { filter: { views: { _gte: 5 } }, search: 'hello' }),
    expect: items({ status: 'draft', count: 1 }, { status: 'published', count: 1 }),
  },
  {
    title: 'sums of groups are right under a condition on children',
    call: list('articles', {
      groupBy: 'status',
      aggregate: { sum: 'views', count: '*' },
      filter: { comments: { id: { _gt: 0 } } },
    }),
    expect: items(
      { status: 'draft', sum: { views: 5 }, count: 1 },
      { status: 'published', sum: { views: 100 }, count: 1 },
      { status: null, sum: { views: 42 }, count: 1 },
    ),
  },
  {
    title: 'of no rows there are no groups',
    call: grouped('status', { filter: { id: -1 } }),
    expect: items(),
  },
  {
    title: 'JSON and bytes make no groups',
    call: list('samples', { groupBy: ['paper', 'bytes'] }),
    expect: refused(
      invalid(['groupBy'], '"paper" is of type json, by which nothing can be grouped.'),
      invalid(['groupBy'], '"bytes" is of type binary, by which nothing can be grouped.'),
    ),
  },
  {
    title: 'a relation to many makes no groups',
    call: grouped('comments.text'),
    expect: refused(
      invalid(['groupBy'], '"comments.text" has many values for one item, so it makes no groups.'),
    ),
  },
  {
    title: 'what is hidden makes no groups',
    call: list('secrets', { groupBy: 'hash' }),
    expect: refused(invalid(['groupBy'], '"hash" is of type hash, by which nothing can be grouped.')),
  },
  {
    title: 'what is concealed makes no groups, has no order and is not told apart, and it is said why',
    call: list('secrets', {
      groupBy: 'pin',
      aggregate: { countDistinct: ['pin', 'hash'], max: 'pin', count: 'pin' },
    }),
    expect: refused(
      invalid(['groupBy'], '"pin" is a concealed string, by which nothing can be grouped.'),
      invalid(
        ['aggregate', 'countDistinct'],
        '"countDistinct" does not work on "pin" (string), which is concealed.',
      ),
      invalid(['aggregate', 'countDistinct'], '"countDistinct" does not work on "hash" (hash).'),
      invalid(['aggregate', 'max'], '"max" does not work on "pin" (string), which is concealed.'),
    ),
  },
  {
    title: 'what is concealed gives no order to items either',
    call: list('secrets', { sort: 'pin' }),
    expect: refused(invalid(['sort'], '"pin" is a concealed string, which has no order.')),
  },
  {
    title: 'two groups of one name exclude each other',
    call: grouped(['author', 'author.name']),
    expect: refused(
      invalid(
        ['groupBy'],
        'Two columns of a group would both be called "author.name".',
        'Give one a name by "alias" and group by that: alias[other]=author.name&groupBy=other.',
      ),
    ),
  },
  {
    title: 'a group that is called like an aggregate gets another name by an alias',
    call: list('tallies', {
      alias: { amount: 'count' },
      groupBy: 'amount',
      aggregate: { count: '*' },
      sort: '-amount',
    }),
    expect: items({ amount: 3, count: 2 }, { amount: 1, count: 1 }),
  },
  {
    title: 'a group that is called like an aggregate is refused without one, and told of the way',
    call: list('tallies', { groupBy: 'count', aggregate: { count: '*' } }),
    expect: refused(
      invalid(
        ['groupBy'],
        'Two columns of a group would both be called "count".',
        'Give one a name by "alias" and group by that: alias[other]=count&groupBy=other.',
      ),
    ),
  },
  {
    title: 'an alias of a function makes groups under its own name, and sorts them',
    call: list('articles', {
      alias: { when: 'year(published_at)' },
      groupBy: ['when', 'year(published_at)'],
      sort: '-when',
      limit: 1,
    }),
    expect: items({ when: null, published_at_year: null }),
  },
  {
    title: 'an alias that is called like a field takes its place in groups, too',
    call: list('tallies', { alias: { id: 'count' }, groupBy: 'id', aggregate: { countDistinct: 'id' } }),
    expect: items({ id: 1, countDistinct: { id: 1 } }, { id: 3, countDistinct: { id: 2 } }),
  },
  {
    title: 'an alias of nothing makes no groups',
    call: list('tallies', { alias: { amount: 'cuont' }, groupBy: 'amount' }),
    expect: refused(unknownField('cuont', 'tallies', ['groupBy'], 'count')),
  },
  {
    title: 'the groups of related items take aliases, too',
    call: list('tallies', {
      fields: ['id', 'parts'],
      deep: { parts: { _alias: { amount: 'count' }, _groupBy: 'amount', _aggregate: { count: '*' } } },
      limit: 1,
    }),
    expect: items({
      id: 1,
      parts: [
        { amount: 1, count: 1 },
        { amount: 3, count: 1 },
      ],
    }),
  },
  {
    title: 'groups sort by nothing they do not have',
    call: grouped('status', { sort: 'views' }),
    expect: refused(invalid(['sort'], 'Groups cannot be sorted by "views"; there are status, count.')),
  },
  {
    title: 'a sort by an aggregate that is written as a function hints the name that it has',
    call: list('articles', {
      groupBy: 'status',
      aggregate: { sum: 'views', count: ['*', 'views'] },
      sort: ['-sum(views)', 'countDistinct( views )'],
    }),
    expect: refused(
      invalid(
        ['sort'],
        '"-sum(views)" is not understood: there is no function "sum"; there are year, month, week, day, weekday, hour, minute, second, count, json.',
        'Write "-sum.views".',
      ),
      invalid(
        ['sort'],
        '"countDistinct( views )" is not understood: there is no function "countDistinct"; there are year, month, week, day, weekday, hour, minute, second, count, json.',
        'Write "countDistinct.views".',
      ),
    ),
  },
  {
    title: 'a sort by a count that is written as a function hints the name that it has',
    call: grouped('status', { aggregate: { count: ['*', 'views'] }, sort: ['-count(views)', 'count(*)'] }),
    expect: refused(
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
  },
  {
    title: 'an aggregate that is written as a function of a field hints its parameter',
    call: list('articles', { fields: ['sum(views)'] }),
    expect: refused(
      invalid(
        ['fields'],
        '"sum(views)" is not understood: there is no function "sum"; there are year, month, week, day, weekday, hour, minute, second, count, json.',
        'Write aggregate[sum]=views.',
      ),
    ),
  },
  {
    title: 'a mistyped name of a group hints the one that is meant',
    call: grouped('status', { sort: '-stauts' }),
    expect: refused(
      invalid(
        ['sort'],
        'Groups cannot be sorted by "-stauts"; there are status, count.',
        'Did you mean "-status"?',
      ),
    ),
  },
  {
    title: 'an unknown field makes no groups',
    call: grouped('stauts'),
    expect: refused(unknownField('stauts', 'articles', ['groupBy'], 'status')),
  },
]
