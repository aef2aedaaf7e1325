// The bytes of an answer have a bound, by whichever door it is asked for.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { exportItems } from '../../../src/export.ts'
import { answerGraphQL } from '../../../src/graphql.ts'
import { createHandler } from '../../../src/http.ts'
import {
  createEngine,
  createItem,
  createItems,
  defineSchema,
  type Engine,
  getItem,
  getSingleton,
  listItems,
  listItemsJson,
  type QueryReport,
  streamItems,
  updateItem,
  updateItems,
} from '../../../src/index.ts'
import { databases, insert, type OpenDatabase, openSqlite } from '../../support/databases.ts'

const key = { type: 'integer', key: true } as const
const schema = defineSchema({
  books: {
    fields: {
      id: key,
      title: { type: 'string' },
      text: { type: 'text', nullable: true },
      author: { type: 'm2o', to: 'authors', nullable: true },
      notes: { type: 'o2m', from: 'notes.book' },
    },
  },
  authors: { fields: { id: key, life: { type: 'text' } } },
  notes: {
    fields: {
      id: key,
      body: { type: 'text' },
      book: { type: 'm2o', to: 'books', nullable: true },
      collection: { type: 'string', nullable: true },
      item: { type: 'any', to: ['authors'], by: 'collection' },
    },
  },
  site: { singleton: true, fields: { id: key, text: { type: 'text' } } },
})

const doors: readonly ((engine: Engine<typeof schema>, query: object) => Promise<unknown>)[] = [
  (engine, query) => listItems(engine, 'books', query),
  (engine, query) => listItemsJson(engine, 'books', query),
]

describe.each(databases)('the bytes of an answer on $name', ({ open }) => {
  let database: OpenDatabase
  const reports: QueryReport[] = []
  const within = (answerBytes: number): Engine<typeof schema> =>
    createEngine({
      db: database.db,
      schema,
      limits: { answerBytes },
      onQuery: (report) => void reports.push(report),
    })

  beforeAll(async () => {
    database = await open()
    await database.run(
      'create table authors (id integer primary key, life text not null)',
      'create table books (id integer primary key, title text not null, text text, author integer)',
      'create table notes (id integer primary key, body text not null, book integer, collection text, item text)',
      'create table site (id integer primary key, text text not null)',
    )
    const { db } = database
    await insert(db, 'authors', [
      { id: 1, life: 'é'.repeat(5_000) },
      { id: 2, life: '\n'.repeat(5_000) },
    ])
    for (let id = 1; id <= 8; id++)
      await insert(db, 'books', { id, title: `Title ${id}`, text: 'x'.repeat(1_000), author: 1 })
    for (let id = 1; id <= 6; id++)
      await insert(db, 'notes', {
        id,
        body: 'y'.repeat(1_000),
        book: 1 + (id % 2),
        collection: 'authors',
        item: '1',
      })
    await insert(db, 'site', { id: 1, text: 'z'.repeat(9_000) })
  })
  beforeEach(() => reports.splice(0))

  const refused = {
    code: 'INVALID_QUERY',
    message: expect.stringMatching(
      /^The answer has more than \d+ bytes, which limits\.answerBytes allows\.$/,
    ),
  }

  // Each with a bound that it passes, and one that it does not.
  const reads: readonly [string, object, number, number][] = [
    ['texts of its own', { fields: ['id', 'text'] }, 7_500, 9_000],
    [
      'a text under several names',
      { fields: ['a', 'b', 'c'], alias: { a: 'text', b: 'text', c: 'text' } },
      22_000,
      26_000,
    ],
    ['a text behind references, each time', { fields: ['author.life'] }, 75_000, 85_000],
    ['texts of children', { fields: ['notes.body'] }, 5_500, 7_500],
    ['texts behind references to any', { fields: ['notes.item:authors.life'] }, 55_000, 65_000],
    ['an unlimited list', { fields: ['text'], limit: -1 }, 7_500, 9_000],
  ]
  it.each(reads)('count %s', async (_title, query, few, enough) => {
    for (const read of doors) {
      await expect(read(within(few), query)).rejects.toMatchObject(refused)
      const found = await read(within(enough), query)
      expect(found).toEqual(await read(within(Number.POSITIVE_INFINITY), query))
    }
  })

  it('are those of JSON, where a text takes more', async () => {
    const query = { fields: ['life'], filter: { id: 2 } } as const
    await expect(listItemsJson(within(9_000), 'authors', query)).rejects.toMatchObject(refused)
    expect(reports).toHaveLength(2)
    expect(await listItemsJson(within(11_000), 'authors', query)).toHaveLength(10_022)
  })

  it('are added up in the database, so that nothing is read of what is refused', async () => {
    await expect(listItemsJson(within(5_000), 'books', { fields: ['text'] })).rejects.toMatchObject(refused)
    expect(reports.map(({ rows }) => rows)).toEqual([1])
    expect(JSON.stringify(reports)).not.toContain('xxxx')
  })

  it('are not added up where the database has fewer, or the page is short', async () => {
    await listItems(within(268_435_456), 'books', { fields: ['*', 'author.life'] })
    expect(reports).toHaveLength(1)
  })

  it('bound single items, singletons, groups, and lists over HTTP', async () => {
    await expect(
      getItem(within(4_000), 'books', 1, { fields: ['notes.body', 'author.life'] }),
    ).rejects.toMatchObject(refused)
    await expect(getSingleton(within(8_000), 'site', {})).rejects.toMatchObject(refused)
    await expect(
      listItems(within(900), 'books', { groupBy: ['text'], aggregate: { count: '*' } }),
    ).rejects.toMatchObject(refused)
    const handler = createHandler(within(5_000), { authenticate: () => ({ admin: true }) })
    const response = await handler(new Request('http://localhost/items/books?fields=text'))
    expect([response.status, await response.json()]).toMatchObject([
      400,
      {
        errors: [
          {
            extensions: { code: 'INVALID_QUERY' },
            message: 'The answer has more than 5000 bytes, which limits.answerBytes allows.',
          },
        ],
      },
    ])
  })

  describe('of what was written', () => {
    const titles = () => listItems(within(Number.POSITIVE_INFINITY), 'books', { fields: ['title'] })
    const all = Array.from({ length: 8 }, (_, at) => at + 1)

    it('are bounded, and what was written for it is undone', async () => {
      const before = await titles()
      const renamed = { title: 'renamed' }
      const written: readonly ((engine: Engine<typeof schema>) => Promise<unknown>)[] = [
        (engine) => updateItems(engine, 'books', all, renamed, { fields: ['text'] }),
        (engine) => updateItem(engine, 'books', 1, renamed, { fields: ['author.life'] }),
        (engine) =>
          updateItem(engine, 'books', 1, { notes: { create: [] }, ...renamed }, { fields: ['author.life'] }),
        (engine) =>
          createItem(engine, 'books', { id: 9, ...renamed, author: 1 }, { fields: ['author.life'] }),
        (engine) =>
          createItems(
            engine,
            'books',
            all.map((id) => ({ id: 10 + id, ...renamed, text: 'x'.repeat(1_000) })),
            { fields: ['text', 'notes.body'] },
          ),
      ]
      for (const write of written) {
        await expect(write(within(7_500))).rejects.toMatchObject(refused)
        expect(await titles()).toEqual(before)
      }
      expect(
        await updateItems(within(9_500), 'books', all, { author: 1 }, { fields: ['text'] }),
      ).toHaveLength(8)
    })

    it('are those of all fields of a mutation together', async () => {
      const before = await titles()
      const query = `mutation {
        a: update_books_items(ids: [1, 2, 3, 4], data: { title: "renamed" }) { text }
        b: update_books_items(ids: [5, 6, 7, 8], data: { title: "renamed" }) { text }
      }`
      const { data, errors } = JSON.parse(await answerGraphQL(within(7_500), { query }))
      expect([data, errors]).toMatchObject([null, [{ path: ['b'], extensions: { code: 'INVALID_QUERY' } }]])
      expect(await titles()).toEqual(before)
    })

    it('refuse the fields behind, where each is a transaction of its own', async () => {
      const field = (name: string, id: string, title: string, shown: string) =>
        `${name}: update_books_items(ids: [${id}], data: { title: "${title}" }) { ${shown} }`
      const [a, b] = ['a', 'b'].map((name) => field(name, '1, 2, 3, 4', 'stored', 'text'))
      const query = `mutation { ${a} ${b} ${field('c', '8', 'renamed', 'id')} }`
      const text = await answerGraphQL(within(7_500), { query }, { atomic: false })
      const { data, errors } = JSON.parse(text)
      expect(errors).toMatchObject([{ path: ['c'], extensions: { code: 'INVALID_QUERY' } }])
      // No list may be null here, so nothing is left of the others, which are stored.
      expect(data).toBeNull()
      const found = (await titles()).data.map(({ title }) => title)
      expect([found.filter((title) => title === 'stored').length, found.includes('renamed')]).toEqual([
        4,
        false,
      ])
    })
  })

  it('do not bound streams and exports', async () => {
    let seen = 0
    for await (const { text } of streamItems(within(500), 'books', { fields: ['text'] }))
      seen += text?.length ?? 0
    expect(seen).toBe(8_000)
    const { body } = await exportItems(within(500), 'books', { fields: ['text'] }, 'csv')
    expect((await new Response(body).text()).length).toBeGreaterThan(8_000)
  })

  describe('by GraphQL', () => {
    const asked = async (query: string, bound: number) =>
      JSON.parse(await answerGraphQL(within(bound), { query }))

    it('are those of all roots together', async () => {
      const query =
        '{ a: books(limit: 2) { text } b: books(limit: 3) { text } c: authors(limit: 1) { life } d: books(limit: 2) { text } }'
      // 2,000 twice, 3,000 and 10,000.
      expect((await asked(query, 18_000)).errors).toBeUndefined()
      const { data, errors } = await asked(query, 16_500)
      expect(data).toBeUndefined()
      expect(errors).toMatchObject([
        {
          message: 'The answer has more than 16500 bytes, which limits.answerBytes allows.',
          extensions: { code: 'INVALID_QUERY' },
        },
      ])
    })

    it('are those of a text under each of its names', async () => {
      const names = Array.from({ length: 30 }, (_, at) => `a${at}: text`).join(' ')
      expect((await asked(`{ books(limit: 1) { ${names} } }`, 35_000)).errors).toBeUndefined()
      expect((await asked(`{ books(limit: 1) { ${names} } }`, 29_000)).errors).toMatchObject([
        { path: ['books'] },
      ])
      expect((await asked(`{ books_by_id(id: 1) { ${names} } }`, 29_000)).errors).toMatchObject([
        { path: ['books_by_id'] },
      ])
    })

    it('are those of questions about the schema, too', async () => {
      expect((await asked('{ __schema { types { name fields { name } } } }', 1_000)).errors).toMatchObject([
        { message: 'The answer has more than 1000 bytes, which limits.answerBytes allows.' },
      ])
    })
  })
})

describe.each(databases)('texts of children that are longer than expected on $name', ({ name, open }) => {
  let database: OpenDatabase
  const statements: string[] = []
  const within = (answerBytes: number): Engine<typeof schema> =>
    createEngine({
      db: database.db,
      schema,
      limits: { answerBytes },
      onQuery: ({ sql: text }) => void statements.push(text),
    })
  const query = { fields: ['id', 'notes.body'], deep: { notes: { _limit: 12 } }, limit: 2 } as const
  const ways: readonly [string, (engine: Engine<typeof schema>) => Promise<unknown>][] = [
    ['listItems', (engine) => listItems(engine, 'books', query)],
    ['listItems with meta', (engine) => listItems(engine, 'books', { ...query, meta: ['filter_count'] })],
    ['getItem', (engine) => getItem(engine, 'books', 1, { fields: query.fields, deep: query.deep })],
    ['listItemsJson with meta', (engine) => listItemsJson(engine, 'books', { ...query, meta: ['*'] })],
    [
      'listItemsJson by items',
      (engine) => listItemsJson(engine, 'books', { fields: query.fields, deep: query.deep, meta: ['*'] }),
    ],
    [
      'updateItem',
      (engine) => updateItem(engine, 'books', 1, { title: 'A' }, { fields: query.fields, deep: query.deep }),
    ],
  ]

  beforeAll(async () => {
    database = await open()
    const { db, run } = database
    await run(
      'create table books (id integer primary key, title text not null, text text, author integer)',
      'create table notes (id integer primary key, body text not null, book integer, collection text, item text)',
    )
    await insert(db, 'books', [
      { id: 1, title: 'A' },
      { id: 2, title: 'B' },
    ])
    for (let id = 1; id <= 12; id++) await insert(db, 'notes', { id, body: 'y'.repeat(100_000), book: 1 })
  })
  beforeEach(() => statements.splice(0))

  it.each(ways)('are not read by %s where they are too many', async (_title, ask) => {
    await expect(ask(within(1_000_000))).rejects.toMatchObject({ code: 'INVALID_QUERY' })
    // The sum or the length is asked for, and nothing is read once it is known. SQLite knows before how much is stored.
    const asked = name === 'sqlite' ? /sum\(|notes/ : /sum\(|octet_length\(\("0"/
    expect(statements.filter((text) => asked.test(text))).not.toEqual([])
  })

  it.each(ways)('are read by %s where they are few enough together', async (_title, ask) => {
    // Two writers of JSON may set blanks in other places.
    const answer = async (bound: number) => {
      const found = await ask(within(bound))
      return typeof found === 'string' ? JSON.parse(found) : found
    }
    const found = JSON.stringify(await answer(1_300_000))
    expect(found.length).toBeGreaterThan(1_200_000)
    expect(found === JSON.stringify(await answer(Number.POSITIVE_INFINITY))).toBe(true)
  })
})

describe('parts of a JSON value', () => {
  it.each(databases)('are added up before they are read on $name', async ({ name, open }) => {
    const database = await open()
    const metas = defineSchema({ metas: { fields: { id: key, meta: { type: 'json' } } } })
    const type = name === 'sqlite' ? 'text' : 'jsonb'
    await database.run(`create table metas (id integer primary key, meta ${type})`)
    const meta = JSON.stringify({ a: 'y'.repeat(100_000) })
    await database.db.insertInto('metas').values({ id: 1, meta }).execute()
    const statements: string[] = []
    const engine = createEngine({
      db: database.db,
      schema: metas,
      limits: { answerBytes: 1_000_000 },
      onQuery: ({ sql: text }) => void statements.push(text),
    })
    const alias = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`a${at}`, 'json(meta, a)']))
    const asked = { fields: Object.keys(alias), alias } as const
    for (const read of [
      () => getItem(engine, 'metas', 1, asked),
      () => listItems(engine, 'metas', asked),
      () => listItemsJson(engine, 'metas', asked),
    ]) {
      await expect(read()).rejects.toMatchObject({ code: 'INVALID_QUERY' })
      expect(statements.splice(0)).toEqual([expect.stringContaining('sum(')])
    }
  })
})

describe('what SQLite computes as it is read', () => {
  const life = `replace(hex(zeroblob(500000)), '00', 'x')`
  const tables: readonly [string, readonly string[]][] = [
    ['a generated column', [`create table authors (id integer primary key, life text as (${life}))`]],
    [
      'a view of an attached database',
      [
        `attach ':memory:' as other`,
        'create table other.ids (id integer primary key)',
        `create view other.authors as select id, ${life} as life from ids`,
      ],
    ],
  ]
  it.each(tables)('is added up before it is read: %s', async (_title, made) => {
    const database = await openSqlite()
    for (const statement of made) await database.run(statement)
    const [table] = made.length === 1 ? ['authors'] : ['ids']
    for (let id = 1; id <= 3; id++) await database.run(`insert into ${table} (id) values (${id})`)
    const statements: string[] = []
    const engine = createEngine({
      db: database.db,
      schema,
      limits: { answerBytes: 1_200_000 },
      onQuery: ({ sql: text }) => void statements.push(text),
    })
    for (const read of [
      () => listItems(engine, 'authors', { fields: ['life'] }),
      () => listItemsJson(engine, 'authors', { fields: ['life'] }),
    ]) {
      await expect(read()).rejects.toMatchObject({ code: 'INVALID_QUERY' })
      expect(statements.splice(0)).toEqual([expect.stringContaining('sum(')])
    }
  })
})

describe('a view of SQLite', () => {
  it('may show more than the database holds, so its bytes are added up before they are read', async () => {
    const database = await openSqlite()
    await database.run(
      'create table lives (life text)',
      `insert into lives values (replace(hex(zeroblob(50000)), '00', 'x'))`,
      'create view authors as with recursive n(id) as (select 1 union all select id + 1 from n where id < 90) select id, life from n, lives',
    )
    const reports: QueryReport[] = []
    const engine = createEngine({
      db: database.db,
      schema,
      limits: { answerBytes: 1_000_000 },
      onQuery: (report) => void reports.push(report),
    })
    const views = [
      (query: { readonly fields: ['life'] }) => listItems(engine, 'authors', query),
      (query: { readonly fields: ['life'] }) => listItemsJson(engine, 'authors', query),
    ]
    for (const read of views) {
      await expect(read({ fields: ['life'] })).rejects.toMatchObject({
        code: 'INVALID_QUERY',
      })
      expect(reports.splice(0).map(({ rows }) => rows)).toEqual([1])
    }
  })
})

describe('a column that is asked for under many names', () => {
  it.each(databases)('is selected once on $name', async ({ open }) => {
    const database = await open()
    await database.run(
      'create table books (id integer primary key, title text not null, text text, author integer)',
    )
    const statements: string[] = []
    const engine = createEngine({
      db: database.db,
      schema,
      onQuery: ({ sql: text }) => void statements.push(text),
    })
    const alias = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`a${at}`, 'text']))
    await listItems(engine, 'books', { fields: Object.keys(alias), alias })
    expect(statements[0]?.split('"_q1"."text"').length).toBe(2)
  })
})
