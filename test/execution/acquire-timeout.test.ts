// Callers that leave while they wait for the only connection, many of them: each is passed over when the connection goes back.
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import { afterEach, expect, inject, it } from 'vitest'
import { createEngine, defineSchema, listItems } from '../../src/index.ts'
import { postgresDialect } from '../../src/postgres.ts'
import { sqliteDialect, sqliteReaders } from '../../src/sqlite.ts'
import { inSeconds } from '../items/connections.ts'
import { isThere } from '../support/drivers.ts'
import { type PostgresJsClient, postgresJsDialect } from '../support/postgres-js.ts'

const schema = defineSchema({ left: { fields: { id: { type: 'integer', key: true } } } })
type Db = Kysely<Record<string, never>>

interface Opened {
  readonly db: Db
  readonly reads?: Db
  readonly remove?: () => Promise<void>
}

const onePool = () => new pg.Pool({ connectionString: inject('postgres').c, max: 1 })

const drivers: Readonly<Record<string, () => Promise<Opened>>> = {
  'quernel/postgres': async () => ({ db: new Kysely({ dialect: postgresDialect({ pool: onePool() }) }) }),
  'PostgresDialect of Kysely': async () => ({
    db: new Kysely({ dialect: new PostgresDialect({ pool: onePool() }) }),
  }),
  ...(isThere('postgres') && {
    'postgres.js': async () => {
      const connect: (url: string, options: object) => PostgresJsClient = createRequire(import.meta.url)(
        'postgres',
      )
      const client = connect(inject('postgres').c, { max: 1, onnotice: () => undefined })
      return { db: new Kysely({ dialect: postgresJsDialect(client) }) }
    },
  }),
  'quernel/sqlite': async () => ({
    db: new Kysely({ dialect: sqliteDialect({ database: new BetterSqlite(':memory:') }) }),
  }),
  'SqliteDialect of Kysely': async () => ({
    db: new Kysely({ dialect: new SqliteDialect({ database: new BetterSqlite(':memory:') }) }),
  }),
  'a reader of SQLite': async () => {
    const home = await mkdtemp(join(tmpdir(), 'quernel-left-'))
    const path = join(home, 'left.db')
    const database = new BetterSqlite(path)
    database.pragma('journal_mode = wal')
    return {
      db: new Kysely({ dialect: sqliteDialect({ database }) }),
      reads: new Kysely({ dialect: sqliteReaders({ path, threads: 1 }) }),
      remove: () => rm(home, { recursive: true, force: true }),
    }
  },
}

let opened: Opened
afterEach(async () => {
  await sql`drop table if exists "left"`.execute(opened.db)
  await opened.reads?.destroy()
  await opened.db.destroy()
  await opened.remove?.()
})

it.each(Object.keys(drivers))(
  'passes over 5,000 callers that have left while they waited for %s',
  async (driver) => {
    const open = drivers[driver]
    if (!open) throw new Error('no such driver')
    opened = await open()
    const { db, reads } = opened
    await sql`create table "left" (id integer primary key)`.execute(db)
    await sql`insert into "left" values (1)`.execute(db)
    const engine = createEngine({ db, schema, acquireTimeoutMs: 60_000, ...(reads && { reads }) })
    // The short path is taken once it is known.
    for (let time = 0; time < 4; time++) await listItems(engine, 'left')
    let giveBack = () => {}
    let taken = () => {}
    const isTaken = new Promise<void>((resolve) => {
      taken = resolve
    })
    const held = (reads ?? db).connection().execute(
      () =>
        new Promise<void>((resolve) => {
          giveBack = resolve
          taken()
        }),
    )
    await isTaken
    const controller = new AbortController()
    const { signal } = controller
    const reason = new Error('the visitor has left')
    const calls = Array.from({ length: 5_000 }, () => listItems(engine, 'left', {}, { signal }))
    const ended = Promise.allSettled(calls)
    // Each of them waits by then.
    await new Promise((resolve) => setImmediate(resolve))
    controller.abort(reason)
    const outcomes = await ended
    expect(outcomes.filter((one) => one.status === 'rejected' && one.reason === reason)).toHaveLength(5_000)
    giveBack()
    await held
    expect(await inSeconds(30, listItems(engine, 'left'))).toEqual({ data: [{ id: 1 }] })
  },
)
