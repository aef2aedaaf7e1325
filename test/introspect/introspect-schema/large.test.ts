// How many statements a large database takes.
import BetterSqlite from 'better-sqlite3'
import { Kysely, type LogEvent, PostgresDialect, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import { describe, expect, inject, it } from 'vitest'
import { introspectSchema } from '../../../src/introspect.ts'
import { type AnyTables, openPostgres } from '../../support/databases.ts'
import { run } from '../samples/sample.ts'

type Log = (event: LogEvent) => void

/** Databases that tell of each statement. */
const watched = [
  {
    name: 'SQLite',
    // A statement asks 100 tables whether they have rows. 9,000 columns of text, in which bytes may stand, and 1,000 of
    // integers, which may be large, are looked at in 37 tables at a time.
    looks: { empty: 5, filled: 5 + 14 },
    open: async (log: Log) => {
      const dialect = new SqliteDialect({ database: new BetterSqlite(':memory:') })
      const db = new Kysely<AnyTables>({ dialect, log })
      return { db, close: () => db.destroy() }
    },
  },
  {
    name: 'PostgreSQL',
    looks: { empty: 0, filled: 0 },
    open: async (log: Log) => {
      const home = await openPostgres()
      const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(home.db)
      const options = `-c search_path=${rows[0]?.schema}`
      const pool = new pg.Pool({ connectionString: inject('postgres').c, options })
      const db = new Kysely<AnyTables>({ dialect: new PostgresDialect({ pool }), log })
      const close = async () => {
        await db.destroy()
        await home.close()
      }
      return { db, close }
    },
  },
]

describe.each(watched)('500 tables of $name', ({ looks, open }) => {
  it.each(['empty', 'filled'] as const)(
    'that are %s are read in one statement, beside those that look at rows',
    async (state) => {
      const asked: string[] = []
      const { db, close } = await open(({ query }) => asked.push(query.sql))
      const columns = Array.from({ length: 18 }, (_, at) => `c${at} varchar(20) not null`).join(', ')
      const tables = Array.from({ length: 500 }, (_, at) => {
        const parent = at === 0 ? '' : `references t${Math.floor(at / 2)}`
        return `create table t${at} (id integer primary key, parent integer ${parent}, ${columns}, unique (c0, c1))`
      })
      const values = Array.from({ length: 18 }, (_, at) => `'${at}'`).join(', ')
      const rows = tables.map((_, at) => `insert into t${at} values (1, null, ${values})`)
      await db.transaction().execute((trx) => run(trx, ...tables, ...(state === 'filled' ? rows : [])))
      asked.length = 0
      const { definition, report } = await introspectSchema(db)
      expect(Object.keys(definition)).toHaveLength(500)
      expect(report).toEqual([])
      // What the server is, is asked once for all engines.
      expect(asked.filter((text) => !text.startsWith('select version()'))).toHaveLength(1 + looks[state])
      await close()
    },
  )
})
