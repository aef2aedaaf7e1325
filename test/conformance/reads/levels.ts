// Parameters of related items, at every level.
import { casesOf, ids, invalid, items, list, refused, unknownField } from './case.ts'
import { bob, comment, third } from './shown.ts'

const uuid = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`
const authors = (deep: object, fields: readonly string[] = ['id', 'articles'], more: object = {}) =>
  list('authors', { fields, deep, ...more })
const articles = (deep: object, fields: readonly string[], more: object = {}) =>
  list('articles', { fields, deep, ...more })
const withComments = (_comments: object, keys: readonly number[] = [1, 2]) =>
  articles({ comments: _comments }, ['comments'], { filter: { id: { _in: keys } } })

/** What is shown of each author, in order. */
const each = (name: string, ...lists: readonly unknown[]) =>
  items(...lists.map((value, index) => ({ id: index + 1, [name]: value })))

export const levelCases = casesOf({
  '_limit is per parent': [authors({ articles: { _limit: 1 } }), each('articles', [1], [3], [5], [7])],
  '_offset is per parent': [authors({ articles: { _offset: 1 } }), each('articles', [2], [], [], [])],
  '_page is per parent': [
    authors({ comments: { _limit: 2, _page: 2 } }, ['id', 'comments']),
    each('comments', [], [6], [], []),
  ],
  '_limit 0 leaves no child': [withComments({ _limit: 0 }), items({ comments: [] }, { comments: [] })],
  '_limit -1 leaves all': [
    withComments({ _limit: -1 }),
    items({ comments: [1, 2, 3] }, { comments: [4] }),
    { engine: { limits: { defaultLimit: 2 } } },
  ],
  '_sort orders the children, null last, ties by their key': [
    withComments({ _sort: ['likes'] }),
    items({ comments: [2, 1, 3] }, { comments: [4] }),
  ],
  '_sort and _limit give the first of each parent': [
    authors({ comments: { _sort: '-likes', _limit: 1 } }, ['id', 'comments.likes']),
    each('comments', [{ likes: 7 }], [{ likes: 10 }], [{ likes: 0 }], []),
  ],
  '_sort reaches beyond the child': [
    withComments({ _sort: ['author.name'] }, [1]),
    items({ comments: [1, 2, 3] }),
  ],
  '_sort replaces the order of the relation': [
    list('books', { fields: ['chapters'], deep: { chapters: { _sort: 'heading' } }, filter: { id: 1 } }),
    items({ chapters: [3, 1, 2] }),
  ],
  '_filter leaves out children, and no parent': [
    withComments({ _filter: { likes: { _gt: 0 } } }, [1, 4]),
    items({ comments: [1] }, { comments: [] }),
  ],
  '_filter on a relation to one makes it null, and no parent is lost': [
    articles({ author: { _filter: { name: 'Ada' } } }, ['id', 'author.name'], {
      filter: { id: { _in: [1, 3, 4] } },
    }),
    items({ id: 1, author: { name: 'Ada' } }, { id: 3, author: null }, { id: 4, author: null }),
  ],
  '_filter does not touch a raw key': [
    articles({ author: { _filter: { name: 'Ada' } } }, ['author'], { filter: { id: 3 } }),
    items({ author: 2 }),
  ],
  '_filter may ask about children of the child': [
    authors({ articles: { _filter: { comments: { likes: { _gt: 5 } } } } }),
    each('articles', [2], [], [5], []),
  ],
  '_search is of the children': [
    withComments({ _search: 'ICE' }),
    items({ comments: [1] }, { comments: [4] }),
  ],
  '_search on a relation to one makes it null': [
    articles({ author: { _search: 'ada' } }, ['author.name'], { filter: { id: { _in: [1, 3] } } }),
    items({ author: { name: 'Ada' } }, { author: null }),
  ],
  '_sort and _limit mean nothing to a relation to one': [
    articles({ author: { _sort: '-name', _limit: 0 } }, ['author.name'], { filter: { id: 1 } }),
    items({ author: { name: 'Ada' } }),
  ],
  '_alias names things in the child': [
    authors({ articles: { _alias: { t: 'title', n: 'count(comments)' } } }, ['articles.t', 'articles.n'], {
      filter: { id: 1 },
    }),
    items({
      articles: [
        { t: 'Hello', n: 3 },
        { t: 'hello again', n: 1 },
      ],
    }),
  ],
  '_alias serves the _sort beside it': [
    authors({ articles: { _alias: { n: 'count(comments)' }, _sort: 'n' } }, ['articles'], {
      filter: { id: 1 },
    }),
    items({ articles: [2, 1] }),
  ],
  '_backlink is of the wildcards of its level': [
    list('countries', {
      fields: ['authors.*.*'],
      deep: { authors: { _backlink: false } },
      filter: { code: 'de' },
    }),
    items({
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
  'levels chain by the names of relations': [
    authors(
      {
        articles: { _limit: 1, comments: { _limit: 1, _sort: '-id', author: { _filter: { name: 'Bob' } } } },
      },
      ['id', 'articles.id', 'articles.comments.id', 'articles.comments.author.name'],
    ),
    each(
      'articles',
      [{ id: 1, comments: [{ id: 3, author: null }] }],
      [{ id: 3, comments: [] }],
      [{ id: 5, comments: [{ id: 5, author: { name: 'Bob' } }] }],
      [{ id: 7, comments: [] }],
    ),
  ],
  'a limit is per parent on every level': [
    list('countries', {
      fields: ['authors.articles.comments.id'],
      filter: { code: 'no' },
      deep: { authors: { articles: { comments: { _limit: 1, _offset: 1 } } } },
    }),
    items({ authors: [{ articles: [{ comments: [{ id: 2 }] }, { comments: [] }] }] }),
  ],
  'the same relation is read twice under two aliases, each with parameters of its own': [
    articles(
      { liked: { _filter: { likes: { _gt: 0 } } }, last: { _sort: '-id', _limit: 1 } },
      ['liked.text', 'last.id', 'comments'],
      { alias: { liked: 'comments', last: 'comments' }, filter: { id: 1 } },
    ),
    items({ liked: [{ text: 'nice' }], last: [{ id: 3 }], comments: [1, 2, 3] }),
  ],
  'the parameters of a relation are not those of its alias': [
    articles({ comments: { _limit: 1 } }, ['c', 'comments'], { alias: { c: 'comments' }, filter: { id: 1 } }),
    items({ c: [1, 2, 3], comments: [1] }),
  ],
  'parameters of a relation that is not shown change nothing': [
    articles({ comments: { _limit: 1 } }, ['id'], { filter: { id: 1 } }),
    ids(1),
  ],
  'a count is of all children, whatever deep says': [
    articles({ comments: { _limit: 1 } }, ['count(comments)', 'comments'], { filter: { id: 1 } }),
    items({ comments_count: 3, comments: [1] }),
  ],
  'on an m2m the first level is the junction': [
    articles({ tags: { _filter: { tag: { name: 'news' } } } }, ['tags.tag.name'], { filter: { id: 1 } }),
    items({ tags: [{ tag: { name: 'news' } }] }),
  ],
  'on an m2m the second level is the related item': [
    articles({ tags: { tag: { _filter: { name: 'news' } } } }, ['tags.tag.name'], { filter: { id: 1 } }),
    items({ tags: [{ tag: { name: 'news' } }, { tag: null }] }),
  ],
  'an arm of an m2a has its own name': [
    list('books', {
      fields: ['entries.item:heroes.headline', 'entries.item:texts.content'],
      deep: { entries: { 'item:heroes': { _filter: { headline: 'Other' } } } },
      filter: { id: 1 },
    }),
    items({ entries: [{ item: { content: 'A' } }, { item: null }] }),
  ],
  'levels chain behind an arm of an m2a': [
    list('books', {
      fields: ['entries.item:heroes.owner.articles.id'],
      deep: { entries: { 'item:heroes': { owner: { articles: { _limit: 1, _sort: '-id' } } } } },
      filter: { id: 1 },
    }),
    items({ entries: [{ item: uuid(1) }, { item: { owner: { articles: [{ id: 2 }] } } }] }),
  ],
  'the rows of an m2a are filtered like those of any junction': [
    list('books', {
      fields: ['entries.kind'],
      deep: { entries: { _filter: { 'item:heroes': { headline: 'One' } } } },
      filter: { id: 1 },
    }),
    items({ entries: [{ kind: 'heroes' }] }),
  ],

  // Groups of children.
  '_aggregate replaces a list by its aggregates, per parent': [
    authors({ comments: { _aggregate: { count: '*', sum: 'likes' } } }, ['id', 'comments']),
    each(
      'comments',
      [{ count: 1, sum: { likes: 7 } }],
      [{ count: 3, sum: { likes: 14 } }],
      [{ count: 1, sum: { likes: 0 } }],
      [{ count: 0, sum: { likes: null } }],
    ),
  ],
  '_groupBy replaces a list by its groups, per parent': [
    articles(
      { comments: { _groupBy: ['text'], _aggregate: { count: '*' }, _sort: '-text' } },
      ['id', 'comments'],
      { filter: { id: { _in: [1, 2, 4] } } },
    ),
    items(
      {
        id: 1,
        comments: [
          { text: null, count: 1 },
          { text: 'nice', count: 1 },
          { text: 'bad', count: 1 },
        ],
      },
      { id: 2, comments: [{ text: 'nice', count: 1 }] },
      { id: 4, comments: [] },
    ),
  ],
  'pages of groups are per parent': [
    authors(
      {
        comments: {
          _groupBy: 'text',
          _aggregate: { max: 'likes' },
          _sort: '-max.likes',
          _limit: 1,
          _page: 2,
        },
      },
      ['id', 'comments'],
      { filter: { id: { _in: [1, 2] } } },
    ),
    each('comments', [], [{ text: 'nice', max: { likes: 3 } }]),
  ],
  'the filter of a level applies before its groups': [
    authors({ comments: { _filter: { likes: { _gt: 1 } }, _aggregate: { count: '*' } } }, ['id', 'comments']),
    each('comments', [{ count: 1 }], [{ count: 2 }], [{ count: 0 }], [{ count: 0 }]),
  ],
  'groups of children nest by the related item': [
    articles({ comments: { _groupBy: ['author.name'], _aggregate: { count: 'id' } } }, ['comments'], {
      filter: { id: 1 },
    }),
    items({
      comments: [
        { author: { name: 'Bob' }, count: { id: 1 } },
        { author: { name: 'Cyd' }, count: { id: 1 } },
        { author: { name: null }, count: { id: 1 } },
      ],
    }),
  ],
  'aggregates stand beside the list they are of, under an alias': [
    authors({ total: { _aggregate: { count: '*' } } }, ['articles', 'total'], {
      alias: { total: 'articles' },
      filter: { id: 1 },
    }),
    items({ articles: [1, 2], total: [{ count: 2 }] }),
  ],
  'groups of grandchildren are per child': [
    authors({ articles: { comments: { _aggregate: { count: '*' } } } }, ['articles.comments'], {
      filter: { id: 1 },
    }),
    items({ articles: [{ comments: [{ count: 3 }] }, { comments: [{ count: 1 }] }] }),
  ],
  'groups of m2m are of the junction': [
    articles({ tags: { _groupBy: 'tag.name', _aggregate: { sum: 'weight' } } }, ['tags'], {
      filter: { id: 1 },
    }),
    items({
      tags: [
        { tag: { name: 'news' }, sum: { weight: 3 } },
        { tag: { name: 'tech' }, sum: { weight: 1 } },
      ],
    }),
  ],

  // What deep refuses.
  'one item makes no groups': [
    articles({ author: { _aggregate: { count: '*' } } }, ['author.name']),
    refused(
      invalid(
        ['deep', 'author', '_aggregate'],
        '"_aggregate" makes groups of a list, and there is one item here.',
      ),
    ),
  ],
  'a level of an unknown relation is FORBIDDEN': [
    articles({ nope: { _limit: 1 } }, ['id']),
    refused({
      code: 'FORBIDDEN',
      path: ['deep', 'nope'],
      message: 'There is no relation "nope" in "articles", or you may not use it.',
    }),
  ],
  'a level of a scalar is FORBIDDEN': [
    articles({ title: { _limit: 1 } }, ['title']),
    refused({
      code: 'FORBIDDEN',
      path: ['deep', 'title'],
      message: 'There is no relation "title" in "articles", or you may not use it.',
    }),
  ],
  'an unknown parameter of a level is an error with a suggestion': [
    articles({ comments: { _limt: 1 } }, ['comments']),
    refused(
      invalid(['deep', 'comments', '_limt'], 'There is no parameter "_limt".', 'Did you mean "_limit"?'),
    ),
  ],
  'a parameter of a level without underscore is an error': [
    articles({ comments: { limit: 1 } }, ['comments']),
    refused(
      invalid(
        ['deep', 'comments', 'limit'],
        '"deep" takes its parameters with an underscore.',
        'Write "_limit".',
      ),
    ),
  ],
  ...Object.fromEntries(
    Object.entries({
      _fields: 'fields of related items are named in "fields" of the root, with dots.',
      _deep: 'levels below are named directly.',
      _export: 'only the whole result can be exported.',
      _meta: 'only the whole result has a meta.',
      _version: 'only a single item has versions.',
      _versionRaw: 'only a single item has versions.',
    }).map(([name, why]) => [
      `${name} has a text of its own where it does not belong`,
      [
        articles({ comments: { [name]: '*' } }, ['comments']),
        refused(invalid(['deep', 'comments', name], `"${name}" cannot stand in "deep": ${why}`)),
      ] as const,
    ]),
  ),
  'wrong names below are told with where they stand': [
    articles(
      { comments: { _sort: 'lykes', _filter: { txt: 'x' }, author: { _filter: { age: { _gt: 'old' } } } } },
      ['comments.author.name'],
    ),
    refused(
      unknownField('txt', 'comments', ['deep', 'comments', '_filter', 'txt'], 'text'),
      unknownField('lykes', 'comments', ['deep', 'comments', '_sort'], 'likes'),
      invalid(
        ['deep', 'comments', 'author', '_filter', 'age', '_gt'],
        '"_gt" takes a whole number here, not "old".',
      ),
    ),
  ],
  'the maximum limit is that of every level': [
    authors({ articles: { comments: { _limit: 5 } } }),
    refused(invalid(['deep', 'articles', 'comments', '_limit'], '"_limit" takes at most 4.')),
    { engine: { limits: { maxLimit: 4 } } },
  ],
  'a level that is not shown is checked all the same': [
    articles({ comments: { _sort: 'lykes' } }, ['id']),
    refused(unknownField('lykes', 'comments', ['deep', 'comments', '_sort'], 'likes')),
  ],
  '_page and _offset exclude each other': [
    articles({ comments: { _page: 2, _offset: 1 } }, ['comments']),
    refused(invalid(['deep', 'comments', '_page'], '"_page" and "_offset" exclude each other.')),
  ],
  '_limit is a whole number': [
    articles({ comments: { _limit: 'abc' } }, ['comments']),
    refused(
      invalid(['deep', 'comments', '_limit'], '"_limit" takes a whole number of -1 or more, not "abc".'),
    ),
  ],
})
