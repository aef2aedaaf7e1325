// Parameters of related items, at every level.
import { ids, invalid, items, list, type ReadCase, refused, unknownField } from './case.ts'
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

export const levelCases: readonly ReadCase[] = [
  {
    title: '_limit is per parent',
    call: authors({ articles: { _limit: 1 } }),
    expect: each('articles', [1], [3], [5], [7]),
  },
  {
    title: '_offset is per parent',
    call: authors({ articles: { _offset: 1 } }),
    expect: each('articles', [2], [], [], []),
  },
  {
    title: '_page is per parent',
    call: authors({ comments: { _limit: 2, _page: 2 } }, ['id', 'comments']),
    expect: each('comments', [], [6], [], []),
  },
  {
    title: '_limit 0 leaves no child',
    call: withComments({ _limit: 0 }),
    expect: items({ comments: [] }, { comments: [] }),
  },
  {
    title: '_limit -1 leaves all',
    call: withComments({ _limit: -1 }),
    engine: { limits: { defaultLimit: 2 } },
    expect: items({ comments: [1, 2, 3] }, { comments: [4] }),
  },
  {
    title: '_sort orders the children, null last, ties by their key',
    call: withComments({ _sort: ['likes'] }),
    expect: items({ comments: [2, 1, 3] }, { comments: [4] }),
  },
  {
    title: '_sort and _limit give the first of each parent',
    call: authors({ comments: { _sort: '-likes', _limit: 1 } }, ['id', 'comments.likes']),
    expect: each('comments', [{ likes: 7 }], [{ likes: 10 }], [{ likes: 0 }], []),
  },
  {
    title: '_sort reaches beyond the child',
    call: withComments({ _sort: ['author.name'] }, [1]),
    expect: items({ comments: [1, 2, 3] }),
  },
  {
    title: '_sort replaces the order of the relation',
    call: list('books', {
      fields: ['chapters'],
      deep: { chapters: { _sort: 'heading' } },
      filter: { id: 1 },
    }),
    expect: items({ chapters: [3, 1, 2] }),
  },
  {
    title: '_filter leaves out children, and no parent',
    call: withComments({ _filter: { likes: { _gt: 0 } } }, [1, 4]),
    expect: items({ comments: [1] }, { comments: [] }),
  },
  {
    title: '_filter on a relation to one makes it null, and no parent is lost',
    call: articles({ author: { _filter: { name: 'Ada' } } }, ['id', 'author.name'], {
      filter: { id: { _in: [1, 3, 4] } },
    }),
    expect: items({ id: 1, author: { name: 'Ada' } }, { id: 3, author: null }, { id: 4, author: null }),
  },
  {
    title: '_filter does not touch a raw key',
    call: articles({ author: { _filter: { name: 'Ada' } } }, ['author'], { filter: { id: 3 } }),
    expect: items({ author: 2 }),
  },
  {
    title: '_filter may ask about children of the child',
    call: authors({ articles: { _filter: { comments: { likes: { _gt: 5 } } } } }),
    expect: each('articles', [2], [], [5], []),
  },
  {
    title: '_search is of the children',
    call: withComments({ _search: 'ICE' }),
    expect: items({ comments: [1] }, { comments: [4] }),
  },
  {
    title: '_search on a relation to one makes it null',
    call: articles({ author: { _search: 'ada' } }, ['author.name'], { filter: { id: { _in: [1, 3] } } }),
    expect: items({ author: { name: 'Ada' } }, { author: null }),
  },
  {
    title: '_sort and _limit mean nothing to a relation to one',
    call: articles({ author: { _sort: '-name', _limit: 0 } }, ['author.name'], { filter: { id: 1 } }),
    expect: items({ author: { name: 'Ada' } }),
  },
  {
    title: '_alias names things in the child',
    call: authors(
      { articles: { _alias: { t: 'title', n: 'count(comments)' } } },
      ['articles.t', 'articles.n'],
      {
        filter: { id: 1 },
      },
    ),
    expect: items({
      articles: [
        { t: 'Hello', n: 3 },
        { t: 'hello again', n: 1 },
      ],
    }),
  },
  {
    title: '_alias serves the _sort beside it',
    call: authors({ articles: { _alias: { n: 'count(comments)' }, _sort: 'n' } }, ['articles'], {
      filter: { id: 1 },
    }),
    expect: items({ articles: [2, 1] }),
  },
  {
    title: '_backlink is of the wildcards of its level',
    call: list('countries', {
      fields: ['authors.*.*'],
      deep: { authors: { _backlink: false } },
      filter: { code: 'de' },
    }),
    expect: items({
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
    title: 'levels chain by the names of relations',
    call: authors(
      {
        articles: { _limit: 1, comments: { _limit: 1, _sort: '-id', author: { _filter: { name: 'Bob' } } } },
      },
      ['id', 'articles.id', 'articles.comments.id', 'articles.comments.author.name'],
    ),
    expect: each(
      'articles',
      [{ id: 1, comments: [{ id: 3, author: null }] }],
      [{ id: 3, comments: [] }],
      [{ id: 5, comments: [{ id: 5, author: { name: 'Bob' } }] }],
      [{ id: 7, comments: [] }],
    ),
  },
  {
    title: 'a limit is per parent on every level',
    call: list('countries', {
      fields: ['authors.articles.comments.id'],
      filter: { code: 'no' },
      deep: { authors: { articles: { comments: { _limit: 1, _offset: 1 } } } },
    }),
    expect: items({ authors: [{ articles: [{ comments: [{ id: 2 }] }, { comments: [] }] }] }),
  },
  {
    title: 'the same relation is read twice under two aliases, each with parameters of its own',
    call: articles(
      { liked: { _filter: { likes: { _gt: 0 } } }, last: { _sort: '-id', _limit: 1 } },
      ['liked.text', 'last.id', 'comments'],
      { alias: { liked: 'comments', last: 'comments' }, filter: { id: 1 } },
    ),
    expect: items({ liked: [{ text: 'nice' }], last: [{ id: 3 }], comments: [1, 2, 3] }),
  },
  {
    title: 'the parameters of a relation are not those of its alias',
    call: articles({ comments: { _limit: 1 } }, ['c', 'comments'], {
      alias: { c: 'comments' },
      filter: { id: 1 },
    }),
    expect: items({ c: [1, 2, 3], comments: [1] }),
  },
  {
    title: 'parameters of a relation that is not shown change nothing',
    call: articles({ comments: { _limit: 1 } }, ['id'], { filter: { id: 1 } }),
    expect: ids(1),
  },
  {
    title: 'a count is of all children, whatever deep says',
    call: articles({ comments: { _limit: 1 } }, ['count(comments)', 'comments'], { filter: { id: 1 } }),
    expect: items({ comments_count: 3, comments: [1] }),
  },
  {
    title: 'on an m2m the first level is the junction',
    call: articles({ tags: { _filter: { tag: { name: 'news' } } } }, ['tags.tag.name'], {
      filter: { id: 1 },
    }),
    expect: items({ tags: [{ tag: { name: 'news' } }] }),
  },
  {
    title: 'on an m2m the second level is the related item',
    call: articles({ tags: { tag: { _filter: { name: 'news' } } } }, ['tags.tag.name'], {
      filter: { id: 1 },
    }),
    expect: items({ tags: [{ tag: { name: 'news' } }, { tag: null }] }),
  },
  {
    title: 'an arm of an m2a has its own name',
    call: list('books', {
      fields: ['entries.item:heroes.headline', 'entries.item:texts.content'],
      deep: { entries: { 'item:heroes': { _filter: { headline: 'Other' } } } },
      filter: { id: 1 },
    }),
    expect: items({ entries: [{ item: { content: 'A' } }, { item: null }] }),
  },
  {
    title: 'levels chain behind an arm of an m2a',
    call: list('books', {
      fields: ['entries.item:heroes.owner.articles.id'],
      deep: { entries: { 'item:heroes': { owner: { articles: { _limit: 1, _sort: '-id' } } } } },
      filter: { id: 1 },
    }),
    expect: items({ entries: [{ item: uuid(1) }, { item: { owner: { articles: [{ id: 2 }] } } }] }),
  },
  {
    title: 'the rows of an m2a are filtered like those of any junction',
    call: list('books', {
      fields: ['entries.kind'],
      deep: { entries: { _filter: { 'item:heroes': { headline: 'One' } } } },
      filter: { id: 1 },
    }),
    expect: items({ entries: [{ kind: 'heroes' }] }),
  },

  // Groups of children.
  {
    title: '_aggregate replaces a list by its aggregates, per parent',
    call: authors({ comments: { _aggregate: { count: '*', sum: 'likes' } } }, ['id', 'comments']),
    expect: each(
      'comments',
      [{ count: 1, sum: { likes: 7 } }],
      [{ count: 3, sum: { likes: 14 } }],
      [{ count: 1, sum: { likes: 0 } }],
      [{ count: 0, sum: { likes: null } }],
    ),
  },
  {
    title: '_groupBy replaces a list by its groups, per parent',
    call: articles(
      { comments: { _groupBy: ['text'], _aggregate: { count: '*' }, _sort: '-text' } },
      ['id', 'comments'],
      { filter: { id: { _in: [1, 2, 4] } } },
    ),
    expect: items(
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
  },
  {
    title: 'pages of groups are per parent',
    call: authors(
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
    expect: each('comments', [], [{ text: 'nice', max: { likes: 3 } }]),
  },
  {
    title: 'the filter of a level applies before its groups',
    call: authors({ comments: { _filter: { likes: { _gt: 1 } }, _aggregate: { count: '*' } } }, [
      'id',
      'comments',
    ]),
    expect: each('comments', [{ count: 1 }], [{ count: 2 }], [{ count: 0 }], [{ count: 0 }]),
  },
  {
    title: 'groups of children nest by the related item',
    call: articles({ comments: { _groupBy: ['author.name'], _aggregate: { count: 'id' } } }, ['comments'], {
      filter: { id: 1 },
    }),
    expect: items({
      comments: [
        { author: { name: 'Bob' }, count: { id: 1 } },
        { author: { name: 'Cyd' }, count: { id: 1 } },
        { author: { name: null }, count: { id: 1 } },
      ],
    }),
  },
  {
    title: 'aggregates stand beside the list they are of, under an alias',
    call: authors({ total: { _aggregate: { count: '*' } } }, ['articles', 'total'], {
      alias: { total: 'articles' },
      filter: { id: 1 },
    }),
    expect: items({ articles: [1, 2], total: [{ count: 2 }] }),
  },
  {
    title: 'groups of grandchildren are per child',
    call: authors({ articles: { comments: { _aggregate: { count: '*' } } } }, ['articles.comments'], {
      filter: { id: 1 },
    }),
    expect: items({ articles: [{ comments: [{ count: 3 }] }, { comments: [{ count: 1 }] }] }),
  },
  {
    title: 'groups of m2m are of the junction',
    call: articles({ tags: { _groupBy: 'tag.name', _aggregate: { sum: 'weight' } } }, ['tags'], {
      filter: { id: 1 },
    }),
    expect: items({
      tags: [
        { tag: { name: 'news' }, sum: { weight: 3 } },
        { tag: { name: 'tech' }, sum: { weight: 1 } },
      ],
    }),
  },

  // What deep refuses.
  {
    title: 'one item makes no groups',
    call: articles({ author: { _aggregate: { count: '*' } } }, ['author.name']),
    expect: refused(
      invalid(
        ['deep', 'author', '_aggregate'],
        '"_aggregate" makes groups of a list, and there is one item here.',
      ),
    ),
  },
  {
    title: 'a level of an unknown relation is FORBIDDEN',
    call: articles({ nope: { _limit: 1 } }, ['id']),
    expect: refused({
      code: 'FORBIDDEN',
      path: ['deep', 'nope'],
      message: 'There is no relation "nope" in "articles", or you may not use it.',
    }),
  },
  {
    title: 'a level of a scalar is FORBIDDEN',
    call: articles({ title: { _limit: 1 } }, ['title']),
    expect: refused({
      code: 'FORBIDDEN',
      path: ['deep', 'title'],
      message: 'There is no relation "title" in "articles", or you may not use it.',
    }),
  },
  {
    title: 'an unknown parameter of a level is an error with a suggestion',
    call: articles({ comments: { _limt: 1 } }, ['comments']),
    expect: refused(
      invalid(['deep', 'comments', '_limt'], 'There is no parameter "_limt".', 'Did you mean "_limit"?'),
    ),
  },
  {
    title: 'a parameter of a level without underscore is an error',
    call: articles({ comments: { limit: 1 } }, ['comments']),
    expect: refused(
      invalid(
        ['deep', 'comments', 'limit'],
        '"deep" takes its parameters with an underscore.',
        'Write "_limit".',
      ),
    ),
  },
  ...Object.entries({
    _fields: 'fields of related items are named in "fields" of the root, with dots.',
    _deep: 'levels below are named directly.',
    _export: 'only the whole result can be exported.',
    _meta: 'only the whole result has a meta.',
    _version: 'only a single item has versions.',
    _versionRaw: 'only a single item has versions.',
  }).map(
    ([name, why]): ReadCase => ({
      title: `${name} has a text of its own where it does not belong`,
      call: articles({ comments: { [name]: '*' } }, ['comments']),
      expect: refused(invalid(['deep', 'comments', name], `"${name}" cannot stand in "deep": ${why}`)),
    }),
  ),
  {
    title: 'wrong names below are told with where they stand',
    call: articles(
      { comments: { _sort: 'lykes', _filter: { txt: 'x' }, author: { _filter: { age: { _gt: 'old' } } } } },
      ['comments.author.name'],
    ),
    expect: refused(
      unknownField('txt', 'comments', ['deep', 'comments', '_filter', 'txt'], 'text'),
      unknownField('lykes', 'comments', ['deep', 'comments', '_sort'], 'likes'),
      invalid(
        ['deep', 'comments', 'author', '_filter', 'age', '_gt'],
        '"_gt" takes a whole number here, not "old".',
      ),
    ),
  },
  {
    title: 'the maximum limit is that of every level',
    call: authors({ articles: { comments: { _limit: 5 } } }),
    engine: { limits: { maxLimit: 4 } },
    expect: refused(invalid(['deep', 'articles', 'comments', '_limit'], '"_limit" takes at most 4.')),
  },
  {
    title: 'a level that is not shown is checked all the same',
    call: articles({ comments: { _sort: 'lykes' } }, ['id']),
    expect: refused(unknownField('lykes', 'comments', ['deep', 'comments', '_sort'], 'likes')),
  },
  {
    title: '_page and _offset exclude each other',
    call: articles({ comments: { _page: 2, _offset: 1 } }, ['comments']),
    expect: refused(invalid(['deep', 'comments', '_page'], '"_page" and "_offset" exclude each other.')),
  },
  {
    title: '_limit is a whole number',
    call: articles({ comments: { _limit: 'abc' } }, ['comments']),
    expect: refused(
      invalid(['deep', 'comments', '_limit'], '"_limit" takes a whole number of -1 or more, not "abc".'),
    ),
  },
]
