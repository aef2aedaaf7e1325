// What fields, wildcards, functions and aliases show of an item.
import { casesOf, ids, invalid, items, list, one, refused, unknownField } from './case.ts'
import { bob, comment, fifth, first, third } from './shown.ts'

const uuid = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`
const only = (...keys: readonly number[]) => ({ filter: { id: { _in: keys } } })

export const fieldCases = casesOf({
  // Names and wildcards.
  'without fields an item shows its own fields, in the order of the schema': [
    list('articles', only(1)),
    items(first),
  ],
  'a single item shows the same': [one('articles', 1), first],
  '* is what is shown without fields': [list('articles', { fields: '*', ...only(1) }), items(first)],
  'a relation to one shows its raw key': [
    list('articles', { fields: ['author', 'parent'], ...only(1, 2) }),
    items({ author: 1, parent: null }, { author: 1, parent: 1 }),
  ],
  'a relation to many shows the keys of its children, and none is an empty list': [
    list('articles', { fields: ['comments'], ...only(1, 4) }),
    items({ comments: [1, 2, 3] }, { comments: [] }),
  ],
  'm2m and m2a show the keys of their junction rows': [
    list('articles', { fields: ['tags', 'blocks'], ...only(2) }),
    items({ tags: [3], blocks: [3, 4] }),
  ],
  'names appear in the order of their first mention': [
    list('articles', { fields: ['title', 'id', 'author.name', 'status', 'author.id'], ...only(1) }),
    items({ title: 'Hello', id: 1, author: { name: 'Ada', id: 1 }, status: 'published' }),
  ],
  'a name said twice appears once': [
    list('articles', { fields: ['id', 'title', 'id', 'title'], ...only(1) }),
    items({ id: 1, title: 'Hello' }),
  ],
  'a name before a wildcard comes first': [
    list('tags', { fields: ['name', '*'], ...only(1) }),
    items({ name: 'news', id: 1, articles: [1, 3] }),
  ],
  'a relation expanded before a wildcard keeps its place and its expansion': [
    list('comments', { fields: ['author.name', '*'], ...only(1) }),
    items({ author: { name: 'Bob' }, ...comment.one }),
  ],
  'a relation expanded after a wildcard is expanded in its place': [
    list('comments', { fields: ['*', 'author.name'], ...only(1) }),
    items({ ...comment.one, author: { name: 'Bob' } }),
  ],
  'the key of related items is shown only where it is asked for': [
    list('articles', { fields: ['comments.text'], ...only(1) }),
    items({ comments: [{ text: 'nice' }, { text: 'bad' }, { text: null }] }),
  ],
  '*.* expands relations one level': [
    list('comments', { fields: ['*.*'], ...only(5) }),
    items({
      ...comment.five,
      article: fifth,
      author: { ...bob, country: 'de', articles: [3], comments: [1, 5, 6] },
    }),
  ],
  '*.*.* expands relations two levels': [
    list('countries', { fields: ['*.*.*'], filter: { code: 'de' } }),
    items({
      code: 'de',
      name: 'Germany',
      authors: [
        {
          ...bob,
          country: { code: 'de', name: 'Germany', authors: [2] },
          articles: [third],
          comments: [
            { ...comment.one, author: 2 },
            { ...comment.five, author: 2 },
            { ...comment.six, author: 2 },
          ],
        },
      ],
    }),
  ],
  'without backlink a wildcard does not expand the relation it came by': [
    list('countries', { fields: ['*.*.*'], backlink: false, filter: { code: 'de' } }),
    items({
      code: 'de',
      name: 'Germany',
      authors: [
        {
          ...bob,
          country: 'de',
          articles: [third],
          comments: [
            { ...comment.one, author: 2 },
            { ...comment.five, author: 2 },
            { ...comment.six, author: 2 },
          ],
        },
      ],
    }),
  ],
  'without backlink a relation back to many keeps its keys too': [
    list('authors', { fields: ['country.*.*'], backlink: false, ...only(1) }),
    items({ country: { code: 'no', name: 'Norway', authors: [1] } }),
  ],
  'without backlink one level of wildcards is as ever': [
    list('authors', { fields: ['country.*', 'comments.*'], backlink: false, ...only(3) }),
    items({ country: null, comments: [{ id: 2, text: 'bad', likes: 0, article: 1, author: 3 }] }),
  ],
  'without backlink an explicit path leads back all the same': [
    list('authors', { fields: ['articles.author.name'], backlink: false, ...only(2) }),
    items({ articles: [{ author: { name: 'Bob' } }] }),
  ],
  'an explicit path beside a wildcard is followed without backlink': [
    list('authors', { fields: ['country.*', 'country.authors.id'], backlink: false, ...only(1) }),
    items({ country: { code: 'no', name: 'Norway', authors: [{ id: 1 }] } }),
  ],
  'a missing target is null where it is expanded': [
    list('articles', { fields: ['id', 'author.name'], ...only(4, 6) }),
    items({ id: 4, author: null }, { id: 6, author: null }),
  ],
  'the raw key of a missing target stays': [
    list('articles', { fields: ['author'], ...only(4, 6) }),
    items({ author: null }, { author: 99 }),
  ],
  'a raw key asked for beside its expansion gives way to it': [
    list('articles', { fields: ['author', 'author.name'], ...only(1) }),
    items({ author: { name: 'Ada' } }),
  ],
  'a path through a missing target ends there': [
    list('articles', { fields: ['author.country.name'], ...only(1, 5, 6, 7) }),
    items(
      { author: { country: { name: 'Norway' } } },
      { author: { country: null } },
      { author: null },
      { author: { country: null } },
    ),
  ],
  'an m2m leads through its junction': [
    list('articles', { fields: ['tags.weight', 'tags.tag.name'], ...only(1, 5, 6) }),
    items(
      {
        tags: [
          { weight: 3, tag: { name: 'news' } },
          { weight: 1, tag: { name: 'tech' } },
        ],
      },
      { tags: [{ weight: 5, tag: null }] },
      { tags: [{ weight: 0, tag: null }] },
    ),
  ],

  // Names that lead nowhere.
  'an unknown field is FORBIDDEN': [
    list('articles', { fields: ['titel'] }),
    refused(unknownField('titel', 'articles', ['fields'], 'title')),
  ],
  'a suffix on a scalar is FORBIDDEN like any unknown field': [
    list('articles', { fields: ['title.x'] }),
    refused({
      code: 'FORBIDDEN',
      path: ['fields'],
      message: '"title" (string) holds no fields, so there is no "x" below it.',
    }),
  ],
  'an unknown prefix beside real fields is FORBIDDEN': [
    list('articles', { fields: ['id', 'nope.x'] }),
    refused(unknownField('nope', 'articles', ['fields', 1])),
  ],
  'all wrong names are told together': [
    list('articles', { fields: ['titel', 'id', 'author.nmae'], sort: ['viewz'] }),
    refused(
      unknownField('viewz', 'articles', ['sort'], 'views'),
      unknownField('titel', 'articles', ['fields', 0], 'title'),
      unknownField('nmae', 'authors', ['fields', 2], 'name'),
    ),
  ],
  'a part of a name is no wildcard': [
    list('articles', { fields: ['ti*'] }),
    refused(unknownField('ti*', 'articles', ['fields'], 'id')),
  ],
  'wildcards stand for so many fields and no more': [
    list('articles', { fields: ['*.*.*.*.*'] }),
    refused(
      invalid(['fields'], 'The query asks for more than 1000 fields, with those that wildcards stand for.'),
    ),
  ],
  'two fields of one name exclude each other': [
    list('articles', {
      fields: ['published_at_year', 'year(published_at)'],
      alias: { published_at_year: 'views' },
    }),
    refused(invalid(['fields', 1], 'Two fields would both be called "published_at_year".')),
  ],
  'an unknown collection is NOT_FOUND': [
    list('artikles'),
    refused({
      code: 'NOT_FOUND',
      message: 'There is no collection "artikles", or you may not see it.',
      hint: 'Did you mean "articles"?',
    }),
  ],
  'a missing item is NOT_FOUND': [
    one('articles', 98),
    refused({ code: 'NOT_FOUND', message: 'There is no such item, or you may not see it.' }),
  ],
  'what cannot be a key finds nothing': [
    one('articles', '1.5'),
    refused({ code: 'NOT_FOUND', message: 'There is no such item, or you may not see it.' }),
  ],
  'the filter of a single item is one more condition on it': [
    one('articles', 1, { filter: { status: 'draft' } }),
    refused({ code: 'NOT_FOUND', message: 'There is no such item, or you may not see it.' }),
  ],

  // Many-to-any.
  'an m2a path names the collection its fields belong to': [
    list('articles', {
      fields: ['blocks.collection', 'blocks.item:heroes.headline', 'blocks.item:texts.content'],
      ...only(1),
    }),
    items({
      blocks: [
        { collection: 'heroes', item: { headline: 'One' } },
        { collection: 'texts', item: { content: 'A' } },
      ],
    }),
  ],
  'an m2a row of which no fields were selected gives its bare key': [
    list('articles', { fields: ['blocks.item:heroes.headline'], ...only(1) }),
    items({ blocks: [{ item: { headline: 'One' } }, { item: uuid(1) }] }),
  ],
  "a bare m2a key is typed as that collection's key": [
    list('articles', { fields: ['blocks.item:texts.content'], ...only(1, 6) }),
    items(
      { blocks: [{ item: 1 }, { item: { content: 'A' } }] },
      { blocks: [{ item: '1541815603606036480' }] },
    ),
  ],
  'an m2a scope alone asks for bare keys': [
    list('articles', { fields: ['blocks.item:heroes'], ...only(1) }),
    items({ blocks: [{ item: 1 }, { item: uuid(1) }] }),
  ],
  'a field without scope has to exist in every collection of an m2a': [
    list('articles', { fields: ['blocks.item.id'], ...only(1) }),
    items({ blocks: [{ item: { id: 1 } }, { item: { id: uuid(1) } }] }),
  ],
  'a field that one of the collections of an m2a lacks is FORBIDDEN without scope': [
    list('entries', { fields: ['item.headline'] }),
    refused(unknownField('headline', 'texts', ['fields'])),
  ],
  'an m2a wildcard shows the fields of whatever is there': [
    list('books', { fields: ['entries.item.*'], ...only(1) }),
    items({
      entries: [{ item: { id: uuid(1), content: 'A' } }, { item: { id: 1, headline: 'One', owner: 1 } }],
    }),
  ],
  'an m2a path goes on behind its scope': [
    list('books', { fields: ['entries.item:heroes.owner.name'], ...only(1) }),
    items({ entries: [{ item: uuid(1) }, { item: { owner: { name: 'Ada' } } }] }),
  ],
  'an m2a target that is missing is null where it is expanded': [
    list('books', { fields: ['entries.id', 'entries.item:heroes.headline'], ...only(2) }),
    items({
      entries: [
        { id: 3, item: null },
        { id: 4, item: null },
      ],
    }),
  ],
  'an unknown m2a scope is FORBIDDEN': [
    list('articles', { fields: ['blocks.item:nope.x'] }),
    refused(unknownField('item:nope', 'articles_blocks', ['fields'])),
  ],
  'the rows of an m2a come in the order of its sort field': [
    list('books', { fields: ['entries'], ...only(1) }),
    items({ entries: [2, 1] }),
  ],

  // Functions.
  'a function answers under the field and its own name': [
    list('articles', { fields: ['id', 'year(published_at)'], ...only(1, 3, 5) }),
    items(
      { id: 1, published_at_year: 2023 },
      { id: 3, published_at_year: null },
      { id: 5, published_at_year: 2024 },
    ),
  ],
  'every part of a moment is a number, in UTC': [
    list('articles', {
      fields: ['year', 'month', 'week', 'day', 'weekday', 'hour', 'minute', 'second'].map(
        (part) => `${part}(published_at)`,
      ),
      ...only(2),
    }),
    items({
      published_at_year: 2023,
      published_at_month: 6,
      published_at_week: 22,
      published_at_day: 1,
      published_at_weekday: 4,
      published_at_hour: 23,
      published_at_minute: 59,
      published_at_second: 59,
    }),
  ],
  'weeks are those of ISO 8601, and 0 is Sunday': [
    list('articles', { fields: ['week(published_at)', 'weekday(published_at)'], ...only(1, 4) }),
    items(
      { published_at_week: 2, published_at_weekday: 0 },
      { published_at_week: 52, published_at_weekday: 6 },
    ),
  ],
  'the last days of a year may belong to the first week of the next': [
    list('samples', { fields: ['week(moment)', 'year(moment)'], ...only(3) }),
    items({ moment_week: 1, moment_year: 2024 }),
  ],
  'functions of moments use the time zone of the engine': [
    list('samples', { fields: ['day(moment)', 'hour(moment)', 'hour(local)'], ...only(4) }),
    items({ moment_day: 1, moment_hour: 0, local_hour: 0 }),
    { engine: { timezone: '+02:00' } },
  ],
  'functions of moments use a time zone with a name': [
    list('samples', { fields: ['day(moment)', 'month(moment)', 'hour(moment)'], ...only(4) }),
    items({ moment_day: 1, moment_month: 7, moment_hour: 0 }),
    { engine: { timezone: 'Europe/Oslo' }, needs: 'namedZones' },
  ],
  'a date has parts of a day, a time parts of an hour': [
    list('samples', { fields: ['month(day)', 'hour(hour)', 'minute(hour)'], ...only(1) }),
    items({ day_month: 2, hour_hour: 8, hour_minute: 30 }),
  ],
  'count is the number of related rows': [
    list('articles', { fields: ['count(comments)', 'count(tags)', 'count(blocks)'], ...only(1, 4) }),
    items(
      { comments_count: 3, tags_count: 2, blocks_count: 2 },
      { comments_count: 0, tags_count: 0, blocks_count: 1 },
    ),
  ],
  'count of JSON is the length of an array, 0 for anything else': [
    list('articles', { fields: ['count(meta)'] }),
    items(...[0, 3, null, 0, 0, 0, 0].map((meta_count) => ({ meta_count }))),
  ],
  'a count stands beside the children it counts': [
    list('articles', { fields: ['count(comments)', 'comments.id'], ...only(2) }),
    items({ comments_count: 1, comments: [{ id: 4 }] }),
  ],
  'json answers under the field and its path': [
    list('articles', { fields: ['id', 'json(meta, size.w)'] }),
    items(
      ...[10, null, null, null, '10', null, 2.5].map((meta_size_w_json, index) => ({
        id: index + 1,
        meta_size_w_json,
      })),
    ),
  ],
  'json reaches into arrays': [
    list('articles', { fields: ['json(meta, [0])', 'json(meta, list[1])'], ...only(1, 2) }),
    items({ meta_0_json: null, meta_list_1_json: 'a' }, { meta_0_json: 'p', meta_list_1_json: null }),
  ],
  'json gives every kind of value': [
    list('articles', { fields: ['json(meta,size)', 'json(meta,flag)', 'json(meta,list)'], ...only(1) }),
    items({ meta_size_json: { w: 10 }, meta_flag_json: true, meta_list_json: [1, 'a'] }),
  ],
  'a function on a related item nests, written either way': [
    list('articles', { fields: ['author.year(born)', 'day(author.born)'], ...only(1, 5, 6) }),
    items(
      { author: { born_year: 1985, born_day: 10 } },
      { author: { born_year: null, born_day: null } },
      { author: null },
    ),
  ],
  'json on a related item nests, written either way': [
    list('articles', { fields: ['parent.json(meta, color)', 'json(parent.meta, size.w)'], ...only(2) }),
    items({ parent: { meta_color_json: 'red', meta_size_w_json: 10 } }),
  ],
  'a function of children is in each child': [
    list('authors', { fields: ['articles.count(comments)'], ...only(1) }),
    items({ articles: [{ comments_count: 3 }, { comments_count: 1 }] }),
  ],
  'the same function twice appears once': [
    list('articles', { fields: ['year(published_at)', 'year( published_at )'], ...only(1) }),
    items({ published_at_year: 2023 }),
  ],
  'a function that makes no sense for a type is refused': [
    list('articles', { fields: ['year(title)'] }),
    refused(invalid(['fields'], '"year" does not work on "title" (string); it takes no function.')),
  ],
  'an unknown function is refused': [
    list('articles', { fields: ['yeer(published_at)'] }),
    refused(
      invalid(
        ['fields'],
        '"yeer(published_at)" is not understood: there is no function "yeer"; there are year, month, week, day, weekday, hour, minute, second, count, json, sum, avg, min, max.',
      ),
    ),
  ],
  'a function of an unknown field is FORBIDDEN': [
    list('articles', { fields: ['year(publishd_at)'] }),
    refused(unknownField('publishd_at', 'articles', ['fields'], 'published_at')),
  ],

  // Aliases.
  'an alias is shown where it is selected': [
    list('articles', { fields: ['id', 't'], alias: { t: 'title' }, ...only(1) }),
    items({ id: 1, t: 'Hello' }),
  ],
  'an alias that is not selected is not shown': [
    list('articles', { fields: ['id'], alias: { t: 'title' }, ...only(1) }),
    ids(1),
  ],
  '* includes every alias': [
    list('tags', { alias: { word: 'name', uses: 'count(articles)' }, ...only(1) }),
    items({ id: 1, name: 'news', articles: [1, 3], word: 'news', uses: 2 }),
  ],
  'an alias may hold a function': [
    list('articles', {
      fields: ['y', 'n', 'w'],
      alias: { y: 'year(published_at)', n: 'count(comments)', w: 'json(meta, size.w)' },
      ...only(1),
    }),
    items({ y: 2023, n: 3, w: 10 }),
  ],
  'an alias of a relation shows its keys': [
    list('articles', { fields: ['w', 'c'], alias: { w: 'author', c: 'comments' }, ...only(1) }),
    items({ w: 1, c: [1, 2, 3] }),
  ],
  'a relation may have several aliases at once, and its own name beside them': [
    list('articles', {
      fields: ['a.name', 'b.age', 'author'],
      alias: { a: 'author', b: 'author' },
      ...only(1),
    }),
    items({ a: { name: 'Ada' }, b: { age: 36 }, author: 1 }),
  ],
  'an alias named like a field replaces that field in the answer': [
    list('tags', { alias: { name: 'count(articles)' }, ...only(1) }),
    items({ id: 1, articles: [1, 3], name: 2 }),
  ],
  '*.* expands aliased relations too': [
    list('comments', { fields: ['*.id'], alias: { writer: 'author' }, ...only(1) }),
    items({ ...comment.one, article: { id: 1 }, author: { id: 2 }, writer: { id: 2 } }),
  ],
  'an alias of an unknown field is FORBIDDEN': [
    list('articles', { fields: ['id', 't'], alias: { t: 'titel' } }),
    refused(unknownField('titel', 'articles', ['alias', 't'], 'title')),
  ],
  'an alias holds no path': [
    list('articles', { fields: ['n'], alias: { n: 'author.name' } }),
    refused(
      invalid(
        ['alias', 'n'],
        'The alias "n" stands for a field of its own collection; "author.name" is a path.',
      ),
    ),
  ],
  'the name of an alias holds no period': [
    list('articles', { alias: { 'a.b': 'title' } }),
    refused(
      invalid(
        ['alias', 'a.b'],
        'The alias "a.b" holds one of . , ( ) : *, which queries use for themselves.',
      ),
    ),
  ],
  'an alias of an alias leads nowhere': [
    list('articles', { fields: ['u'], alias: { t: 'title', u: 't' } }),
    refused(unknownField('t', 'articles', ['alias', 'u'], 'id')),
  ],
})
