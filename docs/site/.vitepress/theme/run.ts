// A run of the playground: a database of its own, an engine, a list, and what can be told of it. It runs in a worker, where it keeps nobody waiting.
import { Kysely, SqliteDialect, type SqliteStatement } from 'kysely'
import { type Access, createEngine, defineSchema, explainItems, isEngineError, listItems } from 'quernel'
import startSqlite from 'sql.js/dist/sql-wasm-browser.js'
import wasm from 'sql.js/dist/sql-wasm-browser.wasm?url'
import type { Inputs, Outcome } from './inputs.ts'
import { typeOf } from './type-of.ts'

const sqlite = startSqlite({ locateFile: () => wasm })

self.onmessage = async ({ data }: MessageEvent<Inputs>) => self.postMessage(await run(data))

async function run(inputs: Inputs): Promise<Outcome> {
  let place: keyof Inputs = 'data'
  const { Database } = await sqlite
  const database = new Database()
  /** SQLite reads JSON as people write it. */
  const read = (name: 'schema' | 'query' | 'caller') => {
    place = name
    return JSON.parse(String(database.exec('select json(?)', [inputs[name]])[0]?.values[0]?.[0]))
  }
  try {
    database.exec('pragma foreign_keys = on')
    database.exec(inputs.data)
    const schema = defineSchema(read('schema'))
    const db = new Kysely<object>({ dialect: new SqliteDialect({ database: adapted(database) }) })
    const everybody = createEngine({ db, schema })
    const caller: Access = read('caller')
    const engine = inputs.rules ? everybody.as(caller) : everybody
    const query = read('query')
    const { sql, parameters } = await explainItems(engine, inputs.collection, query)
    const answer = await listItems(engine, inputs.collection, query)
    return { sql, parameters, answer, type: await typeOf(engine, inputs.collection, query) }
  } catch (error) {
    if (!isEngineError(error))
      return { error: { place, message: String(error instanceof Error ? error.message : error) } }
    const { code, message, hint, path } = error
    return { error: { place, code, message, ...(hint !== undefined && { hint }), ...(path && { path }) } }
  } finally {
    database.close()
  }
}

type Database = InstanceType<Awaited<ReturnType<typeof startSqlite>>['Database']>

/** As much of better-sqlite3 as Kysely wants. */
const adapted = (database: Database) => ({
  close: () => undefined,
  prepare: (text: string): SqliteStatement => {
    const run = (parameters: readonly unknown[]) => {
      const statement = database.prepare(text, parameters)
      const rows: unknown[] = []
      while (statement.step()) rows.push(statement.getAsObject())
      statement.free()
      return rows
    }
    return {
      reader: true,
      all: run,
      run: () => ({ changes: 0, lastInsertRowid: 0 }),
      iterate: (parameters) => run(parameters)[Symbol.iterator](),
    }
  },
})
