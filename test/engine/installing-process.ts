// A process that installs the engine's own tables into a file of SQLite, at a moment that others wait for, too.
import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { createEngine, defineSchema } from '../../src/index.ts'

const [, , file = '', moment = ''] = process.argv
const schema = defineSchema({ tags: { fields: { id: { type: 'integer', key: true } } } })
const db = new Kysely({ dialect: new SqliteDialect({ database: new BetterSqlite(file) }) })
const engine = createEngine({ db, schema, flows: {} })
await new Promise((resolve) => setTimeout(resolve, Number(moment) - Date.now()))
await engine.install()
