// The rows below the items of one answer are bounded, counted as they are.
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { exportItems } from '../../../src/export.ts'
import {
  createEngine,
  createItem,
  defineSchema,
  deleteItem,
  type Engine,
  getItem,
  getSingleton,
  listItems,
  listItemsJson,
  type Schema,
  streamItems,
  updateItems,
} from '../../../src/index.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { across, integer, key, many, maybeOne, string } from '../../support/fields.ts'

const schema = defineSchema({
  authors: { fields: { id: key, name: string, articles: many('articles.author') } },
  articles: {
    fields: {
      id: key,
      title: string,
      author: maybeOne('authors'),
      comments: many('comments.article'),
      tags: across('articles_tags.article', 'tag'),
      blocks: { type: 'm2a', through: 'blocks.article', to: 'item' },
    },
  },
  comments: { fields: { id: key, stars: integer, article: maybeOne('articles') } },
  tags: { fields: { id: key, articles: many('articles_tags.tag') } },
  articles_tags: { fields: { id: key, article: maybeOne('articles'), tag: maybeOne('tags') } },
  blocks: {
    fields: {
      id: key,
      article: maybeOne('articles'),
      collection: string,
      item: { type: 'any', to: ['authors', 'tags'], by: 'collection' },
    },
  },
  site: { singleton: true, fields: { id: key, articles: many('pages.site') } },
  pages: { fields: { id: key, site: maybeOne('site') } },
})

const deep = 'author.articles.author.articles.author.articles.id'

/** As the limit counts them. */
function rowsIn(value: unknown): number {
  if (Array.isArray(value))
    return value.reduce(
      (sum, one) => sum + (typeof one === 'object' && one !== null ? 1 : 0.1) + rowsIn(one),
      0,
    )
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, one) => sum + rowsIn(one), 0)
}

describe.each(databases)('on $name', (database) => {
  let opened: OpenDatabase
  let asked: string[] = []
  const engineWith = (nestedRows?: number, maxLimit?: number): Engine =>
    createEngine({
      db: opened.db,
      schema,
      limits: { ...(nestedRows !== undefined && { nestedRows }), ...(maxLimit && { maxLimit }) },
      onQuery: ({ sql: text }) => void asked.push(text),
    })
  const refused = (path: readonly (string | number)[]) => ({ code: 'INVALID_QUERY', path })

  beforeAll(async () => {
    opened = await database.open()
    const { db } = opened
    const table = (text: string) => sql.raw(text).execute(db)
    await table('create table authors (id integer primary key, name text)')
    await table('create table articles (id integer primary key, title text, author integer)')
    await table('create table comments (id integer primary key, stars integer, article integer)')
    await table('create table tags (id integer primary key)')
    await table('create table articles_tags (id integer primary key, article integer, tag integer)')
    await table('create table blocks (id integer primary key, article integer, collection text, item text)')
    await table('create table site (id integer primary key)')
    await table('create table pages (id integer primary key, site integer)')
    await table('create index articles_author on articles (author)')
    await table("insert into authors values (1, 'Ada'), (2, 'Bo'), (3, 'Cy')")
    const rows = (from: number, to: number, of: (at: number) => string) =>
      Array.from({ length: to - from + 1 }, (_, at) => `(${of(from + at)})`).join(', ')
    await table(`insert into articles values ${rows(1, 100, (id) => `${id}, 't', 1`)}`)
    await table("insert into articles values (101, 't', 2), (102, 't', 2), (103, 't', null)")
    await table(`insert into comments values ${rows(1, 30, (id) => `${id}, ${id % 5}, ${(id % 7) + 97}`)}`)
    await table('insert into tags values (1), (2)')
    await table(
      `insert into articles_tags values ${rows(1, 9, (id) => `${id}, ${(id % 4) + 100}, ${(id % 2) + 1}`)}`,
    )
    await table(
      `insert into blocks values ${rows(1, 6, (id) => `${id}, ${(id % 3) + 100}, '${id % 2 ? 'authors' : 'tags'}', '2'`)}`,
    )
    await table('insert into site values (1)')
    await table(`insert into pages values ${rows(1, 20, (id) => `${id}, 1`)}`)
  })

  it('a short path to a million rows is refused, before they are read', async () => {
    // The first list that alone has too many.
    const path = ['deep', 'author', 'articles', 'author', 'articles', '_limit']
    const engine = engineWith()
    for (const read of [listItems<Schema, string, object>, listItemsJson<Schema, string>]) {
      asked = []
      await expect(read(engine, 'articles', { fields: [deep] })).rejects.toMatchObject(refused(path))
      expect(asked).toHaveLength(1)
    }
    await expect(getItem(engineWith(9_999), 'articles', 1, { fields: [deep] })).rejects.toMatchObject(
      refused(path),
    )
  })

  it('nothing is counted where the pages cannot have too many rows', async () => {
    const engine = engineWith()
    asked = []
    await listItems(engine, 'articles', { fields: ['*', 'comments.*', 'author.articles'] })
    await listItems(engine, 'authors', { fields: ['articles.comments.id'], limit: 3 })
    await getItem(engine, 'authors', 1, { fields: ['articles.comments.article.comments'] })
    expect(asked).toHaveLength(3)
    await listItems(engine, 'authors', { fields: ['articles.comments.id'] })
    expect(asked).toHaveLength(5)
  })

  it('a request for longer pages is counted, though one for shorter pages was not', async () => {
    const engine = engineWith(50)
    const list = (limit: number) =>
      listItems(engine, 'authors', {
        fields: ['articles.id'],
        deep: { articles: { _limit: limit } },
        limit: 3,
      })
    const counted = async (limit: number) => {
      asked = []
      await list(limit)
      return asked.length
    }
    expect(await counted(3)).toBe(1)
    expect(await counted(40)).toBe(2)
    expect(await counted(3)).toBe(1)
    await expect(list(60)).rejects.toMatchObject(refused(['deep', 'articles', '_limit']))
    expect(await counted(41)).toBe(2)
  })

  it('a list that only the host limits is counted by the statement that reads it', async () => {
    const list = async (engine: Engine, from: number) => {
      asked = []
      const filter = { id: { _gte: from } }
      const deep = { articles: { _limit: -1 } }
      const fields = ['articles.id', 'articles.comments.id']
      const { data } = await listItems(engine, 'authors', { fields, filter, deep, limit: 3 })
      return [data.map(({ articles }) => [articles].flat().length), asked.length]
    }
    expect(await list(engineWith(300, 20), 2)).toEqual([[2, 0], 1])
    // More than may be before they are cut: they are counted again as they are cut.
    const counted = await list(engineWith(101, 20), 1)
    expect(counted).toEqual([[20, 2, 0], 3])
    // Even so there are too many.
    await expect(list(engineWith(20, 20), 1)).rejects.toMatchObject(refused(['deep', 'articles', '_limit']))
  })

  it.each([
    ['children', 'authors', { fields: ['articles.*'] }],
    ['keys of children', 'authors', { fields: ['articles'] }],
    ['children of children', 'authors', { fields: ['articles.comments.*'] }],
    [
      'a page of them',
      'authors',
      {
        fields: ['articles.comments.id'],
        deep: { articles: { _sort: '-id', _limit: 5, _offset: 2, comments: { _limit: 2 } } },
      },
    ],
    [
      'all of them',
      'authors',
      {
        fields: ['articles.comments.id', 'articles.tags.tag.articles'],
        limit: -1,
        deep: { articles: { _limit: -1 } },
      },
    ],
    [
      'some of them',
      'articles',
      {
        fields: ['comments.article.comments.id'],
        limit: -1,
        deep: { comments: { _filter: { stars: { _gt: 2 } } } },
      },
    ],
    [
      'a page of some',
      'articles',
      {
        fields: ['comments.article.comments.id'],
        limit: -1,
        deep: { comments: { _filter: { stars: { _gt: 2 } }, _limit: 1, _sort: '-stars' } },
      },
    ],
    [
      'what lies behind references',
      'comments',
      { fields: ['article.author.articles.author.articles.id'], limit: 2, sort: '-id' },
    ],
    [
      'items of a junction',
      'articles',
      { fields: ['*.*', 'tags.tag.articles.article.comments.*'], sort: '-id' },
    ],
    [
      'any collection',
      'articles',
      { fields: ['blocks.item:authors.articles.*', 'blocks.item:tags.articles.id'], sort: '-id', limit: 4 },
    ],
    ['everything, twice', 'articles', { fields: ['*.*.*'], sort: '-id', limit: 5 }],
    [
      'groups',
      'authors',
      {
        fields: ['articles'],
        deep: { articles: { _groupBy: ['title', 'author'], _aggregate: { count: '*' } } },
      },
    ],
    [
      'aggregates',
      'authors',
      { fields: ['articles.comments'], deep: { articles: { comments: { _aggregate: { count: '*' } } } } },
    ],
    ['no children', 'authors', { fields: ['articles.id'], deep: { articles: { _limit: 0 } } }],
    ['under another name', 'authors', { fields: ['own.comments.id'], alias: { own: 'articles' } }],
  ] as const)('%s are counted as they are answered', async (_, collection, query) => {
    const { data } = await listItems(engineWith(), collection, query as object)
    const below = data.reduce((sum, item) => sum + rowsIn(item), 0)
    const rows = Math.round(below * 10) / 10
    // One less than what cannot be more is what makes it count.
    expect((await listItems(engineWith(Math.ceil(rows)), collection, query as object)).data).toEqual(data)
    if (rows >= 1)
      await expect(
        listItems(engineWith(Math.ceil(rows) - 1), collection, query as object),
      ).rejects.toMatchObject({ code: 'INVALID_QUERY', path: expect.arrayContaining(['deep', '_limit']) })
  })

  it('a caller is told of no more than they see', async () => {
    const rules = { authors: { read: true }, articles: { read: { filter: { id: { _lte: 10 } } } } }
    const mine = engineWith(10).as({ rules })
    expect((await listItems(mine, 'authors', { fields: ['articles.id'] })).data).toHaveLength(3)
    const other = { ...rules, articles: { read: { filter: { id: { _lte: '$CURRENT_USER' } } } } }
    const engine = engineWith(10)
    const list = (user: number) =>
      listItems(engine.as({ user, rules: other }), 'authors', { fields: ['articles.id'] })
    await list(3)
    await expect(list(11)).rejects.toMatchObject({
      code: 'INVALID_QUERY',
      message: expect.not.stringContaining('11'),
    })
    await list(10)
  })

  it('a write whose answer has too many rows is refused, and writes nothing', async () => {
    const engine = engineWith(50)
    const shape = { fields: ['author.articles.id'] }
    await expect(
      createItem(engine, 'articles', { id: 500, title: 'x', author: 1 }, shape),
    ).rejects.toMatchObject(refused(['deep', 'author', 'articles', '_limit']))
    await expect(getItem(engine, 'articles', 500)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const [first] = await updateItems(engine, 'articles', [101, 102], { title: 'y' }, shape)
    expect(first).toEqual({ author: { articles: [{ id: 101 }, { id: 102 }] } })
    await createItem(engine, 'articles', { id: 501, title: 'x', author: 2 }, shape)
    await deleteItem(engine, 'articles', 501)
  })

  it('the only item of a singleton has no more rows below it, either', async () => {
    await expect(getSingleton(engineWith(19), 'site', { fields: ['articles.id'] })).rejects.toMatchObject(
      refused(['deep', 'articles', '_limit']),
    )
    expect(await getSingleton(engineWith(20), 'site', { fields: ['articles.id'] })).toMatchObject({
      articles: { length: 20 },
    })
  })

  it('streams and exports have so many rows on each of their pages', async () => {
    const all = async (engine: Engine, fields: readonly string[], more: object = {}) => {
      const items: unknown[] = []
      for await (const item of streamItems(engine, 'articles', { fields, ...more })) items.push(item)
      return items
    }
    // A page is made short enough where that will do.
    expect(await all(engineWith(200), ['author.articles.id'])).toHaveLength(103)
    const unlimited = { deep: { author: { articles: { _limit: -1 } } } }
    expect(await all(engineWith(10_010), ['author.articles.id'], unlimited)).toHaveLength(103)
    const path = ['deep', 'author', 'articles', '_limit']
    await expect(all(engineWith(9_999), ['author.articles.id'], unlimited)).rejects.toMatchObject(
      refused(path),
    )
    const file = exportItems(
      engineWith(9_999),
      'articles',
      { fields: ['author.articles.id'], ...unlimited } as object,
      'json',
    )
    await expect(file).rejects.toMatchObject(refused(path))
    const transaction = engineWith(9_999).transaction((inside) =>
      all(inside, ['author.articles.id'], unlimited),
    )
    await expect(transaction).rejects.toMatchObject(refused(path))
  })
})
