// Wrong answers to callers that random ones found, each in its smallest form.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEngine, createItem, defineSchema, listItems, listItemsJson } from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'

const schema = defineSchema({
  authors: {
    fields: {
      id: { type: 'integer', key: true },
      articles: { type: 'o2m', from: 'articles.author' },
    },
  },
  articles: {
    fields: {
      id: { type: 'integer', key: true },
      author: { type: 'm2o', to: 'authors', nullable: true },
      views: { type: 'integer', nullable: true },
    },
  },
})

describe.each(databases)('on $name', ({ open }) => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await open()
    const { db } = opened
    await sql`create table authors (id integer primary key)`.execute(db)
    await sql`create table articles (id integer primary key, author integer, views integer)`.execute(db)
    await sql`insert into authors values (1), (2), (3)`.execute(db)
    await sql`insert into articles values (1, 1, 0), (2, 1, 5), (3, 2, 0)`.execute(db)
  })
  afterAll(() => opened.close())

  const engine = () => createEngine({ db: opened.db, schema })

  it('items of which no field may be read are no syntax error', async () => {
    const caller = engine().as({ rules: { authors: { read: { fields: [], filter: { id: { _lt: 3 } } } } } })
    expect(await listItems(caller, 'authors')).toEqual({ data: [{}, {}] })
    expect(JSON.parse(await listItemsJson(caller, 'authors'))).toEqual({ data: [{}, {}] })
  })

  it('groups by a count of items with rules are no error of the database', async () => {
    const rules = { authors: { read: true }, articles: { read: { filter: { views: { _gt: 0 } } } } }
    const query = { groupBy: ['count(articles)'], aggregate: { count: ['*'] } }
    expect(await listItems(engine().as({ rules }), 'authors', query)).toEqual({
      data: [
        { articles_count: 0, count: 2 },
        { articles_count: 1, count: 1 },
      ],
    })
  })

  it('a field that may not be written is not told by what is wrong with its value', async () => {
    const rules = { articles: { read: true, create: { fields: ['id', 'author'] } } } as const
    const creation = createItem(engine().as({ rules }), 'articles', { id: 9, views: Number.NaN })
    await expect(creation).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'There is no field "views" in "articles", or you may not use it.',
    })
  })
})
