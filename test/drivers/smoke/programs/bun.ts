// The smoke in Bun, over the module of SQLite that the first argument names. Prints what each check answers.
import { Kysely, type SqliteDatabase, SqliteDialect } from 'kysely'
import { type NodeSqliteDatabase, sqliteDialect } from '../../../../src/sqlite.ts'
import { runSmoke } from '../run-smoke.ts'

/** The part of `bun:sqlite` that is used here. */
interface BunDatabase {
  query(text: string): BunStatement
  run(text: string): unknown
  close(): void
}

interface BunStatement {
  readonly columnNames: readonly string[]
  all(...parameters: readonly unknown[]): unknown[]
  run(...parameters: readonly unknown[]): {
    readonly changes: number
    readonly lastInsertRowid: number | bigint
  }
  iterate(...parameters: readonly unknown[]): IterableIterator<unknown>
}

const [, , module = ''] = process.argv
const loaded: object = await import(module)
const dialect = module === 'bun:sqlite' ? ofBun(loaded) : ofNode(loaded)
console.log(JSON.stringify(await runSmoke(new Kysely({ dialect }), 'sqlite')))

function ofBun(loaded: object): SqliteDialect {
  const Database: new (path: string) => BunDatabase = Reflect.get(loaded, 'Database')
  const database = new Database(':memory:')
  database.run('pragma foreign_keys = on')
  const adapted: SqliteDatabase = {
    close: () => database.close(),
    prepare: (text) => {
      const statement = database.query(text)
      return {
        reader: statement.columnNames.length > 0,
        all: (parameters) => statement.all(...parameters),
        run: (parameters) => statement.run(...parameters),
        iterate: (parameters) => statement.iterate(...parameters),
      }
    },
  }
  return new SqliteDialect({ database: adapted })
}

function ofNode(loaded: object): SqliteDialect {
  const DatabaseSync: new (path: string) => NodeSqliteDatabase = Reflect.get(loaded, 'DatabaseSync')
  return sqliteDialect({ database: new DatabaseSync(':memory:') })
}
