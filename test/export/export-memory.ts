// A process of its own, in which nothing but files takes memory. It makes one of each format it is told, and prints how many rows they held
// and how many bytes more than before the process held at most.
import BetterSqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import { isFormat } from '../../src/export/formats.ts'
import { exportItems } from '../../src/export.ts'
import { createEngine, defineSchema } from '../../src/index.ts'
import { integer, key, moment, string } from '../support/fields.ts'

const schema = defineSchema({ rows: { fields: { id: key, text: string, number: integer, moment } } })

const [url = '', ...words] = process.argv.slice(2)
const formats = words.filter(isFormat)
const isOnServer = url.startsWith('postgres:')
const db = isOnServer
  ? new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 1 }) }) })
  : new Kysely({ dialect: new SqliteDialect({ database: new BetterSqlite(url) }) })
const engine = createEngine({ db, schema })

const columns = sql`id, 'text of ' || id as "text", id % 1000 as "number"`
const rows = isOnServer
  ? sql`select ${columns} from generate_series(1, 1000000) as s (id)`
  : sql`with recursive s (id) as (select 1 union all select id + 1 from s where id < 1000000) select ${columns} from s`
// On one connection of PostgreSQL the table is gone when the process is.
await sql`create temporary table "rows" (id integer primary key, "text" text not null, "number" integer not null, moment timestamp)`.execute(
  db,
)
await sql`insert into "rows" (id, "text", "number") ${rows}`.execute(db)

const all = { sort: 'id', limit: -1 } as const

// What is compiled once, and what a little garbage takes, belongs to no file.
for (const format of formats)
  await new Response((await exportItems(engine, 'rows', { ...all, limit: 5_000 }, format)).body).arrayBuffer()
globalThis.gc?.()
const before = process.memoryUsage().rss
let most = before
const made: Record<string, number> = {}
for (const format of formats) {
  const { body } = await exportItems(engine, 'rows', all, format)
  const decoder = new TextDecoder()
  let found = 0
  for await (const piece of body) {
    // Once in each row, in any format.
    found += decoder.decode(piece, { stream: true }).split('text of ').length - 1
    most = Math.max(most, process.memoryUsage().rss)
  }
  made[format] = found
}
await db.destroy()
console.log(JSON.stringify({ made, bytes: most - before }))
