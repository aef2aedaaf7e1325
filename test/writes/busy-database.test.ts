// A file of SQLite that another process writes to. Here it is another connection of this one: while a driver waits for it, it never ends.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  createItems,
  defineSchema,
  deleteByQuery,
  deleteItem,
  type Engine,
  type EngineOptions,
  listItems,
  updateByQuery,
  updateItem,
  updateItems,
} from '../../src/index.ts'
import { sqliteDialect } from '../../src/sqlite.ts'
import type { AnyTables } from '../support/databases.ts'

const schema = defineSchema({
  // It cannot be written to.
  shown: { fields: { id: { type: 'integer', key: true } } },
  missing: { fields: { id: { type: 'integer', key: true } } },
  notes: { fields: { id: { type: 'integer', key: true }, text: { type: 'string' } } },
})
type Notes = Engine<typeof schema>

const dialects = {
  plain: (database: BetterSqlite.Database) => new SqliteDialect({ database }),
  'quernel/sqlite': (database: BetterSqlite.Database) => sqliteDialect({ database }),
} as const

type Write = (engine: Notes, options?: { readonly signal: AbortSignal }) => Promise<unknown>
const all = { filter: { id: { _gt: 0 } } } as const
const verbs: Readonly<Record<string, Write>> = {
  createItem: (engine, options) => createItem(engine, 'notes', { text: 'new' }, {}, options),
  createItems: (engine, options) => createItems(engine, 'notes', [{ text: 'a' }, { text: 'b' }], {}, options),
  updateItem: (engine, options) => updateItem(engine, 'notes', 1, { text: 'new' }, {}, options),
  updateItems: (engine, options) => updateItems(engine, 'notes', [1, 2], { text: 'new' }, {}, options),
  updateByQuery: (engine, options) => updateByQuery(engine, 'notes', all, { text: 'new' }, options),
  deleteItem: (engine, options) => deleteItem(engine, 'notes', 1, options),
  deleteByQuery: (engine, options) => deleteByQuery(engine, 'notes', all, options),
}
const journals = ['delete', 'wal'] as const
const cases = Object.entries(dialects).flatMap(([title, dialect]) =>
  journals.map((journal) => ({ title: `${title}, journal ${journal}`, dialect, journal })),
)

describe.each(cases)('on $title', ({ dialect, journal }) => {
  let home: string
  let path: string
  let other: BetterSqlite.Database
  let opened: (() => Promise<void>)[]
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'quernel-locked-'))
    path = join(home, 'test.db')
    other = new BetterSqlite(path, { timeout: 0 })
    other.pragma(`journal_mode = ${journal}`)
    other.exec(`create table notes (id integer primary key, text text not null);
      create view shown as select id from notes;
      insert into notes values (1, 'one'), (2, 'two')`)
    opened = []
  })
  afterEach(async () => {
    for (const close of opened) await close()
    other.close()
    rmSync(home, { recursive: true, force: true })
  })

  /** An engine whose driver would wait longer than any test. */
  const open = (options: Partial<EngineOptions<typeof schema>> = {}, timeout = 30_000) => {
    const database = new BetterSqlite(path, { timeout })
    const db = new Kysely<AnyTables>({ dialect: dialect(database) })
    opened.push(() => db.destroy())
    return { database, db, engine: createEngine({ db, schema, acquireTimeoutMs: 20_000, ...options }) }
  }
  const lock = () => other.exec('begin immediate')
  const unlock = () => other.exec('commit')
  const texts = () => other.prepare('select id, text from notes order by id').all()

  it.each(Object.entries(verbs))('%s waits for others, and everything else goes on', async (_, write) => {
    const { engine, database } = open()
    const before = texts()
    lock()
    const written = write(engine)
    for (let turns = 0; turns < 20; turns++) await sleep(1)
    expect(texts()).toEqual(before)
    expect((await listItems(engine, 'notes', { fields: ['id'] })).data).toEqual([{ id: 1 }, { id: 2 }])
    unlock()
    await written
    expect(texts()).not.toEqual(before)
    expect(database.pragma('busy_timeout', { simple: true })).toBe(30_000)
  })

  it.each(Object.entries(verbs))('%s gives up in time, and has done nothing', async (_, write) => {
    const { engine, database } = open({ acquireTimeoutMs: 40 })
    const before = texts()
    lock()
    const refused = { code: 'SERVICE_UNAVAILABLE', status: 503, extensions: { retryAfter: 1 } }
    await expect(write(engine)).rejects.toMatchObject(refused)
    expect(database.pragma('busy_timeout', { simple: true })).toBe(30_000)
    unlock()
    await sleep(30)
    expect(texts()).toEqual(before)
    await write(engine)
    expect(texts()).not.toEqual(before)
  })

  it.each(Object.entries(verbs))('%s of a caller who has left is not done any more', async (_, write) => {
    const { engine } = open()
    const before = texts()
    lock()
    const given = new AbortController()
    const left = write(engine, given)
    await sleep(5)
    given.abort(new Error('I have left'))
    await expect(left).rejects.toThrow('I have left')
    unlock()
    await write(engine)
    expect(texts()).not.toEqual(before)
  })

  it('a transaction takes the lock first, so that nobody writes between what it reads and what it writes', async () => {
    const { engine } = open()
    const seen: unknown[] = []
    await engine.transaction(async (inside) => {
      const { data } = await listItems(inside, 'notes', { fields: ['text'], limit: 1 })
      seen.push(...data)
      expect(() => other.exec(`update notes set text = 'between'`)).toThrow('locked')
      await inside.transaction((own) => updateItem(own, 'notes', 1, { text: `${data[0]?.text}!` }))
    })
    expect(seen).toEqual([{ text: 'one' }])
    expect(texts()).toEqual([
      { id: 1, text: 'one!' },
      { id: 2, text: 'two' },
    ])
  })

  it('the work of a transaction is begun once, when the lock is there', async () => {
    const { engine } = open()
    lock()
    let begun = 0
    const done = engine.transaction(async (inside) => {
      begun++
      return createItem(inside, 'notes', { text: 'three' })
    })
    await sleep(20)
    expect(begun).toBe(0)
    unlock()
    expect(await done).toEqual({ id: 3, text: 'three' })
    expect(begun).toBe(1)
  })

  it("what a host's transaction writes waits as the host says", async () => {
    const { engine, db, database } = open({}, 10)
    lock()
    const work = db.transaction().execute((transaction) => deleteItem(engine.using(transaction), 'notes', 1))
    await expect(work).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    unlock()
    expect(database.pragma('busy_timeout', { simple: true })).toBe(10)
    expect(texts()).toHaveLength(2)
  })

  it('eight who write at the same time all do', async () => {
    const engines = Array.from({ length: 8 }, () => open().engine)
    const texts = ['a', 'b', 'c']
    const writes = engines.flatMap((engine) =>
      texts.flatMap((text) => [
        createItem(engine, 'notes', { text }),
        createItems(engine, 'notes', [{ text }, { text }]),
      ]),
    )
    await Promise.all(writes)
    const { count } = other.prepare('select count(*) as count from notes').get() as { count: number }
    expect(count).toBe(2 + 8 * 3 * 3)
  })

  const created = (engine: Notes, text: string) => createItem(engine, 'notes', { text }, { fields: ['text'] })
  it.each([
    ['writes', created],
    ['begins', (engine: Notes, text: string) => engine.transaction((inside) => created(inside, text))],
  ])('whoever %s in one go waits as the host says once, and then in turn with others', async (_, create) => {
    const { engine, database } = open({}, 20)
    for (const text of ['a', 'b', 'c']) await create(engine, text)
    lock()
    const more = ['d', 'e', 'f'].map((text) => create(engine, text))
    for (let turns = 0; turns < 20; turns++) await sleep(1)
    expect(texts()).toHaveLength(5)
    unlock()
    expect(await Promise.all(more)).toEqual([{ text: 'd' }, { text: 'e' }, { text: 'f' }])
    expect(database.pragma('busy_timeout', { simple: true })).toBe(20)
  })

  it('a driver that may not be told how long to wait is waited for no more than once', async () => {
    const { engine, database } = open({ acquireTimeoutMs: 20_000 }, 150)
    const prepare = database.prepare.bind(database)
    let waits = 0
    Object.assign(database, {
      prepare: (text: string) => {
        if (/busy_timeout/.test(text))
          throw Object.assign(new Error('not authorized'), { code: 'SQLITE_AUTH' })
        if (/^(insert|delete|.. quernel .. (insert|delete))/.test(text)) waits++
        return prepare(text)
      },
    })
    lock()
    const alone = { fields: ['id'] } as const
    await expect(createItem(engine, 'notes', { text: 'x' }, alone)).rejects.toMatchObject({ status: 503 })
    expect(waits).toBe(1)
    await expect(deleteItem(engine, 'notes', 1)).rejects.toMatchObject({ status: 503 })
    expect(waits).toBe(2)
    unlock()
    await createItem(engine, 'notes', { text: 'x' })
  })
})
