// A process of its own, in which nothing but answers takes memory. It asks for much more than one answer may have, in several ways, and prints what was
// answered, and how many bytes more than before the process held at most.
import BetterSqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import { answerGraphQL } from '../../src/graphql.ts'
import { createHandler } from '../../src/http.ts'
import { createEngine, defineSchema, getItem, listItems, listItemsJson } from '../../src/index.ts'
import { postgresDialect } from '../../src/postgres.ts'
import { key, many, maybeOne } from '../support/fields.ts'

const schema = defineSchema({
  books: { fields: { id: key, text: { type: 'text' }, author: maybeOne('authors') } },
  authors: { fields: { id: key, life: { type: 'text' }, books: many('books.author') } },
  longest: { fields: { id: key, text: { type: 'text' } } },
})

const [url = '', way = ''] = process.argv.slice(2)
const isOnServer = url.startsWith('postgres:')
const db = isOnServer
  ? new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 3 }) }) })
  : new Kysely({ dialect: new SqliteDialect({ database: new BetterSqlite(url) }) })
const own = isOnServer
  ? new Kysely({ dialect: postgresDialect({ pool: new pg.Pool({ connectionString: url, max: 1 }) }) })
  : db
const engine = createEngine({ db, schema })
if (way === 'clear') await sql`drop schema if exists answers_in_memory cascade`.execute(db)
if (way === 'fill') await fill()

async function fill(): Promise<void> {
  if (isOnServer) await sql`create schema answers_in_memory`.execute(db)
  await sql`create table authors (id integer primary key, life text not null)`.execute(db)
  await sql`create table books (id integer primary key, text text not null, author integer)`.execute(db)
  const mebibyte = 'text of a book, '.repeat(65_536)
  await sql`insert into authors values (1, ${mebibyte})`.execute(db)
  if (isOnServer) {
    await sql`create view longest as select 1 as id, repeat('x', 600000000) as text`.execute(db)
    await sql`create index books_author on books (author)`.execute(db)
  }
  for (let id = 1; id <= 400; id++) await sql`insert into books values (${id}, ${mebibyte}, 1)`.execute(db)
}

const names = (field: string) => Array.from({ length: 30 }, (_, at) => `a${at}:${field}`).join(' ')
/** So that a column under thirty names is within the fields of an operation. */
const roots = (make: (at: number) => string) =>
  `{ ${Array.from({ length: 33 }, (_, at) => make(at)).join(' ')} }`
const graphql = async (query: string) =>
  JSON.parse(await answerGraphQL(engine, { query })).errors[0].extensions.code
const failed = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (error) => String(error.code),
  )

const ways: Readonly<Record<string, () => Promise<unknown>>> = {
  names: () =>
    graphql(
      `${roots((at) => `r${at}:books(offset:${at}) { ...F }`)} fragment F on books { ${names('text')} }`,
    ),
  roots: () => graphql(roots((at) => `r${at}:books(limit:20,offset:${at}) { text }`)),
  references: () => graphql(`{ books(limit:400) { author { ${names('life')} } } }`),
  children: () => graphql('{ authors { books(limit:-1) { text } } }'),
  json: () => failed(listItemsJson(engine, 'books', { limit: -1 })),
  rows: () => failed(listItems(engine, 'books', { limit: -1 })),
  page: () => failed(listItems(engine, 'books', { limit: 400, fields: ['text', 'author.life'] })),
  item: () =>
    failed(getItem(engine, 'authors', 1, { fields: ['books.text'], deep: { books: { _limit: 400 } } })),
  // By the driver of `quernel/postgres` alone.
  value: () => failed(getItem(createEngine({ db: own, schema }), 'longest', 1)),
  http: async () => {
    const handler = createHandler(engine, { authenticate: () => ({ admin: true }) })
    const response = await handler(new Request('http://localhost/items/books?limit=-1&fields=*,author.life'))
    return ((await response.json()) as { errors: { extensions: { code: string } }[] }).errors[0]?.extensions
      .code
  },
}

const ready = way !== 'clear'
if (ready) await listItems(engine, 'books', { limit: 1, fields: ['id'] })
globalThis.gc?.()
const before = process.memoryUsage().rss
let most = before
const watch = setInterval(() => {
  most = Math.max(most, process.memoryUsage().rss)
}, 5)
const told = await ways[way]?.()
clearInterval(watch)
// In kibibytes. What came before is far below.
most = Math.max(most, process.resourceUsage().maxRSS * 1_024)
const again = ready ? (await listItems(engine, 'books', { limit: 1, fields: ['id'] })).data.length : 0
await db.destroy()
if (own !== db) await own.destroy()
console.log(JSON.stringify({ told, again, bytes: most - before }))
