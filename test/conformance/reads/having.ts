// Conditions on groups.
import { casesOf, invalid, items, list, one, refused, stream, unknownField } from './case.ts'

const grouped = (having: object, more: object = {}) =>
  list('articles', { groupBy: 'status', aggregate: { count: '*' }, having, ...more })
const samples = (having: object) =>
  list('samples', { groupBy: 'flag', aggregate: { count: '*' }, sort: 'flag', having })

const archived = { status: 'archived', count: 1 }
const draft = { status: 'draft', count: 3 }
const published = { status: 'published', count: 2 }
const none = { status: null, count: 1 }

export const havingCases = casesOf({
  'having keeps the groups whose number of rows meets a condition': [
    grouped({ count: { _gt: 1 } }),
    items(draft, published),
  ],
  'a value in having is equality': [grouped({ count: 3 }), items(draft)],
  'the number of rows in having is called * as in an answer, too': [
    grouped({ count: { '*': { _gte: 3 } } }),
    items(draft),
  ],
  'a stream of groups has those that having keeps': [
    stream('articles', { groupBy: 'status', aggregate: { count: '*' }, having: { count: { _lt: 2 } } }),
    items(archived, none),
  ],
  'having needs no aggregate beside it, and shows none': [
    list('articles', { groupBy: 'status', having: { sum: { views: { _gte: 100 } } } }),
    items({ status: 'published' }),
  ],
  'an aggregate in having is not shown beside others': [
    grouped({ max: { views: { _between: [0, 42] } } }),
    items(archived, draft, none),
  ],
  'conditions in one object of having hold together': [
    grouped({ count: { _gte: 2, _lte: 3, views: { _eq: 3 } }, sum: { views: { _lt: 50 } } }),
    items(draft),
  ],
  'having has _and and _or, around aggregates, fields and operators': [
    grouped({
      _or: [{ count: { _or: [{ _eq: 3 }, { _eq: 2 }] } }, { sum: { _and: [{ views: { _eq: 42 } }] } }],
    }),
    items(draft, published, none),
  ],
  'an aggregate without values is null in having': [
    list('articles', {
      groupBy: 'featured',
      having: { min: { score: { _null: true } } },
      filter: { score: { _null: true } },
      aggregate: { count: '*' },
    }),
    items({ featured: false, count: 1 }, { featured: null, count: 1 }),
  ],
  'negated operators in having match no null': [
    list('articles', {
      groupBy: 'featured',
      having: { min: { score: { _neq: 100 } } },
      filter: { score: { _null: true } },
    }),
    items(),
  ],
  'negated operators in having match null where the engine says so': [
    list('articles', {
      groupBy: 'featured',
      having: { min: { score: { _neq: 100 } } },
      filter: { score: { _null: true } },
    }),
    items({ featured: false }, { featured: null }),
    { engine: { negationMatchesNull: true } },
  ],
  'averages in having compare as numbers with fractions': [
    grouped({ avg: { views: { _gt: 15.3, _lt: 15.4 } } }),
    items(draft),
  ],
  'functions of fields are aggregated in having by their own names': [
    grouped({ max: { 'year(published_at)': { _gte: 2024 } } }),
    items(draft, none),
  ],
  'functions of fields are aggregated in having by their names in answers': [
    grouped({ max: { published_at_year: { _gte: 2024 } } }),
    items(draft, none),
  ],
  'related items are counted in having': [
    grouped({ sum: { comments_count: { _gte: 3 } } }),
    items(published),
  ],
  'dates and times in having compare as in filters': [
    grouped({ max: { published_at: { _lt: '2023-12-31' } } }),
    items(archived, published),
  ],
  'variables in having have their values': [
    grouped({ max: { published_at: { _lt: '$NOW(-1 year)' } } }),
    items(archived, published),
  ],
  'a variable in having without value denies its branch': [
    grouped({ _or: [{ max: { title: { _eq: '$CURRENT_USER' } } }, { count: { _eq: 2 } }] }),
    items(published),
  ],
  'texts in having match as in filters': [
    grouped({ min: { title: { _icontains: 'HELLO' } } }),
    items(published),
  ],
  'sums of 64-bit numbers in having are exact, and larger than any of them': [
    samples({
      sum: { big: { _in: ['9007199254741035', '-9223372036854775808'], _lt: '9223372036854775808' } },
    }),
    items({ flag: false, count: 1 }, { flag: true, count: 2 }),
  ],
  'sums of 64-bit numbers in having differ by their last digit': [
    samples({
      sum: { big: { _neq: '9007199254741034', _gt: 0 } },
      max: { big: { _lt: '9007199254740994' } },
    }),
    items({ flag: true, count: 2 }),
  ],
  'lists of decimals in having': [
    samples({ sum: { price: { _in: ['10.5', 7] } } }),
    items({ flag: true, count: 2 }),
  ],
  'sums of decimals that are stored as text compare by all their digits in having': [
    samples({ sum: { exact: { _gt: '12345678901234567893.09', _lte: '12345678901234567893.10' } } }),
    items({ flag: true, count: 2 }),
    { needs: 'exactSums' },
  ],
  'groups by functions and behind relations have conditions': [
    list('articles', {
      groupBy: ['author.country'],
      aggregate: { count: '*' },
      having: { count: { _gt: 1 } },
    }),
    items({ author: { country: 'no' }, count: 2 }, { author: { country: null }, count: 3 }),
  ],
  'limit, offset and sort apply to the groups that having keeps': [
    grouped({ count: { _lt: 3 } }, { sort: '-count', limit: 2, offset: 1 }),
    items(none, archived),
  ],
  'filter_count counts rows before having, and page_count groups after it': [
    grouped({ count: { _gt: 1 } }, { meta: ['filter_count', 'page_count', 'total_count'], limit: 1 }),
    { data: [draft], meta: { filter_count: 7, page_count: 2, total_count: 7 } },
  ],
  'having is of the groups of each parent': [
    list('authors', {
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
    items({ id: 1, articles: [{ status: 'published', count: 1 }] }, { id: 2, articles: [] }),
  ],
  'one item has the groups of its children that having keeps': [
    one('authors', 1, {
      fields: ['id', 'articles'],
      deep: { articles: { _groupBy: ['status'], _having: { count: { _eq: 1 } } } },
    }),
    { id: 1, articles: [{ status: 'draft' }, { status: 'published' }] },
  ],
  'an empty having is none': [
    grouped({ count: {}, _and: [{}], sum: { views: {} } }),
    items(archived, draft, published, none),
  ],
  'having without groupBy is refused': [
    list('articles', { aggregate: { count: '*' }, having: { count: { _gt: 1 } } }),
    refused(withoutGroups(['having'])),
  ],
  'having of a list of items is refused': [
    list('authors', {
      deep: { articles: { _having: { count: { _gt: 1 } } } },
      fields: ['id', 'articles.id'],
    }),
    refused(withoutGroups(['deep', 'articles', '_having'])),
  ],
  'having below a relation to one item is refused': [
    list('articles', { deep: { author: { _having: { count: 1 } } }, fields: ['author.id'] }),
    refused(
      invalid(['deep', 'author', '_having'], '"_having" makes groups of a list, and there is one item here.'),
    ),
  ],
  'a field in the place of an aggregate is refused in having': [
    grouped({ status: { _eq: 'draft' } }),
    refused(
      noAggregate(['having', 'status'], 'status', 'Conditions on fields of items belong into "filter".'),
    ),
  ],
  'countAll is refused in having, with what it is called': [
    grouped({ countAll: { _gt: 1 } }),
    refused(
      noAggregate(['having', 'countAll'], 'countAll', 'Write { "count": { "_gt": 1 } } to count rows.'),
    ),
  ],
  'a mistyped aggregate in having is refused with the nearest': [
    grouped({ _and: [{ summ: { views: 1 } }] }),
    refused(noAggregate(['having', '_and', 0, 'summ'], 'summ', 'Did you mean "sum"?')),
  ],
  'having of a field that no caller has is refused as one that may not be seen': [
    grouped({ sum: { viewz: { _gt: 1 } } }),
    refused(unknownField('viewz', 'articles', ['having', 'sum', 'viewz'], 'views')),
  ],
  'having of an aggregate that does not work on a field is refused': [
    grouped({ sum: { title: { _gt: 1 } }, max: { meta: { _eq: 1 } } }),
    refused(
      invalid(['having', 'sum', 'title'], '"sum" does not work on "title" (string).'),
      invalid(['having', 'max', 'meta'], '"max" does not work on "meta" (json).'),
    ),
  ],
  'an operator that the result of an aggregate does not take is refused': [
    grouped({ sum: { views: { _contains: '1' } } }),
    refused(
      invalid(
        ['having', 'sum', 'views', '_contains'],
        '"_contains" does not work on "sum.views"; it takes _eq, _neq, _lt, _lte, _gt, _gte, _in, _nin, _null, _nnull, _between, _nbetween, _empty, _nempty.',
      ),
    ),
  ],
  'an operand that is none of the result is refused': [
    grouped({ count: { _gt: 'many' } }),
    refused(invalid(['having', 'count', '_gt'], '"_gt" takes a whole number here, not "many".')),
  ],
  'operators without an aggregate, or under one of fields, are refused': [
    grouped({ _gt: 1, sum: { _gt: 1 }, count: { _some: { id: 1 } } }),
    refused(
      invalid(['having', '_gt'], '"_gt" needs an aggregate to work on.'),
      invalid(
        ['having', 'sum', '_gt'],
        '"sum" needs a field.',
        'Write { "sum": { "<field>": { "_gt": … } } }.',
      ),
      invalid(['having', 'count', '_some'], '"_some" does not stand here.'),
    ),
  ],
  'fields of related items are refused in having': [
    grouped({ count: { author: { name: { _eq: 'x' } } } }),
    refused({
      code: 'FORBIDDEN',
      path: ['having', 'count', 'author', 'name'],
      message: '"count.author" holds no fields, so there is no "name" below it.',
    }),
  ],
  'an unknown operator is refused in having': [
    grouped({ count: { _gtt: 1 } }),
    refused(invalid(['having', 'count', '_gtt'], 'There is no operator "_gtt" here.', 'Did you mean "_gt"?')),
  ],
  'an empty choice is refused in having': [
    grouped({ _or: [] }),
    refused(
      invalid(['having', '_or'], '"_or" needs at least one branch; without any it would match everything.'),
    ),
  ],
  'an empty branch of a choice is refused in having': [
    grouped({ _or: [{ count: {} }, { count: 1 }] }),
    refused(
      invalid(['having', '_or', 0], 'This branch of "_or" holds no condition, and would match everything.'),
    ),
  ],
  'having has as many conditions as a filter': [
    grouped({ _or: Array.from({ length: 3 }, (_, at) => ({ count: at })) }),
    refused(invalid(['having'], '"having" has more than 2 conditions.')),
    { engine: { limits: { filterLeaves: 2 } } },
  ],
  'aggregates in having count beside those that are shown': [
    grouped({ sum: { views: 1 }, max: { views: 1 }, count: 1 }),
    refused(invalid(['having'], '"aggregate" and "having" take at most 2 aggregates together.')),
    { engine: { limits: { aggregates: 2 } } },
  ],
})

function withoutGroups(path: readonly string[]) {
  const message = '"having" chooses among groups, and without "groupBy" there are none.'
  return invalid(path, message, 'Give "groupBy", or write conditions on items into "filter".')
}

function noAggregate(path: readonly (string | number)[], name: string, hint: string) {
  const names = 'count, countDistinct, sum, sumDistinct, avg, avgDistinct, min, max'
  const message = `"having" takes aggregates, and there is none called "${name}"; there are ${names}.`
  return invalid(path, message, hint)
}
