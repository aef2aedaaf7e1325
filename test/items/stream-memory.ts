// A process of its own, in which nothing but a stream takes memory. It prints how many rows it saw, and how many bytes more than before
// it held at most.
import BetterSqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import { createEngine, defineSchema, listItems, streamItems } from '../../src/index.ts'
import { integer, key, moment, string } from '../support/fields.ts'

const schema = defineSchema({ rows: { fields: { id: key, text: string, number: integer, moment } } })

const [url = '', sort = 'id'] = process.argv.slice(2)
const db = url.startsWith('postgres:')
  ? new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 1 }) }) })
  : new Kysely({ dialect: new SqliteDialect({ database: new BetterSqlite(url) }) })
const engine = createEngine({ db, schema })

const columns = sql`id, 'text of ' || id as "text", id % 1000 as "number"`
const rows = url.startsWith('postgres:')
  ? sql`select ${columns} from generate_series(1, 1000000) as s (id)`
  : sql`with recursive s (id) as (select 1 union all select id + 1 from s where id < 1000000) select ${columns} from s`
// On one connection of PostgreSQL the table is gone when the process is.
await sql`create temporary table "rows" (id integer primary key, "text" text not null, "number" integer not null, moment timestamp)`.execute(
  db,
)
await sql`insert into "rows" (id, "text", "number") ${rows}`.execute(db)
await sql`create index rows_number on "rows" ("number", id)`.execute(db)

await listItems(engine, 'rows', { limit: 5_000, sort })
globalThis.gc?.()
const before = process.memoryUsage().rss
let most = before
let seen = 0
for await (const { id } of streamItems(engine, 'rows', { sort })) {
  seen += id > 0 ? 1 : 0
  // Garbage is not held; on a busy machine V8 collects it late.
  if (seen % 20_000 === 0) globalThis.gc?.()
  if (seen % 5_000 === 0) most = Math.max(most, process.memoryUsage().rss)
}
await db.destroy()
console.log(JSON.stringify({ seen, bytes: most - before }))
