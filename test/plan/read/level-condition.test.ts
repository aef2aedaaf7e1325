// What a query may cost by its related items: the sums and counts of a filter, and the lists on the way of an order.
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createEngine,
  defineSchema,
  deleteByQuery,
  type Engine,
  listItems,
  streamItems,
  updateByQuery,
} from '../../../src/index.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { integer, key, many, one } from '../../support/fields.ts'

const schema = defineSchema({
  authors: { fields: { id: key, articles: many('articles.author') } },
  articles: { fields: { id: key, author: one('authors'), comments: many('comments.article') } },
  comments: { fields: { id: key, stars: integer, article: one('articles') } },
})

/** A filter with some sums and counts, which every article meets. */
const counting = (number: number) => ({
  _and: Array.from({ length: number }, (_, at) =>
    at % 2 === 0
      ? { 'count(comments)': { _lt: 100 + at } }
      : { author: { 'sum(articles.id)': { _lt: 100 + at } } },
  ),
})
const tooMany = (number: number) =>
  `A filter takes at most 20 sums and counts of related items, not ${number}.`

describe.each(databases)('on $name', ({ open }) => {
  let opened: OpenDatabase
  let engine: Engine
  beforeAll(async () => {
    opened = await open()
    for (const text of [
      'create table authors (id integer primary key)',
      'create table articles (id integer primary key, author integer not null)',
      'create table comments (id integer primary key, stars integer not null, article integer not null)',
      'insert into authors values (1), (2)',
      'insert into articles values (1, 1), (2, 2), (3, 1)',
      'insert into comments values (1, 3, 1), (2, 1, 2), (3, 5, 3)',
    ])
      await sql.raw(text).execute(opened.db)
    engine = createEngine({ db: opened.db, schema }) as Engine
  })

  const ids = async (collection: string, query: object, by: Engine = engine) => {
    const { data } = await listItems(by, collection, { fields: ['id'], ...query })
    return data.map((item) => Reflect.get(item, 'id'))
  }

  it('a filter takes twenty sums and counts', async () => {
    expect(await ids('articles', { filter: counting(20) })).toEqual([1, 2, 3])
    await expect(ids('articles', { filter: counting(21) })).rejects.toMatchObject({
      code: 'INVALID_QUERY',
      path: ['filter'],
      message: tooMany(21),
    })
  })

  it.each([
    ['a stream', (filter: object) => streamItems(engine, 'articles', { filter } as never).next()],
    ['an update', (filter: object) => updateByQuery(engine, 'articles', { filter } as never, { author: 1 })],
    ['a deletion', (filter: object) => deleteByQuery(engine, 'articles', { filter } as never)],
    ['a count', (filter: object) => ids('articles', { filter, fields: [], aggregate: { count: '*' } })],
    [
      'a list inside items',
      (filter: object) =>
        ids('authors', { fields: ['articles.id'], deep: { articles: { _filter: filter } } }),
    ],
  ])('%s takes no more either', async (_what, go) => {
    await expect(go(counting(21))).rejects.toMatchObject({ code: 'INVALID_QUERY', message: tooMany(21) })
    expect(await ids('articles', {})).toEqual([1, 2, 3])
  })

  it('those behind an alias count wherever it is used', async () => {
    const query = (times: number) => ({
      filter: { _and: Array.from({ length: times }, (_, at) => ({ 'count(few)': { _lt: 10 + at } })) },
      alias: { few: 'articles' },
      deep: { few: { _filter: counting(9) } },
    })
    expect(await ids('authors', query(2))).toEqual([1, 2])
    await expect(ids('authors', query(3))).rejects.toMatchObject({ message: tooMany(30) })
  })

  it('those of a rule do not count', async () => {
    const rules = {
      articles: { read: { filter: counting(21) } },
      authors: { read: true },
      comments: { read: true },
    }
    const caller = engine.as({ user: 1, rules } as never) as Engine
    expect(await ids('articles', { filter: counting(20) }, caller)).toEqual([1, 2, 3])
  })

  it.each([
    ['authors', '-articles.comments.stars', [1, 2]],
    ['articles', 'author.articles.comments.stars', [2, 1, 3]],
    ['comments', 'article.author.articles.id', [1, 3, 2]],
    ['authors', 'articles.sum(comments.stars)', [2, 1]],
  ])('%s are sorted by %s, which leads at most once from a related item to a list', async (of, sort, all) => {
    expect(await ids(of, { sort })).toEqual(all)
  })
})
