// Pages of a million rows: the first, one by an offset, one after a cursor, and the same by hand; on both databases.
// Run by `npx tsx --tsconfig bench/tsconfig.json bench/cursors.ts`.
import Database from 'better-sqlite3'
import { Kysely, sql } from 'kysely'
import pg from 'pg'
import { createEngine, defineSchema, listItems, type Schema } from 'quernel'
import { postgresDialect } from 'quernel/postgres'
import { sqliteDialect } from 'quernel/sqlite'
import { startPostgres } from '../test/support/postgres.ts'
import { median } from './median.ts'

const rows = 1_000_000
const far = 900_000
const runs = 400

const schema: Schema = defineSchema({
  posts: {
    fields: {
      id: { type: 'integer', key: true },
      title: { type: 'string' },
      views: { type: 'integer' },
      likes: { type: 'integer', nullable: true },
    },
  },
})

type Tables = Record<string, Record<string, unknown>>

async function fill(db: Kysely<Tables>, series: string): Promise<void> {
  const statements = [
    'create table posts (id integer primary key, title varchar(40) not null, views integer not null, likes integer)',
    `insert into posts select n, 'Title ' || n, n % 50021, case when n % 10 = 0 then null else n % 100 end from ${series}`,
    'create index posts_views on posts (views, id)',
    'create index posts_likes on posts (likes, id)',
    'analyze posts',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

async function measure(name: string, db: Kysely<Tables>): Promise<void> {
  const engine = createEngine({ db, schema })
  for (const sort of ['views', 'likes']) {
    const query = { fields: ['id', 'title', sort], sort, limit: 100 }
    const { data } = await listItems(engine, 'posts', {
      ...query,
      fields: ['id', sort, '$cursor'],
      limit: 1,
      offset: far,
    })
    const [at] = data
    const after = String(at?.$cursor)
    const value = Number(at?.[sort])
    const byHand = {
      ...query,
      sort: [sort, 'id'],
      filter: {
        [sort]: { _gte: value },
        _or: [{ [sort]: { _gt: value } }, { [sort]: value, id: { _gt: at?.id } }],
      },
    }
    const asked: Readonly<Record<string, object>> = {
      'first page': query,
      'after a cursor': { ...query, after },
      'before a cursor': { ...query, before: after },
      'the first with its cursors': { ...query, meta: ['cursors'] },
      'after a cursor with cursors': { ...query, after, meta: ['cursors'] },
      ...(sort === 'views' && { 'by hand, with _gte': byHand }),
    }
    const times = new Map<string, number[]>()
    // In turns, so that what else the machine does is shared.
    for (let run = 0; run < runs; run++)
      for (const [what, one] of Object.entries(asked)) {
        const start = performance.now()
        await listItems(engine, 'posts', one)
        times.set(what, [...(times.get(what) ?? []), performance.now() - start])
      }
    const first = median(times.get('first page') ?? [])
    for (const [what, all] of times)
      console.log(
        `${name}\t${sort}\t${what}\t${median(all).toFixed(3)} ms\t${(median(all) / first).toFixed(2)}`,
      )
    const start = performance.now()
    await listItems(engine, 'posts', { ...query, offset: far })
    console.log(`${name}\t${sort}\toffset ${far}\t${(performance.now() - start).toFixed(3)} ms`)
  }
}

const file = new Kysely<Tables>({ dialect: sqliteDialect({ database: new Database(':memory:') }) })
await fill(
  file,
  `(with recursive s (n) as (select 1 union all select n + 1 from s where n < ${rows}) select n from s) as s`,
)
await measure('SQLite', file)
await file.destroy()

const { url, stop } = await startPostgres()
const server = new Kysely<Tables>({
  dialect: postgresDialect({ pool: new pg.Pool({ connectionString: url, max: 1 }) }),
})
await fill(server, `generate_series(1, ${rows}) as s (n)`)
await sql.raw('vacuum analyze posts').execute(server)
await measure('PostgreSQL', server)
await server.destroy()
await stop()
