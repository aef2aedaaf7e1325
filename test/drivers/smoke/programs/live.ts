// The parts of a server with lists that stay true, in a runtime that has the SQLite of Node.
import { createInterface } from 'node:readline'
import { Kysely, sql } from 'kysely'
import { createHandler } from '../../../../src/http.ts'
import { createEngine, defineSchema, updateItem } from '../../../../src/index.ts'
import { createFeed, createSocketHandler, localSource, realtime } from '../../../../src/realtime.ts'
import { type NodeSqliteDatabase, sqliteDialect } from '../../../../src/sqlite.ts'

const { DatabaseSync }: { DatabaseSync: new (path: string) => NodeSqliteDatabase } = await import(
  String('node:sqlite')
)
const db = new Kysely({ dialect: sqliteDialect({ database: new DatabaseSync(':memory:') }) })
await sql`create table articles (id integer primary key, title text not null)`.execute(db)
await sql`insert into articles values (1, 'Engines')`.execute(db)
const schema = defineSchema({
  articles: { fields: { id: { type: 'integer', key: true }, title: { type: 'string' } } },
})
const engine = createEngine({ db, schema })

export const port = 0
const authenticate = (token: string | null) => (token === 'secret' ? ({ admin: true } as const) : null)

export function openLive() {
  const feed = createFeed(engine, { source: localSource() })
  const handler = createHandler(engine, { prefix: '/api', authenticate, mounts: [realtime(feed)] })
  return { feed, handler, sockets: createSocketHandler(feed, { authenticate }) }
}

export async function stopLive({ feed, handler }: ReturnType<typeof openLive>): Promise<void> {
  await handler.stop()
  await feed.stop()
}

/** Tells the port, and does what each line asks for, until one says that it is enough. */
export async function obey(of: number): Promise<void> {
  console.log(of)
  for await (const line of createInterface(process.stdin)) {
    if (line === 'stop') return
    await updateItem(engine, 'articles', 1, { title: line })
  }
}
