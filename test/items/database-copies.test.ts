// Reading from a copy of the database: what is read there, and what is not.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exportItems } from '../../src/export.ts'
import { createHandler } from '../../src/http.ts'
import {
  compareVersion,
  createEngine,
  createItem,
  createVersion,
  defineSchema,
  deleteByQuery,
  deleteItem,
  type Engine,
  explainItems,
  getItem,
  getSingleton,
  listItems,
  listItemsJson,
  promoteVersion,
  streamItems,
  updateByQuery,
  updateItem,
  updateSingleton,
} from '../../src/index.ts'
import { key, string } from '../support/fields.ts'
import { launchPair } from '../support/postgres-server.ts'

const schema = defineSchema({
  notes: { versioned: true, fields: { id: key, text: string } },
  settings: { singleton: true, fields: { id: key, title: { type: 'string', default: 'none' } } },
})
type Notes = Engine<typeof schema>
type Db = Kysely<Record<string, never>>

const tables = [
  'create table notes (id integer primary key, text text not null)',
  'create table settings (id integer primary key, title text not null)',
]

const collected = async (items: AsyncIterable<unknown>) => {
  const all: unknown[] = []
  for await (const item of items) all.push(item)
  return all
}

const textOf = (body: ReadableStream<Uint8Array>) => new Response(body as never).text()

/** All that reads notes, as texts of them in the order of their keys. */
const readers: Readonly<Record<string, (engine: Notes) => Promise<unknown>>> = {
  listItems: async (engine) => (await listItems(engine, 'notes')).data,
  listItemsJson: async (engine) => JSON.parse(await listItemsJson(engine, 'notes')).data,
  streamItems: (engine) => collected(streamItems(engine, 'notes')),
  getItem: async (engine) => [await getItem(engine, 'notes', 1)],
  exportItems: async (engine) =>
    JSON.parse(await textOf((await exportItems(engine, 'notes', { limit: -1 }, 'json')).body)),
  'a count': async (engine) => {
    const { meta } = await listItems(engine, 'notes', { filter: { text: 'here' }, meta: ['filter_count'] })
    return [{ id: 1, text: meta?.filter_count === 1 ? 'here' : 'copied' }]
  },
  'a narrowed engine': async (engine) =>
    (await listItems(engine.as({ rules: { notes: { read: true } } }), 'notes')).data,
}

describe('on SQLite, beside a copy that holds something else', () => {
  let engine: Notes
  const open = async (text: string): Promise<Db> => {
    const db: Db = new Kysely({ dialect: new SqliteDialect({ database: new BetterSqlite(':memory:') }) })
    for (const table of tables) await sql.raw(table).execute(db)
    await sql`insert into notes values (1, ${text})`.execute(db)
    await sql`insert into settings values (1, ${text})`.execute(db)
    return db
  }
  let all: readonly Db[] = []
  beforeAll(async () => {
    const [db, reads] = [await open('here'), await open('copied')]
    all = [db, reads]
    engine = createEngine({ db, reads, schema })
    await engine.install()
  })
  afterAll(async () => {
    for (const db of all) await db.destroy()
  })

  const [here, copied] = ['here', 'copied'].map((text) => [{ id: 1, text }])

  it.each(Object.entries(readers))('%s reads the copy', async (_, read) => {
    expect(await read(engine)).toEqual(copied)
  })

  it.each(Object.entries(readers))('%s of a fresh engine reads the database', async (_, read) => {
    expect(await read(engine.fresh())).toEqual(here)
  })

  it.each(Object.entries(readers))('%s in a transaction reads the database', async (_, read) => {
    expect(await engine.transaction((inside) => read(inside))).toEqual(here)
  })

  it('a singleton is read from the copy, and written in the database', async () => {
    expect(await getSingleton(engine, 'settings')).toEqual({ id: 1, title: 'copied' })
    expect(await updateSingleton(engine, 'settings', { title: 'new' })).toEqual({ id: 1, title: 'new' })
    expect(await getSingleton(engine, 'settings')).toEqual({ id: 1, title: 'copied' })
    expect(await getSingleton(engine.fresh(), 'settings')).toEqual({ id: 1, title: 'new' })
  })

  it('what is written is found, changed and answered in the database alone', async () => {
    expect(await createItem(engine, 'notes', { id: 2, text: 'second' })).toEqual({ id: 2, text: 'second' })
    expect(await updateItem(engine, 'notes', 2, { text: 'changed' })).toEqual({ id: 2, text: 'changed' })
    expect(await updateByQuery(engine, 'notes', { filter: { text: 'changed' } }, { text: 'again' })).toEqual({
      updated: 1,
      keys: [2],
    })
    expect(await deleteByQuery(engine, 'notes', { filter: { text: 'copied' } })).toMatchObject({ deleted: 0 })
    await deleteItem(engine, 'notes', 2)
    expect(await readers.listItems?.(engine)).toEqual(copied)
    expect(await readers.listItems?.(engine.fresh())).toEqual(here)
  })

  it('a version is compared, promoted and read beside the item of the database', async () => {
    await createVersion(engine, 'notes', 1, { key: 'draft', delta: { text: 'drafted' } })
    const { main, mainHash } = await compareVersion(engine, 'notes', 1, 'draft')
    expect(main).toEqual({ id: 1, text: 'here' })
    expect(await getItem(engine, 'notes', 1, { version: 'draft' })).toEqual({ id: 1, text: 'drafted' })
    expect(await promoteVersion(engine, 'notes', 1, 'draft', { mainHash })).toEqual({
      id: 1,
      text: 'drafted',
    })
    await updateItem(engine, 'notes', 1, { text: 'here' })
  })

  it('versions over HTTP are those of the database, and are changed at once', async () => {
    const handler = createHandler(engine, { authenticate: () => ({ admin: true }) })
    const ask = async (method: string, path: string, body?: object) => {
      const headers = { 'content-type': 'application/json' }
      const request = { method, ...(body && { headers, body: JSON.stringify(body) }) }
      const response = await handler(new Request(`http://localhost${path}`, request))
      return { status: response.status, text: await response.text() }
    }
    const made = await ask('POST', '/versions', { collection: 'notes', item: '1', key: 'late' })
    const { id } = JSON.parse(made.text).data
    expect(await ask('GET', `/versions/${id}?fields=key`)).toEqual({
      status: 200,
      text: '{"data":{"key":"late"}}',
    })
    expect(JSON.parse((await ask('GET', '/versions?filter[key]=late&fields=key')).text).data).toHaveLength(1)
    expect((await ask('PATCH', `/versions/${id}`, { name: 'Late' })).status).toBe(200)
    expect((await ask('POST', `/versions/${id}/save`, { text: 'later' })).status).toBe(200)
    expect((await ask('DELETE', `/versions/${id}`)).status).toBe(204)
  })

  it('the plan of a list is the plan of the copy', async () => {
    await sql`create index notes_text on notes (text)`.execute(all[1] as Db)
    const asked = { filter: { text: 'x' } }
    const planOf = async (of: Notes) =>
      (await explainItems(of, 'notes', asked, { database: true })).databasePlan?.join()
    expect(await planOf(engine)).toContain('notes_text')
    expect(await planOf(engine.fresh())).not.toContain('notes_text')
  })

  it('a copy that is the database itself, or of another kind, is refused', () => {
    const [db = engine.db] = all
    expect(() => createEngine({ db, reads: db, schema })).toThrow('is the database itself')
    const other: Db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool() }) })
    expect(() => createEngine({ db, reads: other, schema })).toThrow('is another kind of database')
  })
})

describe('on PostgreSQL, beside a server that follows it', () => {
  const ending = new AbortController()
  let home: string
  let ended: readonly Promise<unknown>[]
  let first: pg.Pool
  let copy: pg.Pool
  let engine: Notes
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'quernel-copies-'))
    const pair = await launchPair(home, ending.signal)
    ended = [pair.first.ended, pair.copy.ended]
    first = new pg.Pool({ connectionString: pair.first.url })
    copy = new pg.Pool({ connectionString: pair.copy.url })
    for (const table of tables) await first.query(table)
    await first.query(`insert into notes values (1, 'one')`)
    engine = createEngine({
      db: new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool: first }) }),
      reads: new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool: copy }) }),
      schema,
    })
    await caughtUp()
  })
  afterAll(async () => {
    await Promise.all([first.end(), copy.end()])
    ending.abort()
    await Promise.all(ended)
    await rm(home, { recursive: true, force: true })
  })

  /** Waits until the copy has done all that the first has done so far. */
  async function caughtUp(): Promise<void> {
    const { rows } = await first.query('select pg_current_wal_insert_lsn()::text as place')
    const { place } = rows[0]
    for (;;) {
      const { rows } = await copy.query('select pg_last_wal_replay_lsn() >= $1::pg_lsn as "isThere"', [place])
      if (rows[0].isThere) return
    }
  }

  const texts = async (of: Notes) => (await listItems(of, 'notes')).data.map(({ text }) => text)

  it('what was written is read once the copy has followed, and at once by a fresh engine', async () => {
    await copy.query('select pg_wal_replay_pause()')
    expect(await createItem(engine, 'notes', { id: 2, text: 'two' })).toEqual({ id: 2, text: 'two' })
    expect(await texts(engine)).toEqual(['one'])
    await expect(getItem(engine, 'notes', 2)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await texts(engine.fresh())).toEqual(['one', 'two'])
    expect(await engine.transaction(texts)).toEqual(['one', 'two'])
    expect(await updateItem(engine, 'notes', 2, { text: 'zwei' })).toEqual({ id: 2, text: 'zwei' })
    await copy.query('select pg_wal_replay_resume()')
    await caughtUp()
    expect(await texts(engine)).toEqual(['one', 'zwei'])
  })

  it('the copy itself takes no writes, and is asked for none', async () => {
    await expect(copy.query(`insert into notes values (9, 'no')`)).rejects.toThrow('read-only')
    expect(await collected(streamItems(engine, 'notes'))).toHaveLength(2)
    expect((await listItems(engine, 'notes', { meta: ['total_count'] })).meta).toEqual({ total_count: 2 })
    expect(await listItemsJson(engine, 'notes', {}, { timeoutMs: 5_000 })).toContain('zwei')
  })
})
