// Calls of an engine whose database the host has closed, by Kysely or by the driver beneath.
import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import pg from 'pg'
import { expect, inject, it } from 'vitest'
import { faultOfClosed } from '../../../src/dialects/connections/closed.ts'
import { createEngine, createItem, defineSchema, type Engine, listItems } from '../../../src/index.ts'
import { postgresDialect } from '../../../src/postgres.ts'
import { isPassing } from '../../../src/realtime/listing/list-again.ts'
import { sqliteDialect } from '../../../src/sqlite.ts'
import { type AnyTables, openPostgres, openSqlite } from '../../support/databases.ts'
import { key } from '../../support/fields.ts'

const schema = defineSchema({ notes: { fields: { id: key } } })
type Notes = Engine<typeof schema>

const works: Readonly<Record<string, (engine: Notes) => Promise<unknown>>> = {
  'a read': (engine) => listItems(engine, 'notes'),
  'a read with a timeout': (engine) => listItems(engine, 'notes', {}, { timeoutMs: 5_000 }),
  'a write': (engine) => createItem(engine, 'notes', { id: 1 }),
  'a transaction': (engine) => engine.transaction((inside) => listItems(inside, 'notes')),
}

/** Databases that are closed. Kysely closes nothing that was never used. */
const closings: Readonly<Record<string, () => Promise<Kysely<AnyTables>>>> = {
  'SQLite by Kysely': async () => {
    const { db, run, close } = await openSqlite()
    await run('select 1')
    await close()
    return db
  },
  'PostgreSQL by Kysely': async () => {
    const { db, run, close } = await openPostgres()
    await run('select 1')
    await close()
    return db
  },
  'better-sqlite3': async () => {
    const database = new BetterSqlite(':memory:')
    const db = new Kysely<AnyTables>({ dialect: new SqliteDialect({ database }) })
    await listItems(createEngine({ db, schema }), 'notes').catch(() => undefined)
    database.close()
    return db
  },
  'better-sqlite3 of quernel/sqlite': async () => {
    const database = new BetterSqlite(':memory:')
    const db = new Kysely<AnyTables>({ dialect: sqliteDialect({ database }) })
    await listItems(createEngine({ db, schema }), 'notes').catch(() => undefined)
    database.close()
    return db
  },
  'a pool of pg': async () => {
    const pool = new pg.Pool({ connectionString: inject('postgres').c })
    await pool.end()
    return new Kysely<AnyTables>({ dialect: postgresDialect({ pool }) })
  },
}

it.each(Object.entries(closings))('%s: each call on what is closed is 503', async (_, closed) => {
  const engine: Notes = createEngine({ db: await closed(), schema })
  for (const [what, work] of Object.entries(works)) {
    const error = await work(engine).then(
      () => 'no error',
      (reason: unknown) => reason,
    )
    expect(error, what).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      status: 503,
      message: 'The database is closed.',
      extensions: { reason: 'closed' },
    })
    // A list that is watched would else wait for it for ever.
    expect(isPassing(error)).toBe(false)
  }
})

it.each(['database is not open', 'PGlite is closed'])('%j of a driver is known, too', (message) => {
  expect(faultOfClosed(new Error(message))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  expect(faultOfClosed(new Error(`${message} here`))).toBeUndefined()
  expect(faultOfClosed(undefined)).toBeUndefined()
})
