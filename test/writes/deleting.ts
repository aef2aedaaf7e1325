// A process that deletes many rows in one call, to be killed in the middle or measured at the end. It prints `begun` when the deletion
// has begun, and what it held when it is done.
import BetterSqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import { createEngine, defineSchema, deleteByQuery } from '../../src/index.ts'
import { integer, key, string } from '../support/fields.ts'

const schema = defineSchema({
  rows: { fields: { id: key, text: string, number: integer } },
})

async function main(): Promise<void> {
  const [url = '', path = '', below = '0'] = process.argv.slice(2)
  const db = url.startsWith('postgres:')
    ? new Kysely({
        dialect: new PostgresDialect({
          pool: new pg.Pool({ connectionString: url, max: 1, options: `-c search_path=${path}` }),
        }),
      })
    : new Kysely({ dialect: new SqliteDialect({ database: new BetterSqlite(path) }) })

  let most = 0
  const look = () => {
    most = Math.max(most, process.memoryUsage().rss)
  }
  const engine = createEngine({ db, schema, onQuery: look })
  await deleteByQuery(engine, 'rows', { filter: { id: { _lt: 0 } } })
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  most = before
  const timer = setInterval(look, 20)
  console.log('begun')
  const { deleted } = await deleteByQuery(engine, 'rows', { filter: { number: { _lt: Number(below) } } })
  look()
  clearInterval(timer)
  await db.destroy()
  console.log(JSON.stringify({ deleted, bytes: most - before }))
}

void main()
