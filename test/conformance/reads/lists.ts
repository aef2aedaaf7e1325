// In which order the items of a list come, how many of them, which are found, and what is told beside them.
import { casesOf, ids, invalid, items, list, one, refused, singleton, stream, unknownField } from './case.ts'

const sorted = (sort: string | readonly string[], more: object = {}) =>
  list('articles', { fields: ['id'], sort, ...more })
const found = (search: string, more: object = {}) => list('articles', { fields: ['id'], search, ...more })
const stars = (more: object) => list('stars', { fields: ['id'], ...more })
const told = (meta: string | readonly string[], more: object = {}) =>
  list('articles', { fields: ['id'], filter: { id: { _lte: 1 } }, meta, ...more })

const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, index) => from + index)
const all = upTo(7)

export const orderCases = casesOf({
  'null comes last in ascending order, and ties are broken by the key': [
    sorted('views'),
    ids(7, 4, 2, 5, 6, 1, 3),
  ],
  'null comes first in descending order, and ties are broken by the key, descending': [
    sorted('-views'),
    ids(3, 1, 6, 5, 2, 4, 7),
  ],
  'earlier names take priority, and ties follow the direction of the last': [
    sorted(['status', '-views']),
    ids(4, 6, 2, 7, 3, 1, 5),
  ],
  'ties follow an ascending last name too': [sorted(['-featured', 'status']), ids(7, 3, 6, 1, 5, 4, 2)],
  'a comma text sorts like a list': [sorted('-featured, status'), ids(7, 3, 6, 1, 5, 4, 2)],
  'the key in descending order': [sorted('-id'), ids(...all.toReversed())],
  'text sorts by code point here': [sorted('title'), ids(4, 5, 6, 1, 2, 3, 7)],
  'false sorts before true': [sorted('featured'), ids(2, 4, 1, 5, 6, 3, 7)],
  'moments sort by time': [sorted('-published_at'), ids(7, 3, 6, 5, 2, 1, 4)],
  'a raw key sorts as what it is, whether it leads anywhere or not': [
    sorted('author'),
    ids(1, 2, 3, 5, 7, 6, 4),
  ],
  'a field of a related item sorts, and a missing target is null': [
    sorted('author.name'),
    ids(1, 2, 3, 5, 4, 6, 7),
  ],
  'a missing target comes first in descending order': [sorted('-author.name'), ids(7, 6, 4, 5, 3, 2, 1)],
  'a path of several relations sorts': [sorted('author.country.name'), ids(3, 1, 2, 4, 5, 6, 7)],
  'a function sorts': [sorted('year(published_at)'), ids(4, 1, 2, 5, 6, 3, 7)],
  'a count sorts': [sorted('-count(comments)'), ids(1, 5, 2, 7, 6, 4, 3)],
  'a function of a related item sorts, written either way': [
    sorted(['-author.year(born)', 'count(author.articles)']),
    ids(5, 4, 6, 7, 1, 2, 3),
  ],
  'an alias sorts, shown or not': [sorted('-v', { alias: { v: 'views' } }), ids(3, 1, 6, 5, 2, 4, 7)],
  'an alias of a function sorts': [
    list('articles', { fields: ['y'], alias: { y: 'year(published_at)' }, sort: ['y'], limit: 3 }),
    items({ y: 2022 }, { y: 2023 }, { y: 2023 }),
  ],
  'in JSON numbers sort before texts, and no value is last': [
    sorted('json(meta, size.w)'),
    ids(7, 1, 5, 2, 3, 4, 6),
  ],
  'in JSON no value is first and texts sort before numbers in descending order': [
    sorted('-json(meta, size.w)'),
    ids(6, 4, 3, 2, 5, 1, 7),
  ],
  'ascending, the first child value counts, and each item comes once': [
    sorted('comments.likes'),
    ids(1, 2, 5, 3, 4, 6, 7),
  ],
  'descending, the last child value counts, and each item comes once': [
    sorted('-comments.id'),
    ids(7, 6, 4, 3, 5, 2, 1),
  ],
  'a child without a value does not count': [sorted('-comments.likes'), ids(7, 6, 4, 3, 5, 2, 1)],
  'a relation to many sorts by the keys of its children': [sorted('comments'), ids(1, 2, 5, 3, 4, 6, 7)],
  'a path through a junction sorts': [sorted('tags.tag.name'), ids(1, 2, 3, 4, 5, 6, 7)],
  'a path through a junction sorts by its last value, descending': [
    sorted('-tags.tag.name', { filter: { id: { _in: [1, 2] } } }),
    ids(1, 2),
  ],
  'a path to many sorts beyond a related item': [
    sorted('-author.comments.likes', { filter: { author: { _in: [1, 2, 3] } } }),
    ids(3, 2, 1, 5),
  ],
  'a scoped m2a path sorts': [
    sorted('blocks.item:heroes.headline', { filter: { id: { _in: [1, 2] } } }),
    ids(1, 2),
  ],
  'pages of a list sorted by children neither repeat nor lose an item': [
    sorted('comments.text', { limit: 3, page: 2 }),
    ids(3, 4, 6),
  ],
  'without sort the sort field of the collection gives the order': [
    list('ranks', { fields: ['id'] }),
    ids(2, 4, 5, 1, 3),
  ],
  'a sort replaces the sort field of the collection': [
    list('ranks', { fields: ['id'], sort: ['name'] }),
    ids(2, 3, 4, 5, 1),
  ],
  'without sort field the key gives the order, whatever its type': [
    list('countries', { fields: ['code'] }),
    items({ code: 'de' }, { code: 'no' }, { code: 'xx' }),
  ],
  'whole numbers of 64 bits sort as numbers': [
    list('giants', { fields: ['id'] }),
    ids('-5', '1541815603606036480', '9223372036854775807'),
  ],
  'decimals sort as numbers, however they are stored': [
    list('samples', { fields: ['id'], sort: ['exact'], filter: { exact: { _nnull: true } } }),
    ids(3, 4, 1),
  ],
  'children come in the order of the relation, else of their key': [
    list('books', { fields: ['chapters.heading'], filter: { id: 1 } }),
    items({ chapters: [{ heading: 'start' }, { heading: 'end' }, { heading: 'anywhere' }] }),
  ],
  'JSON as a whole has no order': [
    sorted('meta'),
    refused(invalid(['sort'], '"meta" is of type json, which has no order.')),
  ],
  'a field that does not exist sorts nothing': [
    sorted(['id', '-author.nmae']),
    refused(unknownField('nmae', 'authors', ['sort', 1], 'name')),
  ],
  'an m2a path without scope sorts nothing': [
    sorted('blocks.item.headline'),
    refused(
      invalid(['sort'], '"item" points to several collections; say which one.', 'Write "item:heroes".'),
    ),
  ],
  'a sort takes so many names and no more': [
    sorted(Array.from({ length: 17 }, () => 'id')),
    refused(invalid(['sort'], '"sort" takes at most 16 names.')),
  ],
  'an alias named like a field replaces it in the sort, and not in the filter': [
    list('articles', {
      fields: ['title'],
      alias: { title: 'views' },
      filter: { title: { _icontains: 'hello' } },
      sort: 'title',
    }),
    items({ title: 5 }, { title: 100 }),
  ],
  'what is hidden has no order': [
    list('secrets', { sort: 'hash' }),
    refused(invalid(['sort'], '"hash" is of type hash, which has no order.')),
  ],
  'a plus before a name is no direction': [
    sorted('+id'),
    refused(unknownField('+id', 'articles', ['sort'], 'id')),
  ],
})

export const pageCases = casesOf({
  'a list has 100 items unless told otherwise': [stars({}), ids(...upTo(100))],
  'limit -1 is all items': [stars({ limit: -1 }), ids(...upTo(105))],
  'a limit above the default counts': [stars({ limit: 103 }), ids(...upTo(103))],
  'limit 0 is no item': [stars({ limit: 0 }), ids()],
  'a nested list has 100 items per parent unless told otherwise': [
    list('galaxies', { fields: ['stars'] }),
    items({ stars: upTo(100) }, { stars: [104, 105] }, { stars: [] }),
  ],
  'a stream has no default limit': [stream('stars', { fields: ['id'] }), ids(...upTo(105))],
  'a stream obeys the maximum': [
    stream('stars', { fields: ['id'] }),
    ids(1, 2, 3, 4),
    { engine: { limits: { maxLimit: 4 } } },
  ],
  'offset skips items': [stars({ limit: 2, offset: 3 }), ids(4, 5)],
  'offset without limit skips within the default': [stars({ offset: 3 }), ids(...upTo(103, 4))],
  'offset beyond the end is no item': [stars({ limit: 2, offset: 200 }), ids()],
  'offset with limit -1 leaves the rest': [stars({ limit: -1, offset: 103 }), ids(104, 105)],
  'the first page is 1': [stars({ limit: 2, page: 1 }), ids(1, 2)],
  'a later page': [stars({ limit: 2, page: 3 }), ids(5, 6)],
  'a page without limit is one of the default limit': [stars({ page: 2 }), ids(...upTo(105, 101))],
  'a page beyond the end is empty': [stars({ limit: 2, page: 99 }), ids()],
  'a list of all items has one page': [stars({ limit: -1, page: 1 }), ids(...upTo(105))],
  'the maximum binds a list that asks for all': [
    stars({ limit: -1 }),
    ids(1, 2, 3),
    { engine: { limits: { maxLimit: 3 } } },
  ],
  'the default limit is the smaller of default and maximum': [
    stars({}),
    ids(1, 2, 3),
    { engine: { limits: { maxLimit: 3 } } },
  ],
  'a default below the maximum counts': [
    stars({}),
    ids(1, 2),
    { engine: { limits: { defaultLimit: 2, maxLimit: 3 } } },
  ],
  'pages of a list that asks for all are of the maximum': [
    stars({ limit: -1, page: 2 }),
    ids(4, 5, 6),
    { engine: { limits: { maxLimit: 3 } } },
  ],
  'asking for more than the maximum is an error': [
    stars({ limit: 4 }),
    refused(invalid(['limit'], '"limit" takes at most 3.')),
    { engine: { limits: { maxLimit: 3 } } },
  ],
  'asking for more than the maximum is an error in nested lists too': [
    list('galaxies', { fields: ['stars'], deep: { stars: { _limit: 4 } } }),
    refused(invalid(['deep', 'stars', '_limit'], '"_limit" takes at most 3.')),
    { engine: { limits: { maxLimit: 3 } } },
  ],
  'the maximum binds nested lists': [
    list('galaxies', { fields: ['stars'], deep: { stars: { _limit: -1 } } }),
    items({ stars: [1, 2, 3] }, { stars: [104, 105] }, { stars: [] }),
    { engine: { limits: { maxLimit: 3 } } },
  ],
  'page and offset exclude each other': [
    stars({ page: 2, offset: 1 }),
    refused(invalid(['page'], '"page" and "offset" exclude each other.')),
  ],
  'numbers that make no sense are told together': [
    stars({ limit: -2, page: 0 }),
    refused(
      invalid(['limit'], '"limit" takes a whole number of -1 or more, not -2.'),
      invalid(['page'], '"page" takes a whole number of 1 or more, not 0.'),
    ),
  ],
  'a limit is a whole number': [
    stars({ limit: 1.5 }),
    refused(invalid(['limit'], '"limit" takes a whole number of -1 or more, not 1.5.')),
  ],
  'an unknown parameter is an error with a suggestion': [
    stars({ limt: 3 }),
    refused(invalid(['limt'], 'There is no parameter "limt".', 'Did you mean "limit"?')),
  ],
  'only a single item has versions': [
    stars({ version: 'draft' }),
    refused(invalid(['version'], 'Only a single item has versions.')),
  ],
})

export const searchCases = casesOf({
  'search finds a part of a text, upper or lower case alike': [found('HELLO'), ids(1, 2)],
  'search folds letters beyond ASCII': [found('åNGSTRÖM'), ids(3)],
  'search looks into every text field': [found('DRAFT'), ids(2, 6, 7)],
  'the text of a search is trimmed': [found('  hello  '), ids(1, 2)],
  'a blank search is no search': [found('   '), ids(...all)],
  'blanks inside a search count': [found('hello  again'), ids()],
  '% in a search is a per cent sign': [found('%'), ids(5)],
  '_ in a search is a low line': [found('_'), ids()],
  'a search is found in one field, not spread over several': [found('hello published'), ids()],
  'a search compares no numbers': [found('100'), ids(5)],
  'a text of digits is found by its digits': [found('42'), ids(6)],
  'a search leaves related items out': [found('Ada'), ids()],
  'a search finds no uuid': [
    list('texts', { fields: ['content'], search: '00000000-0000-4000-8000-000000000001' }),
    items(),
  ],
  'a search leaves out what is hidden, what is not searchable, and what is no text': [
    list('secrets', { fields: ['id'], search: 'fish' }),
    ids(),
  ],
  'without text fields nothing is found': [list('stars', { fields: ['id'], search: '1' }), ids()],
  'a search joins the filter': [found('hello', { filter: { status: { _neq: 'draft' } } }), ids(1)],
})

export const metaCases = casesOf({
  'total_count is of all items, filter_count of those that filter and search leave': [
    found('hello', { filter: { id: { _lte: 4 } }, limit: 1, meta: ['total_count', 'filter_count'] }),
    { ...ids(1), meta: { total_count: 7, filter_count: 2 } },
  ],
  'meta holds only what was asked for': [told('filter_count'), { ...ids(1), meta: { filter_count: 1 } }],
  '* is everything a list tells': [
    list('articles', { fields: ['id'], limit: 2, page: 2, meta: '*' }),
    {
      ...ids(3, 4),
      meta: { total_count: 7, filter_count: 7, limit: 2, offset: 2, page: 2, page_count: 4, truncated: [] },
    },
  ],
  'a condition on children does not multiply what is counted': [
    list('articles', { fields: ['id'], filter: { comments: { id: { _gt: 0 } } }, meta: 'filter_count' }),
    { ...ids(1, 2, 5), meta: { filter_count: 3 } },
  ],
  'a list that the default limit cut is truncated': [
    stars({ meta: ['truncated', 'limit', 'page_count'] }),
    { ...ids(...upTo(100)), meta: { truncated: [''], limit: 100, page_count: 2 } },
  ],
  'a list that its own limit cut is not truncated': [
    stars({ limit: 1, meta: 'truncated' }),
    { ...ids(1), meta: { truncated: [] } },
  ],
  'a list that just fits is not truncated': [
    list('articles', { fields: ['id'], meta: 'truncated' }),
    { ...ids(...all), meta: { truncated: [] } },
    { engine: { limits: { defaultLimit: 7 } } },
  ],
  'a list of all items that the maximum cut is truncated': [
    stars({ limit: -1, meta: 'truncated' }),
    { ...ids(1, 2), meta: { truncated: [''] } },
    { engine: { limits: { maxLimit: 2 } } },
  ],
  'truncated names the nested lists that the default limit cut': [
    list('galaxies', { fields: ['stars'], meta: 'truncated' }),
    { ...items({ stars: upTo(100) }, { stars: [104, 105] }, { stars: [] }), meta: { truncated: ['stars'] } },
  ],
  'a nested list with a limit of its own is not truncated': [
    list('galaxies', { fields: ['stars'], deep: { stars: { _limit: 1 } }, meta: 'truncated' }),
    { ...items({ stars: [1] }, { stars: [104] }, { stars: [] }), meta: { truncated: [] } },
  ],
  'truncated goes down to the last level, and by the names of aliases': [
    list('authors', {
      fields: ['works.comments.id'],
      alias: { works: 'articles' },
      filter: { id: 1 },
      meta: 'truncated',
    }),
    {
      ...items({ works: [{ comments: [{ id: 1 }, { id: 2 }] }, { comments: [{ id: 4 }] }] }),
      meta: { truncated: ['works.comments'] },
    },
    { engine: { limits: { defaultLimit: 2 } } },
  ],
  'truncated goes through relations to one': [
    list('articles', { fields: ['author.comments.id'], filter: { id: 3 }, meta: 'truncated' }),
    { ...items({ author: { comments: [{ id: 1 }, { id: 5 }] } }), meta: { truncated: ['author.comments'] } },
    { engine: { limits: { defaultLimit: 2 } } },
  ],
  'when grouping, filter_count counts rows and page_count groups': [
    list('articles', { groupBy: ['status'], aggregate: { count: '*' }, limit: 3, meta: '*' }),
    {
      ...items(
        { status: 'archived', count: 1 },
        { status: 'draft', count: 3 },
        { status: 'published', count: 2 },
      ),
      meta: { total_count: 7, filter_count: 7, limit: 3, offset: 0, page: 1, page_count: 2, truncated: [] },
    },
  ],
  'groups that the default limit cut are truncated': [
    list('articles', { groupBy: 'id', meta: ['truncated', 'page_count', 'filter_count'] }),
    { ...ids(1, 2), meta: { truncated: [''], page_count: 4, filter_count: 7 } },
    { engine: { limits: { defaultLimit: 2 } } },
  ],
  'several cuts are all told, from the root down': [
    list('authors', { fields: ['articles.comments'], meta: 'truncated' }),
    {
      ...items({ articles: [{ comments: [1] }] }),
      meta: { truncated: ['', 'articles', 'articles.comments'] },
    },
    { engine: { limits: { defaultLimit: 1 } } },
  ],
  'a list of no items has no pages': [
    list('articles', { fields: ['id'], limit: 0, meta: ['limit', 'page_count', 'filter_count'] }),
    { ...ids(), meta: { limit: 0, page_count: 0, filter_count: 7 } },
  ],
  'a list of all items is one page without limit': [
    list('articles', { fields: ['id'], limit: -1, meta: ['limit', 'page', 'page_count'] }),
    { ...ids(...all), meta: { limit: -1, page: 1, page_count: 1 } },
  ],
  'meta on a single item changes nothing': [one('articles', 1, { fields: ['id'], meta: '*' }), { id: 1 }],
  'an unknown word in meta is an error that lists the known ones': [
    told('total'),
    refused(
      invalid(
        ['meta'],
        '"meta" has no "total"; there are *, total_count, filter_count, limit, offset, page, page_count, truncated, cursors.',
      ),
    ),
  ],
})

export const singletonCases = casesOf({
  'a singleton is one item': [singleton('site'), { id: 7, name: 'Here', motto: 'hi', lead: 1 }],
  'a singleton expands what it is asked to': [
    singleton('site', { fields: ['name', 'lead.name'] }),
    { name: 'Here', lead: { name: 'Ada' } },
  ],
  'a singleton is reachable by its key': [one('site', 7, { fields: ['motto'] }), { motto: 'hi' }],
  'a singleton without a row answers its defaults with a null key': [
    singleton('plans'),
    { id: null, name: null, motto: 'hello', size: 3, lead: null, steps: [] },
  ],
  'a singleton without a row answers no more than was asked for': [
    singleton('plans', { fields: ['size', 'lead.name', 'm'], alias: { m: 'motto' } }),
    { size: 3, lead: null, m: 'hello' },
  ],
  'a collection of many items is no singleton': [
    singleton('articles'),
    refused({ code: 'NOT_FOUND', message: '"articles" is not a singleton, or you may not see it.' }),
  ],
})
