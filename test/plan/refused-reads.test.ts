// What a query asks of a schema, and is refused before any database is asked.
import { describe, expect, it } from 'vitest'
import { createEngine, defineSchema, isEngineError, listItems, type Schema } from '../../src/index.ts'
import { openSqlite } from '../support/databases.ts'
import { rowsOf } from '../support/titled.ts'

const key = { type: 'integer', key: true } as const
const schema: Schema = defineSchema({
  authors: {
    fields: {
      id: key,
      name: { type: 'string' },
      born: { type: 'date', nullable: true },
      secret: { type: 'string', conceal: true },
      articles: { type: 'o2m', from: 'articles.author' },
    },
  },
  articles: {
    fields: {
      id: key,
      title: { type: 'string' },
      sizes: { type: 'integer', array: true },
      meta: { type: 'json', nullable: true },
      author: { type: 'm2o', to: 'authors', nullable: true },
      comments: { type: 'o2m', from: 'comments.article' },
    },
  },
  comments: {
    fields: {
      id: key,
      article: { type: 'm2o', to: 'articles' },
      about: { type: 'any', to: ['articles', 'authors'], by: 'kind' },
      kind: { type: 'string' },
    },
  },
})
const { db } = await openSqlite()
const engine = createEngine({ db, schema })

async function said(collection: string, query: object): Promise<unknown> {
  try {
    await listItems(engine, collection, query)
  } catch (error) {
    if (!isEngineError(error)) throw error
    return (error.errors ?? [error]).map(({ code, path, message, hint }) => [
      code,
      path,
      message,
      ...(hint === undefined ? [] : [hint]),
    ])
  }
  throw new Error('nothing was refused')
}

const forbidden = (path: readonly (string | number)[], message: string, ...hint: string[]) => [
  ['FORBIDDEN', path, message, ...hint],
]
const invalid = (path: readonly (string | number)[], message: string, ...hint: string[]) => [
  ['INVALID_QUERY', path, message, ...hint],
]

const many = <Made>(amount: number, make: (at: number) => Made): Made[] =>
  Array.from({ length: amount }, (_, at) => make(at))

describe('a filter', () => {
  it.each(
    rowsOf({
      'of more sums and counts of related items than a filter may have': [
        { _or: many(11, (at) => ({ 'count(comments)': at, author: { 'max(articles.id)': at } })) },
        invalid(['filter'], 'A filter takes at most 20 sums and counts of related items, not 22.'),
      ],
      'a quantifier on a field': [
        { title: { _some: { _eq: 'x' } } },
        invalid(['filter', 'title', '_some'], '"_some" stands under a to-many relation only.'),
      ],
      'a quantifier on a single item': [
        { author: { _none: { name: 'x' }, _null: true } },
        invalid(
          ['filter', 'author', '_none'],
          '"_none" stands under a to-many relation only; "author" has one target.',
        ),
      ],
      'a quantifier on nothing': [
        { _some: { title: 'x' } },
        invalid(['filter', '_some'], '"_some" stands under a to-many relation only.'),
      ],
      'an operator on nothing': [{ _eq: 1 }, invalid(['filter', '_eq'], '"_eq" needs a field to work on.')],
      'JSON on nothing': [
        { _json: { a: 1 } },
        invalid(['filter', '_json'], '"_json" stands under a JSON field only.'),
      ],
      'JSON on a relation': [
        { author: { _json: { a: 1 } } },
        invalid(['filter', 'author', '_json'], '"_json" does not stand here.'),
      ],
      'JSON on a text': [
        { title: { _json: { a: 1 } } },
        invalid(
          ['filter', 'title', '_json', 'a'],
          '"json" does not work on "title" (string); it takes no function.',
        ),
      ],
      'an operator on JSON without a path': [
        { meta: { _json: { _eq: 1 } } },
        invalid(['filter', 'meta', '_json', '_eq'], '"_eq" needs a path inside "meta".'),
      ],
      'a function of a field behind a relation': [
        { 'year(author.born)': 2024 },
        invalid(
          ['filter', 'year(author.born)'],
          '"year(author.born)" follows a relation.',
          'Write { "author": { "year(born)": … } }',
        ),
      ],
      'a function of what it does not know': [
        { 'year(title)': 2024 },
        invalid(['filter', 'year(title)'], '"year" does not work on "title" (string); it takes no function.'),
      ],
      'a part of a relation': [
        { 'year(comments)': 2024 },
        invalid(['filter', 'year(comments)'], '"year" does not work on "comments" (o2m); it takes count.'),
      ],
      'a function of what is not there': [
        { 'year(nothing)': 2024 },
        forbidden(
          ['filter', 'year(nothing)'],
          'There is no field "nothing" in "articles", or you may not use it.',
        ),
      ],
      'a text of a number of children': [
        { 'count(comments)': { _contains: 'x' } },
        invalid(
          ['filter', 'count(comments)', '_contains'],
          '"_contains" does not work on the count of "comments"; it takes _eq, _neq, _lt, _lte, _gt, _gte, _in, _nin, _null, _nnull, _between, _nbetween, _empty, _nempty.',
        ),
      ],
      'a text of a part of a date': [
        { author: { 'year(born)': { _contains: 'x' } } },
        invalid(
          ['filter', 'author', 'year(born)', '_contains'],
          '"_contains" does not work on a function of "born"; it takes _eq, _neq, _lt, _lte, _gt, _gte, _in, _nin, _null, _nnull, _between, _nbetween, _empty, _nempty.',
        ),
      ],
      'two values of different types between which nothing lies': [
        { 'json(meta, a)': { _between: [1, 'x'] } },
        invalid(['filter', 'json(meta, a)', '_between'], '"_between" takes two values of one type.'),
      ],
      'a date between what is none': [
        { author: { born: { _between: ['2024-01-01', 'x'] } } },
        invalid(
          ['filter', 'author', 'born', '_between', 1],
          '"_between" takes a date such as 2024-02-29 here, not "x".',
        ),
      ],
      'the word for null in a list of numbers': [
        { id: { _in: [1, 'null'] } },
        invalid(['filter', 'id', '_in', 1], '"_in" takes no null in its list; ask for "_null" beside it.'),
      ],
      'the word for null in an order': [
        { id: { _gt: 'null' } },
        invalid(['filter', 'id', '_gt'], '"_gt" takes no null.'),
      ],
      'a regular expression': [
        { title: { _regex: '^a' } },
        invalid(
          ['filter', 'title', '_regex'],
          '"_regex" works in validation and in memory only, not in a query.',
        ),
      ],
    }),
  )('is refused for %s', async (_, filter, expected) => {
    expect(await said('articles', { filter })).toEqual(expected)
  })

  it.each(
    rowsOf({
      'fields behind a reference to several collections': [
        { about: { title: 'x' } },
        invalid(
          ['filter', 'about'],
          '"about" points to several collections; say which one.',
          'Write "about:articles".',
        ),
      ],
      'a collection to which a reference does not lead': [
        { 'about:comments': { id: 1 } },
        forbidden(
          ['filter', 'about:comments'],
          'There is no field "about:comments" in "comments", or you may not use it.',
        ),
      ],
      'a scope of a field that has none': [
        { 'kind:articles': { id: 1 } },
        forbidden(
          ['filter', 'kind:articles'],
          'There is no field "kind:articles" in "comments", or you may not use it.',
        ),
      ],
      'a scope of what is not there': [
        { 'nothing:articles': { id: 1 } },
        forbidden(
          ['filter', 'nothing:articles'],
          'There is no field "nothing" in "comments", or you may not use it.',
        ),
      ],
      'a relation that is not there': [
        { $FOLLOW: 1 },
        invalid(
          ['filter', '$FOLLOW'],
          '"$FOLLOW" is not understood; only $FOLLOW(collection, field) may stand here.',
        ),
      ],
      'a collection that is not there': [
        { '$FOLLOW(artikles, author)': { id: 1 } },
        forbidden(
          ['filter', '$FOLLOW(artikles, author)'],
          'There is no collection "artikles", or you may not use it.',
          'Did you mean "articles"?',
        ),
      ],
      'a collection that is like no other': [
        { '$FOLLOW(xyzxyz, author)': { id: 1 } },
        forbidden(
          ['filter', '$FOLLOW(xyzxyz, author)'],
          'There is no collection "xyzxyz", or you may not use it.',
        ),
      ],
      'a relation that leads elsewhere': [
        { '$FOLLOW(articles, author)': { id: 1 } },
        invalid(
          ['filter', '$FOLLOW(articles, author)'],
          '"$FOLLOW(articles, author)" does not lead to "comments": "author" of "articles" does not point there.',
        ),
      ],
    }),
  )('of comments is refused for %s', async (_, filter, expected) => {
    expect(await said('comments', { filter })).toEqual(expected)
  })
})

describe('the names of a query are refused', () => {
  it.each(
    rowsOf({
      'where a star leads nowhere': [
        { fields: ['*.nothing'] },
        forbidden(['fields'], 'There is no field "*.nothing" in "articles", or you may not use it.'),
      ],
      'below a field': [
        { fields: ['title.x'] },
        forbidden(['fields'], '"title" (string) holds no fields, so there is no "x" below it.'),
      ],
      'below a list of values': [
        { fields: ['sizes.x'] },
        forbidden(['fields'], '"sizes" (a list of integer) holds no fields, so there is no "x" below it.'),
      ],
      'below a function under an alias': [
        { fields: ['born.x'], alias: { born: 'json(meta, a)' } },
        forbidden(['fields'], '"born" holds no fields, so there is no "x" below it.'),
      ],
      'where an alias stands for nothing': [
        { fields: ['born'], alias: { born: 'nothing' } },
        forbidden(['alias', 'born'], 'There is no field "nothing" in "articles", or you may not use it.'),
      ],
      'where two stand for different values under one name': [
        { fields: ['meta_a_json', 'json(meta, a)'], alias: { meta_a_json: 'json(meta, b)' } },
        invalid(['fields', 1], 'Two fields would both be called "meta_a_json".'),
      ],
      'where a field is sorted that has no order': [
        { sort: ['-meta'] },
        invalid(['sort'], '"meta" is of type json, which has no order.'),
      ],
      'by what leads twice from a related item to a list': [
        { sort: ['title', '-author.articles.author.articles.title'] },
        invalid(
          ['sort', 1],
          '"author.articles.author.articles.title" leads 2 times from a related item to a list of others; once is the most.',
        ),
      ],
      'by a sum behind the second such list': [
        { sort: ['author.articles.author.max(articles.id)'] },
        invalid(
          ['sort'],
          '"author.articles.author.max(articles.id)" leads 2 times from a related item to a list of others; once is the most.',
        ),
      ],
      'inside of a list of related items': [
        {
          fields: ['comments.id'],
          deep: { comments: { _sort: 'article.author.articles.author.articles.id' } },
        },
        invalid(
          ['deep', 'comments', '_sort'],
          '"article.author.articles.author.articles.id" leads 2 times from a related item to a list of others; once is the most.',
        ),
      ],
      'where a list of values is sorted': [
        { sort: ['title', 'sizes'] },
        invalid(['sort', 1], '"sizes" is of type a list of integer, which has no order.'),
      ],
      'where a way leads through a field': [
        { sort: ['title.x'] },
        forbidden(['sort'], '"title" (string) holds no fields.'),
      ],
      'where aggregates look at related items': [
        { aggregate: { count: ['author.id'] } },
        invalid(['aggregate', 'count'], '"count" takes fields of the collection itself, not "author.id".'),
      ],
      'where an aggregate does not know the type': [
        { aggregate: { sum: ['title'] } },
        invalid(['aggregate', 'sum'], '"sum" does not work on "title" (string).'),
      ],
      'where an aggregate does not know the type of a value inside JSON': [
        { aggregate: { sum: ['json(meta, a)'] } },
        invalid(['aggregate', 'sum'], '"sum" does not work on a value of type json.'),
      ],
      'where groups are of many values': [
        { groupBy: ['comments'] },
        invalid(['groupBy'], '"comments" has many values for one item, so it makes no groups.'),
      ],
      'where groups are of what cannot be told apart': [
        { groupBy: ['meta'] },
        invalid(['groupBy'], '"meta" is of type json, by which nothing can be grouped.'),
      ],
      'where groups are of values inside JSON': [
        { groupBy: ['json(meta, a)'] },
        invalid(['groupBy'], '"json(meta, a)" is of type json, by which nothing can be grouped.'),
      ],
      'where no column of groups is called so': [
        { groupBy: ['title'], sort: ['count'] },
        invalid(['sort'], 'Groups cannot be sorted by "count"; there are title.'),
      ],
      'where all is on the first page': [
        { page: 2, limit: -1 },
        invalid(
          ['page'],
          'A list without a limit has one page only, and no page 2.',
          'Say with "limit" how many items a page has.',
        ),
      ],
      'where all children are on the first page': [
        { fields: ['comments.id'], deep: { comments: { _page: 2, _limit: -1 } } },
        invalid(
          ['deep', 'comments', '_page'],
          'A list without a limit has one page only, and no page 2.',
          'Say with "limit" how many items a page has.',
        ),
      ],
      'where no page begins so late': [
        { page: Number.MAX_SAFE_INTEGER },
        invalid(['page'], 'There is no page 9007199254740991 of 100 items each.'),
      ],
      'where no page of children begins so late': [
        { fields: ['comments.id'], deep: { comments: { _page: Number.MAX_SAFE_INTEGER } } },
        invalid(['deep', 'comments', '_page'], 'There is no page 9007199254740991 of 100 items each.'),
      ],
      'where a level belongs to no relation': [
        { deep: { title: { _limit: 1 } } },
        forbidden(['deep', 'title'], 'There is no relation "title" in "articles", or you may not use it.'),
      ],
      'where a level belongs to an alias of no relation': [
        { deep: { x: { _limit: 1 } }, alias: { x: 'title' } },
        forbidden(['deep', 'x'], 'There is no relation "x" in "articles", or you may not use it.'),
      ],
      'where a level has no scope to belong to': [
        { deep: { 'author:authors': { _limit: 1 } } },
        forbidden(
          ['deep', 'author:authors'],
          'There is no relation "author:authors" in "articles", or you may not use it.',
        ),
      ],
      'where a level that nobody selected is wrong': [
        { fields: ['title'], deep: { comments: { _sort: ['nothing'] } } },
        forbidden(
          ['deep', 'comments', '_sort'],
          'There is no field "nothing" in "comments", or you may not use it.',
        ),
      ],
      'where a level that nobody selected is wrong under its alias': [
        { fields: ['title'], deep: { x: { _sort: ['nothing'] } }, alias: { x: 'comments' } },
        forbidden(
          ['deep', 'x', '_sort'],
          'There is no field "nothing" in "comments", or you may not use it.',
        ),
      ],
      'where one item makes no groups': [
        { fields: ['author.name'], deep: { author: { _groupBy: ['name'] } } },
        invalid(
          ['deep', 'author', '_groupBy'],
          '"_groupBy" makes groups of a list, and there is one item here.',
        ),
      ],
    }),
  )('%s', async (_, query, expected) => {
    expect(await said('articles', query)).toEqual(expected)
  })

  it.each(
    rowsOf({
      'where a reference to several collections is followed by itself': [
        { sort: ['about.title'] },
        invalid(['sort'], '"about" points to several collections; say which one.', 'Write "about:articles".'),
      ],
      'where a reference does not lead to a collection': [
        { sort: ['about:comments.id'] },
        forbidden(['sort'], 'There is no field "about:comments" in "comments", or you may not use it.'),
      ],
      'where a field has no scope': [
        { sort: ['kind:articles.id'] },
        forbidden(['sort'], 'There is no field "kind:articles" in "comments", or you may not use it.'),
      ],
      'where a scope is not there': [
        { fields: ['about:comments.id'] },
        forbidden(['fields'], 'There is no field "about:comments" in "comments", or you may not use it.'),
      ],
      'where a level of a scope that nobody selected is wrong': [
        { fields: ['id'], deep: { 'about:articles': { _filter: { nothing: 1 } } } },
        forbidden(
          ['deep', 'about:articles', '_filter', 'nothing'],
          'There is no field "nothing" in "articles", or you may not use it.',
        ),
      ],
      'where a level of a scope is wrong beside one that was selected': [
        { fields: ['about:authors.id'], deep: { 'about:articles': { _filter: { nothing: 1 } } } },
        forbidden(
          ['deep', 'about:articles', '_filter', 'nothing'],
          'There is no field "nothing" in "articles", or you may not use it.',
        ),
      ],
      'where a level of a scope that was selected bare is wrong': [
        { fields: ['about:articles'], deep: { 'about:articles': { _filter: { nothing: 1 } } } },
        forbidden(
          ['deep', 'about:articles', '_filter', 'nothing'],
          'There is no field "nothing" in "articles", or you may not use it.',
        ),
      ],
      'where a level of a reference names no scope': [
        { deep: { about: { _limit: 1 } } },
        forbidden(['deep', 'about'], 'There is no relation "about" in "comments", or you may not use it.'),
      ],
    }),
  )('of comments %s', async (_, query, expected) => {
    expect(await said('comments', query)).toEqual(expected)
  })

  it('what has no key to be seen is no value to be sorted by', async () => {
    const rules = { articles: { read: true }, comments: { read: { fields: ['article', 'kind'] } } }
    const mine = engine.as({ rules } as never)
    await expect(listItems(mine, 'articles', { sort: ['comments'] })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      path: ['sort'],
      message: 'There is no field "comments" in "articles", or you may not use it.',
    })
  })

  it('what is concealed takes no function', async () => {
    expect(await said('authors', { fields: ['year(secret)'] })).toEqual(
      invalid(['fields'], '"year" does not work on "secret" (string); it takes no function.'),
    )
  })
})
