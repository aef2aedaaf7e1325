// The databases of the read cases: those of all tests, and hosts that have set theirs up in odd ways.
import { randomBytes } from 'node:crypto'
import BetterSqlite from 'better-sqlite3'
import { CamelCasePlugin, Kysely, ParseJSONResultsPlugin, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import {
  type AnyTables,
  databases,
  openedOn,
  openPostgres,
  type TestDatabase,
} from '../../support/databases.ts'
import { lanes } from '../../support/lanes.ts'
import { fourthOf, isQuick } from '../../support/long-runs.ts'
import type { Need } from './case.ts'

export interface ReadLane extends TestDatabase {
  readonly title: string
  readonly has: readonly Need[]
  readonly collation?: 'codepoint'
}

const has = { sqlite: ['textGeometry', 'looseColumns'], postgres: ['namedZones', 'exactSums'] } as const
const plugins = () => [new CamelCasePlugin(), new ParseJSONResultsPlugin()]

export const readLanes: readonly ReadLane[] = [
  ...lanes.map(
    ({ name, title, open, own }): ReadLane => ({
      ...{ name, title, open },
      has: own ? [...has.sqlite, ...has.postgres] : has[name],
    }),
  ),
  { name: 'sqlite', title: 'SQLite with plugins and safe integers', has: has.sqlite, open: openOddSqlite },
  {
    name: 'postgres',
    title: 'PostgreSQL with plugins and readers of its own',
    has: has.postgres,
    open: openOddPostgres,
  },
  {
    name: 'postgres',
    title: 'PostgreSQL in a language, by code point',
    has: has.postgres,
    collation: 'codepoint',
    open: () => openPostgres({ database: 'language' }),
  },
]

/** The lanes that answer all cases, which are the first; `npm test` has SQLite with our functions among the others. */
const whole = isQuick ? databases.length : lanes.length

/** The cases that the lane at a place answers: all, or one in four. */
export const casesAt = <Case>(at: number, cases: readonly Case[], seed: number): readonly Case[] =>
  at < whole ? cases : fourthOf(cases, seed + at)

async function openOddSqlite() {
  const database = new BetterSqlite(':memory:')
  database.defaultSafeIntegers(true)
  const db = new Kysely<AnyTables>({ dialect: new SqliteDialect({ database }), plugins: plugins() })
  return openedOn(db)
}

/** Whole numbers are read as what is exact, and what the driver would read otherwise stays text. */
async function openOddPostgres() {
  const schema = `test_${randomBytes(8).toString('hex')}`
  const pool = new pg.Pool({
    connectionString: inject('postgres').c,
    options: `-c search_path=${schema}`,
    types: { getTypeParser: (type: number) => parsers[type] ?? String },
  })
  await pool.query(`CREATE SCHEMA ${schema}`)
  const db = new Kysely<AnyTables>({ dialect: new PostgresDialect({ pool }), plugins: plugins() })
  return openedOn(db, async () => {
    await pool.query(`DROP SCHEMA ${schema} CASCADE`)
    await db.destroy()
  })
}

// By number of the type: bigint, smallint and integer are 20, 21 and 23. The rest stays text, booleans too.
const parsers: Readonly<Record<number, (sent: string) => unknown>> = { 20: BigInt, 21: BigInt, 23: BigInt }
