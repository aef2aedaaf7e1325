// A server with a bound on its requests at work: `bounded-server.ts <url> <bound> <rows>`.
import '../production.ts'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Kysely, sql } from 'kysely'
import pg from 'pg'
import { createEngine, defineSchema } from 'quernel'
import { createHandler, toNode } from 'quernel/http'
import { postgresDialect } from 'quernel/postgres'

const [url = '', bound, rows] = process.argv.slice(2)
const db = new Kysely<Record<string, Record<string, unknown>>>({
  dialect: postgresDialect({ pool: new pg.Pool({ connectionString: url, max: 10 }) }),
})
await sql`create table if not exists notes as select n as id, md5(n::text) as text from generate_series(1, ${sql.lit(Number(rows))}) as n`.execute(
  db,
)
await sql`create unique index if not exists notes_id on notes (id)`.execute(db)
const engine = createEngine({
  db,
  schema: defineSchema({
    notes: { fields: { id: { type: 'integer', key: true }, text: { type: 'string' } } },
  }),
})
const handler = createHandler(engine, { authenticate: () => ({ admin: true }), maxRequests: Number(bound) })
const server = createServer(toNode(handler)).listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port)
})
