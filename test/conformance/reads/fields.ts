// What fields, wildcards, functions and aliases show of an item.
import { ids, invalid, items, list, one, type ReadCase, refused, unknownField } from './case.ts'
import { bob, comment, fifth, first, third } from './shown.ts'

const uuid = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`
const only = (...keys: readonly number[]) => ({ filter: { id: { _in: keys } } })

export const fieldCases: readonly ReadCase[] = [
  // Names and wildcards.
  {
    title: 'without fields an item shows its own fields, in the order of the schema',
    call: list('articles', only(1)),
    expect: items(first),
  },
  {
    title: 'a single item shows the same',
    call: one('articles', 1),
    expect: first,
  },
  {
    title: '* is what is shown without fields',
    call: list('articles', { fields: '*', ...only(1) }),
    expect: items(first),
  },
  {
    title: 'a relation to one shows its raw key',
    call: list('articles', { fields: ['author', 'parent'], ...only(1, 2) }),
    expect: items({ author: 1, parent: null }, { author: 1, parent: 1 }),
  },
  {
    title: 'a relation to many shows the keys of its children, and none is an empty list',
    call: list('articles', { fields: ['comments'], ...only(1, 4) }),
    expect: items({ comments: [1, 2, 3] }, { comments: [] }),
  },
  {
    title: 'm2m and m2a show the keys of their junction rows',
    call: list('articles', { fields: ['tags', 'blocks'], ...only(2) }),
    expect: items({ tags: [3], blocks: [3, 4] }),
  },
  {
    title: 'names appear in the order of their first mention',
    call: list('articles', { fields: ['title', 'id', 'author.name', 'status', 'author.id'], ...only(1) }),
    expect: items({ title: 'Hello', id: 1, author: { name: 'Ada', id: 1 }, status: 'published' }),
  },
  {
    title: 'a name said twice appears once',
    call: list('articles', { fields: ['id', 'title', 'id', 'title'], ...only(1) }),
    expect: items({ id: 1, title: 'Hello' }),
  },
  {
    title: 'a name before a wildcard comes first',
    call: list('tags', { fields: ['name', '*'], ...only(1) }),
    expect: items({ name: 'news', id: 1, articles: [1, 3] }),
  },
  {
    title: 'a relation expanded before a wildcard keeps its place and its expansion',
    call: list('comments', { fields: ['author.name', '*'], ...only(1) }),
    expect: items({ author: { name: 'Bob' }, ...comment.one }),
  },
  {
    title: 'a relation expanded after a wildcard is expanded in its place',
    call: list('comments', { fields: ['*', 'author.name'], ...only(1) }),
    expect: items({ ...comment.one, author: { name: 'Bob' } }),
  },
  {
    title: 'the key of related items is shown only where it is asked for',
    call: list('articles', { fields: ['comments.text'], ...only(1) }),
    expect: items({ comments: [{ text: 'nice' }, { text: 'bad' }, { text: null }] }),
  },
  {
    title: '*.* expands relations one level',
    call: list('comments', { fields: ['*.*'], ...only(5) }),
    expect: items({
      ...comment.five,
      article: fifth,
      author: { ...bob, country: 'de', articles: [3], comments: [1, 5, 6] },
    }),
  },
  {
    title: '*.*.* expands relations two levels',
    call: list('countries', { fields: ['*.*.*'], filter: { code: 'de' } }),
    expect: items({
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
  },
  {
    title: 'without backlink a wildcard does not expand the relation it came by',
    call: list('countries', { fields: ['*.*.*'], backlink: false, filter: { code: 'de' } }),
    expect: items({
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
  },
  {
    title: 'without backlink a relation back to many keeps its keys too',
    call: list('authors', { fields: ['country.*.*'], backlink: false, ...only(1) }),
    expect: items({ country: { code: 'no', name: 'Norway', authors: [1] } }),
  },
  {
    title: 'without backlink one level of wildcards is as ever',
    call: list('authors', { fields: ['country.*', 'comments.*'], backlink: false, ...only(3) }),
    expect: items({ country: null, comments: [{ id: 2, text: 'bad', likes: 0, article: 1, author: 3 }] }),
  },
  {
    title: 'without backlink an explicit path leads back all the same',
    call: list('authors', { fields: ['articles.author.name'], backlink: false, ...only(2) }),
    expect: items({ articles: [{ author: { name: 'Bob' } }] }),
  },
  {
    title: 'an explicit path beside a wildcard is followed without backlink',
    call: list('authors', { fields: ['country.*', 'country.authors.id'], backlink: false, ...only(1) }),
    expect: items({ country: { code: 'no', name: 'Norway', authors: [{ id: 1 }] } }),
  },
  {
    title: 'a missing target is null where it is expanded',
    call: list('articles', { fields: ['id', 'author.name'], ...only(4, 6) }),
    expect: items({ id: 4, author: null }, { id: 6, author: null }),
  },
  {
    title: 'the raw key of a missing target stays',
    call: list('articles', { fields: ['author'], ...only(4, 6) }),
    expect: items({ author: null }, { author: 99 }),
  },
  {
    title: 'a raw key asked for beside its expansion gives way to it',
    call: list('articles', { fields: ['author', 'author.name'], ...only(1) }),
    expect: items({ author: { name: 'Ada' } }),
  },
  {
    title: 'a path through a missing target ends there',
    call: list('articles', { fields: ['author.country.name'], ...only(1, 5, 6, 7) }),
    expect: items(
      { author: { country: { name: 'Norway' } } },
      { author: { country: null } },
      { author: null },
      { author: { country: null } },
    ),
  },
  {
    title: 'an m2m leads through its junction',
    call: list('articles', { fields: ['tags.weight', 'tags.tag.name'], ...only(1, 5, 6) }),
    expect: items(
      {
        tags: [
          { weight: 3, tag: { name: 'news' } },
          { weight: 1, tag: { name: 'tech' } },
        ],
      },
      { tags: [{ weight: 5, tag: null }] },
      { tags: [{ weight: 0, tag: null }] },
    ),
  },

  // Names that lead nowhere.
  {
    title: 'an unknown field is FORBIDDEN',
    call: list('articles', { fields: ['titel'] }),
    expect: refused(unknownField('titel', 'articles', ['fields'], 'title')),
  },
  {
    title: 'a suffix on a scalar is FORBIDDEN like any unknown field',
    call: list('articles', { fields: ['title.x'] }),
    expect: refused({
      code: 'FORBIDDEN',
      path: ['fields'],
      message: '"title" (string) holds no fields, so there is no "x" below it.',
    }),
  },
  {
    title: 'an unknown prefix beside real fields is FORBIDDEN',
    call: list('articles', { fields: ['id', 'nope.x'] }),
    expect: refused(unknownField('nope', 'articles', ['fields', 1])),
  },
  {
    title: 'all wrong names are told together',
    call: list('articles', { fields: ['titel', 'id', 'author.nmae'], sort: ['viewz'] }),
    expect: refused(
      unknownField('viewz', 'articles', ['sort'], 'views'),
      unknownField('titel', 'articles', ['fields', 0], 'title'),
      unknownField('nmae', 'authors', ['fields', 2], 'name'),
    ),
  },
  {
    title: 'a part of a name is no wildcard',
    call: list('articles', { fields: ['ti*'] }),
    expect: refused(unknownField('ti*', 'articles', ['fields'], 'id')),
  },
  {
    title: 'wildcards stand for so many fields and no more',
    call: list('articles', { fields: ['*.*.*.*.*'] }),
    expect: refused(
      invalid(['fields'], 'The query asks for more than 1000 fields, with those that wildcards stand for.'),
    ),
  },
  {
    title: 'two fields of one name exclude each other',
    call: list('articles', {
      fields: ['published_at_year', 'year(published_at)'],
      alias: { published_at_year: 'views' },
    }),
    expect: refused(invalid(['fields', 1], 'Two fields would both be called "published_at_year".')),
  },
  {
    title: 'an unknown collection is NOT_FOUND',
    call: list('artikles'),
    expect: refused({
      code: 'NOT_FOUND',
      message: 'There is no collection "artikles", or you may not see it.',
    }),
  },
  {
    title: 'a missing item is NOT_FOUND',
    call: one('articles', 98),
    expect: refused({ code: 'NOT_FOUND', message: 'There is no such item, or you may not see it.' }),
  },
  {
    title: 'what cannot be a key finds nothing',
    call: one('articles', '1.5'),
    expect: refused({ code: 'NOT_FOUND', message: 'There is no such item, or you may not see it.' }),
  },
  {
    title: 'the filter of a single item is one more condition on it',
    call: one('articles', 1, { filter: { status: 'draft' } }),
    expect: refused({ code: 'NOT_FOUND', message: 'There is no such item, or you may not see it.' }),
  },

  // Many-to-any.
  {
    title: 'an m2a path names the collection its fields belong to',
    call: list('articles', {
      fields: ['blocks.collection', 'blocks.item:heroes.headline', 'blocks.item:texts.content'],
      ...only(1),
    }),
    expect: items({
      blocks: [
        { collection: 'heroes', item: { headline: 'One' } },
        { collection: 'texts', item: { content: 'A' } },
      ],
    }),
  },
  {
    title: 'an m2a row of which no fields were selected gives its bare key',
    call: list('articles', { fields: ['blocks.item:heroes.headline'], ...only(1) }),
    expect: items({ blocks: [{ item: { headline: 'One' } }, { item: uuid(1) }] }),
  },
  {
    title: "a bare m2a key is typed as that collection's key",
    call: list('articles', { fields: ['blocks.item:texts.content'], ...only(1, 6) }),
    expect: items(
      { blocks: [{ item: 1 }, { item: { content: 'A' } }] },
      { blocks: [{ item: '1541815603606036480' }] },
    ),
  },
  {
    title: 'an m2a scope alone asks for bare keys',
    call: list('articles', { fields: ['blocks.item:heroes'], ...only(1) }),
    expect: items({ blocks: [{ item: 1 }, { item: uuid(1) }] }),
  },
  {
    title: 'a field without scope has to exist in every collection of an m2a',
    call: list('articles', { fields: ['blocks.item.id'], ...only(1) }),
    expect: items({ blocks: [{ item: { id: 1 } }, { item: { id: uuid(1) } }] }),
  },
  {
    title: 'a field that one of the collections of an m2a lacks is FORBIDDEN without scope',
    call: list('entries', { fields: ['item.headline'] }),
    expect: refused(unknownField('headline', 'texts', ['fields'])),
  },
  {
    title: 'an m2a wildcard shows the fields of whatever is there',
    call: list('books', { fields: ['entries.item.*'], ...only(1) }),
    expect: items({
      entries: [{ item: { id: uuid(1), content: 'A' } }, { item: { id: 1, headline: 'One', owner: 1 } }],
    }),
  },
  {
    title: 'an m2a path goes on behind its scope',
    call: list('books', { fields: ['entries.item:heroes.owner.name'], ...only(1) }),
    expect: items({ entries: [{ item: uuid(1) }, { item: { owner: { name: 'Ada' } } }] }),
  },
  {
    title: 'an m2a target that is missing is null where it is expanded',
    call: list('books', { fields: ['entries.id', 'entries.item:heroes.headline'], ...only(2) }),
    expect: items({
      entries: [
        { id: 3, item: null },
        { id: 4, item: null },
      ],
    }),
  },
  {
    title: 'an unknown m2a scope is FORBIDDEN',
    call: list('articles', { fields: ['blocks.item:nope.x'] }),
    expect: refused(unknownField('item:nope', 'articles_blocks', ['fields'])),
  },
  {
    title: 'the rows of an m2a come in the order of its sort field',
    call: list('books', { fields: ['entries'], ...only(1) }),
    expect: items({ entries: [2, 1] }),
  },

  // Functions.
  {
    title: 'a function answers under the field and its own name',
    call: list('articles', { fields: ['id', 'year(published_at)'], ...only(1, 3, 5) }),
    expect: items(
      { id: 1, published_at_year: 2023 },
      { id: 3, published_at_year: null },
      { id: 5, published_at_year: 2024 },
    ),
  },
  {
    title: 'every part of a moment is a number, in UTC',
    call: list('articles', {
      fields: ['year', 'month', 'week', 'day', 'weekday', 'hour', 'minute', 'second'].map(
        (part) => `${part}(published_at)`,
      ),
      ...only(2),
    }),
    expect: items({
      published_at_year: 2023,
      published_at_month: 6,
      published_at_week: 22,
      published_at_day: 1,
      published_at_weekday: 4,
      published_at_hour: 23,
      published_at_minute: 59,
      published_at_second: 59,
    }),
  },
  {
    title: 'weeks are those of ISO 8601, and 0 is Sunday',
    call: list('articles', { fields: ['week(published_at)', 'weekday(published_at)'], ...only(1, 4) }),
    expect: items(
      { published_at_week: 2, published_at_weekday: 0 },
      { published_at_week: 52, published_at_weekday: 6 },
    ),
  },
  {
    title: 'the last days of a year may belong to the first week of the next',
    call: list('samples', { fields: ['week(moment)', 'year(moment)'], ...only(3) }),
    expect: items({ moment_week: 1, moment_year: 2024 }),
  },
  {
    title: 'functions of moments use the time zone of the engine',
    call: list('samples', { fields: ['day(moment)', 'hour(moment)', 'hour(local)'], ...only(4) }),
    engine: { timezone: '+02:00' },
    expect: items({ moment_day: 1, moment_hour: 0, local_hour: 0 }),
  },
  {
    title: 'functions of moments use a time zone with a name',
    call: list('samples', { fields: ['day(moment)', 'month(moment)', 'hour(moment)'], ...only(4) }),
    engine: { timezone: 'Europe/Oslo' },
    needs: 'namedZones',
    expect: items({ moment_day: 1, moment_month: 7, moment_hour: 0 }),
  },
  {
    title: 'a date has parts of a day, a time parts of an hour',
    call: list('samples', { fields: ['month(day)', 'hour(hour)', 'minute(hour)'], ...only(1) }),
    expect: items({ day_month: 2, hour_hour: 8, hour_minute: 30 }),
  },
  {
    title: 'count is the number of related rows',
    call: list('articles', { fields: ['count(comments)', 'count(tags)', 'count(blocks)'], ...only(1, 4) }),
    expect: items(
      { comments_count: 3, tags_count: 2, blocks_count: 2 },
      { comments_count: 0, tags_count: 0, blocks_count: 1 },
    ),
  },
  {
    title: 'count of JSON is the length of an array, 0 for anything else',
    call: list('articles', { fields: ['count(meta)'] }),
    expect: items(...[0, 3, null, 0, 0, 0, 0].map((meta_count) => ({ meta_count }))),
  },
  {
    title: 'a count stands beside the children it counts',
    call: list('articles', { fields: ['count(comments)', 'comments.id'], ...only(2) }),
    expect: items({ comments_count: 1, comments: [{ id: 4 }] }),
  },
  {
    title: 'json answers under the field and its path',
    call: list('articles', { fields: ['id', 'json(meta, size.w)'] }),
    expect: items(
      ...[10, null, null, null, '10', null, 2.5].map((meta_size_w_json, index) => ({
        id: index + 1,
        meta_size_w_json,
      })),
    ),
  },
  {
    title: 'json reaches into arrays',
    call: list('articles', { fields: ['json(meta, [0])', 'json(meta, list[1])'], ...only(1, 2) }),
    expect: items({ meta_0_json: null, meta_list_1_json: 'a' }, { meta_0_json: 'p', meta_list_1_json: null }),
  },
  {
    title: 'json gives every kind of value',
    call: list('articles', { fields: ['json(meta,size)', 'json(meta,flag)', 'json(meta,list)'], ...only(1) }),
    expect: items({ meta_size_json: { w: 10 }, meta_flag_json: true, meta_list_json: [1, 'a'] }),
  },
  {
    title: 'a function on a related item nests, written either way',
    call: list('articles', { fields: ['author.year(born)', 'day(author.born)'], ...only(1, 5, 6) }),
    expect: items(
      { author: { born_year: 1985, born_day: 10 } },
      { author: { born_year: null, born_day: null } },
      { author: null },
    ),
  },
  {
    title: 'json on a related item nests, written either way',
    call: list('articles', { fields: ['parent.json(meta, color)', 'json(parent.meta, size.w)'], ...only(2) }),
    expect: items({ parent: { meta_color_json: 'red', meta_size_w_json: 10 } }),
  },
  {
    title: 'a function of children is in each child',
    call: list('authors', { fields: ['articles.count(comments)'], ...only(1) }),
    expect: items({ articles: [{ comments_count: 3 }, { comments_count: 1 }] }),
  },
  {
    title: 'the same function twice appears once',
    call: list('articles', { fields: ['year(published_at)', 'year( published_at )'], ...only(1) }),
    expect: items({ published_at_year: 2023 }),
  },
  {
    title: 'a function that makes no sense for a type is refused',
    call: list('articles', { fields: ['year(title)'] }),
    expect: refused(invalid(['fields'], '"year" does not work on "title" (string); it takes no function.')),
  },
  {
    title: 'an unknown function is refused',
    call: list('articles', { fields: ['yeer(published_at)'] }),
    expect: refused(
      invalid(
        ['fields'],
        '"yeer(published_at)" is not understood: there is no function "yeer"; there are year, month, week, day, weekday, hour, minute, second, count, json.',
      ),
    ),
  },
  {
    title: 'a function of an unknown field is FORBIDDEN',
    call: list('articles', { fields: ['year(publishd_at)'] }),
    expect: refused(unknownField('publishd_at', 'articles', ['fields'], 'published_at')),
  },

  // Aliases.
  {
    title: 'an alias is shown where it is selected',
    call: list('articles', { fields: ['id', 't'], alias: { t: 'title' }, ...only(1) }),
    expect: items({ id: 1, t: 'Hello' }),
  },
  {
    title: 'an alias that is not selected is not shown',
    call: list('articles', { fields: ['id'], alias: { t: 'title' }, ...only(1) }),
    expect: ids(1),
  },
  {
    title: '* includes every alias',
    call: list('tags', { alias: { word: 'name', uses: 'count(articles)' }, ...only(1) }),
    expect: items({ id: 1, name: 'news', articles: [1, 3], word: 'news', uses: 2 }),
  },
  {
    title: 'an alias may hold a function',
    call: list('articles', {
      fields: ['y', 'n', 'w'],
      alias: { y: 'year(published_at)', n: 'count(comments)', w: 'json(meta, size.w)' },
      ...only(1),
    }),
    expect: items({ y: 2023, n: 3, w: 10 }),
  },
  {
    title: 'an alias of a relation shows its keys',
    call: list('articles', { fields: ['w', 'c'], alias: { w: 'author', c: 'comments' }, ...only(1) }),
    expect: items({ w: 1, c: [1, 2, 3] }),
  },
  {
    title: 'a relation may have several aliases at once, and its own name beside them',
    call: list('articles', {
      fields: ['a.name', 'b.age', 'author'],
      alias: { a: 'author', b: 'author' },
      ...only(1),
    }),
    expect: items({ a: { name: 'Ada' }, b: { age: 36 }, author: 1 }),
  },
  {
    title: 'an alias named like a field replaces that field in the answer',
    call: list('tags', { alias: { name: 'count(articles)' }, ...only(1) }),
    expect: items({ id: 1, articles: [1, 3], name: 2 }),
  },
  {
    title: '*.* expands aliased relations too',
    call: list('comments', { fields: ['*.id'], alias: { writer: 'author' }, ...only(1) }),
    expect: items({ ...comment.one, article: { id: 1 }, author: { id: 2 }, writer: { id: 2 } }),
  },
  {
    title: 'an alias of an unknown field is FORBIDDEN',
    call: list('articles', { fields: ['id', 't'], alias: { t: 'titel' } }),
    expect: refused(unknownField('titel', 'articles', ['alias', 't'], 'title')),
  },
  {
    title: 'an alias holds no path',
    call: list('articles', { fields: ['n'], alias: { n: 'author.name' } }),
    expect: refused(
      invalid(
        ['alias', 'n'],
        'The alias "n" stands for a field of its own collection; "author.name" is a path.',
      ),
    ),
  },
  {
    title: 'the name of an alias holds no period',
    call: list('articles', { alias: { 'a.b': 'title' } }),
    expect: refused(
      invalid(
        ['alias', 'a.b'],
        'The alias "a.b" holds one of . , ( ) : *, which queries use for themselves.',
      ),
    ),
  },
  {
    title: 'an alias of an alias leads nowhere',
    call: list('articles', { fields: ['u'], alias: { t: 'title', u: 't' } }),
    expect: refused(unknownField('t', 'articles', ['alias', 'u'], 'id')),
  },
]
