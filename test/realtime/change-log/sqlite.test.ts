// What SQLite does with triggers: `or replace`, keys of all kinds, tables that are built anew, other processes, and a file that is locked.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createEngine, createItem, defineSchema, updateItem } from '../../../src/index.ts'
import {
  changeLogSource,
  checkChangeLog,
  createFeed,
  installChangeLog,
  watchItems,
} from '../../../src/realtime.ts'
import { sqliteDialect } from '../../../src/sqlite.ts'
import { atEnd } from '../../support/at-end.ts'
import { openSqlite } from '../../support/databases.ts'
import { Listener, listen, logged, openTables, schema, until } from './tables.ts'

const database = { open: openSqlite }

describe('or replace', () => {
  it('is told of the rows that it deletes, by whichever unique index', async () => {
    const { engine, run } = await openTables(database)
    await installChangeLog(engine, logged)
    const heard = await listen(engine)
    await run(`insert or replace into people values (9, 'Ada')`)
    await until(() => heard.texts.includes('create people 9'))
    // The row with that name is gone.
    expect(heard.texts).toContain('update people 1')
    const before = heard.texts.length
    await run(`update or replace people set name = 'Ada' where id = 2`)
    await until(() => heard.texts.length > before + 1)
    expect(heard.texts.slice(before).toSorted()).toEqual(['update people 2', 'update people 9'])
    await run(`replace into people values (2, 'Eve')`)
    await until(() => heard.texts.slice(before + 2).includes('create people 2'))
  })

  it('is told under collations of indexes, and by numbers of rows', async () => {
    const { db, run } = await openTables(database)
    await run('create table loose (code text collate nocase primary key, tag text)')
    await run('create unique index loose_tags on loose (tag collate nocase)')
    await run(`create unique index loose_some on loose (tag) where code > 'm'`)
    await run(`insert into loose (rowid, code, tag) values (1, 'a', 'x'), (2, 'b', 'y'), (3, 'c', 'z')`)
    const loose = defineSchema({
      loose: { fields: { code: { type: 'string', key: true }, tag: { type: 'string', nullable: true } } },
    })
    const engine = createEngine({ db, schema: loose })
    const { remarks } = await installChangeLog(engine, ['loose'])
    expect(remarks).toEqual([
      '"loose" has the unique index "loose_some" of an expression or of some rows only: what "or replace" deletes through it is not logged.',
    ])
    const heard = await listen(engine)
    await run(`insert or replace into loose (rowid, code, tag) values (2, 'A', 'Z')`)
    await until(() => heard.texts.includes('create loose "A"'))
    expect(new Set(heard.texts)).toEqual(
      new Set(['update loose "a"', 'update loose "b"', 'update loose "c"', 'create loose "A"']),
    )
    await run(`update loose set code = 'a'`)
    await until(() => heard.texts.includes('create loose "a"'))
  })
})

describe('or replace with a null for which a default stands', () => {
  it('is told of the row that has the default', async () => {
    const { db, run } = await openTables(database)
    await run(
      `create table codes (id integer primary key, code text not null default 'it''s' unique, n integer not null default -1, unique (n))`,
    )
    await run(`insert into codes values (1, 'it''s', 5), (2, 'b', -1), (3, 'c', 7)`)
    const codes = defineSchema({ codes: { fields: { id: { type: 'integer', key: true } } } })
    const engine = createEngine({ db, schema: codes })
    await installChangeLog(engine, ['codes'])
    const heard = await listen(engine)
    await run('insert or replace into codes values (4, null, null)')
    await run('update or replace codes set code = null where id = 3')
    await until(() => heard.texts.includes('update codes 3'))
    expect(new Set(heard.texts)).toEqual(
      new Set(['update codes 1', 'update codes 2', 'create codes 4', 'update codes 4', 'update codes 3']),
    )
  })
})

describe('a key that changes', () => {
  it('is told as two rows, by whichever name it is set, and by whom', async () => {
    const { db, run } = await openTables(database)
    await run('create table places (id integer primary key, code text unique)')
    await run('create table doubled (n integer, code text generated always as (n * 2) stored unique)')
    await run('create table parents (id text primary key)')
    await run('create table children (id text primary key references parents on update cascade)')
    for (const insert of [
      `insert into places values (1, 'a')`,
      'insert into doubled (n) values (1), (4)',
      `insert into parents values ('x')`,
      `insert into children values ('x')`,
    ])
      await run(insert)
    const keyed = defineSchema({
      places: { fields: { id: { type: 'integer', key: true }, code: { type: 'string' } } },
      doubled: { fields: { code: { type: 'string', key: true }, n: { type: 'integer' } } },
      children: { fields: { id: { type: 'string', key: true } } },
    })
    const engine = createEngine({ db, schema: keyed })
    await installChangeLog(engine, ['places', 'doubled', 'children'])
    const heard = await listen(engine)
    const told = async (statement: string, expected: readonly string[]) => {
      const before = heard.texts.length
      await run(statement)
      const found = () => new Set(heard.texts.slice(before))
      await until(() => found().size >= expected.length)
      expect(found()).toEqual(new Set(expected))
    }
    const places = (id: number) => [`update places ${id}`, `create places ${id + 1}`]
    await told('update places set id = 2', places(1))
    await told('update places set ROWID = 3', places(2))
    await told('update places set (code, _rowid_) = (select code, 4)', places(3))
    await told(
      `insert into places values (4, 'b') on conflict (id) do update set "oid" = excluded.id + 1`,
      places(4),
    )
    await told(`update places set code = 'c'`, ['update places 5'])
    await told('update doubled set n = 2 where n = 1', ['update doubled "2"', 'create doubled "4"'])
    await told('update or replace doubled set n = 4 where n = 2', [
      'update doubled "8"',
      'update doubled "4"',
      'create doubled "8"',
    ])
    await told(`update parents set id = 'y'`, ['update children "x"', 'create children "y"'])
  })
})

describe('values', () => {
  it('of keys of every type are told as results show them', async () => {
    const { db, run } = await openTables(database)
    for (const table of [
      'create table bigs (id integer primary key)',
      'create table uuids (id text primary key)',
      'create table bytes (id blob primary key) without rowid',
      'create table days (day text, at text, primary key (day, at))',
      'create table texts (id text primary key)',
      'create table numbered (n integer)',
    ])
      await run(table)
    const keyed = defineSchema({
      bigs: { fields: { id: { type: 'bigInteger', key: true } } },
      uuids: { fields: { id: { type: 'uuid', key: true } } },
      bytes: { fields: { id: { type: 'binary', encoding: 'hex', key: true } } },
      days: { key: ['day', 'at'], fields: { day: { type: 'date' }, at: { type: 'timestamp' } } },
      texts: { fields: { id: { type: 'string', key: true } } },
      numbered: {
        fields: { rowid: { type: 'integer', key: true, rowNumber: true }, n: { type: 'integer' } },
      },
    })
    const engine = createEngine({ db, schema: keyed })
    await installChangeLog(engine, ['bigs', 'uuids', 'bytes', 'days', 'texts', 'numbered'])
    const heard = await listen(engine)
    const inserts = [
      'insert into bigs values (9007199254740993)',
      `insert into uuids values ('A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11')`,
      `insert into bytes values (x'deadbeef')`,
      `insert into days values ('2024-02-29', '2024-02-29T12:00:00.500Z')`,
      `insert into texts values ('a "quoted" é \u{1f600}, and more')`,
      // Bytes in a column of texts are read as their text, and let no write fail.
      `insert into texts values (x'616263')`,
      'insert into numbered (n) values (5)',
    ]
    for (const insert of inserts) await run(insert)
    await until(() => heard.texts.length >= inserts.length)
    expect(heard.texts).toEqual([
      'create bigs "9007199254740993"',
      'create uuids "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"',
      'create bytes "deadbeef"',
      'create days ["2024-02-29","2024-02-29T12:00:00.500Z"]',
      'create texts "a \\"quoted\\" é 😀, and more"',
      'create texts "abc"',
      'create numbered 1',
    ])
  })
})

function openFile(isWal: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'quernel-log-'))
  atEnd(async () => rmSync(folder, { recursive: true }))
  const file = join(folder, 'log.db')
  const own = new BetterSqlite(file)
  if (isWal) own.pragma('journal_mode = wal')
  own.exec(`create table people (id integer primary key, name text unique); create table tasks (id integer primary key, title text, owner integer references people);
    create table seats (hall text, number integer, guest text, primary key (hall, number)); insert into tasks values (1, 'Paint', null)`)
  const other = new BetterSqlite(file)
  atEnd(async () => void other.close())
  return { own, other }
}

const dialects = [
  ['Kysely’s dialect', (own: BetterSqlite.Database) => new SqliteDialect({ database: own })],
  ['the dialect of quernel/sqlite', (own: BetterSqlite.Database) => sqliteDialect({ database: own })],
] as const

describe.each(dialects)('a file, by %s', (_, dialectOf) => {
  it.each([true, false])('that is locked by another connection (WAL: %s) holds up nothing', async (isWal) => {
    const { own, other } = openFile(isWal)
    const db = new Kysely<object>({ dialect: dialectOf(own) })
    atEnd(() => db.destroy())
    const engine = createEngine({ db, schema })
    await installChangeLog(engine, logged)
    const heard = await listen(engine)
    // Whoever waited for the lock would hold up this process, and the end of the lock with it.
    own.pragma('busy_timeout = 600000')
    other.exec('begin exclusive')
    other.exec(`insert into tasks values (2, 'Write', null)`)
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    expect(heard.texts).toEqual([])
    expect(heard.failure).toBeUndefined()
    other.exec('commit')
    await until(() => heard.texts.includes('create tasks 2'))
  })

  it('that is locked when a reader begins, is read from no place before the first look', async () => {
    const { own, other } = openFile(false)
    const db = new Kysely<object>({ dialect: dialectOf(own) })
    atEnd(() => db.destroy())
    const engine = createEngine({ db, schema })
    await installChangeLog(engine, logged)
    own.pragma('busy_timeout = 600000')
    other.exec('begin exclusive')
    const heard = new Listener(engine, changeLogSource({ everyMs: 10 }))
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(heard.batches).toEqual([])
    other.exec('commit; drop trigger quernel_log_tasks_update')
    await until(() => heard.batches.length > 0)
    expect(heard.blind).toContain('tasks')
    expect(heard.failure).toBeUndefined()
    other.exec(`insert into people values (1, 'Ada')`)
    await until(() => heard.texts.includes('create people 1'))
  })

  it('is written by another connection, and by the engine, which still gets its rows back', async () => {
    const { own, other } = openFile(true)
    const statements: string[] = []
    const db = new Kysely<object>({ dialect: dialectOf(own) })
    atEnd(() => db.destroy())
    const engine = createEngine({ db, schema, onQuery: ({ sql }) => statements.push(sql) })
    await installChangeLog(engine, logged)
    const feed = createFeed(engine, { source: changeLogSource({ everyMs: 10 }), settleMs: 1 })
    atEnd(() => feed.stop())
    const watched = watchItems(feed.as({ admin: true }), 'tasks', { fields: ['title'], sort: 'id' })
    await watched.next()
    other.exec(`update tasks set title = 'Draw' where id = 1`)
    expect((await watched.next()).value).toMatchObject({ set: [{ item: { title: 'Draw' } }] })
    statements.length = 0
    await updateItem(engine, 'tasks', 1, { title: 'Hide' })
    await createItem(engine, 'tasks', { id: 3, title: 'Seek' })
    const writes = statements.filter((text) => /update "tasks"|insert into "tasks"/.test(text))
    expect(writes).toHaveLength(2)
    for (const write of writes) expect(write).toContain('returning')
  })

  it('is migrated by building a table anew, which is noticed within a second or two', async () => {
    const { own, other } = openFile(true)
    const db = new Kysely<object>({ dialect: dialectOf(own) })
    atEnd(() => db.destroy())
    const engine = createEngine({ db, schema })
    await installChangeLog(engine, logged)
    const heard = await listen(engine)
    await until(() => heard.batches.length > 0)
    other.exec(`create table tasks_new (id integer primary key, title text not null, owner integer);
      insert into tasks_new select * from tasks; drop table tasks; alter table tasks_new rename to tasks`)
    await until(() => heard.blind.includes('tasks'))
    await installChangeLog(engine, logged)
    await until(() => !heard.blind.includes('tasks'))
    // A table that changes its name takes its triggers along.
    other.exec('alter table tasks rename to tasks_old; create table tasks as select * from tasks_old')
    await until(() => heard.blind.includes('tasks'))
    await installChangeLog(engine, logged)
    expect(await checkChangeLog(engine)).toMatchObject({ broken: [], logged: [...logged] })
    other.exec(`insert into tasks values (9, 'new', null)`)
    await until(() => heard.texts.includes('create tasks 9'))
  })
})

it('another entry at the last number that was seen lets readers begin anew', async () => {
  const { engine, run } = await openTables({ open: openSqlite })
  await installChangeLog(engine, ['tasks'])
  const heard = await listen(engine)
  await run('insert into tasks (id) values (8)')
  await until(() => heard.texts.includes('create tasks 8'))
  // As in a copy that was put back, and was written to as often as what stood here before.
  await run('update quernel_changes set at = at - 5 where seq = (select max(seq) from quernel_changes)')
  await until(() => heard.isBroken)
  await run('insert into tasks (id) values (9)')
  await until(() => heard.texts.includes('create tasks 9'))
  expect(heard.batches.filter(({ isBroken }) => isBroken)).toHaveLength(1)
})
