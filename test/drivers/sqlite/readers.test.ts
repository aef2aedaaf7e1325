// Reads in threads: what they answer, how they end, and which files they refuse.
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { CompiledQuery, Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ReaderPool } from '../../../src/drivers/sqlite/readers/pool.ts'
import { ReaderThread } from '../../../src/drivers/sqlite/readers/reader-thread.ts'
import { exportItems } from '../../../src/export.ts'
import {
  createEngine,
  createItem,
  defineSchema,
  type Engine,
  listItems,
  listItemsJson,
  streamItems,
  updateItem,
} from '../../../src/index.ts'
import { sqliteDialect, sqliteReaders } from '../../../src/sqlite.ts'
import { key, many, maybeOne, string } from '../../support/fields.ts'

const schema = defineSchema({
  notes: { fields: { id: key, text: string, bytes: { type: 'binary', nullable: true } } },
  places: { fields: { id: key, price: { type: 'decimal', storage: 'text' } } },
  numbers: { fields: { id: key, parent: maybeOne('numbers'), children: many('numbers.parent') } },
  // Takes some seconds to read.
  slow: { fields: { id: key } },
})
type Notes = Engine<typeof schema>
type Db = Kysely<Record<string, never>>

const tables = `create table notes (id integer primary key, text text not null, bytes blob);
  create table places (id integer primary key, price text not null);
  insert into places values (1, '10.50'), (2, '9007199254740993.1');
  create view slow as with recursive counted(id) as (select 1 union all select id + 1 from counted where id < 10000000)
    select id from counted where id % 10000000 = 0`

let home: string
let path: string
let database: BetterSqlite.Database
let open: Db[]

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'quernel-readers-'))
  path = join(home, 'notes.db')
  database = new BetterSqlite(path)
  database.pragma('journal_mode = wal')
  database.exec(tables)
  open = []
})
afterEach(async () => {
  for (const db of open) await db.destroy()
  database.close()
  await rm(home, { recursive: true, force: true })
})

const readers = (threads = 1, file = path): Db => {
  const db: Db = new Kysely({ dialect: sqliteReaders({ path: file, threads }) })
  open.push(db)
  return db
}

const engineWith = (reads: Db, more: object = {}): Notes => {
  const db: Db = new Kysely({ dialect: sqliteDialect({ database }) })
  return createEngine({ db, reads, schema, ...more })
}

const rowsOf = async (db: Db, text: string) => (await sql.raw<Record<string, unknown>>(text).execute(db)).rows
const one = (db: Db) => rowsOf(db, 'select 1 as one')

/** A statement of a driver that takes some seconds. */
const long =
  'with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 2000000) select count(*) from counted'

describe('an engine with readers', () => {
  it('reads in a thread what it would read itself, over every door', async () => {
    const engine = engineWith(readers(2))
    await createItem(engine, 'notes', { id: 1, text: 'Tea ☕', bytes: 'AP8=' })
    await createItem(engine, 'notes', { id: 2, text: 'Bread' })
    const item = { id: 1, text: 'Tea ☕', bytes: 'AP8=' }
    expect(await listItems(engine, 'notes', { filter: { id: 1 } })).toEqual({ data: [item] })
    expect(await listItemsJson(engine, 'notes')).toBe(await listItemsJson(engine.fresh(), 'notes'))
    const names: unknown[] = []
    for await (const { text } of streamItems(engine, 'notes')) names.push(text)
    expect(names).toEqual(['Tea ☕', 'Bread'])
    const { body } = await exportItems(engine, 'notes', { fields: ['id'], limit: -1 }, 'csv')
    expect(await new Response(body as never).text()).toBe('id\r\n1\r\n2\r\n')
  })

  it('has the functions of quernel/sqlite in each thread', async () => {
    const engine = engineWith(readers())
    const dear = { filter: { price: { _gt: '9007199254740993.09' } } } as const
    expect((await listItems(engine, 'places', dear)).data).toEqual([{ id: 2, price: '9007199254740993.1' }])
  })

  it('sees what was written before, each time', async () => {
    const engine = engineWith(readers(2))
    await createItem(engine, 'notes', { id: 1, text: '0' })
    for (let round = 1; round <= 500; round++) {
      await updateItem(engine, 'notes', 1, { text: String(round) })
      expect((await listItems(engine, 'notes', { fields: ['text'] })).data).toEqual([{ text: String(round) }])
    }
  })

  it('sees a table that was made anew', async () => {
    const engine = engineWith(readers())
    expect((await listItems(engine, 'notes')).data).toEqual([])
    database.exec(`drop table notes; create table notes (bytes blob, text text, id integer primary key);
      insert into notes values (null, 'new', 7)`)
    expect((await listItems(engine, 'notes')).data).toEqual([{ id: 7, text: 'new', bytes: null }])
  })

  it('ends a read when its time is over, and reads on in another thread', async () => {
    const engine = engineWith(readers())
    const late = listItems(engine, 'slow', {}, { timeoutMs: 30 })
    await expect(late).rejects.toMatchObject({ code: 'OUT_OF_TIME' })
    expect((await listItems(engine, 'places', { fields: ['id'] })).data).toEqual([{ id: 1 }, { id: 2 }])
  })

  it('ends a read whose caller gives up', async () => {
    const engine = engineWith(readers())
    await listItems(engine, 'places')
    const giveUp = new AbortController()
    const read = listItems(engine, 'slow', {}, { signal: giveUp.signal })
    setTimeout(() => giveUp.abort(new Error('enough')), 30)
    await expect(read).rejects.toThrow('enough')
  })

  it('ends the statement itself where it scans a table, so that the same thread serves the next', async () => {
    const engine = engineWith(readers(), { acquireTimeoutMs: 20_000 })
    // Odd keys, and for each item all of them are counted as children of its parent: without an end it takes minutes.
    database.exec(`create table numbers (id integer primary key, parent integer);
      with recursive n(id) as (select 1 union all select id + 2 from n where id < 120001)
        insert into numbers select id, 1 from n`)
    await listItems(engine, 'places')
    const siblings = { filter: { parent: { 'count(children)': { _lt: 0 } } } } as const
    for (let round = 0; round < 5; round++) {
      const read = listItems(engine, 'numbers', siblings, { timeoutMs: 50 })
      await expect(read).rejects.toMatchObject({ code: 'OUT_OF_TIME' })
    }
    expect((await listItems(engine, 'places', { fields: ['id'] })).data).toHaveLength(2)
  })

  it('runs as many reads at once as there are threads, while the process goes on', async () => {
    const db = readers(2)
    let ticks = 0
    const clock = setInterval(() => ticks++, 1)
    await Promise.all([rowsOf(db, long), rowsOf(db, long), one(db)])
    clearInterval(clock)
    expect(ticks).toBeGreaterThan(5)
  })

  it('lends a thread while another one is held, whatever Kysely does with connections of SQLite', async () => {
    const db = readers(2)
    expect(db.getExecutor().adapter).toMatchObject({ supportsMultipleConnections: true })
    expect(await db.connection().execute(async () => one(db))).toEqual([{ one: 1 }])
  })

  it('is waited for by nobody who has given up', async () => {
    const db = readers()
    await one(db)
    const engine = engineWith(db, { acquireTimeoutMs: 500 })
    const byKey = () => listItems(engine, 'places', { filter: { id: 1 } })
    for (let round = 0; round < 3; round++) await byKey()
    const original = ReaderPool.prototype.take
    const take = vi.spyOn(ReaderPool.prototype, 'take')
    const waiting: unknown[] = []
    take.mockImplementation(function (this: ReaderPool, done) {
      waiting.push(done)
      return original.call(this, (...ended) => {
        waiting.splice(waiting.indexOf(done), 1)
        done(...ended)
      })
    })
    await db.connection().execute(async () => {
      const giveUp = new AbortController()
      const { signal } = giveUp
      const aborted = [{ signal }, { signal, timeoutMs: 60_000 }].map((options) =>
        listItems(engine, 'places', { filter: { id: 1 } }, options),
      )
      const late = [byKey(), listItems(engine, 'places', {}, { timeoutMs: 60_000 })]
      expect(waiting).toHaveLength(4)
      giveUp.abort(new Error('enough'))
      for (const read of aborted) await expect(read).rejects.toThrow('enough')
      expect(waiting).toHaveLength(2)
      for (const read of late) await expect(read).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
      expect(waiting).toEqual([])
    })
    take.mockRestore()
    expect(await byKey()).toMatchObject({ data: [{ id: 1 }] })
  })

  it('takes no write', async () => {
    await expect(sql`insert into notes values (1, 'x', null)`.execute(readers())).rejects.toMatchObject({
      code: 'SQLITE_READONLY',
    })
  })

  it('reads one state of the file in a transaction of its own', async () => {
    const db = readers()
    await db.transaction().execute(async (inside) => {
      expect(await sql`select count(*) as n from places`.execute(inside)).toMatchObject({ rows: [{ n: 2 }] })
      database.exec(`insert into places values (3, '1')`)
      expect(await sql`select count(*) as n from places`.execute(inside)).toMatchObject({ rows: [{ n: 2 }] })
    })
    expect(await rowsOf(db, 'select count(*) as n from places')).toEqual([{ n: 3 }])
  })

  it('answers 503 where a thread ends in the middle of a read, and begins another one', async () => {
    const db = readers()
    await one(db)
    const read = rowsOf(db, long)
    const ended = expect(read).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    await db.destroy()
    await ended
  })

  it('is not busy with a statement whose values no thread can be given', async () => {
    const db = readers()
    for (let round = 0; round < 3; round++)
      await expect(db.executeQuery(CompiledQuery.raw('select ?', [Symbol('one')]))).rejects.toMatchObject({
        name: 'DataCloneError',
      })
    expect(await one(db)).toEqual([{ one: 1 }])
  })

  it('reads no more once it is closed, on any way', async () => {
    const db = readers()
    const engine = engineWith(db)
    for (let round = 0; round < 3; round++) await listItems(engine, 'places')
    const left = [1, 2, 3].map(() => listItems(engine, 'slow'))
    const ended = Promise.allSettled(left)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await db.destroy()
    const code = 'SERVICE_UNAVAILABLE'
    for (const { status, reason } of (await ended) as PromiseRejectedResult[])
      expect([status, reason.code]).toEqual(['rejected', code])
    const closed = { code, status: 503, message: 'The database is closed.', extensions: { reason: 'closed' } }
    for (const read of [() => listItems(engine, 'places'), () => listItemsJson(engine, 'places')])
      await expect(read()).rejects.toMatchObject(closed)
    await expect(streamItems(engine, 'places').next()).rejects.toMatchObject(closed)
  })

  it('reads by the statements that the host logs, where it logs some', async () => {
    const logged: string[] = []
    const log = ({ query }: { readonly query: { readonly sql: string } }) => {
      logged.push(query.sql)
    }
    const db: Db = new Kysely({ dialect: sqliteReaders({ path, threads: 1 }), log })
    open.push(db)
    const engine = engineWith(db)
    for (let round = 0; round < 4; round++) await listItems(engine, 'places')
    expect(logged).toHaveLength(4)
  })

  it('gives an error as the driver has it', async () => {
    await expect(rowsOf(readers(), 'select * from nowhere')).rejects.toMatchObject({
      code: 'SQLITE_ERROR',
      message: 'no such table: nowhere',
    })
  })
})

describe('readers are refused', () => {
  it.each([0, -1, 1.5, 1e9, '2'])('with %s threads', (threads) => {
    expect(() => sqliteReaders({ path, threads: threads as number })).toThrow(
      `"threads" is a whole number from 1 to 64, not ${JSON.stringify(threads)}.`,
    )
  })

  it.each([':memory:', '', undefined])('on the path %j', (file) => {
    expect(() => sqliteReaders({ path: file as string })).toThrow(
      'Readers want a file: no thread can read a database in memory, or a temporary one.',
    )
  })

  it('on a file without WAL mode', async () => {
    database.pragma('journal_mode = delete')
    await expect(one(readers())).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: 'Readers want a file in WAL mode, and the journal mode of this one is "delete".',
    })
    database.pragma('journal_mode = wal')
  })

  it('on a file that is absent, all that wait for it at once', async () => {
    const begin = vi.spyOn(ReaderThread, 'begin')
    const absent = readers(2, join(home, 'absent.db'))
    const all = await Promise.allSettled(Array.from({ length: 100 }, () => one(absent)))
    const begun = begin.mock.calls.length
    begin.mockRestore()
    const reason = expect.objectContaining({ message: 'The file cannot be opened for reading.' })
    expect(all).toEqual(Array(100).fill({ status: 'rejected', reason }))
    expect(begun).toBe(2)
  })

  it('on a file without "-shm" where none can be created', async () => {
    // The link leads nowhere, so that it is so for the root user, too.
    const locked = join(home, 'locked.db')
    const own = new BetterSqlite(locked)
    own.pragma('journal_mode = wal')
    own.exec('create table notes (id integer primary key)')
    own.close()
    await symlink(join(home, 'nowhere/shm'), `${locked}-shm`)
    await expect(one(readers(1, locked))).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: 'The file cannot be opened for reading.',
      hint: 'A reader needs the file, and "-wal" and "-shm" beside it or the right to create them.',
      path: ['path'],
    })
  })

  it('on a file that is absent, or encrypted', async () => {
    await expect(one(readers(1, join(home, 'absent.db')))).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: 'The file cannot be opened for reading.',
    })
    const secret = join(home, 'secret.db')
    await writeFile(secret, 'x'.repeat(4096))
    await expect(one(readers(1, secret))).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: 'The file is encrypted, or no database of SQLite.',
    })
  })
})
