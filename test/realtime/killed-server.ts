// A server that writes all the time into a file of SQLite, and tells of it as events and over sockets, until it is killed or told to be quiet.
import { createServer } from 'node:http'
import BetterSqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import { createHandler, toNode } from '../../src/http.ts'
import {
  type Access,
  createEngine,
  createItems,
  defineSchema,
  deleteItem,
  listItems,
  updateItem,
} from '../../src/index.ts'
import { createFeed, createSocketHandler, localSource, realtime, toWs } from '../../src/realtime.ts'
import { sqliteDialect } from '../../src/sqlite.ts'
import { integer, string } from '../support/fields.ts'

const schema = defineSchema({
  tasks: { fields: { id: { type: 'integer', key: true, generated: true }, title: string, owner: integer } },
})

const [, , file = '', port = ''] = process.argv
const database = new BetterSqlite(file)
database.pragma('journal_mode = wal')
database.exec('create table if not exists tasks (id integer primary key, title text not null, owner integer)')
const engine = createEngine({ db: new Kysely({ dialect: sqliteDialect({ database }) }), schema })
const feed = createFeed(engine, { source: localSource(), settleMs: 1 })
const own: Access<typeof schema> = {
  user: 1,
  rules: { tasks: { read: { filter: { owner: '$CURRENT_USER' } } } },
}
const authenticate = (token: string | null) => (token === 'ada' ? own : null)
const server = createServer(toNode(createHandler(engine, { authenticate, mounts: [realtime(feed)] })))
await toWs(createSocketHandler(feed, { authenticate }), server)
server.listen(Number(port), '127.0.0.1')

let isQuiet = false
process.on('message', () => {
  isQuiet = true
})
process.on('disconnect', () => process.exit())

const one = (count: number) => Math.floor(Math.random() * count)

while (!isQuiet) {
  const { data: some } = await listItems(engine, 'tasks', { fields: ['id'], limit: -1 })
  const { id } = some[one(some.length)] ?? { id: 0 }
  const choice = some.length > 60 ? 2 : one(3)
  if (choice === 0 || some.length < 5)
    await createItems(
      engine,
      'tasks',
      Array.from({ length: 1 + one(4) }, () => ({ title: `task ${one(100)}`, owner: 1 + one(2) })),
    )
  else if (choice === 1)
    await updateItem(engine, 'tasks', id, { title: `task ${one(100)}`, owner: 1 + one(2) })
  else await deleteItem(engine, 'tasks', id)
  await new Promise((resolve) => setTimeout(resolve, one(6)))
}
process.send?.('quiet')
