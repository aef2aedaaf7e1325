// Filters on children that an index finds: which form they have, and that each form finds the same.
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  createEngine,
  defineSchema,
  deleteByQuery,
  type Engine,
  explainItems,
  getItem,
  listItems,
  type Schema,
} from '../../src/index.ts'
import { starting } from '../../src/sql/starts-at-index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { across, integer, key, many, maybeOne, number, string } from '../support/fields.ts'

const schema: Schema = defineSchema({
  articles: {
    fields: {
      id: key,
      title: string,
      author: maybeOne('articles'),
      tags: across('links.article', 'tag'),
      parts: many('articles.author'),
    },
  },
  tags: {
    fields: {
      id: key,
      name: { type: 'string', unique: true },
      kind: { type: 'string', indexed: true },
      colour: string,
      state: { type: 'string', indexed: true, values: ['new', 'old'] },
      hot: { type: 'boolean', indexed: true },
    },
  },
  links: { fields: { id: key, article: maybeOne('articles'), tag: maybeOne('tags'), rank: number } },
  // The key minds no case, and what refers to it does.
  words: { fields: { code: { type: 'string', key: true }, uses: many('uses.word') } },
  uses: { fields: { id: key, word: maybeOne('words'), place: { type: 'integer', unique: true } } },
  pairs: { key: ['a', 'b'], fields: { a: integer, b: integer, halves: many('halves.pair') } },
  halves: {
    fields: {
      id: key,
      of_a: number,
      of_b: number,
      pair: { type: 'm2o', to: 'pairs', by: ['of_a', 'of_b'] },
      side: { type: 'string', indexed: true },
    },
  },
})

const tagged = (filter: object) => ({ tags: { tag: filter } })
const fifty = Array.from({ length: 50_000 }, (_, at) => at + 2)

/** Filters that begin at an index on SQLite. */
const begins: readonly (readonly [title: string, collection: string, filter: object])[] = [
  ['a tag by its key', 'articles', tagged({ _eq: 1 })],
  ['a tag by its key, written as its field', 'articles', tagged({ id: { _eq: 2 } })],
  ['a tag by a unique column', 'articles', tagged({ name: { _eq: 'a' } })],
  ['a tag by a text without an index', 'articles', tagged({ colour: 'red' })],
  [
    'a tag by one of two texts beside a rank',
    'articles',
    { tags: { tag: { hot: true, colour: { _in: ['red', 'blue'] } }, rank: { _gt: 1 } } },
  ],
  ['a tag by an indexed column', 'articles', tagged({ kind: { _in: ['x', 'y'] } })],
  ['one tag beside another condition', 'articles', { tags: { tag: { _eq: 1 }, rank: { _gt: 1 } } }],
  ['a tag that does not exist', 'articles', tagged({ _eq: 999 })],
  ['a tag that no column holds', 'articles', tagged({ _eq: 99_999_999_999 })],
  ['no tag', 'articles', tagged({ _in: [] })],
  ['50,000 tags', 'articles', tagged({ _in: fifty })],
  ['either of two tags', 'articles', { _or: [tagged({ _eq: 1 }), tagged({ name: 'c' })] }],
  ['both of two tags', 'articles', { _and: [tagged({ _eq: 1 }), tagged({ _eq: 2 })] }],
  ['an article by a tag of its parts', 'articles', { parts: { tags: { tag: { _eq: 1 } } } }],
  ['an article by a tag of its author', 'articles', { author: tagged({ _eq: 1 }) }],
  ['a list inside of none', 'articles', { parts: { _none: tagged({ _eq: 1 }) } }],
  [
    'a list inside of none inside of some',
    'articles',
    { parts: { id: { _eq: 2 }, tags: { _none: { article: tagged({ _eq: 1 }) } } } },
  ],
  ['an undeclared relation', 'articles', { '$FOLLOW(links, article)': { tag: { _eq: 3 } } }],
  ['a key of text', 'words', { uses: { place: { _in: [1, 2, 3] } } }],
  ['a key of several parts', 'pairs', { halves: { side: 'left' } }],
]

/** Filters that do not. */
const others: readonly (readonly [title: string, collection: string, filter: object])[] = [
  ['a column without an index', 'articles', { parts: { title: 'two' } }],
  [
    'a column without an index behind a list that is no junction',
    'articles',
    { parts: { author: { title: 'one' } } },
  ],
  [
    'one of two columns without an index',
    'articles',
    tagged({ _or: [{ colour: 'red' }, { colour: 'blue' }] }),
  ],
  ['a text of no tag', 'articles', tagged({ colour: { _neq: 'red' } })],
  ['a column of few values', 'articles', tagged({ state: 'new' })],
  ['a column that is true or false', 'articles', tagged({ hot: true })],
  ['a range', 'articles', tagged({ id: { _gt: 1 } })],
  ['a negated operator', 'articles', tagged({ _neq: 1 })],
  ['a list of others', 'articles', tagged({ _nin: [1] })],
  ['a part of a text', 'articles', tagged({ name: { _contains: 'a' } })],
  ['no child with a tag', 'articles', { tags: { _none: { tag: { _eq: 1 } } } }],
  ['no child with a tag, and some', 'articles', { tags: { _none: { tag: { name: 'b' } }, _some: {} } }],
  ['one of two conditions on a child', 'articles', { tags: { _or: [{ tag: { _eq: 1 } }, { rank: 5 }] } }],
  ['an item by its key', 'articles', { id: { _in: [1, 2, 3] }, ...tagged({ _eq: 1 }) }],
]

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: Engine
  const fresh = () => createEngine({ db: opened.db, schema })
  beforeAll(async () => {
    opened = await open()
    const truth = name === 'sqlite' ? 'integer' : 'boolean'
    await opened.run('create table articles (id integer primary key, title text, author integer)')
    await opened.run(
      `create table tags (id integer primary key, name text unique, kind text, colour text, state text, hot ${truth})`,
    )
    // No index finds the links of an article, or of a tag.
    await opened.run(
      'create table links (id integer primary key, article integer, tag integer, rank integer)',
    )
    await opened.run(
      `create table words (code text${name === 'sqlite' ? ' collate nocase' : ''} primary key)`,
    )
    await opened.run('create table uses (id integer primary key, word text, place integer)')
    await opened.run('create table pairs (a integer, b integer, primary key (a, b))')
    await opened.run('create table halves (id integer primary key, of_a integer, of_b integer, side text)')
    for (const row of [
      "(1,'one',null)",
      "(2,'two',1)",
      "(3,'three',1)",
      "(4,'four',2)",
      "(5,'five',99)",
      "(6,'six',3)",
    ])
      await opened.run(`insert into articles values ${row}`)
    const [yes, no] = name === 'sqlite' ? [1, 0] : [true, false]
    for (const row of [
      `(1,'a','x','red','new',${yes})`,
      `(2,'b','x','red','old',${no})`,
      `(3,'c','y','blue','new',${yes})`,
      `(4,'d','z','red','new',null)`,
    ])
      await opened.run(`insert into tags values ${row}`)
    const links = [
      '1,1,1',
      '1,2,2',
      '2,1,null',
      '3,3,5',
      '3,null,1',
      'null,1,1',
      '4,2,5',
      '4,2,6',
      '6,77,1',
      '99,1,3',
    ]
    for (const [at, row] of links.entries()) await opened.run(`insert into links values (${at + 1}, ${row})`)
    for (const word of ['tea', 'Cup', 'pot']) await opened.run(`insert into words values ('${word}')`)
    for (const [at, word] of ["'tea'", "'TEA'", "'cup'", "'Cup'", 'null', "'none'"].entries())
      await opened.run(`insert into uses values (${at + 1}, ${word}, ${at})`)
    for (const pair of ['1,1', '1,2', '2,1']) await opened.run(`insert into pairs values (${pair})`)
    for (const [at, half] of [
      "1,1,'left'",
      "1,null,'left'",
      "2,1,'right'",
      "null,2,'left'",
      "3,3,'left'",
    ].entries())
      await opened.run(`insert into halves values (${at + 1}, ${half})`)
    engine = fresh()
  })
  afterEach(() => {
    starting.isAtIndex = true
  })

  const formOf = async (collection: string, filter: object) =>
    / in \(select (?!value)/.test(
      (await explainItems(engine, collection as never, { filter } as never)).sql ?? '',
    )
  const found = async (by: Engine, collection: string, filter: object) => {
    const query = { filter, fields: ['*'], meta: ['filter_count'], limit: -1 } as never
    return JSON.stringify(await listItems(by, collection as never, query))
  }

  const idsOf = async (by: Engine, collection: string, filter: object): Promise<readonly unknown[]> => {
    const items: readonly Readonly<Record<string, unknown>>[] = JSON.parse(
      await found(by, collection, filter),
    ).data
    return items.map(({ id }) => id)
  }

  it.each(begins)(
    '%s is found from its end on SQLite, and is the same as by EXISTS',
    async (_, collection, filter) => {
      expect(await formOf(collection, filter)).toBe(name === 'sqlite')
      const all = [filter, ...(collection === 'articles' ? [not(filter), not(not(filter))] : [])]
      const answers = await Promise.all(all.map((one) => found(engine, collection, one)))
      starting.isAtIndex = false
      const byExists = fresh()
      expect(answers).toEqual(await Promise.all(all.map((one) => found(byExists, collection, one))))
    },
  )

  it.each(others)('%s is EXISTS', async (_, collection, filter) => {
    expect(await formOf(collection, filter)).toBe(false)
  })

  it('a child whose text another collation takes for a key is found as before', async () => {
    expect(await idsOf(engine, 'words', { uses: { place: { _in: [1, 2] } } })).toEqual([])
  })

  it('nulls in a junction make no list empty', async () => {
    const ids = (filter: object) => idsOf(engine, 'articles', filter)
    expect(await ids(tagged({ _eq: 1 }))).toEqual([1, 2])
    expect(await ids({ tags: { _none: { tag: { _eq: 1 } } } })).toEqual([3, 4, 5, 6])
    expect(await ids({ parts: { _none: tagged({ _eq: 1 }) } })).toEqual([2, 3, 4, 5, 6])
  })

  it('rules through memberships are found from their end, but for an item by its key', async () => {
    const statements: string[] = []
    const counting = createEngine({
      db: opened.db,
      schema,
      onQuery: ({ sql: text }) => statements.push(text),
    })
    const caller = counting.as({
      user: 1,
      rules: { articles: { read: { filter: tagged({ _eq: '$CURRENT_USER' }) } } },
    } as never)
    const listed = await listItems(caller, 'articles', { fields: ['id'] } as never)
    expect(listed).toEqual({ data: [{ id: 1 }, { id: 2 }] })
    expect(await getItem(caller, 'articles', 2 as never, { fields: ['id'] } as never)).toEqual({ id: 2 })
    await expect(getItem(caller, 'articles', 3 as never)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(statements.map((text) => / in \(select (?!value)/.test(text))).toEqual([
      name === 'sqlite',
      false,
      false,
    ])
  })

  it('items are deleted by what others of their table hold', async () => {
    const filter = { parts: { _eq: 6 } }
    const dry = await deleteByQuery(engine, 'articles', { filter } as never, { dryRun: true })
    expect(dry).toEqual({ deleted: 1, keys: [3] })
    expect(await deleteByQuery(engine, 'articles', { filter } as never)).toEqual(dry)
  })
})

/** Articles none of whose parts meets a filter. */
const not = (filter: object) => ({ parts: { _none: filter } })
