// In which order the items of a list come, how many of them, which are found, and what is told beside them.
import {
  ids,
  invalid,
  items,
  list,
  one,
  type ReadCase,
  refused,
  singleton,
  stream,
  unknownField,
} from './case.ts'

const sorted = (sort: string | readonly string[], more: object = {}) =>
  list('articles', { fields: ['id'], sort, ...more })
const found = (search: string, more: object = {}) => list('articles', { fields: ['id'], search, ...more })
const stars = (more: object) => list('stars', { fields: ['id'], ...more })
const told = (meta: string | readonly string[], more: object = {}) =>
  list('articles', { fields: ['id'], filter: { id: { _lte: 1 } }, meta, ...more })

const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, index) => from + index)
const all = upTo(7)

export const orderCases: readonly ReadCase[] = [
  {
    title: 'null comes last in ascending order, and ties are broken by the key',
    call: sorted('views'),
    expect: ids(7, 4, 2, 5, 6, 1, 3),
  },
  {
    title: 'null comes first in descending order, and ties are broken by the key, descending',
    call: sorted('-views'),
    expect: ids(3, 1, 6, 5, 2, 4, 7),
  },
  {
    title: 'earlier names take priority, and ties follow the direction of the last',
    call: sorted(['status', '-views']),
    expect: ids(4, 6, 2, 7, 3, 1, 5),
  },
  {
    title: 'ties follow an ascending last name too',
    call: sorted(['-featured', 'status']),
    expect: ids(7, 3, 6, 1, 5, 4, 2),
  },
  {
    title: 'a comma text sorts like a list',
    call: sorted('-featured, status'),
    expect: ids(7, 3, 6, 1, 5, 4, 2),
  },
  { title: 'the key in descending order', call: sorted('-id'), expect: ids(...all.toReversed()) },
  {
    title: 'text sorts by code point here',
    call: sorted('title'),
    expect: ids(4, 5, 6, 1, 2, 3, 7),
  },
  { title: 'false sorts before true', call: sorted('featured'), expect: ids(2, 4, 1, 5, 6, 3, 7) },
  { title: 'moments sort by time', call: sorted('-published_at'), expect: ids(7, 3, 6, 5, 2, 1, 4) },
  {
    title: 'a raw key sorts as what it is, whether it leads anywhere or not',
    call: sorted('author'),
    expect: ids(1, 2, 3, 5, 7, 6, 4),
  },
  {
    title: 'a field of a related item sorts, and a missing target is null',
    call: sorted('author.name'),
    expect: ids(1, 2, 3, 5, 4, 6, 7),
  },
  {
    title: 'a missing target comes first in descending order',
    call: sorted('-author.name'),
    expect: ids(7, 6, 4, 5, 3, 2, 1),
  },
  {
    title: 'a path of several relations sorts',
    call: sorted('author.country.name'),
    expect: ids(3, 1, 2, 4, 5, 6, 7),
  },
  { title: 'a function sorts', call: sorted('year(published_at)'), expect: ids(4, 1, 2, 5, 6, 3, 7) },
  { title: 'a count sorts', call: sorted('-count(comments)'), expect: ids(1, 5, 2, 7, 6, 4, 3) },
  {
    title: 'a function of a related item sorts, written either way',
    call: sorted(['-author.year(born)', 'count(author.articles)']),
    expect: ids(5, 4, 6, 7, 1, 2, 3),
  },
  {
    title: 'an alias sorts, shown or not',
    call: sorted('-v', { alias: { v: 'views' } }),
    expect: ids(3, 1, 6, 5, 2, 4, 7),
  },
  {
    title: 'an alias of a function sorts',
    call: list('articles', { fields: ['y'], alias: { y: 'year(published_at)' }, sort: ['y'], limit: 3 }),
    expect: items({ y: 2022 }, { y: 2023 }, { y: 2023 }),
  },
  {
    title: 'in JSON numbers sort before texts, and no value is last',
    call: sorted('json(meta, size.w)'),
    expect: ids(7, 1, 5, 2, 3, 4, 6),
  },
  {
    title: 'in JSON no value is first and texts sort before numbers in descending order',
    call: sorted('-json(meta, size.w)'),
    expect: ids(6, 4, 3, 2, 5, 1, 7),
  },
  {
    title: 'ascending, the first child value counts, and each item comes once',
    call: sorted('comments.likes'),
    expect: ids(1, 2, 5, 3, 4, 6, 7),
  },
  {
    title: 'descending, the last child value counts, and each item comes once',
    call: sorted('-comments.id'),
    expect: ids(7, 6, 4, 3, 5, 2, 1),
  },
  {
    title: 'a child without a value does not count',
    call: sorted('-comments.likes'),
    expect: ids(7, 6, 4, 3, 5, 2, 1),
  },
  {
    title: 'a relation to many sorts by the keys of its children',
    call: sorted('comments'),
    expect: ids(1, 2, 5, 3, 4, 6, 7),
  },
  {
    title: 'a path through a junction sorts',
    call: sorted('tags.tag.name'),
    expect: ids(1, 2, 3, 4, 5, 6, 7),
  },
  {
    title: 'a path through a junction sorts by its last value, descending',
    call: sorted('-tags.tag.name', { filter: { id: { _in: [1, 2] } } }),
    expect: ids(1, 2),
  },
  {
    title: 'a path to many sorts beyond a related item',
    call: sorted('-author.comments.likes', { filter: { author: { _in: [1, 2, 3] } } }),
    expect: ids(3, 2, 1, 5),
  },
  {
    title: 'a scoped m2a path sorts',
    call: sorted('blocks.item:heroes.headline', { filter: { id: { _in: [1, 2] } } }),
    expect: ids(1, 2),
  },
  {
    title: 'pages of a list sorted by children neither repeat nor lose an item',
    call: sorted('comments.text', { limit: 3, page: 2 }),
    expect: ids(3, 4, 6),
  },
  {
    title: 'without sort the sort field of the collection gives the order',
    call: list('ranks', { fields: ['id'] }),
    expect: ids(2, 4, 5, 1, 3),
  },
  {
    title: 'a sort replaces the sort field of the collection',
    call: list('ranks', { fields: ['id'], sort: ['name'] }),
    expect: ids(2, 3, 4, 5, 1),
  },
  {
    title: 'without sort field the key gives the order, whatever its type',
    call: list('countries', { fields: ['code'] }),
    expect: items({ code: 'de' }, { code: 'no' }, { code: 'xx' }),
  },
  {
    title: 'whole numbers of 64 bits sort as numbers',
    call: list('giants', { fields: ['id'] }),
    expect: ids('-5', '1541815603606036480', '9223372036854775807'),
  },
  {
    title: 'decimals sort as numbers, however they are stored',
    call: list('samples', { fields: ['id'], sort: ['exact'], filter: { exact: { _nnull: true } } }),
    expect: ids(3, 4, 1),
  },
  {
    title: 'children come in the order of the relation, else of their key',
    call: list('books', { fields: ['chapters.heading'], filter: { id: 1 } }),
    expect: items({ chapters: [{ heading: 'start' }, { heading: 'end' }, { heading: 'anywhere' }] }),
  },
  {
    title: 'JSON as a whole has no order',
    call: sorted('meta'),
    expect: refused(invalid(['sort'], '"meta" is of type json, which has no order.')),
  },
  {
    title: 'a field that does not exist sorts nothing',
    call: sorted(['id', '-author.nmae']),
    expect: refused(unknownField('nmae', 'authors', ['sort', 1], 'name')),
  },
  {
    title: 'an m2a path without scope sorts nothing',
    call: sorted('blocks.item.headline'),
    expect: refused(
      invalid(['sort'], '"item" points to several collections; say which one.', 'Write "item:heroes".'),
    ),
  },
  {
    title: 'a sort takes so many names and no more',
    call: sorted(Array.from({ length: 17 }, () => 'id')),
    expect: refused(invalid(['sort'], '"sort" takes at most 16 names.')),
  },
  {
    title: 'an alias named like a field replaces it in the sort, and not in the filter',
    call: list('articles', {
      fields: ['title'],
      alias: { title: 'views' },
      filter: { title: { _icontains: 'hello' } },
      sort: 'title',
    }),
    expect: items({ title: 5 }, { title: 100 }),
  },
  {
    title: 'what is hidden has no order',
    call: list('secrets', { sort: 'hash' }),
    expect: refused(invalid(['sort'], '"hash" is of type hash, which has no order.')),
  },
  {
    title: 'a plus before a name is no direction',
    call: sorted('+id'),
    expect: refused(unknownField('+id', 'articles', ['sort'], 'id')),
  },
]

export const pageCases: readonly ReadCase[] = [
  { title: 'a list has 100 items unless told otherwise', call: stars({}), expect: ids(...upTo(100)) },
  { title: 'limit -1 is all items', call: stars({ limit: -1 }), expect: ids(...upTo(105)) },
  { title: 'a limit above the default counts', call: stars({ limit: 103 }), expect: ids(...upTo(103)) },
  { title: 'limit 0 is no item', call: stars({ limit: 0 }), expect: ids() },
  {
    title: 'a nested list has 100 items per parent unless told otherwise',
    call: list('galaxies', { fields: ['stars'] }),
    expect: items({ stars: upTo(100) }, { stars: [104, 105] }, { stars: [] }),
  },
  {
    title: 'a stream has no default limit',
    call: stream('stars', { fields: ['id'] }),
    expect: ids(...upTo(105)),
  },
  {
    title: 'a stream obeys the maximum',
    call: stream('stars', { fields: ['id'] }),
    engine: { limits: { maxLimit: 4 } },
    expect: ids(1, 2, 3, 4),
  },
  { title: 'offset skips items', call: stars({ limit: 2, offset: 3 }), expect: ids(4, 5) },
  {
    title: 'offset without limit skips within the default',
    call: stars({ offset: 3 }),
    expect: ids(...upTo(103, 4)),
  },
  { title: 'offset beyond the end is no item', call: stars({ limit: 2, offset: 200 }), expect: ids() },
  {
    title: 'offset with limit -1 leaves the rest',
    call: stars({ limit: -1, offset: 103 }),
    expect: ids(104, 105),
  },
  { title: 'the first page is 1', call: stars({ limit: 2, page: 1 }), expect: ids(1, 2) },
  { title: 'a later page', call: stars({ limit: 2, page: 3 }), expect: ids(5, 6) },
  {
    title: 'a page without limit is one of the default limit',
    call: stars({ page: 2 }),
    expect: ids(...upTo(105, 101)),
  },
  { title: 'a page beyond the end is empty', call: stars({ limit: 2, page: 99 }), expect: ids() },
  {
    title: 'a list of all items has one page',
    call: stars({ limit: -1, page: 1 }),
    expect: ids(...upTo(105)),
  },
  {
    title: 'the maximum binds a list that asks for all',
    call: stars({ limit: -1 }),
    engine: { limits: { maxLimit: 3 } },
    expect: ids(1, 2, 3),
  },
  {
    title: 'the default limit is the smaller of default and maximum',
    call: stars({}),
    engine: { limits: { maxLimit: 3 } },
    expect: ids(1, 2, 3),
  },
  {
    title: 'a default below the maximum counts',
    call: stars({}),
    engine: { limits: { defaultLimit: 2, maxLimit: 3 } },
    expect: ids(1, 2),
  },
  {
    title: 'pages of a list that asks for all are of the maximum',
    call: stars({ limit: -1, page: 2 }),
    engine: { limits: { maxLimit: 3 } },
    expect: ids(4, 5, 6),
  },
  {
    title: 'asking for more than the maximum is an error',
    call: stars({ limit: 4 }),
    engine: { limits: { maxLimit: 3 } },
    expect: refused(invalid(['limit'], '"limit" takes at most 3.')),
  },
  {
    title: 'asking for more than the maximum is an error in nested lists too',
    call: list('galaxies', { fields: ['stars'], deep: { stars: { _limit: 4 } } }),
    engine: { limits: { maxLimit: 3 } },
    expect: refused(invalid(['deep', 'stars', '_limit'], '"_limit" takes at most 3.')),
  },
  {
    title: 'the maximum binds nested lists',
    call: list('galaxies', { fields: ['stars'], deep: { stars: { _limit: -1 } } }),
    engine: { limits: { maxLimit: 3 } },
    expect: items({ stars: [1, 2, 3] }, { stars: [104, 105] }, { stars: [] }),
  },
  {
    title: 'page and offset exclude each other',
    call: stars({ page: 2, offset: 1 }),
    expect: refused(invalid(['page'], '"page" and "offset" exclude each other.')),
  },
  {
    title: 'numbers that make no sense are told together',
    call: stars({ limit: -2, page: 0 }),
    expect: refused(
      invalid(['limit'], '"limit" takes a whole number of -1 or more, not -2.'),
      invalid(['page'], '"page" takes a whole number of 1 or more, not 0.'),
    ),
  },
  {
    title: 'a limit is a whole number',
    call: stars({ limit: 1.5 }),
    expect: refused(invalid(['limit'], '"limit" takes a whole number of -1 or more, not 1.5.')),
  },
  {
    title: 'an unknown parameter is an error with a suggestion',
    call: stars({ limt: 3 }),
    expect: refused(invalid(['limt'], 'There is no parameter "limt".', 'Did you mean "limit"?')),
  },
  {
    title: 'only a single item has versions',
    call: stars({ version: 'draft' }),
    expect: refused(invalid(['version'], 'Only a single item has versions.')),
  },
]

export const searchCases: readonly ReadCase[] = [
  {
    title: 'search finds a part of a text, upper or lower case alike',
    call: found('HELLO'),
    expect: ids(1, 2),
  },
  { title: 'search folds letters beyond ASCII', call: found('åNGSTRÖM'), expect: ids(3) },
  { title: 'search looks into every text field', call: found('DRAFT'), expect: ids(2, 6, 7) },
  { title: 'the text of a search is trimmed', call: found('  hello  '), expect: ids(1, 2) },
  { title: 'a blank search is no search', call: found('   '), expect: ids(...all) },
  { title: 'blanks inside a search count', call: found('hello  again'), expect: ids() },
  { title: '% in a search is a per cent sign', call: found('%'), expect: ids(5) },
  { title: '_ in a search is a low line', call: found('_'), expect: ids() },
  {
    title: 'a search is found in one field, not spread over several',
    call: found('hello published'),
    expect: ids(),
  },
  { title: 'a search compares no numbers', call: found('100'), expect: ids(5) },
  { title: 'a text of digits is found by its digits', call: found('42'), expect: ids(6) },
  { title: 'a search leaves related items out', call: found('Ada'), expect: ids() },
  {
    title: 'a search finds no uuid',
    call: list('texts', { fields: ['content'], search: '00000000-0000-4000-8000-000000000001' }),
    expect: items(),
  },
  {
    title: 'a search leaves out what is hidden, what is not searchable, and what is no text',
    call: list('secrets', { fields: ['id'], search: 'fish' }),
    expect: ids(),
  },
  {
    title: 'without text fields nothing is found',
    call: list('stars', { fields: ['id'], search: '1' }),
    expect: ids(),
  },
  {
    title: 'a search joins the filter',
    call: found('hello', { filter: { status: { _neq: 'draft' } } }),
    expect: ids(1),
  },
]

export const metaCases: readonly ReadCase[] = [
  {
    title: 'total_count is of all items, filter_count of those that filter and search leave',
    call: found('hello', { filter: { id: { _lte: 4 } }, limit: 1, meta: ['total_count', 'filter_count'] }),
    expect: { ...ids(1), meta: { total_count: 7, filter_count: 2 } },
  },
  {
    title: 'meta holds only what was asked for',
    call: told('filter_count'),
    expect: { ...ids(1), meta: { filter_count: 1 } },
  },
  {
    title: '* is everything a list tells',
    call: list('articles', { fields: ['id'], limit: 2, page: 2, meta: '*' }),
    expect: {
      ...ids(3, 4),
      meta: {
        total_count: 7,
        filter_count: 7,
        limit: 2,
        offset: 2,
        page: 2,
        page_count: 4,
        truncated: [],
      },
    },
  },
  {
    title: 'a condition on children does not multiply what is counted',
    call: list('articles', {
      fields: ['id'],
      filter: { comments: { id: { _gt: 0 } } },
      meta: 'filter_count',
    }),
    expect: { ...ids(1, 2, 5), meta: { filter_count: 3 } },
  },
  {
    title: 'a list that the default limit cut is truncated',
    call: stars({ meta: ['truncated', 'limit', 'page_count'] }),
    expect: { ...ids(...upTo(100)), meta: { truncated: [''], limit: 100, page_count: 2 } },
  },
  {
    title: 'a list that its own limit cut is not truncated',
    call: stars({ limit: 1, meta: 'truncated' }),
    expect: { ...ids(1), meta: { truncated: [] } },
  },
  {
    title: 'a list that just fits is not truncated',
    call: list('articles', { fields: ['id'], meta: 'truncated' }),
    engine: { limits: { defaultLimit: 7 } },
    expect: { ...ids(...all), meta: { truncated: [] } },
  },
  {
    title: 'a list of all items that the maximum cut is truncated',
    call: stars({ limit: -1, meta: 'truncated' }),
    engine: { limits: { maxLimit: 2 } },
    expect: { ...ids(1, 2), meta: { truncated: [''] } },
  },
  {
    title: 'truncated names the nested lists that the default limit cut',
    call: list('galaxies', { fields: ['stars'], meta: 'truncated' }),
    expect: {
      ...items({ stars: upTo(100) }, { stars: [104, 105] }, { stars: [] }),
      meta: { truncated: ['stars'] },
    },
  },
  {
    title: 'a nested list with a limit of its own is not truncated',
    call: list('galaxies', { fields: ['stars'], deep: { stars: { _limit: 1 } }, meta: 'truncated' }),
    expect: { ...items({ stars: [1] }, { stars: [104] }, { stars: [] }), meta: { truncated: [] } },
  },
  {
    title: 'truncated goes down to the last level, and by the names of aliases',
    call: list('authors', {
      fields: ['works.comments.id'],
      alias: { works: 'articles' },
      filter: { id: 1 },
      meta: 'truncated',
    }),
    engine: { limits: { defaultLimit: 2 } },
    expect: {
      ...items({ works: [{ comments: [{ id: 1 }, { id: 2 }] }, { comments: [{ id: 4 }] }] }),
      meta: { truncated: ['works.comments'] },
    },
  },
  {
    title: 'truncated goes through relations to one',
    call: list('articles', { fields: ['author.comments.id'], filter: { id: 3 }, meta: 'truncated' }),
    engine: { limits: { defaultLimit: 2 } },
    expect: {
      ...items({ author: { comments: [{ id: 1 }, { id: 5 }] } }),
      meta: { truncated: ['author.comments'] },
    },
  },
  {
    title: 'when grouping, filter_count counts rows and page_count groups',
    call: list('articles', { groupBy: ['status'], aggregate: { count: '*' }, limit: 3, meta: '*' }),
    expect: {
      ...items(
        { status: 'archived', count: 1 },
        { status: 'draft', count: 3 },
        { status: 'published', count: 2 },
      ),
      meta: {
        total_count: 7,
        filter_count: 7,
        limit: 3,
        offset: 0,
        page: 1,
        page_count: 2,
        truncated: [],
      },
    },
  },
  {
    title: 'groups that the default limit cut are truncated',
    call: list('articles', { groupBy: 'id', meta: ['truncated', 'page_count', 'filter_count'] }),
    engine: { limits: { defaultLimit: 2 } },
    expect: { ...ids(1, 2), meta: { truncated: [''], page_count: 4, filter_count: 7 } },
  },
  {
    title: 'several cuts are all told, from the root down',
    call: list('authors', { fields: ['articles.comments'], meta: 'truncated' }),
    engine: { limits: { defaultLimit: 1 } },
    expect: {
      ...items({ articles: [{ comments: [1] }] }),
      meta: { truncated: ['', 'articles', 'articles.comments'] },
    },
  },
  {
    title: 'a list of no items has no pages',
    call: list('articles', { fields: ['id'], limit: 0, meta: ['limit', 'page_count', 'filter_count'] }),
    expect: { ...ids(), meta: { limit: 0, page_count: 0, filter_count: 7 } },
  },
  {
    title: 'a list of all items is one page without limit',
    call: list('articles', { fields: ['id'], limit: -1, meta: ['limit', 'page', 'page_count'] }),
    expect: { ...ids(...all), meta: { limit: -1, page: 1, page_count: 1 } },
  },
  {
    title: 'meta on a single item changes nothing',
    call: one('articles', 1, { fields: ['id'], meta: '*' }),
    expect: { id: 1 },
  },
  {
    title: 'an unknown word in meta is an error that lists the known ones',
    call: told('total'),
    expect: refused(
      invalid(
        ['meta'],
        '"meta" has no "total"; there are *, total_count, filter_count, limit, offset, page, page_count, truncated.',
      ),
    ),
  },
]

export const singletonCases: readonly ReadCase[] = [
  {
    title: 'a singleton is one item',
    call: singleton('site'),
    expect: { id: 7, name: 'Here', motto: 'hi', lead: 1 },
  },
  {
    title: 'a singleton expands what it is asked to',
    call: singleton('site', { fields: ['name', 'lead.name'] }),
    expect: { name: 'Here', lead: { name: 'Ada' } },
  },
  {
    title: 'a singleton is reachable by its key',
    call: one('site', 7, { fields: ['motto'] }),
    expect: { motto: 'hi' },
  },
  {
    title: 'a singleton without a row answers its defaults with a null key',
    call: singleton('plans'),
    expect: { id: null, name: null, motto: 'hello', size: 3, lead: null, steps: [] },
  },
  {
    title: 'a singleton without a row answers no more than was asked for',
    call: singleton('plans', { fields: ['size', 'lead.name', 'm'], alias: { m: 'motto' } }),
    expect: { size: 3, lead: null, m: 'hello' },
  },
  {
    title: 'a collection of many items is no singleton',
    call: singleton('articles'),
    expect: refused({ code: 'NOT_FOUND', message: '"articles" is no singleton, or you may not see it.' }),
  },
]
