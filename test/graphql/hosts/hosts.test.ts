// Servers of others execute our schema, and answer what we answer.
import { version } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerGraphQL } from '../../../src/graphql.ts'
import { createEngine, defineSchema, type Engine } from '../../../src/index.ts'
import { type OpenDatabase, openSqlite } from '../../support/databases.ts'
import { json, key, many, maybeOne, string, text } from '../../support/fields.ts'
import { titled } from '../../support/titled.ts'
import { apollo } from './apollo.ts'
import { type Asking, type OpenHost, runsHere, type Told } from './host.ts'
import { mercuriusHosts } from './mercurius.ts'
import { yoga } from './yoga.ts'

const schema = defineSchema({
  authors: { fields: { id: key, name: string } },
  articles: {
    fields: {
      id: key,
      title: text,
      price: { type: 'decimal', nullable: true },
      views: { type: 'bigInteger', nullable: true },
      notes: json,
      published: { type: 'date', nullable: true },
      author: maybeOne('authors'),
      comments: many('comments.article'),
      kind: text,
      about: { type: 'any', by: 'kind', to: ['authors', 'comments'], nullable: true },
    },
  },
  comments: { fields: { id: key, text: string, article: maybeOne('articles') } },
})
const tables = [
  'create table authors (id integer primary key, name text not null)',
  'create table articles (id integer primary key, title text, price numeric, views bigint, notes text, published text, author integer, kind text, about text)',
  'create table comments (id integer primary key, text text not null, article integer)',
  "insert into authors values (1, 'Ada'), (2, 'Bob')",
  `insert into articles values (1, 'Tea', 1.5, 9007199254740993, '{"a":[1,null]}', '2024-04-05', 1, 'authors', '2'), (2, null, null, null, null, null, null, 'comments', '1'), (3, 'Pots', 2, 7, '"x"', '2023-01-02', 2, null, null)`,
  "insert into comments values (1, 'good', 1), (2, 'bad', 1), (3, 'so', 3)",
]

interface Case extends Asking {
  readonly title: string
  /** The caller, who else may do all. */
  readonly as?: 'reader'
}

/** The order matters: mutations change what is answered next. */
const cases: readonly Case[] = titled({
  'lists with what is in them': {
    query:
      '{ articles(sort: ["-id"]) { id t: title price views notes published published_func { year } author { name } comments(limit: 1) { text } comments_func { count } } }',
  },
  'unions, fragments and __typename': {
    query:
      '{ articles { about { __typename ... on authors { name } ...C } } } fragment C on comments { text article { title } }',
  },
  'variables, one item and aggregates': {
    query:
      'query Q($id: ID!, $f: articles_filter) { articles_by_id(id: $id) { title } articles_aggregated(filter: $f, groupBy: ["author"]) { group countAll sum { price } } }',
    variables: { id: 1, f: { title: { _nnull: true } } },
  },
  'a missing item': { query: '{ articles_by_id(id: 99) { title } authors { name } }' },
  'a wrong sort inside': { query: '{ articles { comments(sort: ["nothing"]) { id } } }' },
  'the rows that a caller may see': {
    as: 'reader',
    query: '{ articles { id title comments { text } } articles_by_id(id: 1) { title } }',
  },
  'a mutation with all that it returns': {
    query:
      'mutation ($d: create_articles_input!) { create_articles_item(data: $d) { id title author { id name } comments { text } } }',
    variables: {
      d: { id: 9, title: 'New', author: { id: 7, name: 'Cy' }, comments: [{ id: 20, text: 'first' }] },
    },
  },
  'several mutations, of which one fails': {
    query:
      'mutation { update_authors_item(id: 7, data: { name: "Di" }) { name } delete_authors_item(id: 99) { id } delete_comments_items(ids: [20]) { ids } }',
  },
  'a mutation that the database refuses': {
    query: 'mutation { create_authors_item(data: { id: 1, name: "Twice" }) { id } }',
  },
  'what was written': { query: '{ articles { title author { name } comments { id } } }' },
})

const all = [yoga, apollo, ...mercuriusHosts]
const hosts = all.filter(runsHere)

it('servers are tried where they run with this version of GraphQL.js', () => {
  expect(hosts.map(({ name }) => name)).toEqual(
    version.startsWith('16.') ? all.map(({ name }) => name) : expect.arrayContaining([yoga.name]),
  )
})

describe.each(hosts)('$name', ({ open }) => {
  const databases: OpenDatabase[] = []
  let host: OpenHost
  let theirs: Callers
  let ours: Callers

  beforeAll(async () => {
    theirs = await callers(databases)
    ours = await callers(databases)
    host = await open(theirs.all)
  })
  afterAll(async () => {
    await host.close()
    for (const { close } of databases) await close()
  })

  it('answers what we answer', async () => {
    for (const { title, as = 'all', ...asking } of cases) {
      const expected: Told = JSON.parse(await answerGraphQL(ours[as], asking, { atomic: false }))
      const told = await host.ask(theirs[as], asking)
      // What is found before anything runs leaves no data here, and is an error of its field there.
      if (expected.data !== undefined) expect(told.data, title).toEqual(expected.data)
      expect(failures(told), title).toEqual(failures(expected))
    }
  })

  it('refuses what a caller may not read', async () => {
    const { data, errors } = await host.ask(theirs.reader, { query: '{ authors { name } }' })
    expect(data ?? null).toBeNull()
    expect(errors?.length).toBe(1)
  })

  it('tells nothing of internal errors, which onError gets', async () => {
    const database = await openSqlite()
    const heard: unknown[] = []
    const broken = createEngine({ db: database.db, schema, onError: (error) => heard.push(error) })
    const told = await host.ask(broken, { query: '{ authors { name } }' })
    expect(failures(told)).toEqual([[['authors'], 'An unexpected error occurred.', 'INTERNAL_SERVER_ERROR']])
    expect(JSON.stringify(told)).not.toContain('no such table')
    expect(heard).toMatchObject([{ cause: { message: expect.stringContaining('no such table') } }])
  })
})

interface Callers {
  readonly all: Engine
  readonly reader: Engine
}

async function callers(databases: OpenDatabase[]): Promise<Callers> {
  const database = await openSqlite()
  databases.push(database)
  for (const table of tables) await database.run(table)
  const whole = createEngine({ db: database.db, schema })
  const read = { fields: ['id', 'title', 'comments'], filter: { id: { _gt: 1 } } } as const
  return { all: whole, reader: whole.as({ rules: { articles: { read }, comments: { read: true } } }) }
}

const failures = ({ errors = [] }: Told) =>
  errors.map(({ path, message, extensions }) => [path, message, extensions?.code])
