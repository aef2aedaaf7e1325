// Databases that can do nothing for anybody: each says what is wrong, and neither the statement nor the path of a file.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteDialect, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  createItems,
  defineSchema,
  deleteItem,
  listItems,
} from '../../src/index.ts'
import { atEnd } from '../support/at-end.ts'
import { type AnyTables, openPostgres } from '../support/databases.ts'

const schema = defineSchema({
  notes: { fields: { id: { type: 'integer', key: true }, text: { type: 'text' } } },
})
const words = 'many words. '.repeat(1_000)

/** A file of a database, or of something else. */
function newFile(content?: string): string {
  const home = mkdtempSync(join(tmpdir(), 'quernel-failures-'))
  atEnd(() => rmSync(home, { recursive: true, force: true }))
  const path = join(home, 'test.db')
  if (content !== undefined) writeFileSync(path, content)
  return path
}

function engineOn(database: BetterSqlite.Database) {
  const db = new Kysely<AnyTables>({ dialect: new SqliteDialect({ database }) })
  atEnd(() => db.destroy())
  return createEngine({ db, schema })
}

function notesIn(path: string): BetterSqlite.Database {
  const database = new BetterSqlite(path)
  database.exec('create table notes (id integer primary key, text text not null)')
  return database
}

const unavailable = (message: string) => ({ code: 'SERVICE_UNAVAILABLE', status: 503, message })

describe('a database of SQLite', () => {
  it('that is full says so, and nothing of what was to be written is there', async () => {
    const database = notesIn(newFile())
    const engine = engineOn(database)
    database.pragma('max_page_count = 20')
    const full = unavailable('The database has no room left.')
    const many = Array.from({ length: 20 }, () => ({ text: words }))
    await expect(createItems(engine, 'notes', many)).rejects.toMatchObject(full)
    expect(await listItems(engine, 'notes')).toEqual({ data: [] })
    await expect(createItem(engine, 'notes', { text: words.repeat(20) })).rejects.toMatchObject(full)
    expect(await createItem(engine, 'notes', { text: 'few' })).toMatchObject({ text: 'few' })
  })

  it('that is opened to be read says so to whoever writes, and is read', async () => {
    const path = newFile()
    notesIn(path).exec(`insert into notes values (1, 'one')`).close()
    const engine = engineOn(new BetterSqlite(path, { readonly: true }))
    const refused = unavailable('The database can only be read, and not be written to.')
    await expect(createItem(engine, 'notes', { text: 'two' })).rejects.toMatchObject(refused)
    await expect(createItems(engine, 'notes', [{ text: 'a' }, { text: 'b' }])).rejects.toMatchObject(refused)
    await expect(deleteItem(engine, 'notes', 1)).rejects.toMatchObject(refused)
    expect(await listItems(engine, 'notes')).toEqual({ data: [{ id: 1, text: 'one' }] })
    const inside = engine.transaction((own) => listItems(own, 'notes', { fields: ['id'] }))
    expect(await inside).toEqual({ data: [{ id: 1 }] })
  })

  it('that is none says so', async () => {
    const engine = engineOn(new BetterSqlite(newFile('This is a letter. '.repeat(100))))
    const damaged = unavailable('The database is damaged.')
    await expect(listItems(engine, 'notes')).rejects.toMatchObject(damaged)
    await expect(createItem(engine, 'notes', { text: 'one' })).rejects.toMatchObject(damaged)
  })
})

describe('a database of PostgreSQL', () => {
  it('that became a copy says so to whoever writes, and is read', async () => {
    const { db, run } = await openPostgres()
    await run('create table notes (id serial primary key, text text not null)')
    const engine = createEngine({ db, schema })
    const refused = unavailable('The database can only be read, and not be written to.')
    await db.transaction().execute(async (transaction) => {
      await sql`set transaction read only`.execute(transaction)
      const inside = engine.using(transaction)
      await expect(createItem(inside, 'notes', { text: 'one' })).rejects.toMatchObject(refused)
      expect(await listItems(inside, 'notes')).toEqual({ data: [] })
    })
  })

  it('that does not allow its role to read says so, and not what', async () => {
    const { db, run } = await openPostgres()
    await run('create table notes (id serial primary key, text text not null)')
    const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db)
    await run(`grant usage on schema ${rows[0]?.name} to pg_monitor`)
    const engine = createEngine({ db, schema })
    const undone = new Error('undone')
    const work = db.transaction().execute(async (transaction) => {
      // A role of every server.
      await sql`set local role pg_monitor`.execute(transaction)
      const refused = listItems(engine.using(transaction), 'notes')
      await expect(refused).rejects.toMatchObject({
        code: 'FORBIDDEN',
        status: 403,
        message: 'The database does not allow this to the role that it is opened as.',
      })
      // What has failed in it cannot be committed, and not every Kysely would say so.
      throw undone
    })
    await expect(work).rejects.toBe(undone)
  })
})
