// A process that creates trees one after the other, until it is killed. It prints the title of each once it was told that it is done.
import BetterSqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import { createEngine, createItem } from '../../src/index.ts'
import { schema } from './library.ts'

async function main(): Promise<void> {
  const [url = '', path = ''] = process.argv.slice(2)
  const db = url.startsWith('postgres:')
    ? new Kysely({
        dialect: new PostgresDialect({
          pool: new pg.Pool({ connectionString: url, max: 1, options: `-c search_path=${path}` }),
        }),
      })
    : new Kysely({ dialect: new SqliteDialect({ database: new BetterSqlite(path) }) })
  const engine = createEngine({ db, schema })
  for (let number = 0; ; number++) {
    const title = `tree ${number}`
    await createItem(engine, 'books', {
      title,
      author: { name: title },
      chapters: [{ heading: title }, { heading: title }],
    })
    console.log(title)
  }
}

void main()
