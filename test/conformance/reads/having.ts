// Conditions on groups.
import { invalid, items, list, one, type ReadCase, refused, stream, unknownField } from './case.ts'

const grouped = (having: object, more: object = {}) =>
  list('articles', { groupBy: 'status', aggregate: { count: '*' }, having, ...more })
const samples = (having: object) =>
  list('samples', { groupBy: 'flag', aggregate: { count: '*' }, sort: 'flag', having })

const archived = { status: 'archived', count: 1 }
const draft = { status: 'draft', count: 3 }
const published = { status: 'published', count: 2 }
const none = { status: null, count: 1 }

export const havingCases: readonly ReadCase[] = [
  {
    title: 'having keeps the groups whose number of rows meets a condition',
    call: grouped({ count: { _gt: 1 } }),
    expect: items(draft, published),
  },
  { title: 'a value in having is equality', call: grouped({ count: 3 }), expect: items(draft) },
  {
    title: 'the number of rows in having is called * as in an answer, too',
    call: grouped({ count: { '*': { _gte: 3 } } }),
    expect: items(draft),
  },
  {
    title: 'a stream of groups has those that having keeps',
    call: stream('articles', { groupBy: 'status', aggregate: { count: '*' }, having: { count: { _lt: 2 } } }),
    expect: items(archived, none),
  },
  {
    title: 'having needs no aggregate beside it, and shows none',
    call: list('articles', { groupBy: 'status', having: { sum: { views: { _gte: 100 } } } }),
    expect: items({ status: 'published' }),
  },
  {
    title: 'an aggregate in having is not shown beside others',
    call: grouped({ max: { views: { _between: [0, 42] } } }),
    expect: items(archived, draft, none),
  },
  {
    title: 'conditions in one object of having hold together',
    call: grouped({ count: { _gte: 2, _lte: 3, views: { _eq: 3 } }, sum: { views: { _lt: 50 } } }),
    expect: items(draft),
  },
  {
    title: 'having has _and and _or, around aggregates, fields and operators',
    call: grouped({
      _or: [{ count: { _or: [{ _eq: 3 }, { _eq: 2 }] } }, { sum: { _and: [{ views: { _eq: 42 } }] } }],
    }),
    expect: items(draft, published, none),
  },
  {
    title: 'an aggregate without values is null in having',
    call: list('articles', {
      groupBy: 'featured',
      having: { min: { score: { _null: true } } },
      filter: { score: { _null: true } },
      aggregate: { count: '*' },
    }),
    expect: items({ featured: false, count: 1 }, { featured: null, count: 1 }),
  },
  {
    title: 'negated operators in having match no null',
    call: list('articles', {
      groupBy: 'featured',
      having: { min: { score: { _neq: 100 } } },
      filter: { score: { _null: true } },
    }),
    expect: items(),
  },
  {
    title: 'negated operators in having match null where the engine says so',
    call: list('articles', {
      groupBy: 'featured',
      having: { min: { score: { _neq: 100 } } },
      filter: { score: { _null: true } },
    }),
    engine: { negationMatchesNull: true },
    expect: items({ featured: false }, { featured: null }),
  },
  {
    title: 'averages in having compare as numbers with fractions',
    call: grouped({ avg: { views: { _gt: 15.3, _lt: 15.4 } } }),
    expect: items(draft),
  },
  {
    title: 'functions of fields are aggregated in having by their own names',
    call: grouped({ max: { 'year(published_at)': { _gte: 2024 } } }),
    expect: items(draft, none),
  },
  {
    title: 'functions of fields are aggregated in having by their names in answers',
    call: grouped({ max: { published_at_year: { _gte: 2024 } } }),
    expect: items(draft, none),
  },
  {
    title: 'related items are counted in having',
    call: grouped({ sum: { comments_count: { _gte: 3 } } }),
    expect: items(published),
  },
  {
    title: 'dates and times in having compare as in filters',
    call: grouped({ max: { published_at: { _lt: '2023-12-31' } } }),
    expect: items(archived, published),
  },
  {
    title: 'variables in having have their values',
    call: grouped({ max: { published_at: { _lt: '$NOW(-1 year)' } } }),
    expect: items(archived, published),
  },
  {
    title: 'a variable in having without value denies its branch',
    call: grouped({ _or: [{ max: { title: { _eq: '$CURRENT_USER' } } }, { count: { _eq: 2 } }] }),
    expect: items(published),
  },
  {
    title: 'texts in having match as in filters',
    call: grouped({ min: { title: { _icontains: 'HELLO' } } }),
    expect: items(published),
  },
  {
    title: 'sums of 64-bit numbers in having are exact, and larger than any of them',
    call: samples({
      sum: { big: { _in: ['9007199254741035', '-9223372036854775808'], _lt: '9223372036854775808' } },
    }),
    expect: items({ flag: false, count: 1 }, { flag: true, count: 2 }),
  },
  {
    title: 'sums of 64-bit numbers in having differ by their last digit',
    call: samples({
      sum: { big: { _neq: '9007199254741034', _gt: 0 } },
      max: { big: { _lt: '9007199254740994' } },
    }),
    expect: items({ flag: true, count: 2 }),
  },
  {
    title: 'lists of decimals in having',
    call: samples({ sum: { price: { _in: ['10.5', 7] } } }),
    expect: items({ flag: true, count: 2 }),
  },
  {
    title: 'sums of decimals that are stored as text compare by all their digits in having',
    call: samples({ sum: { exact: { _gt: '12345678901234567893.09', _lte: '12345678901234567893.10' } } }),
    needs: 'exactSums',
    expect: items({ flag: true, count: 2 }),
  },
  {
    title: 'groups by functions and behind relations have conditions',
    call: list('articles', {
      groupBy: ['author.country'],
      aggregate: { count: '*' },
      having: { count: { _gt: 1 } },
    }),
    expect: items({ author: { country: 'no' }, count: 2 }, { author: { country: null }, count: 3 }),
  },
  {
    title: 'limit, offset and sort apply to the groups that having keeps',
    call: grouped({ count: { _lt: 3 } }, { sort: '-count', limit: 2, offset: 1 }),
    expect: items(none, archived),
  },
  {
    title: 'filter_count counts rows before having, and page_count groups after it',
    call: grouped({ count: { _gt: 1 } }, { meta: ['filter_count', 'page_count', 'total_count'], limit: 1 }),
    expect: { data: [draft], meta: { filter_count: 7, page_count: 2, total_count: 7 } },
  },
  {
    title: 'having is of the groups of each parent',
    call: list('authors', {
      fields: ['id', 'articles'],
      deep: {
        articles: {
          _groupBy: ['status'],
          _aggregate: { count: '*' },
          _having: { sum: { views: { _gt: 5 } } },
        },
      },
      filter: { id: { _lt: 3 } },
    }),
    expect: items({ id: 1, articles: [{ status: 'published', count: 1 }] }, { id: 2, articles: [] }),
  },
  {
    title: 'one item has the groups of its children that having keeps',
    call: one('authors', 1, {
      fields: ['id', 'articles'],
      deep: { articles: { _groupBy: ['status'], _having: { count: { _eq: 1 } } } },
    }),
    expect: { id: 1, articles: [{ status: 'draft' }, { status: 'published' }] },
  },
  {
    title: 'an empty having is none',
    call: grouped({ count: {}, _and: [{}], sum: { views: {} } }),
    expect: items(archived, draft, published, none),
  },
  {
    title: 'having without groupBy is refused',
    call: list('articles', { aggregate: { count: '*' }, having: { count: { _gt: 1 } } }),
    expect: refused(withoutGroups(['having'])),
  },
  {
    title: 'having of a list of items is refused',
    call: list('authors', {
      deep: { articles: { _having: { count: { _gt: 1 } } } },
      fields: ['id', 'articles.id'],
    }),
    expect: refused(withoutGroups(['deep', 'articles', '_having'])),
  },
  {
    title: 'having below a relation to one item is refused',
    call: list('articles', { deep: { author: { _having: { count: 1 } } }, fields: ['author.id'] }),
    expect: refused(
      invalid(['deep', 'author', '_having'], '"_having" makes groups of a list, and there is one item here.'),
    ),
  },
  {
    title: 'a field in the place of an aggregate is refused in having',
    call: grouped({ status: { _eq: 'draft' } }),
    expect: refused(
      noAggregate(['having', 'status'], 'status', 'Conditions on fields of items belong into "filter".'),
    ),
  },
  {
    title: 'countAll is refused in having, with what it is called',
    call: grouped({ countAll: { _gt: 1 } }),
    expect: refused(
      noAggregate(['having', 'countAll'], 'countAll', 'Write { "count": { "_gt": 1 } } to count rows.'),
    ),
  },
  {
    title: 'a mistyped aggregate in having is refused with the nearest',
    call: grouped({ _and: [{ summ: { views: 1 } }] }),
    expect: refused(noAggregate(['having', '_and', 0, 'summ'], 'summ', 'Did you mean "sum"?')),
  },
  {
    title: 'having of a field that no caller has is refused as one that may not be seen',
    call: grouped({ sum: { viewz: { _gt: 1 } } }),
    expect: refused(unknownField('viewz', 'articles', ['having', 'sum', 'viewz'], 'views')),
  },
  {
    title: 'having of an aggregate that does not work on a field is refused',
    call: grouped({ sum: { title: { _gt: 1 } }, max: { meta: { _eq: 1 } } }),
    expect: refused(
      invalid(['having', 'sum', 'title'], '"sum" does not work on "title" (string).'),
      invalid(['having', 'max', 'meta'], '"max" does not work on "meta" (json).'),
    ),
  },
  {
    title: 'an operator that the result of an aggregate does not take is refused',
    call: grouped({ sum: { views: { _contains: '1' } } }),
    expect: refused(
      invalid(
        ['having', 'sum', 'views', '_contains'],
        '"_contains" does not work on "sum.views"; it takes _eq, _neq, _lt, _lte, _gt, _gte, _in, _nin, _null, _nnull, _between, _nbetween, _empty, _nempty.',
      ),
    ),
  },
  {
    title: 'an operand that is none of the result is refused',
    call: grouped({ count: { _gt: 'many' } }),
    expect: refused(invalid(['having', 'count', '_gt'], '"_gt" takes a whole number here, not "many".')),
  },
  {
    title: 'operators without an aggregate, or under one of fields, are refused',
    call: grouped({ _gt: 1, sum: { _gt: 1 }, count: { _some: { id: 1 } } }),
    expect: refused(
      invalid(['having', '_gt'], '"_gt" needs an aggregate to work on.'),
      invalid(
        ['having', 'sum', '_gt'],
        '"sum" needs a field.',
        'Write { "sum": { "<field>": { "_gt": … } } }.',
      ),
      invalid(['having', 'count', '_some'], '"_some" does not stand here.'),
    ),
  },
  {
    title: 'fields of related items are refused in having',
    call: grouped({ count: { author: { name: { _eq: 'x' } } } }),
    expect: refused({
      code: 'FORBIDDEN',
      path: ['having', 'count', 'author', 'name'],
      message: '"count.author" holds no fields, so there is no "name" below it.',
    }),
  },
  {
    title: 'an unknown operator is refused in having',
    call: grouped({ count: { _gtt: 1 } }),
    expect: refused(
      invalid(['having', 'count', '_gtt'], 'There is no operator "_gtt" here.', 'Did you mean "_gt"?'),
    ),
  },
  {
    title: 'an empty choice is refused in having',
    call: grouped({ _or: [] }),
    expect: refused(
      invalid(['having', '_or'], '"_or" needs at least one branch; without any it would match everything.'),
    ),
  },
  {
    title: 'an empty branch of a choice is refused in having',
    call: grouped({ _or: [{ count: {} }, { count: 1 }] }),
    expect: refused(
      invalid(['having', '_or', 0], 'This branch of "_or" holds no condition, and would match everything.'),
    ),
  },
  {
    title: 'having has as many conditions as a filter',
    call: grouped({ _or: Array.from({ length: 3 }, (_, at) => ({ count: at })) }),
    engine: { limits: { filterLeaves: 2 } },
    expect: refused(invalid(['having'], '"having" has more than 2 conditions.')),
  },
  {
    title: 'aggregates in having count beside those that are shown',
    call: grouped({ sum: { views: 1 }, max: { views: 1 }, count: 1 }),
    engine: { limits: { aggregates: 2 } },
    expect: refused(invalid(['having'], '"aggregate" and "having" take at most 2 aggregates together.')),
  },
]

function withoutGroups(path: readonly string[]) {
  const message = '"having" chooses among groups, and without "groupBy" there are none.'
  return invalid(path, message, 'Give "groupBy", or write conditions on items into "filter".')
}

function noAggregate(path: readonly (string | number)[], name: string, hint: string) {
  const names = 'count, countDistinct, sum, sumDistinct, avg, avgDistinct, min, max'
  const message = `"having" takes aggregates, and there is none called "${name}"; there are ${names}.`
  return invalid(path, message, hint)
}
