// Databases whose drivers note each statement as it is sent.
import { randomBytes } from 'node:crypto'
import BetterSqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { watch, wordOf } from '../../../bench/forms/counting.ts'
import { tablesOf } from '../../../bench/forms/tables.ts'
import { postgresDialect } from '../../../src/postgres.ts'
import { sqliteDialect } from '../../../src/sqlite.ts'
import type { AnyTables } from '../../support/databases.ts'
import { keptConnections } from '../../support/kept-connections.ts'

/** A database of the forms by our own drivers. Those that were sent together are one text, joined by `+`. */
export type CountedDatabase = Counted &
  (
    | { readonly by: 'sqlite'; readonly database: BetterSqlite.Database }
    | { readonly by: 'postgres'; readonly pool: pg.Pool; readonly pipelined: pg.Pool }
  )

interface Counted {
  readonly db: Kysely<AnyTables>
  readonly sent: string[]
  close(): Promise<void>
}

export const countedDatabases = {
  sqlite: async (notes: number): Promise<CountedDatabase> => {
    const sent: string[] = []
    const database = new BetterSqlite(':memory:', {
      verbose: (text) => {
        const word = wordOf(String(text))
        // How long a statement waits for other processes is set around those that come alone, which depends on the time.
        if (word !== 'pragma') sent.push(word)
      },
    })
    for (const statement of tablesOf('sqlite', notes)) database.exec(statement)
    const db = new Kysely<AnyTables>({ dialect: sqliteDialect({ database }) })
    return { by: 'sqlite', db, sent, database, close: () => db.destroy() }
  },
  postgres: async (notes: number): Promise<CountedDatabase> => {
    const sent: string[] = []
    const schema = `test_${randomBytes(8).toString('hex')}`
    const pool = new pg.Pool(keptConnections(inject('postgres').c, schema))
    await pool.query(`create schema ${schema}; ${tablesOf('postgres', notes).join(';')}`)
    await pool.query('analyze notes, traced, people, members, comments')
    await pool.end()
    const counted = new pg.Pool(keptConnections(inject('postgres').c, schema))
    counted.on('connect', (client) => watch(client, sent))
    const db = new Kysely<AnyTables>({ dialect: postgresDialect({ pool: counted }) })
    const pipelined = new pg.Pool({ ...keptConnections(inject('postgres').c, schema), pipeline: true })
    const close = async () => {
      await pipelined.end()
      await counted.query(`drop schema ${schema} cascade`)
      await db.destroy()
    }
    return { by: 'postgres', db, sent, pool: counted, pipelined, close }
  },
} as const
