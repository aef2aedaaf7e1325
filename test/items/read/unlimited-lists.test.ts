// Lists without a limit are counted in the statement that reads them, and refused exactly where their rows, as they are answered, are too many.
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createEngine,
  defineSchema,
  type Engine,
  getItem,
  listItems,
  listItemsJson,
  type Schema,
} from '../../../src/index.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { drawsOf } from '../../support/draws.ts'
import { across, integer, key, many, maybeOne, one, string, text } from '../../support/fields.ts'

const schema = defineSchema({
  authors: { fields: { id: key, name: string, articles: many('articles.author') } },
  articles: {
    fields: {
      id: key,
      title: text,
      author: maybeOne('authors'),
      comments: many('comments.article'),
      tags: across('articles_tags.article', 'tag'),
      notes: many('notes.article'),
    },
  },
  comments: { fields: { id: key, stars: integer, article: maybeOne('articles') } },
  tags: { fields: { id: key, articles: many('articles_tags.tag') } },
  articles_tags: { fields: { id: key, article: one('articles'), tag: one('tags') } },
  notes: { fields: { text: string, article: maybeOne('articles') } },
})

const articles = 1_300

/** As the limit counts them: bare keys of children a tenth. */
function rowsIn(value: unknown): number {
  if (Array.isArray(value)) {
    const each = (one: unknown) => (typeof one === 'object' && one !== null ? 10 : 1) + rowsIn(one)
    return value.reduce<number>((sum, one) => sum + each(one), 0)
  }
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, one) => sum + rowsIn(one), 0)
}

describe.each(databases)('on $name', (database) => {
  let opened: OpenDatabase
  let asked: string[] = []
  const engineWith = (nestedRows: number): Engine =>
    createEngine({
      db: opened.db,
      schema,
      limits: { nestedRows },
      onQuery: ({ sql: text }) => void asked.push(text),
    })

  beforeAll(async () => {
    opened = await database.open()
    await opened.run('create table authors (id integer primary key, name text)')
    await opened.run('create table articles (id integer primary key, title text, author integer)')
    await opened.run('create table comments (id integer primary key, stars integer, article integer)')
    await opened.run('create table tags (id integer primary key)')
    await opened.run('create table articles_tags (id integer primary key, article integer, tag integer)')
    await opened.run('create table notes (text text, article integer)')
    for (const index of ['articles (author)', 'comments (article)', 'articles_tags (article)'])
      await opened.run(`create index on_${index.replaceAll(/\W/g, '_')} on ${index}`)
    const insert = (table: string, most: number, row: (id: number) => string) =>
      opened.run(
        `insert into ${table} values ${Array.from({ length: most }, (_, at) => `(${row(at + 1)})`).join()}`,
      )
    await insert('authors', 4, (id) => `${id}, 'a${id}'`)
    const authorOf = (id: number) => (id % 7 === 0 ? 'null' : id % 40 === 0 ? 2 : id % 90 === 0 ? 3 : 1)
    await insert('articles', articles, (id) => `${id}, ${id % 3 ? `'t${id % 50}'` : 'null'}, ${authorOf(id)}`)
    await insert('comments', 900, (id) => `${id}, ${id % 5}, ${((id * id) % 97) + 1_200}`)
    await insert('tags', 5, (id) => `${id}`)
    await insert('articles_tags', 800, (id) => `${id}, ${((id * 31) % 400) + 900}, ${(id % 5) + 1}`)
    await insert('notes', 200, (id) => `'n${id % 9}', ${(id % 30) + 1_270}`)
  })

  it('one statement reads and counts, and a second one finds out why nothing came', async () => {
    const query = { fields: ['id', 'comments.id'], deep: { comments: { _limit: -1 } }, sort: '-id' } as const
    const { sort: _sort, ...one } = query
    const statements = async (work: () => Promise<unknown>) => {
      asked = []
      await work()
      return asked.length
    }
    const engine = engineWith(5_000)
    expect(await statements(() => listItems(engine, 'articles', query))).toBe(1)
    expect(await statements(() => listItemsJson(engine, 'articles', query))).toBe(1)
    expect(await statements(() => getItem(engine, 'articles', 1_250, one))).toBe(1)
    const none = { ...query, filter: { id: -1 } }
    expect(await statements(() => listItems(engine, 'articles', none))).toBe(3)
    const few = engineWith(3)
    for (const read of [listItems<Schema, string, object>, listItemsJson<Schema, string>])
      expect(
        await statements(() =>
          expect(read(few, 'articles', query)).rejects.toMatchObject({
            code: 'INVALID_QUERY',
            path: ['deep', 'comments', '_limit'],
          }),
        ),
      ).toBe(2)
  })

  it('the rows of other lists are subtracted, and counted only where that leaves too little', async () => {
    const query = (limit: number) => ({
      fields: ['id', 'comments.id', 'tags.id'],
      deep: { comments: { _limit: limit }, tags: { _limit: -1 } },
      sort: '-id',
      limit: 100,
    })
    const engine = engineWith(1_000)
    const statements = async (limit: number) => {
      asked = []
      await listItems(engine, 'articles', query(limit))
      return asked.length
    }
    expect(await statements(2)).toBe(1)
    expect(await statements(3)).toBe(1)
    // Eleven each would be more than there may be, so all are counted as they are.
    expect(await statements(11)).toBe(2)
    expect(await statements(2)).toBe(1)
  })

  const times = drawsOf('unlimited lists')
  it(`${times} random reads are refused where they have too many rows (QUERNEL_SEED=${fuzzSeed})`, async () => {
    const random = new Random(fuzzSeed + database.name.length)
    const unlimited = engineWith(Number.POSITIVE_INFINITY)
    let [refused, answered] = [0, 0]
    for (let round = 0; round < times; round++) {
      const { collection, query } = randomRead(random)
      const id = { articles: 1_200 + random.below(100), authors: 1, comments: 1 + random.below(900) }[
        collection
      ]
      const reads: ((engine: Engine) => Promise<unknown>)[] = [
        async (engine) => (await listItems(engine, collection, query)).data,
        async (engine) => JSON.parse(await listItemsJson(engine, collection, query)).data,
        (engine) => getItem(engine, collection, id, itemOf(query)),
      ]
      const read = random.one(reads)
      const expected = await read(unlimited)
      const rows = rowsIn(Array.isArray(expected) ? expected.map((item) => item) : [expected])
      // The items themselves are not below anything.
      const below = rows - 10 * (Array.isArray(expected) ? expected.length : 1)
      const told = `round ${round}: ${collection} ${JSON.stringify(query)}`
      const bound = Math.ceil(below / 10)
      const wide = bound + random.one([0, 0, 1, 500])
      expect(await read(engineWith(wide)), told).toEqual(expected)
      answered++
      if (bound === 0) continue
      const narrow = random.one([bound - 1, Math.floor(bound / 2)])
      if (narrow * 10 >= below) continue
      await expect(read(engineWith(narrow)), told).rejects.toMatchObject({ code: 'INVALID_QUERY' })
      refused++
    }
    expect([answered, refused > times / 3]).toEqual([times, true])
  })
})

const lists: Readonly<Record<string, readonly (readonly [name: string, to: string, through?: string])[]>> = {
  authors: [['articles', 'articles']],
  articles: [
    ['comments', 'comments'],
    ['tags', 'articles_tags'],
    ['notes', 'notes'],
    ['author', 'authors', 'one'],
  ],
  comments: [['article', 'articles', 'one']],
  articles_tags: [['tag', 'tags', 'one']],
  tags: [['articles', 'articles_tags']],
}

type RootName = 'authors' | 'articles' | 'comments'

interface RandomQuery {
  readonly fields: readonly string[]
  /** Drawn names are not known to the compiler. */
  readonly deep: Record<string, never>
  readonly limit: number
  sort?: string
  offset?: number
  filter?: { readonly id: { readonly _gt: number } }
  meta?: string
}

/** A read of which at least one list has no limit. */
function randomRead(random: Random): { readonly collection: RootName; readonly query: RandomQuery } {
  const collection = random.one<RootName>(['articles', 'articles', 'authors', 'comments'])
  const fields: string[] = ['*']
  let isUnlimited = false
  const levelOf = (of: string, path: string, depth: number): Record<string, object> => {
    const level: Record<string, object> = {}
    for (const [name, to, through] of lists[of] ?? []) {
      if (!random.chance(depth === 0 ? 0.7 : 0.4)) continue
      const at = `${path}${name}`
      const below = depth < 2 ? levelOf(to, `${at}.`, depth + 1) : {}
      const isBare = !through && to !== 'notes' && Object.keys(below).length === 0 && random.chance(0.2)
      fields.push(isBare ? at : `${at}.${to === 'notes' ? 'text' : 'id'}`)
      level[name] = through ? below : { ...below, ...pageOf(to) }
    }
    return level
  }
  const pageOf = (to: string): Record<string, unknown> => {
    const page: Record<string, unknown> = {}
    if (random.chance(0.5)) {
      page._limit = -1
      isUnlimited = true
    } else if (random.chance(0.6)) page._limit = random.below(6)
    if (random.chance(0.2)) page._offset = random.below(3)
    if (random.chance(0.3) && to !== 'notes') page._sort = '-id'
    if (random.chance(0.2) && to === 'comments') page._filter = { stars: { _gt: 1 } }
    return page
  }
  for (;;) {
    fields.splice(1)
    const deep = levelOf(collection, '', 0)
    if (!isUnlimited) continue
    const query: RandomQuery = {
      fields,
      deep: deep as Record<string, never>,
      limit: random.one([3, 20, 120]),
    }
    if (random.chance(0.7))
      query.sort = random.one(['-id', 'id', ...(collection === 'articles' ? ['title'] : [])])
    if (random.chance(0.4) && collection === 'articles') query.offset = random.one([5, 900, 1_000, 1_180])
    if (random.chance(0.3)) query.filter = { id: { _gt: collection === 'authors' ? 1 : 850 } }
    if (random.chance(0.2)) query.meta = '*'
    return { collection, query }
  }
}

const itemOf = ({ fields, deep }: RandomQuery) => ({ fields, deep })
